/* async_copy.cuh - copies to shared memory that no register waits for, and kernels that begin
 * before the one before them has ended, where the device can do either. */
#pragma once

/* A value of 4, 8 or 16 bytes, aligned; here until finish_copies. */
#if __CUDA_ARCH__ >= 800
template <typename T> __device__ void start_copy(T *shared, const T *global) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
  if (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(global)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global),
                 "n"(sizeof(T) == 16 ? 8 : sizeof(T))
                 : "memory");
}

/* Of all threads of the thread block. */
__device__ inline void finish_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}
#else
template <typename T> __device__ void start_copy(T *shared, const T *global) {
  *shared = *global;
}

__device__ inline void finish_copies() {
  __syncthreads();
}
#endif

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
