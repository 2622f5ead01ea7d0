/* bench.h - what the benchmark's files share: named forests, timed calls, copies written by hand.
 */
#pragma once
#include <rind/forest_p4est.h>
#include <rind/rind.h>

#include <stdbool.h>
#include <stdint.h>

/* The reference forests of docs/performance.md. */
typedef enum bench_name {
  BENCH_R8,
  BENCH_R4,
  BENCH_R2,
  BENCH_C3,
  BENCH_L12,
  BENCH_L16,
  BENCH_NUM_NAMES
} bench_name;

/* Words for the command line, ending with NULL. */
extern const char *const bench_names[BENCH_NUM_NAMES + 1];

/* How ranks lie beside each other in bench scaling: in a row, in a box, as the curve has it. */
typedef enum bench_shape { BENCH_LINE, BENCH_CUBE, BENCH_CURVE, BENCH_NUM_SHAPES } bench_shape;
extern const char *const bench_shapes[BENCH_NUM_SHAPES + 1];

typedef struct bench_forest {
  bench_name name;
  int dim;         /* 0: the forest's own; C3 exists in 2D and 3D */
  int cells;       /* a block and axis; 0: the forest's own */
  int periodic[3]; /* -1 for the first axis: the forest's own walls */
} bench_forest;

/* Collective. Makes the named forest and fills in what was left open. */
rind_error bench_forest_create(rind_context *context, bench_forest *what, rind_forest **forest);

/* A call to time: returns a rind_error. */
typedef rind_error (*bench_call)(void *what);

typedef struct bench_timing {
  double median; /* microseconds a call, the slowest rank's */
  double min;
  double p90;
} bench_timing;

typedef struct bench_variant {
  bench_call call;
  void *what;
  bench_timing timing;
} bench_variant;

/* Collective. Times the variants in turn, repeats times, so that they share the machine's moods. A
 * sample is a run of back-to-back calls of about sample_us, after one call that is not timed.
 * Variants without a call are skipped. */
rind_error bench_time(rind_context *context, bench_variant *variants, int num_variants, int repeats,
                      double sample_us);

/* What a user writes by hand: to[i] and from[i] index one packed array. */
typedef struct bench_copy {
  void *data;
  rind_type type;
  int64_t count;
  int32_t *to;
  int32_t *from;
  struct bench_device_copy *there; /* on the device: in place of all of the above */
} bench_copy;

/* The same ghost values as the schedule's fills, one local source each (the first that is local, or
 * an interior cell of the same block), in a packed array of layout. False: no memory, or more
 * values than 32-bit indices reach; *copy is empty then. */
bool bench_copy_create(const rind_schedule *schedule, const rind_layout *layout, bench_copy *copy);
/* The same in the field's own array on the device, packed: row by row, one launch. False if the
 * field is not packed, or without memory. */
bool bench_copy_create_device(const rind_schedule *schedule, rind_field *field, bench_copy *copy);
void bench_copy_destroy(bench_copy *copy);
rind_error bench_copy_run(void *copy);

/* Bytes a second, read plus written, of a plain copy of bytes bytes on every rank at once. */
double bench_copy_bandwidth(rind_context *context, size_t bytes);
