/* deposit_best_avx2.c - which batches a processor runs that may have AVX2. */
#include <deposit_batch.h>

extern const deposit_batches deposit_batches_avx2;

const deposit_batches *deposit_batches_best(void) {
  return __builtin_cpu_supports("avx2") ? &deposit_batches_avx2 : &deposit_batches_plain;
}
