/* brick.c - checks what a brick is made of before anything is made. */
#include <brick_maker.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <core.h>

/* The brick without what its dimension does not use; extents of 0 become 1. */
static rind_brick normalise(const rind_brick *brick) {
  rind_brick made = {.dim = brick->dim, .trees = {1, 1, 1}, .level = brick->level};
  const int dim = brick->dim == 2 ? 2 : 3;
  for (int a = 0; a < dim; ++a) {
    made.trees[a] = brick->trees[a] == 0 ? 1 : brick->trees[a];
    made.periodic[a] = brick->periodic[a] != 0;
    made.lower[a] = brick->lower[a];
    made.upper[a] = brick->upper[a];
  }
  if (dim == 2 && brick->trees[2] != 0) made.trees[2] = brick->trees[2];
  return made;
}

static bool has_box(const rind_brick *brick) {
  bool box = false;
  for (int a = 0; a < 3; ++a)
    box = box || !(brick->lower[a] == 0 && brick->upper[a] == 0);
  return box;
}

static rind_error check_numbers(rind_context *context, const rind_brick *brick, int max_level) {
  for (int a = 0; a < 3; ++a)
    RIND_REQUIRE(context, brick->trees[a] > 0, RIND_ERROR_INVALID,
                 "the brick has %d trees along axis %d: at least 1 it must be, or 0 for 1",
                 brick->trees[a], a);
  RIND_REQUIRE(context, brick->dim == 3 || brick->trees[2] == 1, RIND_ERROR_INVALID,
               "the brick has %d trees along axis 2, but dimension 2: 0 or 1 it must be",
               brick->trees[2]);
  RIND_REQUIRE(context, brick->level >= 0 && brick->level <= max_level, RIND_ERROR_INVALID,
               "the brick has level %d: 0 to %d it must be in %dD", brick->level, max_level,
               brick->dim);
  for (int a = 0; has_box(brick) && a < brick->dim; ++a)
    RIND_REQUIRE(context,
                 brick->lower[a] < brick->upper[a] && isfinite(brick->upper[a] - brick->lower[a]),
                 RIND_ERROR_INVALID,
                 "the brick goes from %g to %g along axis %d: lower must be less than upper, both "
                 "finite, or all of them 0",
                 brick->lower[a], brick->upper[a], a);
  return RIND_OK;
}

/* p4est numbers trees, their edges and corners, and a rank's blocks in 32 bits; so do we the links:
 * 8 resp. 26 a block. */
static rind_error check_counts(rind_context *context, const rind_brick *brick) {
  const double trees = (double)brick->trees[0] * brick->trees[1] * brick->trees[2];
  const int most_trees = INT32_MAX / (brick->dim == 2 ? 4 : 12);
  RIND_REQUIRE(context, trees <= most_trees, RIND_ERROR_OVERFLOW,
               "the brick has %d x %d x %d = %.0f trees: at most %d it may have in %dD",
               brick->trees[0], brick->trees[1], brick->trees[2], trees, most_trees, brick->dim);
  const int most_blocks = INT32_MAX / (brick->dim == 2 ? 8 : 26);
  const int size = rind_context_size(context);
  const double blocks = ldexp(trees, brick->dim * brick->level);
  RIND_REQUIRE(context, blocks <= (double)most_blocks * size, RIND_ERROR_OVERFLOW,
               "the brick has %.0f trees of level %d, %.0f blocks on %d ranks: at most %d a rank "
               "it may have in %dD",
               trees, brick->level, blocks, size, most_blocks, brick->dim);
  return RIND_OK;
}

const rind_brick_maker *rind_brick_maker_of(int dim) {
  return dim == 2 ? &rind_brick_maker_p4est : &rind_brick_maker_p8est;
}

static rind_error check_brick(rind_context *context, const rind_brick *brick) {
  RIND_REQUIRE(context, brick, RIND_ERROR_INVALID, "brick is NULL");
  RIND_REQUIRE(context, brick->dim == 2 || brick->dim == 3, RIND_ERROR_INVALID,
               "the brick has dimension %d: 2 or 3 it must be", brick->dim);
  const rind_brick made = normalise(brick);
  RIND_TRY(check_numbers(context, &made, rind_brick_maker_of(made.dim)->max_level));
  return check_counts(context, &made);
}

/* Collective. A mesh of different bricks would hang. */
static rind_error check_same(rind_context *context, const rind_brick *brick) {
  rind_brick first;
  memcpy(&first, brick, sizeof first);
  RIND_REQUIRE(context,
               MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, rind_context_comm(context)) ==
                   MPI_SUCCESS,
               RIND_ERROR_MPI, "MPI_Bcast of the brick failed");
  bool same = first.dim == brick->dim && first.level == brick->level;
  for (int a = 0; a < 3; ++a)
    same = same && first.trees[a] == brick->trees[a] && first.periodic[a] == brick->periodic[a] &&
           first.lower[a] == brick->lower[a] && first.upper[a] == brick->upper[a];
  RIND_REQUIRE(context, same, RIND_ERROR_INVALID,
               "rank %d asks for another brick than rank 0: all must ask for the same",
               rind_context_rank(context));
  return RIND_OK;
}

rind_error rind_forest_create_brick(rind_context *context, const rind_brick *brick,
                                    rind_forest **forest) {
  if (!context) return RIND_ERROR_INVALID;
  rind_error error = RIND_CHECK_RESULT(context, forest);
  if (error == RIND_OK) error = check_brick(context, brick);
  RIND_TRY(rind_context_agree(context, error));
  rind_brick made = normalise(brick);
  RIND_TRY(rind_context_agree(context, check_same(context, &made)));
  if (!has_box(&made))
    for (int a = 0; a < made.dim; ++a)
      made.upper[a] = made.trees[a];
  return rind_brick_maker_of(made.dim)->create(context, &made, forest);
}
