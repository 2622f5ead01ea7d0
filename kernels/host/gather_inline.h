/* gather_inline.h - how loops and terms are inlined into the functions that name their constants,
 * and loops that need all registers are not; and how lines are asked for ahead. */
#pragma once

/* Most values of a cell of a list that are summed side by side. */
enum { GATHER_SIDE_BY_SIDE = 5 };

#if defined(__GNUC__)
#define GATHER_INLINE static inline __attribute__((always_inline))
#define GATHER_APART static __attribute__((noinline))
#define GATHER_WILL_WRITE(address) __builtin_prefetch(address, 1)
#else
#define GATHER_INLINE static inline
#define GATHER_APART static
#define GATHER_WILL_WRITE(address) ((void)(address))
#endif

/* Into the first cache, or the second. GCC leaves out loops and calls that do nothing but
 * __builtin_prefetch. */
#if defined(__GNUC__) && defined(__x86_64__)
#define GATHER_ASK_NEAR(address) __asm__ volatile("prefetcht0 %0" : : "m"(*(address)))
#define GATHER_ASK(address) __asm__ volatile("prefetcht1 %0" : : "m"(*(address)))
#elif defined(__GNUC__)
#define GATHER_ASK_NEAR(address) __builtin_prefetch(address, 0, 3)
#define GATHER_ASK(address) __builtin_prefetch(address, 0, 2)
#else
#define GATHER_ASK_NEAR(address) ((void)(address))
#define GATHER_ASK(address) ((void)(address))
#endif
