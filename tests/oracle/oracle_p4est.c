/* oracle_p4est.c - random forests in p4est's own meshes of trees; also included for 3D. */
#ifdef P4_TO_P8
#include <p8est_bits.h>
#include <p8est_extended.h>
#else
#include <p4est_bits.h>
#include <p4est_extended.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "oracle_scene.h"

#ifdef P4_TO_P8
static int32_t z_of(const p4est_quadrant_t *q) {
  return q->z;
}

static p4est_connectivity_t *bare_trees(void) {
  p4est_connectivity_t *trees = p4est_connectivity_new_brick(2, 2, 2, 0, 0, 0);
  trees->num_edges = 0;
  memset(trees->tree_to_edge, 0xff,
         (size_t)trees->num_trees * P8EST_EDGES * sizeof *trees->tree_to_edge);
  return trees;
}

static p4est_connectivity_t *disk(const int numbers[3]) {
  (void)numbers;
  return NULL;
}

static void read_edges(const p4est_connectivity_t *from, oracle_trees *trees) {
  for (int i = 0; i < from->num_trees * P8EST_EDGES; ++i) {
    trees->edge_contact[i / P8EST_EDGES][i % P8EST_EDGES] =
        from->num_edges > 0 ? from->tree_to_edge[i] : -1;
  }
}
#else
static int32_t z_of(const p4est_quadrant_t *q) {
  (void)q;
  return 0;
}

static p4est_connectivity_t *bare_trees(void) {
  return p4est_connectivity_new_brick(2, 2, 0, 0);
}

static p4est_connectivity_t *disk(const int numbers[3]) {
  return p4est_connectivity_new_disk(numbers[0], numbers[1]);
}

static void read_edges(const p4est_connectivity_t *from, oracle_trees *trees) {
  (void)from, (void)trees;
}
#endif

static p4est_connectivity_t *new_trees(const char *name, const int numbers[3]) {
  if (strcmp(name, "twotrees") == 0) {
    return p4est_connectivity_new_twotrees(numbers[0], numbers[1], numbers[2]);
  }
  if (strcmp(name, "disk") == 0) return disk(numbers);
  if (strcmp(name, "bare") != 0) return p4est_connectivity_new_byname(name);
  p4est_connectivity_t *trees = bare_trees();
  trees->num_corners = 0;
  memset(trees->tree_to_corner, 0xff,
         (size_t)trees->num_trees * P4EST_CHILDREN * sizeof *trees->tree_to_corner);
  return trees;
}

static oracle_trees *read_trees(const p4est_connectivity_t *from) {
  oracle_trees *trees = oracle_trees_create(P4EST_DIM, from->num_trees);
  trees->edge_contact = calloc((size_t)from->num_trees, sizeof *trees->edge_contact);
  trees->corner_contact = calloc((size_t)from->num_trees, sizeof *trees->corner_contact);
  if (trees->edge_contact == NULL || trees->corner_contact == NULL) abort();
  read_edges(from, trees);
  for (int t = 0; t < from->num_trees; ++t) {
    for (int f = 0; f < P4EST_FACES; ++f) {
      const int other = from->tree_to_tree[t * P4EST_FACES + f];
      const int code = from->tree_to_face[t * P4EST_FACES + f];
      if (other == t && code == f) continue;
      oracle_trees_glue(trees, t, f, other, code % P4EST_FACES, code / P4EST_FACES);
    }
    for (int k = 0; k < P4EST_CHILDREN; ++k) {
      trees->corner_contact[t][k] =
          from->num_corners > 0 ? from->tree_to_corner[t * P4EST_CHILDREN + k] : -1;
      if (from->vertices == NULL) continue;
      const p4est_topidx_t vertex = from->tree_to_vertex[t * P4EST_CHILDREN + k];
      memcpy(trees->corner[t][k], from->vertices + 3 * vertex, sizeof trees->corner[t][k]);
    }
  }
  return trees;
}

static int split(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q) {
  const scene *s = p4est->user_pointer;
  const int shift = P4EST_MAXLEVEL - q->level;
  const int32_t coordinate[3] = {q->x >> shift, q->y >> shift, z_of(q) >> shift};
  return q->level < s->max_level && scene_splits(s, tree, q->level, coordinate);
}

rind_error scene_wrap_trees_2d(rind_context *context, scene *s, const char *name,
                               const int numbers[3], scene_mesh *mesh, rind_forest **forest) {
  sc_set_log_defaults(NULL, NULL, SC_LP_ERROR);
  const bool faces = s->rules.regions == RIND_REGIONS_FACES;
  p4est_connectivity_t *trees = new_trees(name, numbers);
  mesh->trees = read_trees(trees);
  p4est_t *p4est = p4est_new_ext(MPI_COMM_WORLD, trees, 0, s->brick.level, 1, 0, NULL, s);
  p4est_refine(p4est, 1, split, NULL);
  p4est_balance(p4est, faces ? P4EST_CONNECT_FACE : P4EST_CONNECT_FULL, NULL);
  p4est_partition(p4est, 0, NULL);
#ifdef P4_TO_P8
  mesh->p8est = p4est;
  return rind_forest_wrap_p8est(context, p4est, forest);
#else
  mesh->p4est = p4est;
  return rind_forest_wrap_p4est(context, p4est, forest);
#endif
}
