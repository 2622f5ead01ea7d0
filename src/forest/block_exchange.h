/* block_exchange.h - sends blocks to the ranks that may need them as remote blocks. */
#pragma once
#include <rind/forest.h>

/* A local block and a rank that is to know of it. */
typedef struct rind_block_target {
  int rank;
  int block;
} rind_block_target;

/* Collective. Sorts target. Passes error on to all ranks and returns before any message if a rank
 * has one. *received, from malloc and in no order, has tree, level, coordinate, owner and index;
 * it is set only on success. The caller must agree on the result before the next call. */
rind_error rind_block_exchange(rind_context *context, rind_error error, const rind_block *block,
                               rind_block_target *target, int num_targets, rind_block **received,
                               int *num_received);
