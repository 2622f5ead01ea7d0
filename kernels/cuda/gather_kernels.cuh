/* gather_kernels.cuh - what the device runs of a gather: one thread a value of a fill, a warp a
 * unit of 32.
 *
 * Bits are the host's: products and sums in the order of the row, in double, never fused. */
#pragma once
#include <device_gather.h>

#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int threads_a_block = 256, warps_a_block = threads_a_block / 32;
/* A thread of a unit of copies has so many, and all its loads under way at once. */
constexpr int copies_a_thread = 8;
/* Values first .. first + 31 of a fill, of a copy that is in no batch first .. first + 255; value v
 * is lane v % lanes of cell v / lanes. */
struct unit {
  int fill;
  int first;
};

struct engine {
  const rind_gather_row *row; /* weight and offset point into device memory */
  const rind_gather_fill *fill;
  const unit *units;
};

/* Where a value lies: its lane, and its cell's offset in each slot. */
struct place {
  int lane;
  ptrdiff_t to, own, source;
};

__device__ bool find_place(const rind_gather_row &row, unsigned value, place &at) {
  const unsigned lanes = row.num_lanes, e0 = row.extent[0], e1 = row.extent[1], e2 = row.extent[2];
  unsigned cell = lanes == 1 ? value : value / lanes;
  at.lane = lanes == 1 ? 0 : value % lanes;
  const unsigned i = cell % e0;
  cell /= e0;
  const unsigned j = cell % e1;
  cell /= e1;
  const unsigned k = cell % e2, l = cell / e2;
  if (l >= (unsigned)row.extent[3]) return false;
  at.to = i * row.to_stride[0] + j * row.to_stride[1] + k * row.to_stride[2] +
          l * row.to_stride[3] + row.to_offset[at.lane];
  at.own = i * row.own_stride[0] + j * row.own_stride[1] + k * row.own_stride[2] +
           l * row.own_stride[3] + row.own_offset[at.lane];
  at.source = i * row.source_stride[0] + j * row.source_stride[1] + k * row.source_stride[2] +
              l * row.source_stride[3];
  return true;
}

/* The sum of a row at a place, in the order of its terms. */
template <typename Own, typename Source>
__device__ double sum_of(const rind_gather_row &row, const place &at, const Own *own,
                         const Source *source) {
  const int terms = row.num_terms, lanes = row.num_lanes;
  const int last = terms - row.num_own_last;
  const double *weight = row.weight + at.lane;
  double sum = 0.0;
  for (int t = 0; t < terms; ++t) {
    const bool is_own = t < row.num_own_first || t >= last;
    const double value =
        is_own ? (double)own[row.offset[t] + at.own] : (double)source[row.offset[t] + at.source];
    const double product = __dmul_rn(weight[(ptrdiff_t)t * lanes], value);
    sum = t == 0 ? product : __dadd_rn(sum, product);
  }
  return sum;
}

/* One value of a fill. */
template <typename To, typename Source>
__device__ void run_value(const rind_gather_row &row, unsigned value, To *to, const To *own,
                          const Source *source) {
  place at;
  if (!find_place(row, value, at)) return;
  switch (row.body) {
  case RIND_GATHER_COPY:
    to[at.to] = (To)source[at.source + row.offset[0]];
    break;
  case RIND_GATHER_CLEAR:
    to[at.to] = (To)0;
    break;
  case RIND_GATHER_ADD: {
    const Source *from = source + at.source + row.offset[1];
    to[at.to] = (To)__dadd_rn((double)to[at.to], __dmul_rn(row.weight[1], (double)*from));
    if (row.takes) *const_cast<Source *>(from) = (Source)0;
    break;
  }
  default:
    to[at.to] = (To)sum_of(row, at, own, source);
  }
}

/* The copies of a unit. */
template <typename T>
__device__ void run_copies(const rind_gather_row &row, unsigned first, T *to, const T *source) {
  ptrdiff_t to_at[copies_a_thread], source_at[copies_a_thread];
  bool exists[copies_a_thread];
  T value[copies_a_thread];
  const unsigned e0 = row.extent[0], e1 = row.extent[1];
  const bool flat = row.extent[2] == 1 && row.extent[3] == 1;
#pragma unroll
  for (int u = 0; u < copies_a_thread; ++u) {
    const unsigned cell = first + 32 * u + threadIdx.x % 32;
    if (flat) {
      const unsigned j = cell / e0, i = cell - j * e0;
      exists[u] = j < e1;
      to_at[u] = i * row.to_stride[0] + j * row.to_stride[1];
      source_at[u] = i * row.source_stride[0] + j * row.source_stride[1];
    } else {
      place at = {};
      exists[u] = find_place(row, cell, at);
      to_at[u] = at.to - row.to_offset[0];
      source_at[u] = at.source;
    }
  }
  to += row.to_offset[0];
  source += row.offset[0];
#pragma unroll
  for (int u = 0; u < copies_a_thread; ++u)
    if (exists[u]) value[u] = source[source_at[u]];
#pragma unroll
  for (int u = 0; u < copies_a_thread; ++u)
    if (exists[u]) to[to_at[u]] = value[u];
}

template <typename To, typename Source>
__device__ void run_unit(const engine &e, int number, void *const *to_base,
                         const void *const *own_base, const void *const *source_base) {
  const unit u = e.units[number];
  const rind_gather_fill fill = e.fill[u.fill];
  const rind_gather_row &row = e.row[fill.row];
  if (row.body == RIND_GATHER_COPY) {
    run_copies(row, (unsigned)u.first, (To *)to_base[fill.to],
               (const To *)source_base[fill.source]);
    return;
  }
  run_value<To, Source>(row, (unsigned)u.first + threadIdx.x % 32, (To *)to_base[fill.to],
                        (const To *)own_base[fill.to], (const Source *)source_base[fill.source]);
}

template <typename To, typename Source>
__global__ void __launch_bounds__(threads_a_block)
    gather_units(engine e, int first, int last, void *const *to_base, const void *const *own_base,
                 const void *const *source_base) {
  const int number = first + blockIdx.x * warps_a_block + threadIdx.x / 32;
  if (number < last) run_unit<To, Source>(e, number, to_base, own_base, source_base);
}

/* Batches of an adjoint: a thread block takes one after the other. */
struct batches {
  int num_batches;
  const int *batch_stage;
  const int *stage_unit; /* [num_stages + 1] */
  double *scratch;       /* [thread blocks * elements], or NULL */
  ptrdiff_t elements, origin;
};

/* All stages of a batch; to is the destination of all its fills. */
template <typename To, typename Source>
__device__ void run_stages(const engine &e, const batches &b, int batch, To *to,
                           const void *const *source_base) {
  for (int stage = b.batch_stage[batch]; stage < b.batch_stage[batch + 1]; ++stage) {
    for (int number = b.stage_unit[stage] + threadIdx.x / 32; number < b.stage_unit[stage + 1];
         number += warps_a_block) {
      const unit u = e.units[number];
      const rind_gather_fill fill = e.fill[u.fill];
      run_value<To, Source>(e.row[fill.row], (unsigned)u.first + threadIdx.x % 32, to, to,
                            (const Source *)source_base[fill.source]);
    }
    __syncthreads();
  }
}

/* Cells that a batch writes: into the sums, or rounded from them. A cell of several rows is moved
 * as often, with the same value. */
template <typename Cell>
__device__ void move_cells(const engine &e, const batches &b, int batch, double *sums, Cell *cells,
                           bool back) {
  const int first = b.stage_unit[b.batch_stage[batch]];
  const int last = b.stage_unit[b.batch_stage[batch + 1]];
  for (int number = first + threadIdx.x / 32; number < last; number += warps_a_block) {
    const unit u = e.units[number];
    place at;
    if (!find_place(e.row[e.fill[u.fill].row], (unsigned)u.first + threadIdx.x % 32, at)) continue;
    if (back)
      cells[at.to] = (Cell)sums[at.to];
    else
      sums[at.to] = (double)cells[at.to];
  }
  __syncthreads();
}

template <typename Cell, typename Source>
__global__ void __launch_bounds__(threads_a_block)
    gather_batches(engine e, batches b, void *const *to_base, const void *const *source_base) {
  for (int batch = blockIdx.x; batch < b.num_batches; batch += gridDim.x) {
    const int unit_of_batch = b.stage_unit[b.batch_stage[batch]];
    Cell *cells = (Cell *)to_base[e.fill[e.units[unit_of_batch].fill].to];
    if (sizeof(Cell) == sizeof(double)) {
      run_stages<Cell, Source>(e, b, batch, cells, source_base);
    } else {
      double *sums = b.scratch + blockIdx.x * b.elements + b.origin;
      move_cells(e, b, batch, sums, cells, false);
      run_stages<double, Source>(e, b, batch, sums, source_base);
      move_cells(e, b, batch, sums, cells, true);
    }
  }
}

} // namespace
