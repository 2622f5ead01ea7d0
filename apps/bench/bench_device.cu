/* bench_device.cu - a ghost copy written by hand for the device, and plain copies of bytes. */
#include <bench_device.h>

#include <cuda_runtime.h>

struct bench_device_copy {
  void *data;
  size_t type_bytes;
  bench_box *box; /* on the device */
  int num_boxes;
};

template <typename T> __global__ void copy_boxes(T *data, const bench_box *boxes) {
  const bench_box &box = boxes[blockIdx.x];
  const unsigned e0 = box.extent[0], e1 = box.extent[1];
  const unsigned cells = e0 * e1 * box.extent[2];
  for (unsigned cell = threadIdx.x; cell < cells; cell += blockDim.x) {
    const unsigned i = cell % e0, j = cell / e0 % e1, k = cell / e0 / e1;
    data[box.to + i * box.to_stride[0] + j * box.to_stride[1] + k * box.to_stride[2]] =
        data[box.from + i * box.from_stride[0] + j * box.from_stride[1] + k * box.from_stride[2]];
  }
}

extern "C" void bench_device_use(int device) {
  if (device >= 0) cudaSetDevice(device);
}

extern "C" bench_device_copy *bench_device_copy_create(void *data, size_t type_bytes,
                                                       const bench_box *box, int num_boxes) {
  const size_t bytes = (size_t)num_boxes * sizeof *box;
  bench_box *there = nullptr;
  if (cudaMalloc((void **)&there, bytes > 0 ? bytes : 1) != cudaSuccess) return nullptr;
  if (cudaMemcpy(there, box, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
    cudaFree(there);
    return nullptr;
  }
  return new bench_device_copy{data, type_bytes, there, num_boxes};
}

extern "C" void bench_device_copy_destroy(bench_device_copy *copy) {
  if (!copy) return;
  cudaFree(copy->box);
  delete copy;
}

extern "C" int bench_device_copy_run(const bench_device_copy *copy) {
  if (copy->num_boxes == 0) return 0;
  if (copy->type_bytes == sizeof(double))
    copy_boxes<<<copy->num_boxes, 256>>>((double *)copy->data, copy->box);
  else
    copy_boxes<<<copy->num_boxes, 256>>>((float *)copy->data, copy->box);
  return (int)cudaGetLastError();
}

extern "C" void *bench_device_keep(const void *host, size_t bytes) {
  void *there = nullptr;
  if (cudaMalloc(&there, bytes > 0 ? bytes : 1) != cudaSuccess) return nullptr;
  if (cudaMemcpy(there, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess) return there;
  cudaFree(there);
  return nullptr;
}

extern "C" void bench_device_drop(void *data) {
  cudaFree(data);
}

extern "C" double bench_device_bandwidth(size_t bytes) {
  enum { COPIES = 20 };
  void *from = nullptr, *to = nullptr;
  cudaEvent_t start = nullptr, end = nullptr;
  double best = 0.0;
  if (cudaMalloc(&from, bytes) == cudaSuccess && cudaMalloc(&to, bytes) == cudaSuccess &&
      cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess) {
    cudaMemset(from, 1, bytes);
    for (int i = 0; i < COPIES; ++i) {
      float ms = 0.0f;
      cudaEventRecord(start);
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
      cudaEventRecord(end);
      cudaEventSynchronize(end);
      cudaEventElapsedTime(&ms, start, end);
      const double rate = ms > 0.0f ? 2.0 * (double)bytes / (ms * 1e-3) : 0.0;
      best = rate > best ? rate : best;
    }
  }
  if (start) cudaEventDestroy(start);
  if (end) cudaEventDestroy(end);
  cudaFree(from);
  cudaFree(to);
  cudaGetLastError();
  return best;
}
