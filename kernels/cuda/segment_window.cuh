/* segment_window.cuh - what device code knows of segments, and how pieces come into shared memory.
 */
#pragma once
#include <cstring>
#include <segments.h>

namespace segments {

constexpr int threads = 128, groups = threads / RIND_SEGMENT_LANES;
constexpr int places = 2048; /* of shared memory for a piece's values */

/* Level 1 are chunks, whose sums lie one after the other; a block makes nodes of level 2. */
struct item {
  int number;    /* of the long segment */
  int first;     /* node */
  int num_nodes; /* at most groups */
};

/* A segment longer than a piece, and where its nodes go in a row's scratch: those of every other
 * level. */
struct long_segment {
  int64_t segment, chunks, num_chunks;
  int64_t nodes[2];
  int num_nodes, num_items;
};

struct tables {
  const rind_segment_piece *piece;
  const uint16_t *chunk_begin, *chunk_segment;
  const long_segment *longs;
  const item *items;
  int64_t num_pieces, num_longs, num_items, num_scratch;
  double *scratch;
  unsigned *arrived; /* [rows_at_once * num_longs], 0 between calls */
};

template <typename T> struct arrays {
  T *values, *sums;
  ptrdiff_t value_stride, sum_stride;
  bool accumulate;
};

/* A piece's values in shared memory, as they lie to 16 bytes in global memory. */
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
  __device__ int whole_begin() const {
    return skip > 0;
  }
  __device__ int whole_end() const {
    return end / each;
  }
  /* The thread's whole vector of a round, and its places in the first and last vector, which may
   * not be whole. */
  __device__ int whole_at(int round) const;
  __device__ int first_at() const;
  __device__ int last_at() const;
  /* Places outside whole vectors: those of the first, those of the last. */
  __device__ bool is_first_edge(int at) const {
    return skip > 0 && at >= skip && at < end;
  }
  __device__ int last_edge() const {
    return (whole_end() > whole_begin() ? whole_end() : whole_begin()) * each;
  }
};

__device__ inline int clamp(int at, int low, int high) {
  return at < low ? low : at > high ? high : at;
}

template <typename T> __device__ int window<T>::whole_at(int round) const {
  return clamp(round * threads + threadIdx.x, whole_begin(), whole_end() - 1);
}

template <typename T> __device__ int window<T>::first_at() const {
  return clamp(threadIdx.x, skip, end - 1);
}

template <typename T> __device__ int window<T>::last_at() const {
  return clamp(last_edge() + threadIdx.x, skip, end - 1);
}

/* A piece on its way to shared memory: what each thread has loaded of it. Threads without work do
 * that of a neighbour again, so that all loads are under way before the first is waited for;
 * conditions would need more predicates than there are. */
template <typename T> struct loads {
  static constexpr int places_each = (RIND_SEGMENT_CHUNKS + threads) / threads;
  uint4 whole[window<T>::rounds];
  T first, last;
  uint16_t begin[places_each];
};

template <typename T> __device__ void start_loads(const window<T> &w, loads<T> &l) {
  if (w.whole_end() > w.whole_begin()) {
#pragma unroll
    for (int r = 0; r < window<T>::rounds; ++r)
      l.whole[r] = ((const uint4 *)w.base)[w.whole_at(r)];
  }
  if (w.end > w.skip) {
    l.first = w.base[w.first_at()];
    l.last = w.base[w.last_at()];
  }
}

template <typename T>
__device__ void finish_loads(const window<T> &w, const loads<T> &l, T *value) {
  if (w.whole_end() > w.whole_begin()) {
#pragma unroll
    for (int r = 0; r < window<T>::rounds; ++r)
      ((uint4 *)value)[w.whole_at(r)] = l.whole[r];
  }
  if (w.end > w.skip) {
    value[w.first_at()] = l.first;
    value[w.last_at()] = l.last;
  }
}

template <typename T>
__device__ void start_begins(const uint16_t *begin, int num_chunks, loads<T> &l) {
#pragma unroll
  for (int r = 0; r < loads<T>::places_each; ++r)
    l.begin[r] = begin[clamp(r * threads + threadIdx.x, 0, num_chunks)];
}

template <typename T>
__device__ void finish_begins(int num_chunks, const loads<T> &l, uint16_t *begin) {
#pragma unroll
  for (int r = 0; r < loads<T>::places_each; ++r)
    begin[clamp(r * threads + threadIdx.x, 0, num_chunks)] = l.begin[r];
}

template <typename T> __device__ void store_piece(const window<T> &w, const T *shared) {
  const int begin = w.whole_begin(), end = w.whole_end();
#pragma unroll
  for (int r = 0; r < window<T>::rounds; ++r) {
    const int q = r * threads + threadIdx.x;
    if (q >= begin && q < end) ((uint4 *)w.base)[q] = ((const uint4 *)shared)[q];
  }
  if (threadIdx.x >= w.each) return;
  const int first = threadIdx.x, last = w.last_edge() + threadIdx.x;
  if (w.is_first_edge(first)) w.base[first] = shared[first];
  if (last < w.end) w.base[last] = shared[last];
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
