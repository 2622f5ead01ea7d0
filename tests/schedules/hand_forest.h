/* hand_forest.h - small forests from a list of blocks, links found by brute force. */
#pragma once
#include <rind/forest.h>

enum { HAND_BLOCKS = 64, HAND_LINKS = 64 * 64 };

/* Where a block lies, in units of half the finest side, and how its own axes run: its axis a along
 * axis along[a] of space, backwards where backwards[a] is 1. */
typedef struct hand_block {
  int level;
  int lower[3];
  int side; /* in all axes; even */
  int along[3];
  int backwards[3];
} hand_block;

/* All blocks of all ranks, in global order. The box is [0, size). */
typedef struct hand_forest {
  int dim;
  int size[3];
  int periodic[3];
  int num_blocks;
  hand_block block[HAND_BLOCKS];
  int local_of[HAND_BLOCKS];  /* index into the arrays' block[], -1 */
  int global_of[HAND_BLOCKS]; /* the other way */
  rind_balance balance;
  unsigned irregular; /* not 0: a seed; half of the corners and edges have no links */
} hand_forest;

/* Whether a region of a block has no links though blocks lie there. */
int hand_forest_lacks(const hand_forest *forest, int global, int region);

/* A box of blocks of side 4 (level 1), a bit of refined[axis 0 fastest] splits one into 2^dim
 * (level 2, side 2). */
void hand_forest_grid(hand_forest *forest, int dim, const int blocks[3], const int periodic[3],
                      unsigned refined);
/* Turns every block's own axes some way. */
void hand_forest_turn(hand_forest *forest, unsigned seed);
/* Collective. Blocks go to ranks in equal runs; fills local_of and global_of. */
rind_error hand_forest_create(rind_context *context, hand_forest *forest, rind_forest **made);

/* Centre of a block's cell, times 2 * cells, in the units of hand_block: an integer. */
void hand_forest_centre(const hand_forest *forest, int global, int cells, const int cell[3],
                        long centre[3]);
