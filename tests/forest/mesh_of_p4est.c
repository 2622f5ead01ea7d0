/* mesh_of_p4est.c - makes, splits and fingerprints a mesh; also included for 3D. */
#include "meshes.h"

#ifdef P4_TO_P8
#include <p8est_bits.h>
#include <p8est_extended.h>
#else
#include <p4est_bits.h>
#include <p4est_extended.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "world.h"

#ifdef P4_TO_P8
static int32_t z_of(const p4est_quadrant_t *q) {
  return q->z;
}

static p4est_connectivity_t *four_or_eight_trees(void) {
  return p4est_connectivity_new_brick(2, 2, 2, 0, 0, 0);
}

static void forget_edges(p4est_connectivity_t *trees) {
  trees->num_edges = 0;
  memset(trees->tree_to_edge, 0xff,
         (size_t)trees->num_trees * P8EST_EDGES * sizeof *trees->tree_to_edge);
}
#else
static int32_t z_of(const p4est_quadrant_t *q) {
  (void)q;
  return 0;
}

static p4est_connectivity_t *four_or_eight_trees(void) {
  return p4est_connectivity_new_brick(2, 2, 0, 0);
}

static void forget_edges(p4est_connectivity_t *trees) {
  (void)trees;
}
#endif

static p4est_connectivity_t *new_trees(const char *name) {
  if (strcmp(name, "bare") != 0) return p4est_connectivity_new_byname(name);
  p4est_connectivity_t *trees = four_or_eight_trees();
  forget_edges(trees);
  trees->num_corners = 0;
  memset(trees->tree_to_corner, 0xff,
         (size_t)trees->num_trees * P4EST_CHILDREN * sizeof *trees->tree_to_corner);
  return trees;
}

static int splits(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q) {
  const mesh_recipe *recipe = p4est->user_pointer;
  const int shift = P4EST_MAXLEVEL - q->level;
  const int32_t coordinate[3] = {q->x >> shift, q->y >> shift, z_of(q) >> shift};
  return q->level < recipe->max_level &&
         world_random(recipe->seed, tree, q->level, coordinate) < recipe->share;
}

static int always(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q) {
  (void)p4est, (void)tree, (void)q;
  return 1;
}

static void number(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q) {
  (void)p4est;
  const int32_t coordinate[3] = {q->x, q->y, z_of(q)};
  *(double *)q->p.user_data = world_random(1, tree, q->level, coordinate);
}

static void *create(MPI_Comm comm, const mesh_recipe *recipe) {
  mesh_recipe copy = *recipe;
  p4est_t *p4est = p4est_new_ext(comm, new_trees(recipe->trees), 0, recipe->level, 1,
                                 sizeof(double), number, &copy);
  p4est_refine(p4est, 1, splits, number);
  if (recipe->balance == MESH_FULL) p4est_balance(p4est, P4EST_CONNECT_FULL, number);
  if (recipe->balance == MESH_FACES) p4est_balance(p4est, P4EST_CONNECT_FACE, number);
  p4est_partition(p4est, 0, NULL);
  p4est->user_pointer = p4est->connectivity;
  return p4est;
}

static void destroy(void *mesh) {
  p4est_t *p4est = mesh;
  p4est_connectivity_t *trees = p4est->connectivity;
  p4est_destroy(p4est);
  p4est_connectivity_destroy(trees);
}

static rind_error wrap(rind_context *context, void *mesh, rind_forest **forest) {
  return rind_forest_wrap_p4est(context, mesh, forest);
}

static void split_all(void *mesh) {
  p4est_refine(mesh, 0, always, number);
}

static double fingerprint(const void *mesh) {
  const p4est_t *p4est = mesh;
  const int32_t words[3] = {(int32_t)p4est->revision, p4est->local_num_quadrants,
                            p4est->user_pointer == p4est->connectivity};
  double sum = world_random(2, 0, 0, words);
  for (p4est_topidx_t t = p4est->first_local_tree; t <= p4est->last_local_tree; ++t) {
    p4est_tree_t *tree = p4est_tree_array_index(p4est->trees, t);
    for (size_t i = 0; i < tree->quadrants.elem_count; ++i) {
      const p4est_quadrant_t *q = p4est_quadrant_array_index(&tree->quadrants, i);
      const int32_t coordinate[3] = {q->x, q->y, z_of(q)};
      sum += world_random(i, t, q->level, coordinate) + 3 * *(const double *)q->p.user_data;
    }
  }
  return sum;
}

static void point_of(const void *mesh, int32_t tree, const double fraction[3], double point[3]) {
  const p4est_t *p4est = mesh;
  const p4est_connectivity_t *trees = p4est->connectivity;
  point[0] = point[1] = point[2] = 0;
  for (int k = 0; k < P4EST_CHILDREN; ++k) {
    double weight = 1;
    for (int a = 0; a < P4EST_DIM; ++a)
      weight *= k >> a & 1 ? fraction[a] : 1 - fraction[a];
    const p4est_topidx_t vertex = trees->tree_to_vertex[tree * P4EST_CHILDREN + k];
    for (int i = 0; i < 3; ++i)
      point[i] += weight * trees->vertices[3 * vertex + i];
  }
}

const mesh_kind mesh_kind_2d = {.dim = P4EST_DIM,
                                .create = create,
                                .destroy = destroy,
                                .wrap = wrap,
                                .split_all = split_all,
                                .fingerprint = fingerprint,
                                .point = point_of};
