/* gather_wide.c - the gather's loops once more, with AVX2. */
#define GATHER_WAY(word) word##_wide
#define GATHER_STORE(to, value) (*(to) = (value))
#include <gather_batches.h>
#include <gather_fills.h>

bool rind_gather_is_wide(void) {
  return __builtin_cpu_supports("avx2");
}
