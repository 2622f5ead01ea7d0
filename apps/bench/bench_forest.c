/* bench_forest.c - the reference forests by name. */
#include <bench.h>

const char *const bench_names[BENCH_NUM_NAMES + 1] = {"R8", "R4", "R2", "C3", "L12", "L16", NULL};

typedef struct recipe {
  int dim;
  int cells;
  int trees; /* along each axis */
  int level; /* of the base blocks in a tree */
} recipe;

static const recipe recipes[BENCH_NUM_NAMES] = {
    [BENCH_R8] = {3, 8, 1, 2}, [BENCH_R4] = {3, 4, 1, 3},  [BENCH_R2] = {2, 32, 1, 3},
    [BENCH_C3] = {3, 8, 1, 2}, [BENCH_L12] = {3, 8, 3, 2}, [BENCH_L16] = {3, 16, 1, 4},
};

/* The half with centre x < 1/2, split once; the base level is known from the block's side. */
static int lower_half(const rind_block *block, void *user) {
  const int *base_level = user;
  return block->level == *base_level && block->lower[0] + 0.5 * block->side[0] < 0.5;
}

/* Twice toward the corner at the origin: within 1/2, then within 1/4 of it. */
static int corner(const rind_block *block, void *user) {
  const int *base_level = user;
  const double reach = block->level == *base_level ? 0.5 : 0.25;
  for (int a = 0; a < 3; ++a)
    if (block->lower[a] + 0.5 * block->side[a] > reach) return 0;
  return 1;
}

rind_error bench_forest_create(rind_context *context, bench_forest *what, rind_forest **forest) {
  recipe base = recipes[what->name];
  const bool towards_corner = what->name == BENCH_C3;
  if (what->dim != 0 && what->dim != base.dim && !towards_corner)
    return rind_context_fail(context, RIND_ERROR_INVALID,
                             "forest %s has dimension %d: --dim %d does not fit (C3 has 2 and 3)",
                             bench_names[what->name], base.dim, what->dim);
  if (what->dim != 0) base.dim = what->dim;
  if (what->cells != 0) base.cells = what->cells;
  rind_brick brick = {.dim = base.dim, .level = base.level};
  for (int a = 0; a < base.dim; ++a) {
    brick.trees[a] = base.trees;
    brick.upper[a] = 1.0;
    /* Walls across x, and all around for C3. */
    brick.periodic[a] = what->periodic[0] < 0 ? a > 0 && !towards_corner : what->periodic[a];
  }
  rind_forest *made = NULL;
  rind_error error = rind_forest_create_brick(context, &brick, &made);
  if (error != RIND_OK) return error;
  error = rind_forest_refine(made, base.level + (towards_corner ? 2 : 1),
                             towards_corner ? corner : lower_half, &base.level);
  if (error != RIND_OK) {
    rind_forest_destroy(&made);
    return error;
  }
  what->dim = base.dim;
  what->cells = base.cells;
  for (int a = 0; a < 3; ++a)
    what->periodic[a] = brick.periodic[a];
  *forest = made;
  return RIND_OK;
}
