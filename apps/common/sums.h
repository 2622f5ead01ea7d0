/* sums.h - sums and checksums that do not depend on the number of ranks. */
#pragma once
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* A sum that carries its rounding error along (Neumaier 1974). All zero is an empty sum. */
typedef struct app_sum {
  double sum;
  double rest;
} app_sum;

static inline void app_sum_add(app_sum *sum, double value) {
  const double total = sum->sum + value;
  const double big = sum->sum < 0 ? -sum->sum : sum->sum;
  const double small = value < 0 ? -value : value;
  sum->rest += big >= small ? (sum->sum - total) + value : (value - total) + sum->sum;
  sum->sum = total;
}

static inline double app_sum_value(const app_sum *sum) {
  return sum->sum + sum->rest;
}

/* Collective. total[count] is the sum over all blocks of all ranks of values[num_blocks][count],
 * added in global block order, the same on every rank. Blocks of a rank are in global order, and
 * ranks follow one another. */
void app_sum_blocks(MPI_Comm comm, const double *values, int num_blocks, int count, double *total);

/* A checksum of values and their places: adding it up in any order gives the same. */
static inline uint64_t app_mix(uint64_t place, uint64_t bits) {
  uint64_t x = bits ^ (place * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019));
  x = (x ^ (x >> 31)) * UINT64_C(0xd6e8feb86659fd93);
  x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
  return x ^ (x >> 29);
}

/* Collective. Adds the ranks' checksums. */
uint64_t app_checksum_total(MPI_Comm comm, uint64_t mine);

/* Collective. Median and largest of the ranks' values, on every rank. */
void app_over_ranks(MPI_Comm comm, double mine, double *median, double *largest);
