/* segment.cu - tables and launches of sums over segments. */
#include <device_memory.h>
#include <device_segment.h>

#include <cstdlib>
#include <cuda_runtime.h>
#include <segment_kernels.cuh>

using namespace segments;

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

/* Rows in turns that a grid can count. */
template <typename T, typename Kernel>
cudaError_t launch(Kernel kernel, const tables &t, int64_t each, int64_t num_rows, arrays<T> a,
                   cudaStream_t stream) {
  enum { MOST_ROWS = 65535 };
  if (each > INT32_MAX) return cudaErrorInvalidConfiguration;
  for (int64_t row = 0; row < num_rows && each > 0; row += MOST_ROWS) {
    const int64_t rows = num_rows - row < MOST_ROWS ? num_rows - row : MOST_ROWS;
    arrays<T> some = a;
    some.values += row * a.value_stride;
    some.sums += row * a.sum_stride;
    kernel<<<dim3((unsigned)each, (unsigned)rows), threads, 0, stream>>>(t, some);
  }
  return cudaGetLastError();
}

template <typename T>
cudaError_t sum(const tables &t, const rind_segment_call *call, const void *values, void *sums,
                cudaStream_t stream) {
  const arrays<T> a = {(T *)values, (T *)sums, call->value_stride, call->sum_stride,
                       call->accumulate};
  cudaError_t error = launch(sum_pieces<T>, t, t.num_pieces, call->num_rows, a, stream);
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
