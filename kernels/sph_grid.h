/* sph_grid.h - the cells that find neighbours, and which of them a cell sees, for host and device.
 *
 * A grid covers the box with cells of 2 h or more a side; what is outside (beyond walls) counts as
 * in the nearest cell. A cell's number is its place in x + nx (y + ny z). */
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define RIND_SPH_INLINE static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define RIND_SPH_INLINE static inline __attribute__((always_inline))
#else
#define RIND_SPH_INLINE static inline
#endif

/* Numbers of cells fit 32 bits. */
enum { RIND_SPH_MOST_CELLS_2D = 65535, RIND_SPH_MOST_CELLS_3D = 1625, RIND_SPH_MOST_ROWS = 9 };

typedef struct rind_sph_grid {
  int dim;
  uint32_t cells[3]; /* 1 along an unused axis */
  double lower[3], upper[3];
  double length[3];       /* upper - lower */
  double inverse_size[3]; /* of a cell */
  bool periodic[3];
  /* Periodic axes shorter than 4 h: one cell, and the nearest image is chosen pair by pair. */
  bool nearest[3];
  bool any_nearest;
} rind_sph_grid;

/* Cells low to high of a row along x, and the image of the box in which they are seen. */
typedef struct rind_sph_piece {
  uint32_t low, high; /* numbers of cells, both included */
  int8_t image[3];    /* their particles are seen at x + image length */
} rind_sph_piece;

RIND_SPH_INLINE uint32_t rind_sph_num_cells(const rind_sph_grid *grid) {
  return grid->cells[0] * grid->cells[1] * grid->cells[2];
}

/* Rows of cells that a cell sees, in the order of sums: 3 or 9. */
RIND_SPH_INLINE int rind_sph_num_rows(int dim) {
  return dim == 2 ? 3 : 9;
}

RIND_SPH_INLINE bool rind_sph_is_finite(double x) {
  return fabs(x) <= DBL_MAX;
}

/* A coordinate moved into the box along a periodic axis. */
RIND_SPH_INLINE double rind_sph_wrap(const rind_sph_grid *grid, int axis, double x) {
  const double lower = grid->lower[axis], upper = grid->upper[axis];
  if (!grid->periodic[axis] || (x >= lower && x < upper)) return x;
  const double inside = x - grid->length[axis] * floor((x - lower) / grid->length[axis]);
  return inside >= lower && inside < upper ? inside : lower;
}

/* The cell along an axis of a coordinate that is wrapped. */
RIND_SPH_INLINE uint32_t rind_sph_cell_along(const rind_sph_grid *grid, int axis, double x) {
  const double place = (x - grid->lower[axis]) * grid->inverse_size[axis];
  const uint32_t last = grid->cells[axis] - 1;
  if (!(place > 0)) return 0;
  return place >= (double)last ? last : (uint32_t)place;
}

/* The neighbour along an axis, step -1, 0 or 1; false if there is none. */
RIND_SPH_INLINE bool rind_sph_step(const rind_sph_grid *grid, int axis, uint32_t from, int step,
                                   uint32_t *to, int8_t *image) {
  const bool leaves = step < 0 ? from == 0 : step > 0 && from + 1 == grid->cells[axis];
  *image = (int8_t)(leaves ? step : 0);
  *to = !leaves ? from + (uint32_t)step : step < 0 ? grid->cells[axis] - 1 : 0;
  return !leaves || (grid->periodic[axis] && !grid->nearest[axis]);
}

/* The pieces of a row that a cell sees, from lower to higher x: none, one or two. */
RIND_SPH_INLINE int rind_sph_pieces(const rind_sph_grid *grid, const uint32_t cell[3], int row,
                                    rind_sph_piece piece[2]) {
  uint32_t y = 0, z = 0, side = 0;
  int8_t image_x = 0, image_y = 0, image_z = 0;
  if (!rind_sph_step(grid, 1, cell[1], row % 3 - 1, &y, &image_y)) return 0;
  if (grid->dim == 3 && !rind_sph_step(grid, 2, cell[2], row / 3 - 1, &z, &image_z)) return 0;
  const uint32_t base = grid->cells[0] * (y + grid->cells[1] * z);
  const uint32_t first = cell[0] > 0 ? cell[0] - 1 : 0;
  const uint32_t last = cell[0] + 1 < grid->cells[0] ? cell[0] + 1 : cell[0];
  int num = 0;
  if (cell[0] == 0 && rind_sph_step(grid, 0, 0, -1, &side, &image_x)) {
    const rind_sph_piece left = {base + side, base + side, {image_x, image_y, image_z}};
    piece[num++] = left;
  }
  const rind_sph_piece middle = {base + first, base + last, {0, image_y, image_z}};
  piece[num++] = middle;
  if (cell[0] + 1 == grid->cells[0] && rind_sph_step(grid, 0, cell[0], 1, &side, &image_x)) {
    const rind_sph_piece right = {base + side, base + side, {image_x, image_y, image_z}};
    piece[num++] = right;
  }
  return num;
}

/* A cell's place along each axis. */
RIND_SPH_INLINE void rind_sph_place_of(const rind_sph_grid *grid, uint32_t number,
                                       uint32_t cell[3]) {
  cell[0] = number % grid->cells[0];
  cell[1] = number / grid->cells[0] % grid->cells[1];
  cell[2] = grid->dim == 3 ? number / grid->cells[0] / grid->cells[1] : 0;
}
