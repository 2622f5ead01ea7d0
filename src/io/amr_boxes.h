/* amr_boxes.h - the blocks of a forest as boxes of cells in one index space a level. */
#pragma once
#include <stdint.h>

#include <rind/forest.h>

enum { RIND_AMR_MAX_LEVELS = 32 };

typedef struct rind_amr_level {
  double spacing[3];    /* of a cell; 2D: a slab, as thick as the coarsest cell is wide */
  int64_t num_global;   /* blocks, over all ranks */
  int64_t first_global; /* of this rank's blocks, among those of the level */
  int num_local;
  int *block; /* [num_local], local indices, in global order */
} rind_amr_level;

typedef struct rind_amr_boxes {
  int cells;
  int dim;
  int coarsest; /* the forest's level that level[0] holds */
  int num_levels;
  double origin[3]; /* corner of the index space: the least of the blocks' lower corners */
  rind_amr_level level[RIND_AMR_MAX_LEVELS]; /* from the coarsest present, no gap */
} rind_amr_boxes;

/* Collective. RIND_ERROR_UNSUPPORTED, naming a block, unless the trees are axis-aligned boxes of
 * one size on one lattice. RIND_ERROR_INVALID for a forest without blocks. */
rind_error rind_amr_boxes_create(const rind_forest *forest, int cells, rind_amr_boxes *boxes);
void rind_amr_boxes_destroy(rind_amr_boxes *boxes);

/* imin, imax, jmin, jmax, kmin, kmax of a local block of the level, inclusive. */
void rind_amr_boxes_box(const rind_amr_boxes *boxes, const rind_forest *forest, int level,
                        int block, int32_t box[6]);
