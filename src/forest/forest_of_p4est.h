/* forest_of_p4est.h - what a forest keeps of its p4est, or of its p8est where names are those. */
#pragma once
#include <rind/forest_p4est.h>

#ifdef P4_TO_P8
#include <p8est_bits.h>
#include <p8est_communication.h>
#include <p8est_extended.h>
#include <p8est_ghost.h>
#else
#include <p4est_bits.h>
#include <p4est_communication.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>
#endif

#ifndef P4EST_ENABLE_MPI
#error "Rind needs a p4est that was built with MPI"
#endif

#include <tree_mesh.h>

/* What a forest keeps of its p4est. */
typedef struct rind_p4est_mesh {
  rind_context *context; /* borrowed */
  p4est_t *p4est;        /* borrowed if wrapped, else ours with its connectivity */
  bool is_wrapped;
  bool is_brick;
  double lower[3]; /* of a brick */
  double side[3];  /* of a brick's trees */
  double upper[3]; /* of a brick */
  int num_trees[3];
  rind_forest_arrays arrays;
} rind_p4est_mesh;

/* What the dimension-free files see of it. */
rind_tree_mesh rind_p4est_view(rind_p4est_mesh *of);
/* What particles ask of it; the mesh is a rind_p4est_mesh. */
extern const rind_forest_trees rind_p4est_trees;

rind_block rind_p4est_block(p4est_topidx_t tree, const p4est_quadrant_t *q);

/* Trees in a box; trees that are still to be told how they touch. */
p4est_connectivity_t *rind_p4est_new_brick(const rind_brick *brick);
p4est_connectivity_t *rind_p4est_new_trees(p4est_topidx_t num_vertices, p4est_topidx_t num_trees);
