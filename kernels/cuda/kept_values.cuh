/* kept_values.cuh - loads and stores of values that the second cache keeps longer than others,
 * where the device can: a sector is read by several blocks, and written in parts, within a short
 * time.
 *
 * With whole_lines a load asks memory for the 128 bytes that hold its value, for those who read the
 * other sectors soon. */
#pragma once
#include <cstdint>
#include <cuda_runtime.h>

#if __CUDA_ARCH__ >= 800
__device__ inline uint64_t kept_policy() {
  uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

#define RIND_LOAD_KEPT(how, type, letter)                                                          \
  asm volatile("ld.global.L2::cache_hint" how "." type " %0, [%1], %2;"                            \
               : letter(value)                                                                     \
               : "l"(from), "l"(kept_policy())                                                     \
               : "memory")

/* Through the first cache. */
template <bool whole_lines = false, typename T> __device__ T load_kept(const T *from) {
  T value;
  if constexpr (sizeof(T) == sizeof(double) && whole_lines)
    RIND_LOAD_KEPT(".L2::128B", "f64", "=d");
  else if constexpr (sizeof(T) == sizeof(double))
    RIND_LOAD_KEPT("", "f64", "=d");
  else if constexpr (whole_lines)
    RIND_LOAD_KEPT(".L2::128B", "f32", "=f");
  else
    RIND_LOAD_KEPT("", "f32", "=f");
  return value;
}

#undef RIND_LOAD_KEPT

template <typename T> __device__ void store_kept(T *to, T value) {
  if constexpr (sizeof(T) == sizeof(double))
    asm volatile("st.global.L2::cache_hint.f64 [%0], %1, %2;" ::"l"(to), "d"(value),
                 "l"(kept_policy())
                 : "memory");
  else
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(to), "f"(value),
                 "l"(kept_policy())
                 : "memory");
}
#else
template <bool whole_lines = false, typename T> __device__ T load_kept(const T *from) {
  return *from;
}

template <typename T> __device__ void store_kept(T *to, T value) {
  __stcg(to, value);
}
#endif
