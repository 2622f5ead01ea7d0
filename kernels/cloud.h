/* cloud.h - cloud in cell: particles of blocks that give to, and take from, the cells around them.
 * Arrays in, arrays out; host and device share the arithmetic of this file.
 *
 * Along an axis, u = (x - lower) * per counts cells from the block's lower corner. Centre j lies at
 * u = j + 1/2; centres -1 and cells are ghosts. Particles between centres j and j + 1 are group
 * j + 1, and give 1 - f to cell j and f to cell j + 1, with f = u - 1/2 - j.
 *
 * The order of sums: within a group and corner, chunks of RIND_CLOUD_CHUNK particles in order, each
 * from 0, then the chunks from 0; in a cell, the groups around it from 0, ascending, axis 0
 * fastest. docs/particles.md says the same in words. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rind/field.h>

#ifdef __CUDACC__
#define RIND_CLOUD_INLINE static inline __host__ __device__
#else
#define RIND_CLOUD_INLINE static inline
#endif

enum { RIND_CLOUD_CHUNK = 256 };

/* Where a block lies. */
typedef struct rind_cloud_box {
  double lower[3];
  double per[3]; /* cells a unit of length */
} rind_cloud_box;

/* Particles sorted into groups between centres. */
typedef struct rind_cloud {
  int dim;
  int cells;
  int num_blocks;
  int64_t num_groups;        /* (cells + 1)^dim a block */
  const rind_cloud_box *box; /* [num_blocks] */
  const double *position[3];
  const int64_t *first_in_group; /* [num_blocks * num_groups + 1] */
} rind_cloud;

/* One component of a field. */
typedef struct rind_cloud_grid {
  rind_type type;
  int ghosts; /* at least 1 */
  ptrdiff_t cell_stride[3];
  ptrdiff_t offset;     /* of the component */
  void *const *pointer; /* [num_blocks], component 0 of interior cell (0, 0, 0) */
} rind_cloud_grid;

/* The cell that u lies in, 0 to cells - 1. */
RIND_CLOUD_INLINE int rind_cloud_cell(double u, int cells) {
  const double last = cells - 1;
  return u > 0 ? (u < last ? (int)u : cells - 1) : 0;
}

/* The group between centres that u lies in, 0 to cells. */
RIND_CLOUD_INLINE int rind_cloud_group(double u, int cells) {
  const double last = cells;
  return u + 0.5 > 0 ? (u + 0.5 < last ? (int)(u + 0.5) : cells) : 0;
}

/* The weight of the upper centre of a group. */
RIND_CLOUD_INLINE double rind_cloud_fraction(double x, double lower, double per, int group) {
  const double f = ((x - lower) * per - 0.5) - (double)(group - 1);
  return f > 0.0 ? (f < 1.0 ? f : 1.0) : 0.0;
}

/* Group k of a block along each axis. */
RIND_CLOUD_INLINE void rind_cloud_split(int64_t k, int cells, int at[3]) {
  const int64_t side = (int64_t)cells + 1;
  at[0] = (int)(k % side);
  at[1] = (int)(k / side % side);
  at[2] = (int)(k / (side * side));
}

/* Weights of the corners of one particle, axis 0 fastest. */
RIND_CLOUD_INLINE void rind_cloud_weights(int dim, const double f[3], double w[8]) {
  const double x[2] = {1.0 - f[0], f[0]}, y[2] = {1.0 - f[1], f[1]};
  for (int c = 0; c < 4; ++c)
    w[c] = x[c & 1] * y[c >> 1];
  if (dim == 2) return;
  const double z = 1.0 - f[2];
  for (int c = 0; c < 4; ++c) {
    w[4 + c] = w[c] * f[2];
    w[c] = w[c] * z;
  }
}

/* The sum over corners without axis a, in order, of their weights times upper - lower. */
RIND_CLOUD_INLINE double rind_cloud_slope(int dim, int a, const double f[3], const double h[8]) {
  const int b = a == 0 ? 1 : 0, c = dim == 2 ? -1 : a == 2 ? 1 : 2;
  double sum = 0.0;
  for (int k = 0; k < 1 << (dim - 1); ++k) {
    const int at = (k & 1) << b | (dim == 3 ? (k >> 1) << c : 0);
    double w = k & 1 ? f[b] : 1.0 - f[b];
    if (dim == 3) w = w * (k >> 1 ? f[c] : 1.0 - f[c]);
    sum += w * (h[at | 1 << a] - h[at]);
  }
  return sum;
}

/* Sums of values (NULL: 1 each) become all cells of the grid, ghosts included. scratch [threads *
 * (cells + 2)^dim]. */
void rind_cloud_deposit_host(const rind_cloud *cloud, const double *values,
                             const rind_cloud_grid *grid, int threads, double *scratch);

/* by_value[p] = the sum over corners, axis 0 fastest, of weight times the grid's cell.
 * by_position[a][p] = (or with accumulate +=) value * per[a] * the sum over pairs of corners along
 * a, in the same order, of the other axes' weights times the difference upper - lower. values NULL:
 * 1 each; outputs NULL: not wanted. */
void rind_cloud_gather_host(const rind_cloud *cloud, const double *values,
                            const rind_cloud_grid *grid, int threads, bool accumulate,
                            double *const by_position[3], double *by_value);
