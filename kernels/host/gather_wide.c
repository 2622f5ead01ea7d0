/* gather_wide.c - the gather's loops once more, with AVX2. */
#define GATHER_WAY(word) word##_wide
#define GATHER_STORE(to, value) (*(to) = (value))
#define GATHER_STORE_QUAD(to, value) QUAD_STORE_CELLS(to, value)
#include <way_batches_body.h>
#include <way_fills_body.h>

bool rind_gather_is_wide(void) {
  return __builtin_cpu_supports("avx2");
}

bool rind_gather_asks_near(void) {
  return __builtin_cpu_is("intel");
}
