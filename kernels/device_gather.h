/* device_gather.h - gathers on the device: rows, fills and weights are copied there once, then each
 * run is one launch. Without CUDA (cuda_none.c) there is no device and every call but destroy
 * fails. Codes are 0 or a device error code for rind_device_error_text. */
#pragma once
#include <block_programs.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rind_device_gather rind_device_gather;

/* Stages of the batches of an adjoint: stage s is the fills [stage_fill[s], stage_fill[s + 1]),
 * whose rows write different cells; batch b is the stages [batch_stage[b], batch_stage[b + 1]). */
typedef struct rind_gather_stages {
  int num_batches;
  const int *batch_stage; /* [num_batches + 1] */
  int num_stages;
  const int *stage_fill; /* [num_stages + 1] */
} rind_gather_stages;

/* stages NULL: fills run in any order. elements, origin: as in rind_gather_scratch, if the batches'
 * destinations are floats whose sums are doubles; else elements is 0. frame: of the destinations,
 * whose rows become programs where they can, and all runs are of all fills; NULL: they do not. */
int rind_device_gather_create(const rind_gather *gather, const rind_gather_stages *stages,
                              ptrdiff_t elements, ptrdiff_t origin, const rind_program_frame *frame,
                              rind_device_gather **made);
/* Accepts NULL. */
void rind_device_gather_destroy(rind_device_gather **gather);
/* Bytes of device memory, sums of floats not counted. */
int64_t rind_device_gather_bytes(const rind_device_gather *gather);

/* Enqueues the fills [first, last), or with stages all batches. The bases are arrays in device
 * memory. */
int rind_device_gather_run(const rind_device_gather *gather, int first, int last,
                           void *const *to_base, const void *const *own_base,
                           const void *const *source_base, void *stream);

#ifdef __cplusplus
}
#endif
