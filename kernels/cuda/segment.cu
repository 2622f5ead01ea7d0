/* segment.cu - sums over segments on the device: a thread block a piece, four lanes a chunk. The
 * order of additions is the host's. */
#include <device_memory.h>
#include <device_segment.h>

#include <cstdlib>
#include <cuda_runtime.h>

namespace {

constexpr int threads = 256, groups = threads / RIND_SEGMENT_LANES;
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
  /* Places outside whole vectors: those of the first, those of the last. */
  __device__ bool is_first_edge(int at) const {
    return skip > 0 && at >= skip && at < end;
  }
  __device__ int last_edge() const {
    return (whole_end() > whole_begin() ? whole_end() : whole_begin()) * each;
  }
};

template <typename T> __device__ void load_piece(const window<T> &w, T *shared) {
  const int begin = w.whole_begin(), end = w.whole_end();
  uint4 loaded[window<T>::rounds];
#pragma unroll
  for (int r = 0; r < window<T>::rounds; ++r) {
    const int q = r * threads + threadIdx.x;
    if (q >= begin && q < end) loaded[r] = ((const uint4 *)w.base)[q];
  }
#pragma unroll
  for (int r = 0; r < window<T>::rounds; ++r) {
    const int q = r * threads + threadIdx.x;
    if (q >= begin && q < end) ((uint4 *)shared)[q] = loaded[r];
  }
  if (threadIdx.x >= w.each) return;
  const int first = threadIdx.x, last = w.last_edge() + threadIdx.x;
  if (w.is_first_edge(first)) shared[first] = w.base[first];
  if (last < w.end) shared[last] = w.base[last];
}

/* A piece on its way to shared memory: what each thread has loaded of it. */
template <typename T> struct loads {
  static constexpr int places_each = (RIND_SEGMENT_CHUNKS + threads) / threads;
  uint4 whole[window<T>::rounds];
  T first, last;
  uint16_t begin[places_each];
};

template <typename T>
__device__ void start_loads(const window<T> &w, const uint16_t *begin, int num_chunks,
                            loads<T> &l) {
#pragma unroll
  for (int r = 0; r < window<T>::rounds; ++r) {
    const int q = r * threads + threadIdx.x;
    if (q >= w.whole_begin() && q < w.whole_end()) l.whole[r] = ((const uint4 *)w.base)[q];
  }
#pragma unroll
  for (int r = 0; r < loads<T>::places_each; ++r) {
    const int c = r * threads + threadIdx.x;
    if (c <= num_chunks) l.begin[r] = begin[c];
  }
  if (threadIdx.x >= w.each) return;
  const int last = w.last_edge() + threadIdx.x;
  if (w.is_first_edge(threadIdx.x)) l.first = w.base[threadIdx.x];
  if (last < w.end) l.last = w.base[last];
}

template <typename T>
__device__ void finish_loads(const window<T> &w, int num_chunks, const loads<T> &l, T *value,
                             uint16_t *begin) {
#pragma unroll
  for (int r = 0; r < window<T>::rounds; ++r) {
    const int q = r * threads + threadIdx.x;
    if (q >= w.whole_begin() && q < w.whole_end()) ((uint4 *)value)[q] = l.whole[r];
  }
#pragma unroll
  for (int r = 0; r < loads<T>::places_each; ++r) {
    const int c = r * threads + threadIdx.x;
    if (c <= num_chunks) begin[c] = l.begin[r];
  }
  if (threadIdx.x >= w.each) return;
  const int last = w.last_edge() + threadIdx.x;
  if (w.is_first_edge(threadIdx.x)) value[threadIdx.x] = l.first;
  if (last < w.end) value[last] = l.last;
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

/* Sums of a piece that lies in shared memory. */
template <typename T>
__device__ void add_piece(const tables &t, const arrays<T> &a, const rind_segment_piece &piece,
                          int64_t row, int skip, const T *value, const uint16_t *begin,
                          double *partial) {
  T *sums = a.sums + row * a.sum_stride + piece.first_segment;
  const int group = threadIdx.x / RIND_SEGMENT_LANES, lane = threadIdx.x % RIND_SEGMENT_LANES;
  for (int first = 0; first < piece.num_chunks; first += groups) {
    const int c = first + group;
    const bool exists = c < piece.num_chunks;
    const int end = exists ? skip + begin[c + 1] : 0;
    double sum = 0.0;
#pragma unroll 4
    for (int i = exists ? skip + begin[c] + lane : 0; i < end; i += RIND_SEGMENT_LANES)
      sum = __dadd_rn(sum, (double)value[i]);
    sum = join_lanes(sum);
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

template <typename T>
__device__ window<T> window_of(const arrays<T> &a, const rind_segment_piece &piece, int64_t row) {
  return window<T>(a.values + row * a.value_stride + piece.first_value, piece.num_values);
}

template <typename T>
__global__ void __launch_bounds__(threads) sum_pieces(tables t, arrays<T> a, int64_t) {
  alignas(16) __shared__ T value[places];
  __shared__ uint16_t begin[RIND_SEGMENT_CHUNKS + 1];
  __shared__ double partial[RIND_SEGMENT_CHUNKS];
  const int64_t row = blockIdx.x / t.num_pieces;
  const rind_segment_piece piece = t.piece[blockIdx.x - row * t.num_pieces];
  const window<T> w = window_of(a, piece, row);
  loads<T> l;
  start_loads(w, t.chunk_begin + piece.first_chunk, piece.num_chunks, l);
  finish_loads(w, piece.num_chunks, l, value, begin);
  __syncthreads();
  add_piece(t, a, piece, row, w.skip, value, begin, partial);
}

/* The same by thread blocks that stay, and load the next piece while they add. */
template <typename T>
__global__ void __launch_bounds__(threads) sum_pieces_in_turn(tables t, arrays<T> a, int64_t all) {
  alignas(16) __shared__ T value[places];
  __shared__ uint16_t begin[RIND_SEGMENT_CHUNKS + 1];
  __shared__ double partial[RIND_SEGMENT_CHUNKS];
  int64_t number = blockIdx.x, row = number / t.num_pieces;
  rind_segment_piece piece = t.piece[number - row * t.num_pieces];
  loads<T> l;
  start_loads(window_of(a, piece, row), t.chunk_begin + piece.first_chunk, piece.num_chunks, l);
  for (;;) {
    const rind_segment_piece mine = piece;
    const int64_t my_row = row;
    const window<T> w = window_of(a, mine, my_row);
    finish_loads(w, mine.num_chunks, l, value, begin);
    number += gridDim.x;
    if (number < all) {
      row = number / t.num_pieces;
      piece = t.piece[number - row * t.num_pieces];
      start_loads(window_of(a, piece, row), t.chunk_begin + piece.first_chunk, piece.num_chunks, l);
    }
    __syncthreads();
    add_piece(t, a, mine, my_row, w.skip, value, begin, partial);
    if (number >= all) return;
    __syncthreads();
  }
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
template <typename T>
__global__ void __launch_bounds__(threads) sum_longs(tables t, arrays<T> a, int64_t) {
  __shared__ bool is_last;
  const int64_t row = blockIdx.x / t.num_items;
  const item work = t.items[blockIdx.x - row * t.num_items];
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
__global__ void __launch_bounds__(threads) gather_pieces(tables t, arrays<T> a, int64_t) {
  alignas(16) __shared__ T value[places];
  const int64_t row = blockIdx.x / t.num_pieces;
  const rind_segment_piece piece = t.piece[blockIdx.x - row * t.num_pieces];
  const T *sums = a.sums + row * a.sum_stride + piece.first_segment;
  const window<T> w(a.values + row * a.value_stride + piece.first_value, piece.num_values);
  const uint16_t *begin = t.chunk_begin + piece.first_chunk;
  const uint16_t *segment = t.chunk_segment + piece.first_chunk;
  if (a.accumulate) {
    load_piece(w, value);
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

} // namespace

struct rind_device_segment {
  tables on_device;
  void *memory; /* all tables but scratch and arrived */
};

namespace {

/* Longs and items on the host, for copying. */
struct host_longs {
  long_segment *longs;
  item *items;
  int64_t num_items, num_scratch;
};

bool make_longs(const rind_segment_plan *plan, host_longs *made) {
  *made = {};
  made->num_scratch = plan->num_scratch;
  for (int64_t l = 0; l < plan->num_longs; ++l)
    made->num_items += (plan->longs[l].num_chunks + RIND_SEGMENT_CHUNK * groups - 1) /
                       (RIND_SEGMENT_CHUNK * groups);
  made->longs = (long_segment *)malloc((size_t)plan->num_longs * sizeof *made->longs + 1);
  made->items = (item *)malloc((size_t)made->num_items * sizeof *made->items + 1);
  if (!made->longs || !made->items) return false;
  int64_t next = 0;
  for (int64_t l = 0; l < plan->num_longs; ++l) {
    const rind_segment_long from = plan->longs[l];
    const int64_t nodes = (from.num_chunks + RIND_SEGMENT_CHUNK - 1) / RIND_SEGMENT_CHUNK;
    long_segment *to = &made->longs[l];
    *to = {from.segment, from.scratch, from.num_chunks, {made->num_scratch, 0}, (int)nodes, 0};
    to->nodes[1] = made->num_scratch + nodes;
    made->num_scratch = to->nodes[1] + nodes / RIND_SEGMENT_CHUNK + 1;
    for (int64_t n = 0; n < nodes; n += groups, ++to->num_items)
      made->items[next++] = {(int)l, (int)n, (int)(nodes - n < groups ? nodes - n : groups)};
  }
  return true;
}

size_t rounded(size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/* One table into the next bytes of the memory. */
template <typename T>
cudaError_t copy_table(const T *from, int64_t count, char **next, const T **to) {
  const size_t bytes = (size_t)count * sizeof *from;
  *to = (const T *)*next;
  const cudaError_t error = cudaMemcpy(*next, from, bytes, cudaMemcpyHostToDevice);
  *next += rounded(bytes);
  return error;
}

cudaError_t copy_tables(const rind_segment_plan *plan, const host_longs *longs, int64_t rows,
                        rind_device_segment *made) {
  tables *t = &made->on_device;
  t->num_pieces = plan->num_pieces;
  t->num_longs = plan->num_longs;
  t->num_items = longs->num_items;
  t->num_scratch = longs->num_scratch;
  const size_t places_bytes = rounded((size_t)plan->num_places * sizeof(uint16_t));
  const size_t bytes = rounded((size_t)plan->num_pieces * sizeof *plan->piece) + 2 * places_bytes +
                       rounded((size_t)plan->num_longs * sizeof *longs->longs) +
                       rounded((size_t)longs->num_items * sizeof *longs->items) + 1;
  const size_t scratch = (size_t)(rows * longs->num_scratch) * sizeof(double) + 1;
  const size_t arrived = (size_t)(rows * plan->num_longs) * sizeof(unsigned) + 1;
  cudaError_t error = cudaMalloc(&made->memory, bytes);
  char *next = (char *)made->memory;
  if (error == cudaSuccess) error = copy_table(plan->piece, plan->num_pieces, &next, &t->piece);
  if (error == cudaSuccess)
    error = copy_table(plan->chunk_begin, plan->num_places, &next, &t->chunk_begin);
  if (error == cudaSuccess)
    error = copy_table(plan->chunk_segment, plan->num_places, &next, &t->chunk_segment);
  if (error == cudaSuccess) error = copy_table(longs->longs, plan->num_longs, &next, &t->longs);
  if (error == cudaSuccess) error = copy_table(longs->items, longs->num_items, &next, &t->items);
  if (error == cudaSuccess) error = cudaMalloc((void **)&t->scratch, scratch);
  if (error == cudaSuccess) error = cudaMalloc((void **)&t->arrived, arrived);
  if (error == cudaSuccess) error = cudaMemset(t->arrived, 0, arrived);
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

/* Rows in turns whose thread blocks a grid can count. */
template <typename T, typename Kernel>
cudaError_t launch(Kernel kernel, const tables &t, int64_t each, int64_t num_rows, arrays<T> a,
                   cudaStream_t stream, int64_t most_blocks = INT32_MAX) {
  const int64_t most = each > 0 ? INT32_MAX / each : 0;
  if (each > INT32_MAX) return cudaErrorInvalidConfiguration;
  for (int64_t row = 0; row < num_rows && each > 0; row += most) {
    const int64_t rows = num_rows - row < most ? num_rows - row : most;
    arrays<T> some = a;
    some.values += row * a.value_stride;
    some.sums += row * a.sum_stride;
    const int64_t all = rows * each;
    const int64_t blocks = all < most_blocks ? all : most_blocks;
    kernel<<<(unsigned)blocks, threads, 0, stream>>>(t, some, all);
  }
  return cudaGetLastError();
}

template <typename T>
cudaError_t sum(const tables &t, const rind_segment_call *call, const void *values, void *sums,
                cudaStream_t stream) {
  const arrays<T> a = {(T *)values, (T *)sums, call->value_stride, call->sum_stride,
                       call->accumulate};
  const char *way = getenv("RIND_TRIAL");
  const int64_t blocks = way ? 132 * atoi(way) : 0;
  cudaError_t error =
      blocks == 0
          ? launch(sum_pieces<T>, t, t.num_pieces, call->num_rows, a, stream)
          : launch(sum_pieces_in_turn<T>, t, t.num_pieces, call->num_rows, a, stream, blocks);
  if (error == cudaSuccess) error = launch(sum_longs<T>, t, t.num_items, call->num_rows, a, stream);
  return error;
}

template <typename T>
cudaError_t gather(const tables &t, const rind_segment_call *call, const void *sums, void *values,
                   cudaStream_t stream) {
  const arrays<T> a = {(T *)values, (T *)sums, call->value_stride, call->sum_stride,
                       call->accumulate};
  return launch(gather_pieces<T>, t, t.num_pieces, call->num_rows, a, stream);
}

} // namespace

extern "C" int rind_device_segment_create(const rind_segment_plan *plan, int64_t rows_at_once,
                                          rind_device_segment **made) {
  rind_device_segment *fresh = (rind_device_segment *)calloc(1, sizeof *fresh);
  host_longs longs = {};
  cudaError_t error = cudaErrorMemoryAllocation;
  if (fresh && make_longs(plan, &longs)) error = copy_tables(plan, &longs, rows_at_once, fresh);
  free(longs.longs);
  free(longs.items);
  if (error != cudaSuccess) {
    rind_device_segment_destroy(&fresh);
    cudaGetLastError();
    return (int)error;
  }
  *made = fresh;
  return 0;
}

extern "C" void rind_device_segment_destroy(rind_device_segment **segment) {
  if (!segment || !*segment) return;
  cudaFree((*segment)->memory);
  cudaFree((*segment)->on_device.scratch);
  cudaFree((*segment)->on_device.arrived);
  free(*segment);
  *segment = nullptr;
}

extern "C" bool rind_device_reaches(const void *data) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.devicePointer != nullptr;
}

extern "C" int rind_device_segment_sum(const rind_device_segment *segment,
                                       const rind_segment_call *call, const void *values,
                                       void *sums, void *stream) {
  const tables &t = segment->on_device;
  return (int)(call->type == RIND_FLOAT64
                   ? sum<double>(t, call, values, sums, (cudaStream_t)stream)
                   : sum<float>(t, call, values, sums, (cudaStream_t)stream));
}

extern "C" int rind_device_segment_gather(const rind_device_segment *segment,
                                          const rind_segment_call *call, const void *sums,
                                          void *values, void *stream) {
  const tables &t = segment->on_device;
  return (int)(call->type == RIND_FLOAT64
                   ? gather<double>(t, call, sums, values, (cudaStream_t)stream)
                   : gather<float>(t, call, sums, values, (cudaStream_t)stream));
}
