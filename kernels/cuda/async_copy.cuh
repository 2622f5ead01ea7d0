/* async_copy.cuh - copies to shared memory that no register waits for, where the device can. */
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
