/* neighbour.h - where a block's neighbours lie, and which blocks are there. */
#pragma once
#include <block_table.h>
#include <tree_chart.h>

/* Of a region; of a block; and the blocks of a rank whose links can be counted. */
enum {
  RIND_MAX_NEIGHBOURS = 4,
  RIND_MAX_LINKS = 6 * 4 + 12 * 2 + 8,
  RIND_MOST_BLOCKS = INT32_MAX / RIND_MAX_LINKS
};

/* A place of a block's size, in some tree, and how the block's axes lie there: as in rind_link. */
typedef struct rind_position {
  int32_t tree;
  int32_t level;
  int32_t coordinate[3];
  int8_t axis[3];
  int8_t flip[3];
} rind_position;

/* The blocks at a position that touch the block; origin as in rind_link. */
typedef struct rind_neighbours {
  int relation;
  int num_blocks;
  int32_t block[RIND_MAX_NEIGHBOURS];
  int8_t origin[RIND_MAX_NEIGHBOURS][3];
} rind_neighbours;

/* Knows some blocks and the trees around them. */
typedef struct rind_neighbourhood {
  const rind_tree_mesh *mesh; /* borrowed */
  rind_block_table table;
  rind_tree_charts charts; /* of the last tree asked for */
  bool irregular;          /* of any tree asked for */
} rind_neighbourhood;

/* False without memory. Borrows mesh and block. */
bool rind_neighbourhood_open(const rind_tree_mesh *mesh, const rind_block *block, int num_blocks,
                             rind_neighbourhood *around);
void rind_neighbourhood_close(rind_neighbourhood *around);

/* The position next to a block in direction o; false if it has none: behind a wall, or over an
 * irregular edge or corner. */
bool rind_neighbourhood_position(rind_neighbourhood *around, const rind_block *block,
                                 const int o[3], rind_position *at);
/* The blocks at the position next to a block in direction o. False unless they fill it, or all of
 * it that touches the block, at one level that differs by at most one. */
bool rind_neighbourhood_look_up(const rind_neighbourhood *around, const rind_position *at,
                                const int o[3], rind_neighbours *found);

/* Child bit a: the upper half along axis a of the block whose direction o is. */
bool rind_child_touches(int dim, int child, const int o[3]);
void rind_position_child(const rind_position *at, int dim, int child, rind_position *part);
