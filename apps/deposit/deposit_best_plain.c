/* deposit_best_plain.c - stands in for deposit_best_avx2.c on other processors. */
#include <deposit_batch.h>

const deposit_batches *deposit_batches_best(void) {
  return &deposit_batches_plain;
}
