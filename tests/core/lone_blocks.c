/* lone_blocks.c - forests of blocks without neighbours. */
#include "lone_blocks.h"

enum { MAX_BLOCKS = 16 };

static int64_t mesh_revision(void *mesh) {
  return ((lone_mesh *)mesh)->revision;
}

rind_error lone_blocks_create(rind_context *context, int dim, int num_blocks, lone_mesh *mesh,
                              rind_forest **forest) {
  /* A back end's arrays are borrowed, so they outlive this call. */
  static rind_block block[MAX_BLOCKS];
  static int32_t first_link[MAX_BLOCKS + 1];
  static uint8_t walls[MAX_BLOCKS];
  if (num_blocks > MAX_BLOCKS) return RIND_ERROR_INVALID;
  MPI_Comm comm = rind_context_comm(context);
  int64_t count = num_blocks, end = 0, all = 0;
  MPI_Scan(&count, &end, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(&count, &all, 1, MPI_INT64_T, MPI_SUM, comm);
  for (int b = 0; b < num_blocks; ++b) {
    const int64_t global = end - count + b;
    block[b] = (rind_block){.global = global,
                            .tree = (int32_t)global,
                            .owner = rind_context_rank(context),
                            .index = b,
                            .lower = {(double)global, 0.0, 0.0},
                            .side = {1.0, 1.0, dim == 3 ? 1.0 : 0.0}};
    walls[b] = dim == 3 ? 63 : 15;
  }
  const rind_forest_arrays arrays = {.dim = dim,
                                     .num_local = num_blocks,
                                     .num_global = all,
                                     .block = block,
                                     .first_link = first_link,
                                     .walls = walls};
  const rind_forest_backend backend = {.mesh = mesh, .revision = mesh_revision};
  return rind_forest_create_arrays(context, &arrays, mesh ? &backend : NULL, forest);
}
