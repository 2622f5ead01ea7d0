/* deposit_device.cu - memory and launches of the deposit benchmark on the device. */
#include <deposit_device.h>

#include <cstdlib>
#include <cuda_runtime.h>
#include <deposit_backward.cuh>
#include <deposit_forward.cuh>

struct deposit_device {
  deposit::problem problem;
  double *input; /* x, v, target */
  int blocks[2]; /* of forward and backward */
};

using namespace deposit;

namespace {

size_t rounded(int64_t count) {
  return ((size_t)count + 1) / 2 * 2;
}

/* As many thread blocks as run at once, or as there is work. */
template <typename Kernel>
cudaError_t size_grid(Kernel kernel, size_t shared, int64_t count, int *blocks) {
  int device = 0, processors = 0, each = 0;
  cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared);
  if (error != cudaSuccess) return error;
  const int64_t wanted = (count + 4 * threads - 1) / (4 * threads);
  const int64_t most = (int64_t)processors * (each > 0 ? each : 1);
  *blocks = (int)(wanted < 1 ? 1 : wanted < most ? wanted : most);
  return cudaSuccess;
}

cudaError_t copy_input(const deposit_input *from, deposit_device *to) {
  const size_t each = rounded(from->count), bytes = (size_t)from->count * sizeof(double);
  double *x = to->input, *v = x + each, *target = v + each;
  to->problem.x = x;
  to->problem.v = v;
  to->problem.target = target;
  to->problem.count = (wide)from->count;
  cudaError_t error = cudaMemcpy(x, from->x, bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) error = cudaMemcpy(v, from->v, bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess)
    error = cudaMemcpy(target, from->target, DEPOSIT_BINS * sizeof(double), cudaMemcpyHostToDevice);
  return error;
}

cudaError_t make(const deposit_input *input, deposit_device *made) {
  const size_t each = rounded(input->count);
  cudaError_t error = cudaMalloc((void **)&made->input, (2 * each + DEPOSIT_BINS) * sizeof(double));
  if (error == cudaSuccess)
    error = cudaMalloc((void **)&made->problem.gradient, (each + 2) * sizeof(double));
  if (error == cudaSuccess) error = cudaMalloc((void **)&made->problem.counts, sizeof(sums));
  if (error == cudaSuccess) error = cudaMalloc((void **)&made->problem.result, sizeof(outcome));
  if (error == cudaSuccess) error = cudaMemset(made->problem.counts, 0, sizeof(sums));
  if (error == cudaSuccess) error = copy_input(input, made);
  int counting = 0;
  if (error == cudaSuccess)
    error = size_grid(forward<true>, sizeof(forward_shared), input->count, &counting);
  if (error == cudaSuccess)
    error = size_grid(forward<false>, sizeof(forward_shared), input->count, &made->blocks[0]);
  if (error == cudaSuccess)
    error = size_grid(backward, sizeof(backward_shared), input->count, &made->blocks[1]);
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

} // namespace

extern "C" int deposit_device_create(const deposit_input *input, deposit_device **made) {
  deposit_device *fresh = (deposit_device *)calloc(1, sizeof *fresh);
  if (!fresh) return (int)cudaErrorMemoryAllocation;
  const cudaError_t error = make(input, fresh);
  if (error != cudaSuccess) {
    deposit_device_destroy(&fresh);
    cudaGetLastError();
    return (int)error;
  }
  *made = fresh;
  return 0;
}

extern "C" void deposit_device_destroy(deposit_device **device) {
  if (!*device) return;
  cudaFree((*device)->input);
  cudaFree((*device)->problem.gradient);
  cudaFree((*device)->problem.counts);
  cudaFree((*device)->problem.result);
  free(*device);
  *device = nullptr;
}

extern "C" int deposit_device_run(deposit_device *device, bool with_gradient, bool with_counts) {
  if (with_counts)
    forward<true><<<device->blocks[0], threads, sizeof(forward_shared)>>>(device->problem);
  else
    forward<false><<<device->blocks[0], threads, sizeof(forward_shared)>>>(device->problem);
  if (with_gradient)
    backward<<<device->blocks[1], threads, sizeof(backward_shared)>>>(device->problem);
  const cudaError_t error = cudaGetLastError();
  return (int)(error == cudaSuccess ? cudaDeviceSynchronize() : error);
}

extern "C" int deposit_device_fetch(const deposit_device *device, deposit_summary *summary,
                                    double *bins, double *gradient) {
  static outcome result;
  const problem &p = device->problem;
  cudaError_t error = cudaMemcpy(&result, p.result, sizeof result, cudaMemcpyDeviceToHost);
  if (error == cudaSuccess && gradient)
    error = cudaMemcpy(gradient, p.gradient, p.count * sizeof(double), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return (int)error;
  *summary = {};
  summary->loss = result.loss;
  summary->selected = (int64_t)result.selected;
  summary->first_bad = (int64_t)(result.first_bad == 0 ? p.count : ~result.first_bad);
  for (int t = 1; t <= DEPOSIT_STEPS; ++t) {
    const int64_t deposits = (int64_t)result.deposits[t];
    summary->deposits += deposits;
    if (deposits > summary->largest) summary->largest = deposits;
  }
  for (int b = 0; bins && b < DEPOSIT_BINS; ++b)
    bins[b] = result.bins[b];
  return 0;
}

extern "C" size_t deposit_device_bytes(const deposit_device *) {
  return sizeof(sums) + sizeof(outcome);
}

extern "C" const char *deposit_device_error_text(int code) {
  return cudaGetErrorString((cudaError_t)code);
}
