/* segment_kernels.cuh - a thread block a piece: sums, what follows for longer
 * segments, and the adjoint. The order of additions is the host's. */
#pragma once
#include <segment_window.cuh>

namespace segments {

/* The node of four lanes, on all of them. */
__device__ double join_lanes(double sum) {
  sum = __dadd_rn(sum, __shfl_xor_sync(0xffffffffu, sum, 2));
  return __dadd_rn(sum, __shfl_xor_sync(0xffffffffu, sum, 1));
}

template <typename T> __device__ void store_sum(T *to, double sum, bool accumulate) {
  *to = (T)(accumulate ? __dadd_rn((double)*to, sum) : sum);
}

/* The segment's chunks from c on, at most 16, by one thread; c is the first. */
__device__ double join_chunks(const double *partial, const uint16_t *segment, int c,
                              int num_chunks) {
  double lane[RIND_SEGMENT_LANES] = {0.0, 0.0, 0.0, 0.0};
  int count = 0;
  for (; c + count < num_chunks && segment[c + count] == segment[c]; ++count) {
    const double sum = partial[c + count];
    switch (count % RIND_SEGMENT_LANES) {
    case 0:
      lane[0] = __dadd_rn(lane[0], sum);
      break;
    case 1:
      lane[1] = __dadd_rn(lane[1], sum);
      break;
    case 2:
      lane[2] = __dadd_rn(lane[2], sum);
      break;
    default:
      lane[3] = __dadd_rn(lane[3], sum);
    }
  }
  if (count == 1) return partial[c];
  return __dadd_rn(__dadd_rn(lane[0], lane[2]), __dadd_rn(lane[1], lane[3]));
}

/* Four places, of which the first is a multiple of 4: by 16 bytes. */
template <typename T> struct alignas(16) quad { T value[RIND_SEGMENT_LANES]; };

/* Adds the values l of the quad with begin <= l < end, each to its lane. */
template <typename T> __device__ void add_quad(const T *value, int begin, int end, double *lane) {
  const quad<T> q = *(const quad<T> *)value;
#pragma unroll
  for (int l = 0; l < RIND_SEGMENT_LANES; ++l)
    lane[l] = __dadd_rn(lane[l], (double)(l >= begin && l < end ? q.value[l] : (T)0));
}

/* A chunk by one thread. Lanes are counted from a multiple of 4 in shared memory here and below,
 * not from the chunk's begin. That turns them around, so that the terms of the last three sums swap
 * at most; and 0.0 in place of a child that does not exist changes nothing, for no lane is ever
 * -0.0. Same bits. */
template <typename T> __device__ double add_alone(const T *shared, int begin, int end) {
  constexpr int all = RIND_SEGMENT_LANES;
  double lane[all] = {0.0, 0.0, 0.0, 0.0};
  const int skip = begin & (all - 1);
  const T *value = shared + (begin - skip);
  int left = end - begin + skip;
  add_quad(value, skip, left, lane);
#pragma unroll 1
  for (value += all, left -= all; left >= all; value += all, left -= all)
    add_quad(value, 0, all, lane);
  if (left > 0) add_quad(value, 0, left, lane);
  return __dadd_rn(__dadd_rn(lane[0], lane[2]), __dadd_rn(lane[1], lane[3]));
}

/* The thread's lane of 16 places, those in [begin, end). */
template <typename T> __device__ double add_lane(const T *value, int begin, int end, double sum) {
#pragma unroll
  for (int p = 0; p < 4 * RIND_SEGMENT_LANES; p += RIND_SEGMENT_LANES)
    sum = __dadd_rn(sum, (double)(p >= begin && p < end ? value[p] : (T)0));
  return sum;
}

/* A chunk by a group, a lane each; on all lanes. Values are wide apart. */
template <typename T> __device__ double add_together(const T *shared, int begin, int end) {
  constexpr int all = 4 * RIND_SEGMENT_LANES;
  const int lane = threadIdx.x % RIND_SEGMENT_LANES;
  double sum = 0.0;
#pragma unroll 1
  for (int at = begin & ~(all - 1); at < end; at += all) {
    const T *value = shared + spot_of(at, wide_gap) + lane;
    sum = at >= begin && at + all <= end ? add_lane(value, 0, all, sum)
                                         : add_lane(value, begin - at - lane, end - at - lane, sum);
  }
  return join_lanes(sum);
}

/* The sums of short chunks, which are segments: one by each thread. */
template <typename T>
__device__ void add_short(T *sums, int num_chunks, int skip, const T *value, const uint16_t *begin,
                          bool accumulate) {
  for (int c = threadIdx.x; c < num_chunks; c += threads)
    store_sum(sums + c, add_alone(value, skip + begin[c], skip + begin[c + 1]), accumulate);
}

/* The sums of other pieces, or of their chunks. */
template <typename T>
__device__ void add_piece(const tables &t, const arrays<T> &a, const rind_segment_piece &piece,
                          int64_t row, int skip, const T *value, const uint16_t *begin,
                          double *partial) {
  T *sums = a.sums + row * a.sum_stride + piece.first_segment;
  double *chunk = piece.scratch < 0 ? partial : t.chunk + row * t.num_chunks + piece.scratch;
  const int group = threadIdx.x / RIND_SEGMENT_LANES, lane = threadIdx.x % RIND_SEGMENT_LANES;
  for (int first = 0; first < piece.num_chunks; first += groups) {
    const int c = first + group;
    const bool exists = c < piece.num_chunks;
    const double sum =
        add_together(value, exists ? skip + begin[c] : 0, exists ? skip + begin[c + 1] : 0);
    if (lane > 0 || !exists) continue;
    if (piece.is_simple)
      store_sum(sums + c, sum, a.accumulate);
    else
      chunk[c] = sum;
  }
  if (piece.is_simple || piece.scratch >= 0) return;
  __syncthreads();
  const uint16_t *segment = t.chunk_segment + piece.first_chunk;
  for (int c = threadIdx.x; c < piece.num_chunks; c += threads)
    if (c == 0 || segment[c] != segment[c - 1])
      store_sum(sums + segment[c], join_chunks(partial, segment, c, piece.num_chunks),
                a.accumulate);
}

/* Whether the thread block, which has stored a child, is the last of so many to do so; then it sees
 * what all of them have stored. */
__device__ bool is_last(unsigned *arrived, unsigned all) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(arrived, 1u) + 1 == all;
    if (last) {
      *arrived = 0;
      __threadfence();
    }
  }
  __syncthreads();
  return last;
}

/* A node of up to 128 children that other thread blocks have made; on all threads. */
__device__ double add_node(const double *child, int count, double *shared) {
  static_assert(threads == RIND_SEGMENT_CHUNK, "a child a thread");
  if (threadIdx.x < count) shared[threadIdx.x] = __ldcg(child + threadIdx.x);
  __syncthreads();
  double sum = 0.0;
#pragma unroll 4
  for (int i = threadIdx.x % RIND_SEGMENT_LANES; i < count; i += RIND_SEGMENT_LANES)
    sum = __dadd_rn(sum, shared[i]);
  return join_lanes(sum);
}

/* What follows a piece of a longer segment: the thread block that stores a node's last child adds
 * the node, and so on to the root. */
template <typename T>
__device__ void climb(const tables &t, const arrays<T> &a, const long_segment &one,
                      int64_t first_chunk, int64_t row, double *shared) {
  const double *child = t.chunk + row * t.num_chunks + one.chunks;
  double *node = t.node + row * t.num_nodes + one.nodes;
  unsigned *arrived = t.arrived + row * t.num_nodes + one.nodes;
  int64_t count = one.num_chunks, at = first_chunk - one.chunks;
  int at_once = RIND_SEGMENT_VALUES / RIND_SEGMENT_CHUNK; /* children that a thread block stores */
  double sum = 0.0;
  for (; count > 1; at_once = 1) {
    at /= RIND_SEGMENT_CHUNK;
    const int64_t first = at * RIND_SEGMENT_CHUNK;
    const int children =
        (int)(count - first < RIND_SEGMENT_CHUNK ? count - first : RIND_SEGMENT_CHUNK);
    if (!is_last(arrived + at, (unsigned)((children + at_once - 1) / at_once))) return;
    sum = add_node(child + first, children, shared);
    if (threadIdx.x == 0) node[at] = sum;
    child = node;
    count = (count + RIND_SEGMENT_CHUNK - 1) / RIND_SEGMENT_CHUNK;
    node += count;
    arrived += count;
  }
  if (threadIdx.x == 0) store_sum(a.sums + row * a.sum_stride + one.segment, sum, a.accumulate);
}

/* Registers and shared memory for so many thread blocks at once: enough bytes under way. */
template <typename T> constexpr int blocks_at_once = sizeof(T) == sizeof(float) ? 12 : 10;

/* blockIdx: piece, row. */
template <typename T>
__global__ void __launch_bounds__(threads, blocks_at_once<T>) sum_pieces(tables t, arrays<T> a) {
  alignas(16) __shared__ T value[spots];
  alignas(16) __shared__ uint16_t begin[most_begins];
  __shared__ double partial[RIND_SEGMENT_CHUNKS];
  __shared__ long_segment longer;
  const int64_t row = blockIdx.y;
  const rind_segment_piece piece = load_header(t.piece + blockIdx.x);
  const bool is_short = piece.is_simple && piece.num_values <= 32 * piece.num_chunks;
  const window<T> w = window_of(a, piece, row);
  start_begins(t.chunk_begin + piece.first_chunk, piece.num_chunks, begin);
  if (piece.scratch >= 0) start_long(t.longs + piece.longer, &longer);
  wait_for_earlier_kernel();
  start_values(w, value, is_short ? 0 : wide_gap);
  finish_copies();
  if (is_short) {
    add_short(a.sums + row * a.sum_stride + piece.first_segment, piece.num_chunks, w.skip, value,
              begin, a.accumulate);
    return;
  }
  add_piece(t, a, piece, row, w.skip, value, begin, partial);
  if (piece.scratch >= 0) climb(t, a, longer, piece.scratch, row, partial);
}

template <typename T>
__global__ void __launch_bounds__(threads) gather_pieces(tables t, arrays<T> a) {
  alignas(16) __shared__ T value[spots];
  const int64_t row = blockIdx.y;
  const rind_segment_piece piece = load_header(t.piece + blockIdx.x);
  const T *sums = a.sums + row * a.sum_stride + piece.first_segment;
  const window<T> w = window_of(a, piece, row);
  const uint16_t *begin = t.chunk_begin + piece.first_chunk;
  const uint16_t *segment = t.chunk_segment + piece.first_chunk;
  wait_for_earlier_kernel();
  if (a.accumulate) {
    start_values(w, value, wide_gap);
    finish_copies();
  }
  const int group = threadIdx.x / RIND_SEGMENT_LANES, lane = threadIdx.x % RIND_SEGMENT_LANES;
  for (int c = group; c < piece.num_chunks; c += groups) {
    const T sum = sums[segment[c]];
    const int end = w.skip + begin[c + 1];
    for (int i = w.skip + begin[c] + lane; i < end; i += RIND_SEGMENT_LANES) {
      T *to = value + spot_of(i, wide_gap);
      *to = a.accumulate ? (T)__dadd_rn((double)*to, (double)sum) : sum;
    }
  }
  __syncthreads();
  store_values(w, value, wide_gap);
}

} // namespace segments
