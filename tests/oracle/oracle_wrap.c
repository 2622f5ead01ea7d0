/* oracle_wrap.c - random forests in a p4est or p8est of the caller's, wrapped. */
#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p8est_bits.h>
#include <p8est_extended.h>

#include "oracle_scene.h"

static int split_quadrant(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q) {
  const scene *s = p4est->user_pointer;
  const int shift = P4EST_MAXLEVEL - q->level;
  const int32_t coordinate[3] = {q->x >> shift, q->y >> shift, 0};
  return q->level < s->max_level && scene_splits(s, tree, q->level, coordinate);
}

static int split_octant(p8est_t *p8est, p4est_topidx_t tree, p8est_quadrant_t *q) {
  const scene *s = p8est->user_pointer;
  const int shift = P8EST_MAXLEVEL - q->level;
  const int32_t coordinate[3] = {q->x >> shift, q->y >> shift, q->z >> shift};
  return q->level < s->max_level && scene_splits(s, tree, q->level, coordinate);
}

static int trees_along(const scene *s, int axis) {
  return s->brick.trees[axis] > 0 ? s->brick.trees[axis] : 1;
}

static void make_p4est(MPI_Comm comm, scene *s, scene_mesh *mesh) {
  const int *periodic = s->brick.periodic;
  const bool faces = s->rules.regions == RIND_REGIONS_FACES;
  p4est_connectivity_t *trees =
      p4est_connectivity_new_brick(trees_along(s, 0), trees_along(s, 1), periodic[0], periodic[1]);
  p4est_t *p4est = p4est_new_ext(comm, trees, 0, s->brick.level, 1, 0, NULL, s);
  p4est_refine(p4est, 1, split_quadrant, NULL);
  p4est_balance(p4est, faces ? P4EST_CONNECT_FACE : P4EST_CONNECT_FULL, NULL);
  p4est_partition(p4est, 0, NULL);
  mesh->p4est = p4est;
}

static void make_p8est(MPI_Comm comm, scene *s, scene_mesh *mesh) {
  const int *periodic = s->brick.periodic;
  const bool faces = s->rules.regions == RIND_REGIONS_FACES;
  p8est_connectivity_t *trees =
      p8est_connectivity_new_brick(trees_along(s, 0), trees_along(s, 1), trees_along(s, 2),
                                   periodic[0], periodic[1], periodic[2]);
  p8est_t *p8est = p8est_new_ext(comm, trees, 0, s->brick.level, 1, 0, NULL, s);
  p8est_refine(p8est, 1, split_octant, NULL);
  p8est_balance(p8est, faces ? P8EST_CONNECT_FACE : P8EST_CONNECT_FULL, NULL);
  p8est_partition(p8est, 0, NULL);
  mesh->p8est = p8est;
}

rind_error scene_wrap_forest(rind_context *context, scene *s, scene_mesh *mesh,
                             rind_forest **forest) {
  sc_set_log_defaults(NULL, NULL, SC_LP_ERROR);
  if (s->brick.dim == 2) {
    make_p4est(MPI_COMM_WORLD, s, mesh);
    return rind_forest_wrap_p4est(context, mesh->p4est, forest);
  }
  make_p8est(MPI_COMM_WORLD, s, mesh);
  return rind_forest_wrap_p8est(context, mesh->p8est, forest);
}

void scene_free_mesh(scene_mesh *mesh) {
  if (mesh->p4est != NULL) {
    p4est_connectivity_t *trees = mesh->p4est->connectivity;
    p4est_destroy(mesh->p4est);
    p4est_connectivity_destroy(trees);
  }
  if (mesh->p8est != NULL) {
    p8est_connectivity_t *trees = mesh->p8est->connectivity;
    p8est_destroy(mesh->p8est);
    p8est_connectivity_destroy(trees);
  }
  oracle_trees_destroy(mesh->trees);
  mesh->p4est = NULL;
  mesh->p8est = NULL;
  mesh->trees = NULL;
}
