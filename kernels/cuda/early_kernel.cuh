/* early_kernel.cuh - kernels that begin before the one before them in the stream has ended, where
 * the device can: what they do first is done by then. */
#pragma once
#include <cuda_runtime.h>

/* Lets the next kernel of the stream begin, if it is launched to, and waits for the end of the one
 * before and for what it has stored. Until then only memory that no kernel writes may be read. */
#if __CUDA_ARCH__ >= 900
__device__ inline void wait_for_earlier_kernel() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#else
__device__ inline void wait_for_earlier_kernel() {}
#endif

/* Whether a kernel's code for this device waits for the kernel before it by itself. */
template <typename Kernel> cudaError_t find_whether_early(Kernel *kernel, bool *early) {
  enum { FIRST = 90 };
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  *early = error == cudaSuccess && attributes.ptxVersion >= FIRST;
  return error;
}

/* Launches a kernel, early if it is one of these. */
template <typename... Parameters>
cudaError_t launch_kernel(void (*kernel)(Parameters...), bool is_early, dim3 blocks, int threads,
                          cudaStream_t stream, const Parameters &...arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t how = {blocks, dim3((unsigned)threads), 0, stream,
                                  &early, is_early ? 1u : 0u};
  return cudaLaunchKernelEx(&how, kernel, arguments...);
}
