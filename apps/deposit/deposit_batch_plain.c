/* deposit_batch_plain.c - batches for any processor. */
#define DEPOSIT_NAME(word) word##_plain
#include <deposit_batch_body.h>
