/* device_step.h - one stage of a step on the device; without CUDA there is no device and every call
 * but destroy and free fails. Codes are 0 or an error for device_step_text. */
#pragma once
#include <rind/tiles.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct device_step device_step;

/* Of packed fields with tight strides and two layers of ghosts. */
typedef struct device_step_options {
  const rind_layout *layout; /* complete; its type is the field's */
  int num_blocks;
  bool limited;      /* slopes */
  bool fused;        /* cells are loaded as tiles, ghosts gathered */
  size_t table_size; /* doubles a block, of rates_table */
} device_step_options;

/* The device that this process uses from now on. */
int device_step_choose(int number);
const char *device_step_text(int code);

int device_step_allocate(size_t bytes, void **memory);
void device_step_free(void *memory);

/* Shared memory of a thread block that has all cells of a block, and what there is of it. */
size_t device_step_shared(const device_step_options *options);
size_t device_step_most_shared(void);

/* tables [num_blocks][table_size], on the host. */
int device_step_create(const device_step_options *options, const double *tables,
                       device_step **made);
void device_step_destroy(device_step **step);

/* Enqueues to = from + dt L(from), or with old its mean with old. Addresses are those of interior
 * cell (0, 0, 0) of block 0. tiles: of from, if fused, else NULL. */
int device_step_run(const device_step *step, const void *from, const void *old, void *to, double dt,
                    const rind_tile_view *tiles);

/* Moments of a stage on the stream, in this order. Seconds between them are summed. */
enum { DEVICE_MARK_BEGIN, DEVICE_MARK_FILLED, DEVICE_MARK_END, DEVICE_MARKS };
int device_step_mark(device_step *step, int mark);
/* Waits, adds up since the last call. */
int device_step_seconds(device_step *step, double *fill, double *compute);

#ifdef __cplusplus
}
#endif
