/* exchange_trees.h - scenes whose blocks are turned against each other: by hand, and glued by
 * p4est. */
#pragma once
#include <exchange_scene.h>
#include <hand_forest.h>
#include <meshes.h>

enum { NUM_HAND_TREES = 6, NUM_TREES = 13 };

typedef struct trees {
  scene s;
  hand_forest *hand;     /* of the first NUM_HAND_TREES, else NULL */
  const mesh_kind *kind; /* of the mesh */
  void *mesh;            /* of the others */
} trees;

/* Collective over comm. Number 0 to NUM_TREES - 1. */
void trees_create(MPI_Comm comm, int number, int threads, const rind_rules *rules, trees *t);
void trees_destroy(trees *t);
