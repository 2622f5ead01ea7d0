/* tree_mesh.h - what the building of links asks of a mesh of trees, free of p4est and dimension. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include <rind/forest.h>

/* How the frame of a tree goes on in another tree: the point x, in tree sides, of the one has the
 * coordinate sign[a] * x[a] + shift[a] on axis axis[a] of the other. */
typedef struct rind_tree_chart {
  int32_t tree; /* the other */
  int8_t axis[3];
  int8_t sign[3]; /* 1 or -1 */
  int8_t shift[3];
} rind_tree_chart;

typedef struct rind_tree_mesh {
  void *self;
  int dim;
  int max_level;
  const int64_t *first_global; /* [ranks + 1], the first block of each rank */
  bool is_brick;               /* corners are counts of trees then */
  double lower[3];             /* of the brick */
  double side[3];              /* of its trees */
  /* The chart over face 2a (lower) or 2a + 1 (upper) of axis a; false at a wall. */
  bool (*cross_face)(const void *self, int32_t tree, int face, rind_tree_chart *chart);
  /* True if the mesh records that the trees touch there: the edge or corner of tree in direction o
   * is that of other in direction other_o. */
  bool (*is_joined)(const void *self, int32_t tree, const int o[3], int32_t other,
                    const int other_o[3]);
  /* The rank that owns the lower corner of a position; coordinate in sides of that level. */
  int (*find_owner)(const void *self, int32_t tree, int level, const int32_t coordinate[3]);
  /* The corners of a tree in the caller's coordinates, number bits: upper along axis 0, 1, 2. */
  void (*corners)(const void *self, int32_t tree, double corner[8][3]);
  /* Collective. 2:1 across faces, edges and corners, irregular ones included. */
  bool (*is_balanced)(const void *self);
} rind_tree_mesh;

/* Sets lower and side of a block from tree, level and coordinate: in a brick exactly as its numbers
 * say, in other trees by their multilinear map, sides along the edges at the lower corner. */
void rind_tree_mesh_place(const rind_tree_mesh *mesh, rind_block *block);
