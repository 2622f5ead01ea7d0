/* device_march.cuh - the stencil of solver_body.h on the device: a thread block has a block's
 * columns, at most 16 by 16 at once, and marches along axis 2.
 *
 * Fluxes and cells have the host's bits: the same operations in the same order, none fused. */
#pragma once
#include <cuda_runtime.h>
#include <rind/tiles.cuh>

namespace {

constexpr int WIDTH = 16, MOST_THREADS = 288, LAYERS = 2;
/* Where a thread block finds its cells: in the field; in a copy of the padded block; in a tile
 * whose ghosts it has gathered. */
enum source { FROM_FIELD, FROM_COPY, FROM_TILE };

template <typename T> struct stage {
  int cells;
  bool limited;
  int block_elements, interior;
  int64_t block_stride;
  size_t copy_bytes; /* of a block's copy or tile in shared memory */
  int table_size;
  const double *tables;
  const T *from, *old;
  T *to;
  T dt;
};

template <typename T> __device__ inline T slope(T a, T b, bool limited) {
  if (!limited) return (a + b) / 2;
  const T product = a * b, tiny = (T)1e-30;
  return product > 0 ? product * (a + b) / (a * a + b * b + tiny) : 0;
}

template <typename T>
__device__ inline T flux(T far_left, T left, T right, T far_right, T rate, bool limited) {
  const T step = right - left;
  const T from_left = left + slope(left - far_left, step, limited) / 2;
  const T from_right = right - slope(step, far_right - right, limited) / 2;
  return (rate > 0 ? rate : 0) * from_left + (rate < 0 ? rate : 0) * from_right;
}

/* Rates of the faces below cells (i, j, 0), (i, j, 1), .. across one axis, one after the other. The
 * tables are those of rates.h, the formulas those of rates.c. exact: volumes are powers of 2. */
template <typename T, int dim, int axis, bool exact> struct column_rates {
  const double *square2, *edge2; /* of the next face */
  double volume, inverse;
  double a, b, c, last;

  __device__ column_rates(const double *table, int table_size, int n, int i, int j) {
    volume = table[table_size - 2];
    inverse = table[table_size - 1];
    if (dim == 2) {
      const double *stream = table + i + (n + 1) * j;
      a = axis == 0 ? stream[n + 1] - stream[0] : stream[0] - stream[1];
      return;
    }
    const double *square0 = table, *edge0 = square0 + n + 1;
    const double *square1 = edge0 + n, *edge1 = square1 + n + 1;
    square2 = edge1 + n;
    edge2 = square2 + n + 1;
    if (axis == 0) {
      a = square0[i] * square1[j];
      b = square0[i] * square1[j + 1];
      c = square0[i] * edge1[j];
      last = -(c * square2[0]);
    } else if (axis == 1) {
      a = square0[i] * square1[j];
      b = square0[i + 1] * square1[j];
    } else {
      a = square0[i] * edge1[j];
      b = square0[i + 1] * edge1[j];
    }
  }

  __device__ T next() {
    double difference = a;
    if (dim == 3 && axis == 0) {
      const double above = -(c * square2[1]);
      difference = (b * edge2[0] - a * edge2[0]) - (above - last);
      last = above;
    } else if (dim == 3 && axis == 1) {
      difference = a * edge2[0] - b * edge2[0];
    } else if (dim == 3) {
      difference = -(b * square2[0]) - -(a * square2[0]);
    }
    ++square2;
    ++edge2;
    return (T)(exact || inverse != 0 ? difference * inverse : difference / volume);
  }
};

/* Columns i0 .. i0 + nx - 1, j0 .. j0 + ny - 1 of a block; at[0] is interior cell (0, 0, 0).
 * across: two planes of fluxes along axis 0, then two along axis 1. known: 0, or the cells a block
 * and axis; then slopes have no limiter and volumes are powers of 2. */
template <typename T, int dim, int known>
__device__ void march(const stage<T> &s, int64_t block, int i0, int j0, const T *at,
                      const double *table, T *across) {
  const int n = known ? known : s.cells, depth = dim == 3 ? n : 1, t = threadIdx.x;
  const int nx = n - i0 < WIDTH ? n - i0 : WIDTH, ny = n - j0 < WIDTH ? n - j0 : WIDTH;
  const int sy = n + 2 * LAYERS, sz = dim == 3 ? sy * sy : 0;
  const int width = n < WIDTH ? n : WIDTH, plane = (width + 1) * width;
  const bool limited = !known && s.limited;
  const bool has_x = t < (nx + 1) * ny, has_y = t < nx * (ny + 1), has_cell = t < nx * ny;
  /* Threads without a face or cell stay on the first. */
  const int xi = has_x ? t % (nx + 1) : 0, xj = has_x ? t / (nx + 1) : 0;
  const int ci = has_y ? t % nx : 0, cj = has_y ? t / nx : 0;
  const int zj = has_cell ? cj : 0;
  const T *x_cell = at + (i0 + xi) + (j0 + xj) * sy, *cell = at + (i0 + ci) + (j0 + cj) * sy;
  const int64_t place = block * s.block_stride + (i0 + ci) + (j0 + cj) * sy;
  T *to = s.to + place;
  const T *old = s.old ? s.old + place : nullptr;
  const int table_size = known && dim == 3 ? 3 * (2 * known + 1) + 2 : s.table_size;
  column_rates<T, dim, 0, known != 0> x_rates(table, table_size, n, i0 + xi, j0 + xj);
  column_rates<T, dim, 1, known != 0> y_rates(table, table_size, n, i0 + ci, j0 + cj);
  column_rates<T, dim, dim - 1, known != 0> z_rates(table, table_size, n, i0 + ci, j0 + zj);
  T *x_flux = across + t, *y_flux = across + 2 * plane + t;
  const T *below_x = across + ci + (nx + 1) * cj;
  T lower = 0, below = 0, middle = 0, above = 0;
  if (dim == 3 && has_cell) {
    below = cell[-sz];
    middle = cell[0];
    above = cell[sz];
    lower = flux(cell[-2 * sz], below, middle, above, z_rates.next() * s.dt, limited);
  }
#pragma unroll 2
  for (int k = 0; k < depth; ++k) {
    const int buffer = k % 2 * plane;
    T upper = 0, before = 0;
    if (has_cell && old) before = old[0];
    if (has_x)
      x_flux[buffer] =
          flux(x_cell[-2], x_cell[-1], x_cell[0], x_cell[1], x_rates.next() * s.dt, limited);
    if (has_y)
      y_flux[buffer] =
          flux(cell[-2 * sy], cell[-sy], cell[0], cell[sy], y_rates.next() * s.dt, limited);
    if (dim == 3 && has_cell) {
      const T far_above = cell[2 * sz];
      upper = flux(below, middle, above, far_above, z_rates.next() * s.dt, limited);
      below = middle;
      middle = above;
      above = far_above;
    }
    __syncthreads();
    if (has_cell) {
      T change = (below_x[buffer + 1] - below_x[buffer]) + (y_flux[buffer + nx] - y_flux[buffer]);
      if (dim == 3) change += upper - lower;
      const T value = (dim == 3 ? below : cell[0]) - change;
      to[0] = old ? (before + value) / 2 : value;
    }
    lower = upper;
    x_cell += sz;
    cell += sz;
    to += sz;
    if (old) old += sz;
  }
}

/* The whole padded block, contiguous and a multiple of 16 bytes. */
template <typename T> __device__ T *copy_block(const stage<T> &s, int64_t block, void *memory) {
  const T *first = s.from + block * s.block_stride - s.interior;
  const int4 *from = (const int4 *)first;
  const int chunks = s.block_elements * (int)sizeof(T) / 16;
#pragma unroll 4
  for (int c = threadIdx.x; c < chunks; c += blockDim.x)
    ((int4 *)memory)[c] = from[c];
  return (T *)memory + s.interior;
}

template <typename T, int dim, int source, int known>
__global__ void __launch_bounds__(MOST_THREADS, known ? 3 : 2)
    run_stage(stage<T> s, rind_tile_view tiles) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int64_t block = blockIdx.x;
  double *shared_table = (double *)(memory + s.copy_bytes);
  const double *table = s.tables + block * s.table_size;
  T *across = (T *)(shared_table + (dim == 3 ? s.table_size : 0));
  const T *cells = nullptr;
  T *tile = nullptr;
  if (source == FROM_TILE) cells = tile = rind_tile_begin<T>(tiles, (int)block, memory);
  if (dim == 3) {
    for (int i = threadIdx.x; i < s.table_size; i += blockDim.x)
      shared_table[i] = table[i];
    table = shared_table;
  }
  if (source == FROM_TILE)
    rind_tile_end(tiles, (int)block, tile);
  else if (source == FROM_COPY)
    cells = copy_block(s, block, memory);
  else
    cells = s.from + block * s.block_stride;
  __syncthreads();
  const int columns = ((known ? known : s.cells) + WIDTH - 1) / WIDTH;
  for (int part = blockIdx.y; part < columns * columns; part += gridDim.y) {
    march<T, dim, known>(s, block, part % columns * WIDTH, part / columns * WIDTH, cells, table,
                         across);
    __syncthreads();
  }
}

} // namespace
