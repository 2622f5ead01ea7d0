/* amr_boxes.c - sorts blocks by level and finds their places in the index space of each level. */
#include "amr_boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far a corner may lie off the lattice, in block sides: rounding of the caller's coordinates,
 * far below anything that could be meant. */
static const double tolerance = 1e-6;

/* Place of a block along an axis, in block sides of its level. */
static double place(const rind_amr_boxes *boxes, const rind_block *block, int axis) {
  const rind_amr_level *level = &boxes->level[block->level - boxes->coarsest];
  const double side = level->spacing[axis] * boxes->cells;
  return (block->lower[axis] - boxes->origin[axis]) / side;
}

/* Tree sides, origin and the range of levels, from all ranks. Ranks round alike in a maximum. */
static rind_error find_lattice(const rind_forest *forest, rind_amr_boxes *boxes,
                               double tree_side[3]) {
  rind_context *context = rind_forest_context(forest);
  /* Minima as maxima of the negated. */
  double extremes[8] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL,
                        -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  const int num_blocks = rind_forest_num_blocks(forest);
  for (int b = 0; b < num_blocks; ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    for (int a = 0; a < 3; ++a) {
      extremes[a] = fmax(extremes[a], -block->lower[a]);
      extremes[3 + a] = fmax(extremes[3 + a], ldexp(block->side[a], block->level));
    }
    extremes[6] = fmax(extremes[6], -block->level);
    extremes[7] = fmax(extremes[7], block->level);
  }
  if (MPI_Allreduce(MPI_IN_PLACE, extremes, 8, MPI_DOUBLE, MPI_MAX, rind_context_comm(context)) !=
      MPI_SUCCESS)
    return rind_context_fail(context, RIND_ERROR_MPI, "MPI_Allreduce failed");
  if (extremes[7] < 0)
    return rind_context_fail(context, RIND_ERROR_INVALID, "the forest has no blocks to write");
  for (int a = 0; a < 3; ++a) {
    boxes->origin[a] = -extremes[a];
    tree_side[a] = extremes[3 + a];
  }
  boxes->coarsest = (int)-extremes[6];
  boxes->num_levels = (int)extremes[7] - boxes->coarsest + 1;
  if (boxes->num_levels > RIND_AMR_MAX_LEVELS)
    return rind_context_fail(context, RIND_ERROR_OVERFLOW, "the forest has %d levels, at most %d",
                             boxes->num_levels, RIND_AMR_MAX_LEVELS);
  for (int a = 0; a < boxes->dim; ++a)
    if (!(tree_side[a] > 0) || !isfinite(tree_side[a]) || !isfinite(boxes->origin[a]))
      return rind_context_fail(context, RIND_ERROR_UNSUPPORTED,
                               "the trees' side along axis %d is %g, should be positive", a,
                               tree_side[a]);
  return RIND_OK;
}

/* The block must lie on the lattice, its neighbours unrotated. */
static rind_error check_block(const rind_forest *forest, const rind_amr_boxes *boxes,
                              const double tree_side[3], int b) {
  rind_context *context = rind_forest_context(forest);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  const rind_block *block = &arrays->block[b];
  for (int a = 0; a < boxes->dim; ++a) {
    const double side = ldexp(tree_side[a], -block->level), at = place(boxes, block, a);
    if (!(fabs(block->side[a] - side) <= tolerance * side) ||
        !(fabs(at - rint(at)) <= tolerance * (1 + fabs(at))))
      return rind_context_fail(context, RIND_ERROR_UNSUPPORTED,
                               "block %lld (lower %g, side %g along axis %d) is off the lattice of "
                               "boxes of one size (origin %g, side %g)",
                               (long long)block->global, block->lower[a], block->side[a], a,
                               boxes->origin[a], side);
    if ((rint(at) + 1) * boxes->cells > INT32_MAX)
      return rind_context_fail(context, RIND_ERROR_OVERFLOW,
                               "block %lld: its cells' indices along axis %d exceed %d",
                               (long long)block->global, a, INT32_MAX);
  }
  for (int32_t l = arrays->first_link[b]; l < arrays->first_link[b + 1]; ++l)
    for (int a = 0; a < boxes->dim; ++a)
      if (arrays->link[l].axis[a] != a || arrays->link[l].flip[a])
        return rind_context_fail(
            context, RIND_ERROR_UNSUPPORTED,
            "block %lld has a rotated neighbour; VTKHDF files hold bricks only",
            (long long)block->global);
  return RIND_OK;
}

/* Blocks of this rank by level. */
static rind_error sort_blocks(const rind_forest *forest, rind_amr_boxes *boxes) {
  rind_context *context = rind_forest_context(forest);
  const int num_blocks = rind_forest_num_blocks(forest);
  for (int b = 0; b < num_blocks; ++b)
    ++boxes->level[rind_forest_block(forest, b)->level - boxes->coarsest].num_local;
  for (int l = 0; l < boxes->num_levels; ++l) {
    rind_amr_level *level = &boxes->level[l];
    level->block = malloc(((size_t)level->num_local + 1) * sizeof *level->block);
    if (level->block == NULL)
      return rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a list of %d blocks",
                               level->num_local);
    level->num_local = 0;
  }
  for (int b = 0; b < num_blocks; ++b) {
    rind_amr_level *level = &boxes->level[rind_forest_block(forest, b)->level - boxes->coarsest];
    level->block[level->num_local++] = b;
  }
  return RIND_OK;
}

/* How many blocks of each level the ranks before this one have, and all ranks. */
static rind_error number_blocks(const rind_forest *forest, rind_amr_boxes *boxes) {
  rind_context *context = rind_forest_context(forest);
  const MPI_Comm comm = rind_context_comm(context);
  int64_t count[RIND_AMR_MAX_LEVELS] = {0}, before[RIND_AMR_MAX_LEVELS] = {0},
          total[RIND_AMR_MAX_LEVELS] = {0};
  for (int l = 0; l < boxes->num_levels; ++l)
    count[l] = boxes->level[l].num_local;
  if (MPI_Exscan(count, before, boxes->num_levels, MPI_INT64_T, MPI_SUM, comm) != MPI_SUCCESS ||
      MPI_Allreduce(count, total, boxes->num_levels, MPI_INT64_T, MPI_SUM, comm) != MPI_SUCCESS)
    return rind_context_fail(context, RIND_ERROR_MPI, "MPI_Exscan failed");
  for (int l = 0; l < boxes->num_levels; ++l) {
    /* Rank 0's result of a scan is undefined. */
    boxes->level[l].first_global = rind_context_rank(context) == 0 ? 0 : before[l];
    boxes->level[l].num_global = total[l];
  }
  return RIND_OK;
}

rind_error rind_amr_boxes_create(const rind_forest *forest, int cells, rind_amr_boxes *boxes) {
  rind_context *context = rind_forest_context(forest);
  double tree_side[3];
  memset(boxes, 0, sizeof *boxes);
  boxes->cells = cells;
  boxes->dim = rind_forest_dim(forest);
  rind_error error = rind_context_agree(context, find_lattice(forest, boxes, tree_side));
  if (error != RIND_OK) return error;
  for (int l = 0; l < boxes->num_levels; ++l)
    for (int a = 0; a < 3; ++a)
      boxes->level[l].spacing[a] =
          ldexp(tree_side[a < boxes->dim ? a : 0], -(boxes->coarsest + (a < boxes->dim ? l : 0))) /
          cells;
  for (int b = 0; error == RIND_OK && b < rind_forest_num_blocks(forest); ++b)
    error = check_block(forest, boxes, tree_side, b);
  if (error == RIND_OK) error = sort_blocks(forest, boxes);
  error = rind_context_agree(context, error);
  if (error == RIND_OK) error = rind_context_agree(context, number_blocks(forest, boxes));
  if (error != RIND_OK) rind_amr_boxes_destroy(boxes);
  return error;
}

void rind_amr_boxes_destroy(rind_amr_boxes *boxes) {
  for (int l = 0; l < RIND_AMR_MAX_LEVELS; ++l) {
    free(boxes->level[l].block);
    boxes->level[l].block = NULL;
  }
}

void rind_amr_boxes_box(const rind_amr_boxes *boxes, const rind_forest *forest, int level,
                        int block, int32_t box[6]) {
  const rind_block *at = rind_forest_block(forest, boxes->level[level].block[block]);
  for (int a = 0; a < 3; ++a) {
    const int32_t first = a < boxes->dim ? (int32_t)rint(place(boxes, at, a)) * boxes->cells : 0;
    box[2 * a] = first;
    box[2 * a + 1] = a < boxes->dim ? first + boxes->cells - 1 : 0;
  }
}
