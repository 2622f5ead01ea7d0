/* device_memory.cu - device memory through the CUDA runtime. */
#include <device_memory.h>

#include <cstring>
#include <cuda_runtime.h>

/* Copies from pageable memory and zeros may still be under way when their calls return, and streams
 * that do not wait for the default one would not see them. */
static cudaError_t finish(cudaError_t error) {
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

extern "C" int rind_device_count(void) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

extern "C" int rind_device_current(void) {
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess) {
    cudaGetLastError();
    return -1;
  }
  return device;
}

extern "C" int rind_device_select(int device) {
  return (int)cudaSetDevice(device);
}

extern "C" int rind_device_allocate(size_t bytes, void **data) {
  void *memory = nullptr;
  cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
  if (error == cudaSuccess) error = finish(cudaMemset(memory, 0, bytes > 0 ? bytes : 1));
  if (error != cudaSuccess) {
    cudaFree(memory);
    cudaGetLastError();
    return (int)error;
  }
  *data = memory;
  return 0;
}

extern "C" void rind_device_free(void *data) {
  cudaFree(data);
}

extern "C" int rind_device_holds(const void *data) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

extern "C" int rind_device_copy(void *to, const void *from, size_t bytes) {
  return (int)finish(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

extern "C" int rind_device_allocate_pinned(size_t bytes, void **data) {
  void *memory = nullptr;
  const cudaError_t error = cudaMallocHost(&memory, bytes > 0 ? bytes : 1);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return (int)error;
  }
  memset(memory, 0, bytes);
  *data = memory;
  return 0;
}

extern "C" void rind_device_free_pinned(void *data) {
  cudaFreeHost(data);
}

extern "C" int rind_device_copy_async(void *to, const void *from, size_t bytes, void *stream) {
  return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)stream);
}

extern "C" int rind_device_wait(void *stream) {
  return (int)cudaStreamSynchronize((cudaStream_t)stream);
}

extern "C" const char *rind_device_error_text(int code) {
  return cudaGetErrorString((cudaError_t)code);
}
