/* refinement.c - completes the description of a block and asks the caller whether to split it. */
#include <refinement.h>

#include <neighbour.h>

bool rind_refinement_begin(const rind_tree_mesh *mesh, const rind_forest_arrays *before, int rank,
                           rind_refine_function refine, void *user, rind_refinement *refinement) {
  *refinement = (rind_refinement){.mesh = mesh,
                                  .before = before,
                                  .refine = refine,
                                  .user = user,
                                  .owner = rank,
                                  .num_blocks = before->num_local};
  return rind_block_table_create(before->block, before->num_local, &refinement->table);
}

void rind_refinement_end(rind_refinement *refinement) {
  rind_block_table_destroy(&refinement->table);
}

bool rind_refinement_splits(rind_refinement *refinement, rind_block *block) {
  const rind_forest_arrays *before = refinement->before;
  const int index =
      rind_block_table_find(&refinement->table, block->tree, block->level, block->coordinate);
  if (index >= 0) {
    *block = before->block[index];
  } else {
    block->global = -1;
    block->index = -1;
    block->owner = refinement->owner;
    rind_tree_mesh_place(refinement->mesh, block);
  }
  if (!refinement->refine(block, refinement->user)) return false;
  const int64_t more = refinement->num_blocks + (1 << before->dim) - 1;
  if (more > RIND_MOST_BLOCKS) refinement->is_full = true;
  if (refinement->is_full) return false;
  refinement->num_blocks = more;
  return true;
}
