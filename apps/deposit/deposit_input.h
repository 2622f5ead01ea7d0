/* deposit_input.h - particles and target of the benchmark: random numbers of a seed. */
#pragma once
#include <deposit.h>

typedef struct deposit_arrays {
  double *x, *v, *target; /* [count], [count], [DEPOSIT_BINS] */
} deposit_arrays;

/* From one stream, in this order: x = rand(count), v = 0.005 randn(count), target = 0.01
 * rand(bins). False without memory. */
bool deposit_arrays_create(int64_t count, uint64_t seed, deposit_arrays *arrays);
void deposit_arrays_destroy(deposit_arrays *arrays);
