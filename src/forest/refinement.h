/* refinement.h - asks the caller which blocks to split, whatever mesh splits them. */
#pragma once
#include <block_table.h>
#include <tree_mesh.h>

typedef struct rind_refinement {
  const rind_tree_mesh *mesh;       /* borrowed */
  const rind_forest_arrays *before; /* borrowed */
  rind_block_table table;           /* of the local blocks before */
  rind_refine_function refine;
  void *user;
  int32_t owner;      /* this rank */
  int64_t num_blocks; /* local ones so far */
  bool is_full;       /* more would be too many to count */
} rind_refinement;

/* Local. False without memory. */
bool rind_refinement_begin(const rind_tree_mesh *mesh, const rind_forest_arrays *before, int rank,
                           rind_refine_function refine, void *user, rind_refinement *refinement);
void rind_refinement_end(rind_refinement *refinement);

/* Asks about a block of this rank of which tree, level and coordinate are known. global and index
 * are those before the refinement, or -1 for a block that came to be in it. */
bool rind_refinement_splits(rind_refinement *refinement, rind_block *block);
