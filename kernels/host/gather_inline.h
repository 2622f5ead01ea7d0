/* gather_inline.h - how loops and terms are inlined into the functions that name their constants.
 */
#pragma once

#if defined(__GNUC__)
#define GATHER_INLINE static inline __attribute__((always_inline))
#else
#define GATHER_INLINE static inline
#endif
