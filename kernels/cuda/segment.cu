/* segment.cu - tables and launches of sums over segments. */
#include <device_memory.h>
#include <device_segment.h>
#include <early_kernel.cuh>

#include <cstdlib>
#include <cuda_runtime.h>
#include <segment_kernels.cuh>

using namespace segments;

struct rind_device_segment {
  tables on_device;
  void *memory; /* all tables but chunk, node and arrived */
};

namespace {

/* The longer segments as the device has them, for copying. NULL without memory. */
long_segment *make_longs(const rind_segment_plan *plan, int64_t *num_nodes) {
  long_segment *made = (long_segment *)malloc((size_t)plan->num_longs * sizeof *made + 1);
  *num_nodes = 0;
  for (int64_t l = 0; made && l < plan->num_longs; ++l) {
    const rind_segment_long from = plan->longs[l];
    made[l] = {from.segment, from.scratch, from.num_chunks, *num_nodes};
    for (int64_t count = from.num_chunks; count > 1; *num_nodes += count)
      count = (count + RIND_SEGMENT_CHUNK - 1) / RIND_SEGMENT_CHUNK;
  }
  return made;
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

cudaError_t copy_tables(const rind_segment_plan *plan, const long_segment *longs, int64_t rows,
                        rind_device_segment *made) {
  tables *t = &made->on_device;
  t->num_pieces = plan->num_pieces;
  t->num_chunks = plan->num_scratch;
  const size_t places_bytes = rounded((size_t)plan->num_places * sizeof(uint16_t));
  const size_t bytes = rounded((size_t)plan->num_pieces * sizeof *plan->piece) + 2 * places_bytes +
                       rounded((size_t)plan->num_longs * sizeof *longs) + 1;
  const size_t chunks = (size_t)(rows * t->num_chunks), nodes = (size_t)(rows * t->num_nodes);
  cudaError_t error = find_whether_early(sum_pieces<double>, &t->are_early);
  if (error == cudaSuccess) error = cudaMalloc(&made->memory, bytes);
  char *next = (char *)made->memory;
  if (error == cudaSuccess) error = copy_table(plan->piece, plan->num_pieces, &next, &t->piece);
  if (error == cudaSuccess)
    error = copy_table(plan->chunk_begin, plan->num_places, &next, &t->chunk_begin);
  if (error == cudaSuccess)
    error = copy_table(plan->chunk_segment, plan->num_places, &next, &t->chunk_segment);
  if (error == cudaSuccess) error = copy_table(longs, plan->num_longs, &next, &t->longs);
  if (error == cudaSuccess) error = cudaMalloc((void **)&t->chunk, chunks * sizeof(double) + 1);
  if (error == cudaSuccess) error = cudaMalloc((void **)&t->node, nodes * sizeof(double) + 1);
  if (error == cudaSuccess) error = cudaMalloc((void **)&t->arrived, nodes * sizeof(unsigned) + 1);
  if (error == cudaSuccess) error = cudaMemset(t->arrived, 0, nodes * sizeof(unsigned));
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

/* Rows in turns that a grid can count. Thread blocks begin while the last ones of the kernel before
 * still run, where they can. */
template <typename T>
cudaError_t launch(void (*kernel)(tables, arrays<T>), const tables &t, int64_t num_rows,
                   arrays<T> a, cudaStream_t stream) {
  enum { MOST_ROWS = 65535 };
  if (t.num_pieces > INT32_MAX) return cudaErrorInvalidConfiguration;
  for (int64_t row = 0; row < num_rows && t.num_pieces > 0; row += MOST_ROWS) {
    const int64_t rows = num_rows - row < MOST_ROWS ? num_rows - row : MOST_ROWS;
    arrays<T> some = a;
    some.values += row * a.value_stride;
    some.sums += row * a.sum_stride;
    const cudaError_t error =
        launch_kernel(kernel, t.are_early, dim3((unsigned)t.num_pieces, (unsigned)rows), threads,
                      stream, t, some);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

template <typename T>
cudaError_t sum(const tables &t, const rind_segment_call *call, const void *values, void *sums,
                cudaStream_t stream) {
  const arrays<T> a = {(T *)values, (T *)sums, call->value_stride, call->sum_stride,
                       call->accumulate};
  return launch(sum_pieces<T>, t, call->num_rows, a, stream);
}

template <typename T>
cudaError_t gather(const tables &t, const rind_segment_call *call, const void *sums, void *values,
                   cudaStream_t stream) {
  const arrays<T> a = {(T *)values, (T *)sums, call->value_stride, call->sum_stride,
                       call->accumulate};
  return launch(gather_pieces<T>, t, call->num_rows, a, stream);
}

} // namespace

extern "C" int rind_device_segment_create(const rind_segment_plan *plan, int64_t rows_at_once,
                                          rind_device_segment **made) {
  rind_device_segment *fresh = (rind_device_segment *)calloc(1, sizeof *fresh);
  cudaError_t error = cudaErrorMemoryAllocation;
  long_segment *longs = fresh ? make_longs(plan, &fresh->on_device.num_nodes) : nullptr;
  if (longs) error = copy_tables(plan, longs, rows_at_once, fresh);
  free(longs);
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
  cudaFree((*segment)->on_device.chunk);
  cudaFree((*segment)->on_device.node);
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
