/* reference_forests.c - the forests of docs/rows.md that tests count on. */
#include "reference_forests.h"

/* Splits blocks of the base level in the lower half. */
static int lower_half(const rind_block *block, void *user) {
  const int base = *(const int *)user;
  return block->level == base && block->lower[0] + 0.5 * block->side[0] < 0.5;
}

static int lower_corner(const rind_block *block, void *user) {
  (void)user;
  return block->coordinate[0] == 0 && block->coordinate[1] == 0 && block->coordinate[2] == 0;
}

rind_error reference_half_refined(rind_context *context, int dim, int blocks, bool periodic,
                                  rind_forest **forest) {
  int level = 0;
  while (1 << level < blocks)
    ++level;
  const rind_brick brick = {.dim = dim, .periodic = {0, periodic, periodic}, .level = level};
  const rind_error error = rind_forest_create_brick(context, &brick, forest);
  return error != RIND_OK ? error : rind_forest_refine(*forest, level + 1, lower_half, &level);
}

rind_error reference_corner(rind_context *context, int dim, bool periodic, rind_forest **forest) {
  const rind_brick brick = {.dim = dim, .periodic = {periodic, periodic, periodic}, .level = 1};
  const rind_error error = rind_forest_create_brick(context, &brick, forest);
  return error != RIND_OK ? error : rind_forest_refine(*forest, 3, lower_corner, NULL);
}
