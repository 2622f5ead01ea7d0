/* sph_memory.cu - arrays in device memory through the CUDA runtime. */
#include "sph_memory.h"

#include <cuda_runtime.h>

extern "C" void *sph_device_create(size_t bytes) {
  void *data = nullptr;
  if (cudaMalloc(&data, bytes > 0 ? bytes : 1) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return data;
}

extern "C" void sph_device_destroy(void *data) {
  cudaFree(data);
}

extern "C" int sph_device_copy(void *to, const void *from, size_t bytes) {
  return (int)cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}

extern "C" const char *sph_device_name(void) {
  static cudaDeviceProp properties;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return properties.name;
}
