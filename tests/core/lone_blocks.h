/* lone_blocks.h - the smallest forests: blocks without neighbours, walls all around. */
#pragma once
#include <rind/forest.h>

/* A mesh whose revision a test can move on. */
typedef struct lone_mesh {
  int64_t revision;
} lone_mesh;

/* Collective. A forest of num_blocks local blocks, another number on each rank if you like.
 * mesh: NULL, or what the forest takes its revision from; must outlive it. */
rind_error lone_blocks_create(rind_context *context, int dim, int num_blocks, lone_mesh *mesh,
                              rind_forest **forest);
