/* segment_window.cuh - what device code knows of segments, and how pieces come into shared memory.
 */
#pragma once
#include <cstring>
#include <cuda_pipeline_primitives.h>
#include <segments.h>

namespace segments {

constexpr int threads = 128, groups = threads / RIND_SEGMENT_LANES;
constexpr int places = RIND_SEGMENT_VALUES; /* in whole vectors of 16 bytes */

/* Where a place is in shared memory: every 128 places are followed by a gap of 4, so that threads
 * which are 128 places apart meet in no bank. */
__device__ inline int spot_of(int place) {
  return place + place / 128 * 4;
}

constexpr int spots = places + 4 + places / 128 * 4;

/* A segment longer than a piece, and where its nodes from level 2 on are among a row's, level after
 * level. Level 1 are chunks, whose sums lie one after the other. */
struct long_segment {
  int64_t segment, chunks, num_chunks, nodes;
};

struct tables {
  const rind_segment_piece *piece;
  const uint16_t *chunk_begin, *chunk_segment;
  const long_segment *longs;
  int64_t num_pieces, num_chunks, num_nodes; /* the latter two of longer segments */
  double *chunk, *node; /* [rows_at_once * num_chunks], [rows_at_once * num_nodes] */
  unsigned *arrived;    /* [rows_at_once * num_nodes], 0 between calls */
};

template <typename T> struct arrays {
  T *values, *sums;
  ptrdiff_t value_stride, sum_stride;
  bool accumulate;
};

/* A piece's values, as they lie to 16 bytes in global memory: places from an aligned one on. */
template <typename T> struct window {
  static constexpr int each = 16 / sizeof(T), rounds = places / each / threads;
  T *base;  /* global, aligned, at or before the first value */
  int skip; /* places before the first value */
  int end;  /* places with them */

  __device__ window(T *first, int count) {
    skip = (int)((size_t)first % 16 / sizeof(T));
    base = first - skip;
    end = skip + count;
  }
  /* Whole vectors are [whole_begin, whole_end). */
  __device__ int whole_begin() const {
    return skip > 0;
  }
  __device__ int whole_end() const {
    return end / each;
  }
  /* Places outside whole vectors: those of the first, those of the last. */
  __device__ bool is_first_edge(int at) const {
    return skip > 0 && at >= skip && at < end;
  }
  __device__ int last_edge() const {
    return (whole_end() > whole_begin() ? whole_end() : whole_begin()) * each;
  }
};

/* copy(shared, global) for all that is the thread's of a window: vectors and lone values. */
template <typename T, typename Copy>
__device__ void for_window(const window<T> &w, T *shared, Copy copy) {
  const int begin = w.whole_begin(), end = w.whole_end();
#pragma unroll
  for (int r = 0; r < w.rounds; ++r) {
    const int q = r * threads + threadIdx.x;
    if (q >= begin && q < end) copy((uint4 *)(shared + spot_of(q * w.each)), (uint4 *)w.base + q);
  }
  if (threadIdx.x >= w.each) return;
  const int first = threadIdx.x, last = w.last_edge() + threadIdx.x;
  if (w.is_first_edge(first)) copy(shared + spot_of(first), w.base + first);
  if (last < w.end) copy(shared + spot_of(last), w.base + last);
}

/* Sends a piece's values to shared memory; no register waits for them. */
template <typename T> __device__ void start_values(const window<T> &w, T *shared) {
  for_window(w, shared,
             [](auto *to, const auto *from) { __pipeline_memcpy_async(to, from, sizeof *to); });
}

template <typename T> __device__ void store_values(const window<T> &w, T *shared) {
  for_window(w, shared, [](const auto *from, auto *to) { *to = *from; });
}

/* The same for the chunks' begins, by whole vectors. */
constexpr int begins_each = 16 / sizeof(uint16_t);
constexpr int most_begins = (RIND_SEGMENT_CHUNKS / begins_each + 1) * begins_each;

__device__ inline void start_begins(const uint16_t *begin, int num_chunks, uint16_t *shared) {
  static_assert(most_begins <= threads * begins_each, "a thread a vector");
  const int at = threadIdx.x * begins_each;
  if (at <= num_chunks) __pipeline_memcpy_async(shared + at, begin + at, 16);
}

/* Waits for all that was sent, of all threads. */
__device__ inline void finish_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/* A piece by three loads of 16 bytes, none of which waits for another. */
__device__ inline rind_segment_piece load_header(const rind_segment_piece *from) {
  static_assert(sizeof(rind_segment_piece) == 3 * sizeof(uint4), "a piece is three words");
  uint4 word[3];
  rind_segment_piece piece;
  for (int w = 0; w < 3; ++w)
    word[w] = ((const uint4 *)from)[w];
  memcpy(&piece, word, sizeof piece);
  return piece;
}

template <typename T>
__device__ window<T> window_of(const arrays<T> &a, const rind_segment_piece &piece, int64_t row) {
  return window<T>(a.values + row * a.value_stride + piece.first_value, piece.num_values);
}

} // namespace segments
