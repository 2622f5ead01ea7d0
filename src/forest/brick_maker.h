/* brick_maker.h - what makes bricks of one dimension. */
#pragma once
#include <rind/forest_p4est.h>

typedef struct rind_brick_maker {
  int max_level;
  /* Collective. brick is the same on all ranks and checked: trees positive, blocks countable. */
  rind_error (*create)(rind_context *context, const rind_brick *brick, rind_forest **forest);
} rind_brick_maker;

extern const rind_brick_maker rind_brick_maker_p4est, rind_brick_maker_p8est;
