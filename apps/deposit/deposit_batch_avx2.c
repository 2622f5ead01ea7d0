/* deposit_batch_avx2.c - batches with AVX2, compiled for it. */
#define DEPOSIT_NAME(word) word##_avx2
#include <deposit_batch_body.h>
