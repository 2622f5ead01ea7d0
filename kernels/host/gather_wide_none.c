/* gather_wide_none.c - stands in where the compiler has no AVX2: never called. */
#include <gather_ways.h>

void rind_gather_fills_wide(const rind_gather *gather, int first, int last, void *const *to_base,
                            const void *const *own_base, const void *const *source_base) {
  rind_gather_fills_plain(gather, first, last, to_base, own_base, source_base);
}

void rind_gather_batches_wide(const rind_gather *gather, const int *first_fill, int first, int last,
                              void *const *to_base, const void *const *source_base,
                              const rind_gather_scratch *scratch, double *sums) {
  rind_gather_batches_plain(gather, first_fill, first, last, to_base, source_base, scratch, sums);
}

bool rind_gather_is_wide(void) {
  return false;
}

bool rind_gather_asks_near(void) {
  return false;
}
