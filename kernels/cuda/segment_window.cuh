/* segment_window.cuh - what device code knows of segments, and how pieces come into shared memory.
 */
#pragma once
#include <async_copy.cuh>
#include <cstring>
#include <early_kernel.cuh>
#include <segments.h>

namespace segments {

constexpr int threads = 128, groups = threads / RIND_SEGMENT_LANES;
constexpr int places = RIND_SEGMENT_VALUES; /* in whole vectors of 16 bytes */

/* Where a place is in shared memory. With a gap every 128 places, threads that are 128 places apart
 * meet in no bank. */
constexpr int wide_gap = 4;

__host__ __device__ constexpr int spot_of(int place, int gap) {
  return place + (int)((unsigned)place / 128 * (unsigned)gap);
}

/* Groups read 16 places from a multiple of 16 on. */
constexpr int spots = spot_of(places + 15, wide_gap) + 1;

/* A segment longer than a piece, and where its nodes from level 2 on are among a row's, level after
 * level. Level 1 are chunks, whose sums lie one after the other. */
struct alignas(16) long_segment {
  int64_t segment, chunks, num_chunks, nodes;
};

struct tables {
  const rind_segment_piece *piece;
  const uint16_t *chunk_begin, *chunk_segment;
  const long_segment *longs;
  int64_t num_pieces, num_chunks, num_nodes; /* the latter two of longer segments */
  double *chunk, *node; /* [rows_at_once * num_chunks], [rows_at_once * num_nodes] */
  unsigned *arrived;    /* [rows_at_once * num_nodes], 0 between calls */
  bool are_early;       /* kernels may begin before those before them have ended */
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
    skip = (int)((unsigned)(size_t)first % 16 / sizeof(T));
    base = first - skip;
    end = skip + count;
  }
  /* Whole vectors are [whole_begin, whole_end). */
  __device__ int whole_begin() const {
    return skip > 0;
  }
  __device__ int whole_end() const {
    return (int)((unsigned)end / each);
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
__device__ void for_window(const window<T> &w, T *shared, int gap, Copy copy) {
  const int thread = (int)threadIdx.x, left = w.whole_end() - thread;
  const int step = spot_of(threads * w.each, gap) / w.each;
  uint4 *to = (uint4 *)(shared + spot_of(thread * w.each, gap));
  uint4 *from = (uint4 *)w.base + thread;
  if (thread >= w.whole_begin() && left > 0) copy(to, from);
#pragma unroll
  for (int r = 1; r < w.rounds; ++r)
    if (left > r * threads) copy(to + r * step, from + r * threads);
  if (thread >= w.each) return;
  const int last = w.last_edge() + thread;
  if (w.is_first_edge(thread)) copy(shared + thread, w.base + thread);
  if (last < w.end) copy(shared + spot_of(last, gap), w.base + last);
}

template <typename T> __device__ void start_values(const window<T> &w, T *shared, int gap) {
  for_window(w, shared, gap, [](auto *to, const auto *from) { start_copy(to, from); });
}

template <typename T> __device__ void store_values(const window<T> &w, T *shared, int gap) {
  for_window(w, shared, gap, [](const auto *from, auto *to) { *to = *from; });
}

/* The chunks' begins by whole vectors. */
constexpr int begins_each = 16 / sizeof(uint16_t);
constexpr int most_begins = (RIND_SEGMENT_CHUNKS / begins_each + 1) * begins_each;

__device__ inline void start_begins(const uint16_t *begin, int num_chunks, uint16_t *shared) {
  static_assert(most_begins <= threads * begins_each, "a thread a vector");
  const int at = (int)threadIdx.x * begins_each;
  if (at <= num_chunks) start_copy((uint4 *)(shared + at), (const uint4 *)(begin + at));
}

/* A longer segment by two vectors. */
__device__ inline void start_long(const long_segment *from, long_segment *shared) {
  static_assert(sizeof(long_segment) == 2 * sizeof(uint4), "a longer segment is two words");
  const int word = (int)threadIdx.x;
  if (word < 2) start_copy((uint4 *)shared + word, (const uint4 *)from + word);
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
