/* device_array.cu - arrays on the device for results. */
#include "device_array.h"

#include <cuda_runtime.h>

extern "C" double *device_array_create(int device, size_t count) {
  void *memory = nullptr;
  if (cudaSetDevice(device) == cudaSuccess) (void)cudaMalloc(&memory, (count + 1) * sizeof(double));
  cudaGetLastError();
  return static_cast<double *>(memory);
}

extern "C" void device_array_destroy(double *array) {
  cudaFree(array);
}

extern "C" int device_array_fetch(double *to, const double *array, size_t count) {
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return cudaMemcpy(to, array, count * sizeof(double), cudaMemcpyDefault) != cudaSuccess;
}
