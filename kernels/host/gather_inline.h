/* gather_inline.h - how loops and terms are inlined into the functions that name their constants,
 * and loops that need all registers are not; and how lines are asked for ahead. */
#pragma once

#if defined(__GNUC__)
#define GATHER_INLINE static inline __attribute__((always_inline))
#define GATHER_APART static __attribute__((noinline))
#define GATHER_WILL_WRITE(address) __builtin_prefetch(address, 1)
#else
#define GATHER_INLINE static inline
#define GATHER_APART static
#define GATHER_WILL_WRITE(address) ((void)(address))
#endif
