/* rind/tiles.cuh - loads a block with its ghosts into a tile; for .cu files (C++17).
 *
 *     extern __shared__ __align__(16) unsigned char memory[];
 *     double *cells = rind_tile_load<double>(tiles, blockIdx.x, memory);
 *
 * T is the field's type. Bits are those of rind_fill, whatever the compiler's --fmad says. */
#pragma once
#include <rind/tiles.h>

#ifdef __CUDA_ARCH__
#define RIND_TILE_MULTIPLY(a, b) __dmul_rn(a, b)
#define RIND_TILE_ADD(a, b) __dadd_rn(a, b)
#else
#define RIND_TILE_MULTIPLY(a, b) ((a) * (b))
#define RIND_TILE_ADD(a, b) ((a) + (b))
#endif

/* Copies chunk elements of global memory into the tile; they are there after rind_tile_wait only.
 * whole: both addresses are multiples of the chunk's bytes. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <int bytes> __device__ inline void rind_tile_copy(void *to, const void *from) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes)
                 : "memory");
}

template <typename T>
__device__ inline void rind_tile_copy_chunk(int chunk, bool whole, T *to, const T *from) {
  if (whole && chunk * sizeof(T) == 16)
    rind_tile_copy<16>(to, from);
  else if (whole && chunk * sizeof(T) == 8)
    rind_tile_copy<8>(to, from);
  else
    for (int c = 0; c < chunk; ++c)
      rind_tile_copy<(int)sizeof(T)>(to + c, from + c);
}

__device__ inline void rind_tile_wait() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
#else
template <typename T>
__host__ __device__ inline void rind_tile_copy_chunk(int chunk, bool whole, T *to, const T *from) {
  (void)whole;
  for (int c = 0; c < chunk; ++c)
    to[c] = from[c];
}

__host__ __device__ inline void rind_tile_wait() {}
#endif

/* Offsets of a value's cell in the tile, among its own terms, in the source. */
struct rind_tile_place {
  int lane, to, own, source;
};

__host__ __device__ inline unsigned rind_tile_divide(unsigned value, unsigned magic) {
  return magic == 0 ? value : (unsigned)((uint64_t)value * magic >> 32);
}

__host__ __device__ inline rind_tile_place rind_tile_find(const rind_tile_row &row,
                                                          unsigned value) {
  rind_tile_place at = {(int)(value & ((1u << row.lane_bits) - 1)), 0, 0, 0};
  unsigned rest = value >> row.lane_bits;
#pragma unroll
  for (int d = 0; d < 4; ++d) {
    const unsigned next = d < 3 ? rind_tile_divide(rest, row.magic[d]) : 0;
    const int i = (int)(rest - next * row.extent[d]);
    at.to += i * row.to_stride[d];
    at.own += i * row.own_stride[d];
    at.source += i * row.source_stride[d];
    rest = next;
  }
  at.to += row.to_offset[at.lane];
  at.own += row.own_offset[at.lane];
  return at;
}

/* The sum of a row, in the order of its terms. */
template <typename T, typename Source>
__host__ __device__ inline double rind_tile_sum(const rind_tile_view &tiles,
                                                const rind_tile_row &row, const rind_tile_place &at,
                                                const T *own, const Source *source) {
  const int last = row.num_terms - row.num_own_last;
  const double *weight = tiles.weight + row.first_weight + at.lane;
  const int32_t *offset = tiles.offset + row.first_offset;
  double sum = 0.0;
  for (int t = 0; t < row.num_terms; ++t) {
    const bool is_own = t < row.num_own_first || t >= last;
    const double value = is_own ? (double)own[offset[t] + at.own] : source[offset[t] + at.source];
    const double product = RIND_TILE_MULTIPLY(weight[t << row.lane_bits], value);
    sum = t == 0 ? product : RIND_TILE_ADD(sum, product);
  }
  return sum;
}

/* One thread's part of a unit; lane is its number in the warp. */
template <typename T>
__host__ __device__ inline void rind_tile_run(const rind_tile_view &tiles,
                                              const rind_tile_unit &unit, unsigned lane, T *cells) {
  const rind_tile_row &row = tiles.row[unit.row];
  if (row.is_copy) {
    const T *source = (const T *)tiles.pointer[unit.source] + row.copy_offset;
#pragma unroll
    for (int c = 0; c < RIND_TILE_COPIES; ++c) {
      const unsigned value = unit.first + 32 * c + lane;
      if (value >= row.num_values) break;
      const rind_tile_place at = rind_tile_find(row, value);
      rind_tile_copy_chunk(row.chunk, tiles.aligned != 0, cells + at.to, source + at.source);
    }
    return;
  }
  const unsigned value = unit.first + lane;
  if (value >= row.num_values) return;
  const rind_tile_place at = rind_tile_find(row, value);
  if (row.reads_wall) {
    const double *source = tiles.wall_value + (ptrdiff_t)unit.source * tiles.components;
    cells[at.to] = (T)rind_tile_sum(tiles, row, at, cells, source);
  } else {
    const T *source = (const T *)tiles.pointer[unit.source];
    cells[at.to] = (T)rind_tile_sum(tiles, row, at, cells, source);
  }
}

/* Values thread, thread + num_threads, .. of the interior. */
template <typename T>
__host__ __device__ inline void rind_tile_copy_inside(const rind_tile_view &tiles, int block,
                                                      unsigned thread, unsigned num_threads,
                                                      T *cells) {
  const T *source = (const T *)tiles.pointer[block];
  for (unsigned value = thread; value < tiles.inside.num_values; value += num_threads) {
    const rind_tile_place at = rind_tile_find(tiles.inside, value);
    rind_tile_copy_chunk(tiles.inside.chunk, tiles.aligned != 0, cells + at.to, source + at.to);
  }
}

/* All warps of the thread block share the units [first, last). */
template <typename T>
__device__ inline void rind_tile_run_units(const rind_tile_view &tiles, int first, int last,
                                           T *cells) {
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
  if (warp >= warps) return;
  for (int u = first + warp; u < last; u += warps)
    rind_tile_run(tiles, tiles.unit[u], threadIdx.x % 32, cells);
}

/* Begins to load a block: all threads of a one-dimensional thread block of at least 32 call it.
 * memory is shared memory of tiles.tile_bytes, aligned to 16 bytes. Returns interior cell (0, 0, 0)
 * of component 0. Until the end nobody touches the tile. */
template <typename T>
__device__ inline T *rind_tile_begin(const rind_tile_view &tiles, int block, void *memory) {
  T *cells = (T *)memory + tiles.interior;
  const int32_t *stage = tiles.first_unit + (ptrdiff_t)block * tiles.num_stages;
  rind_tile_copy_inside(tiles, block, threadIdx.x, blockDim.x, cells);
  rind_tile_run_units(tiles, stage[0], stage[1], cells);
  return cells;
}

/* Ends it: interior and ghosts are there for all threads. Before the memory is loaded again the
 * caller synchronises. */
template <typename T>
__device__ inline void rind_tile_end(const rind_tile_view &tiles, int block, T *cells) {
  const int32_t *stage = tiles.first_unit + (ptrdiff_t)block * tiles.num_stages;
  rind_tile_wait();
  __syncthreads();
  /* Rows that read ghosts of their own block, or its interior. */
  for (int s = 1; stage[s] < stage[tiles.num_stages]; ++s) {
    if (stage[s] == stage[s + 1]) continue;
    rind_tile_run_units(tiles, stage[s], stage[s + 1], cells);
    __syncthreads();
  }
}

/* Both. */
template <typename T>
__device__ inline T *rind_tile_load(const rind_tile_view &tiles, int block, void *memory) {
  T *cells = rind_tile_begin<T>(tiles, block, memory);
  rind_tile_end(tiles, block, cells);
  return cells;
}

/* The same on the host, for fields there. */
template <typename T>
inline T *rind_tile_load_host(const rind_tile_view &tiles, int block, void *memory) {
  T *cells = (T *)memory + tiles.interior;
  const int32_t *stage = tiles.first_unit + (ptrdiff_t)block * tiles.num_stages;
  rind_tile_copy_inside(tiles, block, 0, 1, cells);
  for (int u = stage[0]; u < stage[tiles.num_stages]; ++u)
    for (unsigned lane = 0; lane < 32; ++lane)
      rind_tile_run(tiles, tiles.unit[u], lane, cells);
  return cells;
}
