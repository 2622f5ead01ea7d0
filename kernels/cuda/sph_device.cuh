/* sph_device.cuh - particles sorted into cells on the device, and the walk over a particle's
 * neighbours. Names of kernels stay inside their files. */
#pragma once
#include <device_sph.h>

#include <cstdint>
#include <cuda_runtime.h>

constexpr int rind_sph_threads = 128; /* of a thread block */

/* What kernels add to, and the host reads. */
struct rind_sph_found {
  unsigned bad; /* the first bad particle, or UINT_MAX */
  unsigned largest_cell;
  unsigned long long largest_excess; /* the bits of a double >= 0 */
  unsigned long long pair_slots;
  double slice[RIND_SPH_SLICES];
};

/* A particle's place; loads of 16 bytes. */
template <int dim> struct rind_sph_at;
template <> struct alignas(16) rind_sph_at<2> { double x, y; };
template <> struct alignas(32) rind_sph_at<3> { double x, y, z, unused; };

/* A list on the device, as kernels see it. */
struct rind_sph_device_list {
  rind_sph_grid grid;
  rind_sph_numbers numbers;
  int count;
  const uint32_t *cell;  /* [count], sorted */
  const uint32_t *index; /* [count], which particle each is */
  const uint32_t *start; /* [num_cells + 1], or NULL */
  double *excess;        /* [count], sorted */
  rind_sph_found *result;
};

/* Thread blocks for so many threads. */
inline int rind_sph_blocks(size_t threads) {
  return (int)((threads + rind_sph_threads - 1) / rind_sph_threads);
}

/* Enqueues the passes: densities, and either the loss alone or with the gradient. at:
 * rind_sph_at<dim> [count]; density may be NULL, gradient's entries too. */
cudaError_t rind_sph_enqueue_passes(const rind_sph_device_list &list, const void *at,
                                    rind_type type, void *density, void *const gradient[3],
                                    cudaStream_t stream);

/* The first of the sorted cells that is at least so. */
static __device__ __forceinline__ uint32_t rind_sph_search(const uint32_t *cell, int count,
                                                           uint32_t wanted) {
  uint32_t low = 0, high = (uint32_t)count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (cell[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static __device__ __forceinline__ uint32_t rind_sph_first_from(const rind_sph_device_list &l,
                                                               uint32_t cell) {
  return l.start ? l.start[cell] : rind_sph_search(l.cell, l.count, cell);
}
