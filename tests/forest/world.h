/* world.h - a whole forest on every rank: blocks and links of all ranks by global number. */
#pragma once
#include <stdint.h>

#include <rind/forest_p4est.h>

typedef struct world_link {
  int64_t neighbour; /* global number */
  rind_link link;    /* its neighbour is 0 */
} world_link;

typedef struct world {
  int dim;
  rind_balance balance;
  int num_blocks;
  rind_block *block;   /* [num_blocks] */
  uint8_t *walls;      /* [num_blocks] */
  int32_t *first_link; /* [num_blocks + 1] */
  world_link *link;
} world;

/* Collective. Checks on the way that remote blocks are described as at their owners, ascend and all
 * have links. */
void world_gather(const rind_forest *forest, world *all);
void world_free(world *all);

/* All but the owner and the index there. */
int world_same_block(const rind_block *one, const rind_block *other);
int world_same_link(const rind_link *one, const rind_link *other);

/* A number in [0, 1) that depends on the seed and the block's place in its tree only. */
double world_random(uint64_t seed, int32_t tree, int32_t level, const int32_t coordinate[3]);

/* Splits a share of the blocks, by world_random. */
typedef struct world_splitting {
  uint64_t seed;
  double share;
} world_splitting;

/* A rind_refine_function; user is a world_splitting. */
int world_splits(const rind_block *block, void *user);
