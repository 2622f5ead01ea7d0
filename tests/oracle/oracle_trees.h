/* oracle_trees.h - trees glued at their faces, and walks over them cell by cell.
 *
 * What lies beyond an edge or a corner is found by going there one step after the other, in every
 * order of the axes. Nothing is shared with the forest's charts. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Along axis a of a block runs axis axis[a] of a tree, backwards if sign[a] is -1. */
typedef struct oracle_frame {
  int axis[3];
  int sign[3];
} oracle_frame;

/* What is glued to a face: a tree, and how the first tree's axes run in it. */
typedef struct oracle_joint {
  int tree; /* -1: a wall */
  int face;
  oracle_frame turn;
} oracle_joint;

typedef struct oracle_trees {
  int dim;
  int num_trees;
  oracle_joint (*joint)[6]; /* [num_trees], face 2a is the lower one of axis a */
  double (*corner)[8][3];   /* [num_trees], in space, bit a of the number: the upper along axis a */
  /* Trees touch in an edge or corner if its number is the same in both, and not -1; NULL: wherever
   * walks over faces lead. In the order of p4est and p8est. */
  int (*edge_contact)[12];
  int (*corner_contact)[8];
} oracle_trees;

/* A cell of a tree's grid of some level, and the frame of the block that it was reached from. */
typedef struct oracle_place {
  int tree;
  int64_t at[3];
  oracle_frame frame;
} oracle_place;

oracle_frame oracle_frame_straight(void);

oracle_trees *oracle_trees_create(int dim, int num_trees);
void oracle_trees_destroy(oracle_trees *trees);
/* Glues a face to another, one way. In 2D orientation 1: the edges run in opposite directions. In
 * 3D the first corner of the face of lower number is corner orientation of the other, and trees are
 * turned, never mirrored (p8est_connectivity.h). */
void oracle_trees_glue(oracle_trees *trees, int tree, int face, int other, int other_face,
                       int orientation);
/* Trees from elements: corners are numbers of nodes, x fastest; faces of equal nodes are glued. */
oracle_trees *oracle_trees_from_elements(int dim, int num_elements, const int (*element)[8],
                                         const double (*node)[3]);

/* The place as many cells away from start, along the block's axes, as away says; side is the number
 * of cells along a tree. False if an order of the axes leads elsewhere, there or on the way back,
 * if all end at walls, or if the way leads over an edge or corner of a tree without a contact. */
bool oracle_trees_walk(const oracle_trees *trees, int64_t side, const oracle_place *start,
                       const int away[3], oracle_place *end);
