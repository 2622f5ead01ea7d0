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

/* Short chunks: one by each thread, which has all lanes. */
template <typename T>
__device__ void add_short_chunks(T *sums, int num_chunks, int skip, const T *value,
                                 const uint16_t *begin, bool accumulate) {
  for (int c = threadIdx.x; c < num_chunks; c += threads) {
    const T *v = value + skip + begin[c];
    int left = begin[c + 1] - begin[c];
    double lane0 = 0.0, lane1 = 0.0, lane2 = 0.0, lane3 = 0.0;
#pragma unroll 1
    for (; left >= RIND_SEGMENT_LANES; left -= RIND_SEGMENT_LANES, v += RIND_SEGMENT_LANES) {
      lane0 = __dadd_rn(lane0, (double)v[0]);
      lane1 = __dadd_rn(lane1, (double)v[1]);
      lane2 = __dadd_rn(lane2, (double)v[2]);
      lane3 = __dadd_rn(lane3, (double)v[3]);
    }
    if (left > 0) lane0 = __dadd_rn(lane0, (double)v[0]);
    if (left > 1) lane1 = __dadd_rn(lane1, (double)v[1]);
    if (left > 2) lane2 = __dadd_rn(lane2, (double)v[2]);
    store_sum(sums + c, __dadd_rn(__dadd_rn(lane0, lane2), __dadd_rn(lane1, lane3)), accumulate);
  }
}

/* A chunk by a group, a lane each; on all lanes. 0.0 in place of a child that does not exist
 * changes no bit, for no lane is ever -0.0. */
template <typename T> __device__ double add_chunk(const T *value, int begin, int end) {
  constexpr int loads_at_once = 4;
  double sum = 0.0;
#pragma unroll 1
  for (int i = begin + threadIdx.x % RIND_SEGMENT_LANES; i < end;
       i += loads_at_once * RIND_SEGMENT_LANES)
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      const int at = i + k * RIND_SEGMENT_LANES;
      sum = __dadd_rn(sum, at < end ? (double)value[at] : 0.0);
    }
  return join_lanes(sum);
}

/* Sums of a piece that lies in shared memory. */
template <typename T>
__device__ void add_piece(const tables &t, const arrays<T> &a, const rind_segment_piece &piece,
                          int64_t row, int skip, const T *value, const uint16_t *begin,
                          double *partial) {
  T *sums = a.sums + row * a.sum_stride + piece.first_segment;
  if (piece.is_simple && piece.num_values <= 32 * piece.num_chunks) {
    add_short_chunks(sums, piece.num_chunks, skip, value, begin, a.accumulate);
    return;
  }
  const int group = threadIdx.x / RIND_SEGMENT_LANES, lane = threadIdx.x % RIND_SEGMENT_LANES;
  for (int first = 0; first < piece.num_chunks; first += groups) {
    const int c = first + group;
    const bool exists = c < piece.num_chunks;
    const double sum =
        add_chunk(value, exists ? skip + begin[c] : 0, exists ? skip + begin[c + 1] : 0);
    if (lane > 0 || !exists) continue;
    if (piece.is_simple)
      store_sum(sums + c, sum, a.accumulate);
    else if (piece.scratch >= 0)
      t.scratch[row * t.num_scratch + piece.scratch + c] = sum;
    else
      partial[c] = sum;
  }
  if (piece.is_simple || piece.scratch >= 0) return;
  __syncthreads();
  const uint16_t *segment = t.chunk_segment + piece.first_chunk;
  for (int c = threadIdx.x; c < piece.num_chunks; c += threads)
    if (c == 0 || segment[c] != segment[c - 1])
      store_sum(sums + segment[c], join_chunks(partial, segment, c, piece.num_chunks),
                a.accumulate);
}

/* blockIdx: piece, row. */
template <typename T>
__global__ void __launch_bounds__(threads, 8) sum_pieces(tables t, arrays<T> a) {
  alignas(16) __shared__ T value[places];
  __shared__ uint16_t begin[RIND_SEGMENT_CHUNKS + 1];
  __shared__ double partial[RIND_SEGMENT_CHUNKS];
  const int64_t row = blockIdx.y;
  const rind_segment_piece piece = load_header(t.piece + blockIdx.x);
  const window<T> w = window_of(a, piece, row);
  loads<T> l;
  start_begins(t.chunk_begin + piece.first_chunk, piece.num_chunks, l);
  start_loads(w, l);
  finish_begins(piece.num_chunks, l, begin);
  finish_loads(w, l, value);
  __syncthreads();
  add_piece(t, a, piece, row, w.skip, value, begin, partial);
}

/* The group's node of up to 128 children that other thread blocks or threads have made. */
__device__ double sum_node(const double *child, int64_t count) {
  double sum = 0.0;
#pragma unroll 8
  for (int64_t i = threadIdx.x % RIND_SEGMENT_LANES; i < count; i += RIND_SEGMENT_LANES)
    sum = __dadd_rn(sum, __ldcg(child + i));
  return join_lanes(sum);
}

/* Nodes [first, last) of a level that has count children; the lanes of a warp stay together. */
__device__ void sum_nodes(const double *child, int64_t count, double *node, int64_t first,
                          int64_t last) {
  const int group = threadIdx.x / RIND_SEGMENT_LANES;
  for (int64_t n = first; n < last; n += groups) {
    const int64_t mine = n + group, from = mine * RIND_SEGMENT_CHUNK;
    const int64_t more = mine < last ? count - from : 0;
    const double sum =
        sum_node(child + from, more < RIND_SEGMENT_CHUNK ? more : RIND_SEGMENT_CHUNK);
    if (mine < last && threadIdx.x % RIND_SEGMENT_LANES == 0) node[mine] = sum;
  }
}

/* Level 2 of the longs; the last thread block of a segment goes on to its root. */
template <typename T> __global__ void __launch_bounds__(threads) sum_longs(tables t, arrays<T> a) {
  __shared__ bool is_last;
  const int64_t row = blockIdx.y;
  const item work = t.items[blockIdx.x];
  const long_segment one = t.longs[work.number];
  double *scratch = t.scratch + row * t.num_scratch;
  sum_nodes(scratch + one.chunks, one.num_chunks, scratch + one.nodes[0], work.first,
            work.first + work.num_nodes);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned *arrived = t.arrived + row * t.num_longs + work.number;
    is_last = atomicAdd(arrived, 1u) == (unsigned)one.num_items - 1;
    if (is_last) *arrived = 0;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  int level = 0;
  for (int64_t count = one.num_nodes; count > 1; level ^= 1) {
    const int64_t nodes = (count + RIND_SEGMENT_CHUNK - 1) / RIND_SEGMENT_CHUNK;
    sum_nodes(scratch + one.nodes[level], count, scratch + one.nodes[level ^ 1], 0, nodes);
    __syncthreads();
    count = nodes;
  }
  if (threadIdx.x == 0)
    store_sum(a.sums + row * a.sum_stride + one.segment, __ldcg(scratch + one.nodes[level]),
              a.accumulate);
}

template <typename T>
__global__ void __launch_bounds__(threads) gather_pieces(tables t, arrays<T> a) {
  alignas(16) __shared__ T value[places];
  const int64_t row = blockIdx.y;
  const rind_segment_piece piece = load_header(t.piece + blockIdx.x);
  const T *sums = a.sums + row * a.sum_stride + piece.first_segment;
  const window<T> w = window_of(a, piece, row);
  const uint16_t *begin = t.chunk_begin + piece.first_chunk;
  const uint16_t *segment = t.chunk_segment + piece.first_chunk;
  if (a.accumulate) {
    loads<T> l;
    start_loads(w, l);
    finish_loads(w, l, value);
    __syncthreads();
  }
  const int group = threadIdx.x / RIND_SEGMENT_LANES, lane = threadIdx.x % RIND_SEGMENT_LANES;
  for (int c = group; c < piece.num_chunks; c += groups) {
    const T sum = sums[segment[c]];
    const int end = w.skip + begin[c + 1];
    for (int i = w.skip + begin[c] + lane; i < end; i += RIND_SEGMENT_LANES)
      value[i] = a.accumulate ? (T)__dadd_rn((double)value[i], (double)sum) : sum;
  }
  __syncthreads();
  store_piece(w, value);
}

} // namespace segments
