/* locator.h - finds the block and the rank that a point belongs to.
 *
 * Trees are boxes in a grid of planes. A point's place in its tree is a Morton key of fixed depth;
 * a block is the keys from its own to the next block's. A block holds its lower faces, not its
 * upper ones, exactly as rind_block.lower says; the domain's upper border belongs to the last. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include <core.h>
#include <rind/forest.h>

typedef struct rind_locator {
  int dim;
  int depth; /* levels of a key */
  const rind_forest_trees *trees;
  const void *mesh;
  /* Of all trees, along an axis; one entry and never used along axis 2 in 2D. */
  int num[3];
  double *edge[3];  /* [num + 1], ascending */
  double *scale[3]; /* [num], places of a key a unit of length in that tree */
  double *doubt[3]; /* [num], of a place: rounding errors */
  double per[3];    /* trees a unit of length, if they were all alike */
  bool periodic[3];
  int32_t *tree; /* [num[0] * num[1] * num[2]], axis 0 fastest; -1: no tree there */
  /* Who owns the parts of trees that were asked for: [trees << dim * part_depth], by tree and key;
   * 0: not asked, -1: several ranks, else the rank + 1. */
  int32_t *part_owner;
  int part_depth;
  /* Of this rank's blocks. */
  int num_blocks;
  int32_t first_tree;
  int num_trees;     /* from the first to the last local one */
  int *first_block;  /* [num_trees + 1] */
  uint64_t *key;     /* [num_blocks], of the lower corner */
  uint64_t *key_end; /* [num_blocks], one after the last */
  /* [6 * num_blocks], a block holds points with bound[2a] <= x[a] < bound[2a + 1]. */
  double *bound;
} rind_locator;

/* Why a point is nowhere. */
typedef enum rind_nowhere {
  RIND_SOMEWHERE,
  RIND_NOT_FINITE,
  RIND_OUTSIDE, /* of a wall, or where there is no tree */
  RIND_TOO_FAR  /* from a periodic domain to tell where in it */
} rind_nowhere;

/* Collective. The forest may change afterwards: then the locator is of no use but to be destroyed.
 * RIND_ERROR_UNSUPPORTED where trees are no boxes in a grid, RIND_ERROR_STALE. */
rind_error rind_locator_create(const rind_forest *forest, rind_locator *locator);
void rind_locator_destroy(rind_locator *locator);

/* Moves a coordinate into the domain along a periodic axis; others are returned as they are. */
double rind_locator_wrap(const rind_locator *locator, int axis, double coordinate);
/* The local block that holds a point that is wrapped, or -1 - owner. Thread-safe. */
rind_nowhere rind_locator_find(const rind_locator *locator, const double point[3], int *block);

/* True if a local block holds the point; not where it borders on a hole of the domain: there, find
 * it.
 */
static inline bool rind_locator_holds(const rind_locator *locator, int block,
                                      const double point[3]) {
  const double *bound = locator->bound + 6 * (ptrdiff_t)block;
  bool inside = true;
  for (int a = 0; a < locator->dim; ++a)
    inside = inside && point[a] >= bound[2 * a] && point[a] < bound[2 * a + 1];
  return inside;
}
