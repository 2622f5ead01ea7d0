/* brick_maker.h - what makes bricks, and forests of meshes, of one dimension. */
#pragma once
#include <inp.h>
#include <rind/forest_p4est.h>

typedef struct rind_brick_maker {
  int max_level;
  /* Collective. brick is the same on all ranks and checked: trees positive, blocks countable. */
  rind_error (*create)(rind_context *context, const rind_brick *brick, rind_forest **forest);
  /* Collective. mesh is the same on all ranks, of this dimension and checked; level is, too. */
  rind_error (*create_mesh)(rind_context *context, const rind_inp *mesh, int level,
                            rind_forest **forest);
} rind_brick_maker;

/* Of dimension 2 or 3. */
const rind_brick_maker *rind_brick_maker_of(int dim);

extern const rind_brick_maker rind_brick_maker_p4est, rind_brick_maker_p8est;
