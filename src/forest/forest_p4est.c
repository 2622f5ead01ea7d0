/* forest_p4est.c - forests of a p4est: bricks of our own, or around the caller's; 2D and, included
 * by forest_p8est.c, 3D. */
#include <brick_maker.h>

#include <stdlib.h>
#include <string.h>

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

#include <core.h>
#include <forest_links.h>
#include <neighbour.h>
#include <refinement.h>

/* What a forest keeps of its p4est. */
typedef struct mesh {
  rind_context *context; /* borrowed */
  p4est_t *p4est;        /* borrowed if wrapped, else ours with its connectivity */
  bool is_wrapped;
  bool is_brick;
  double lower[3]; /* of a brick */
  double side[3];  /* of a brick's trees */
  double upper[3]; /* of a brick */
  int num_trees[3];
  rind_forest_arrays arrays;
} mesh;

/* p4est prints until told not to. Its package is left unregistered: a caller who initialises it
 * later could not do so twice. */
static void silence(void) {
  if (p4est_package_id < 0) sc_set_log_defaults(NULL, NULL, SC_LP_ERROR);
}

/* The corner of a tree in direction o, or the edge if o has a 0. */
static int corner_in(const int o[3]) {
  int number = 0, bit = 0;
  for (int a = 0; a < P4EST_DIM; ++a)
    if (o[a] != 0) number |= (o[a] > 0) << bit++;
  return number;
}

#ifdef P4_TO_P8
static int32_t get_z(const p4est_quadrant_t *q) {
  return q->z;
}

static void set_z(p4est_quadrant_t *q, int32_t z) {
  q->z = z;
}

static p4est_connectivity_t *new_brick(const rind_brick *brick) {
  const int *trees = brick->trees, *periodic = brick->periodic;
  return p4est_connectivity_new_brick(trees[0], trees[1], trees[2], periodic[0], periodic[1],
                                      periodic[2]);
}

static p4est_connectivity_t *new_trees(p4est_topidx_t num_vertices, p4est_topidx_t num_trees) {
  return p4est_connectivity_new(num_vertices, num_trees, 0, 0, 0, 0);
}

static bool is_joined_edge(const p4est_connectivity_t *trees, int32_t tree, const int o[3],
                           int32_t other, const int other_o[3]) {
  int along = 0, other_along = 0;
  for (int a = 0; a < 3; ++a) {
    if (o[a] == 0) along = a;
    if (other_o[a] == 0) other_along = a;
  }
  if (!trees->tree_to_edge) return false;
  const p4est_topidx_t edge =
      trees->tree_to_edge[(size_t)tree * P8EST_EDGES + 4 * along + corner_in(o)];
  return edge >= 0 && edge == trees->tree_to_edge[(size_t)other * P8EST_EDGES + 4 * other_along +
                                                  corner_in(other_o)];
}
#else
static int32_t get_z(const p4est_quadrant_t *q) {
  (void)q;
  return 0;
}

static void set_z(p4est_quadrant_t *q, int32_t z) {
  (void)q, (void)z;
}

static p4est_connectivity_t *new_brick(const rind_brick *brick) {
  return p4est_connectivity_new_brick(brick->trees[0], brick->trees[1], brick->periodic[0],
                                      brick->periodic[1]);
}

static p4est_connectivity_t *new_trees(p4est_topidx_t num_vertices, p4est_topidx_t num_trees) {
  return p4est_connectivity_new(num_vertices, num_trees, 0, 0);
}

/* There are no edges but faces in 2D. */
static bool is_joined_edge(const p4est_connectivity_t *trees, int32_t tree, const int o[3],
                           int32_t other, const int other_o[3]) {
  (void)trees, (void)tree, (void)o, (void)other, (void)other_o;
  return false;
}
#endif

static bool cross_face(const void *self, int32_t tree, int face, rind_tree_chart *chart) {
  const mesh *of = self;
  int transform[9]; /* my axes, the other's, codes: first and second tangential, normal */
  const p4est_topidx_t other =
      p4est_find_face_transform(of->p4est->connectivity, tree, face, transform);
  if (other < 0) return false;
  *chart = (rind_tree_chart){.tree = other, .axis = {0, 1, 2}, .sign = {1, 1, 1}};
  for (int i = 0; i < 3; ++i) {
    if (i == 1 && P4EST_DIM == 2) continue;
    const int a = transform[i], code = transform[6 + i];
    /* Tangential: 0 x, 1 1-x. Normal: 0 -x, 1 x+1, 2 x-1, 3 2-x. */
    static const int8_t signs[2][4] = {{1, -1, 0, 0}, {-1, 1, 1, -1}};
    static const int8_t shifts[2][4] = {{0, 1, 0, 0}, {0, 1, -1, 2}};
    chart->axis[a] = (int8_t)transform[3 + i];
    chart->sign[a] = signs[i == 2][code];
    chart->shift[a] = shifts[i == 2][code];
  }
  return true;
}

static bool is_joined(const void *self, int32_t tree, const int o[3], int32_t other,
                      const int other_o[3]) {
  const mesh *of = self;
  const p4est_connectivity_t *trees = of->p4est->connectivity;
  int num_axes = 0;
  for (int a = 0; a < P4EST_DIM; ++a)
    num_axes += o[a] != 0;
  if (num_axes < P4EST_DIM) return is_joined_edge(trees, tree, o, other, other_o);
  if (!trees->tree_to_corner) return false;
  const p4est_topidx_t corner = trees->tree_to_corner[(size_t)tree * P4EST_CHILDREN + corner_in(o)];
  return corner >= 0 &&
         corner == trees->tree_to_corner[(size_t)other * P4EST_CHILDREN + corner_in(other_o)];
}

static int find_owner(const void *self, int32_t tree, int level, const int32_t coordinate[3]) {
  const mesh *of = self;
  const int shift = P4EST_MAXLEVEL - level;
  p4est_quadrant_t q;
  P4EST_QUADRANT_INIT(&q);
  q.level = (int8_t)level;
  q.x = coordinate[0] << shift;
  q.y = coordinate[1] << shift;
  set_z(&q, coordinate[2] << shift);
  return p4est_comm_find_owner(of->p4est, tree, &q, of->p4est->mpirank);
}

static bool is_balanced(const void *self) {
  const mesh *of = self;
  return p4est_is_balanced(of->p4est, P4EST_CONNECT_FULL) != 0;
}

static void corners(const void *self, int32_t tree, double corner[8][3]) {
  const mesh *of = self;
  const p4est_connectivity_t *trees = of->p4est->connectivity;
  for (int k = 0; k < P4EST_CHILDREN; ++k) {
    const size_t at = (size_t)tree * P4EST_CHILDREN + (size_t)k;
    for (int a = 0; a < 3; ++a)
      corner[k][a] = trees->num_vertices == 0 /* each tree a unit cube */
                         ? (k >> a & 1)
                         : trees->vertices[3 * (size_t)trees->tree_to_vertex[at] + (size_t)a];
  }
}

static int32_t count_trees(const void *self) {
  return ((const mesh *)self)->p4est->connectivity->num_trees;
}

/* A brick's corners are counts of trees; its last planes are the caller's. */
static double place_plane(const mesh *of, int axis, double count) {
  return count == of->num_trees[axis] ? of->upper[axis] : of->lower[axis] + of->side[axis] * count;
}

static int find_box(const void *self, int32_t tree, double lower[3], double upper[3]) {
  const mesh *of = self;
  const int last = P4EST_CHILDREN - 1;
  double corner[8][3];
  corners(of, tree, corner);
  for (int a = 0; a < 3; ++a) {
    for (int k = 0; k < P4EST_CHILDREN; ++k)
      if (corner[k][a] != corner[a < P4EST_DIM && (k >> a & 1) ? last : 0][a]) return 0;
    lower[a] = of->is_brick ? place_plane(of, a, corner[0][a]) : corner[0][a];
    upper[a] = of->is_brick ? place_plane(of, a, corner[last][a]) : corner[last][a];
    if (a < P4EST_DIM && !(lower[a] < upper[a])) return 0;
  }
  return 1;
}

static double find_plane(const void *self, int32_t tree, int axis, double fraction) {
  const mesh *of = self;
  double corner[8][3];
  corners(of, tree, corner);
  const double lower = corner[0][axis], upper = corner[P4EST_CHILDREN - 1][axis];
  return of->is_brick ? place_plane(of, axis, lower + fraction)
                      : lower + fraction * (upper - lower);
}

static int32_t find_across(const void *self, int32_t tree, int face) {
  rind_tree_chart chart;
  return cross_face(self, tree, face, &chart) ? chart.tree : -1;
}

static const rind_forest_trees trees_of_mesh = {.count = count_trees,
                                                .box = find_box,
                                                .plane = find_plane,
                                                .across = find_across,
                                                .max_level = P4EST_QMAXLEVEL,
                                                .find_owner = find_owner};

static rind_block block_of(p4est_topidx_t tree, const p4est_quadrant_t *q) {
  const int shift = P4EST_MAXLEVEL - q->level;
  return (rind_block){.tree = tree,
                      .level = q->level,
                      .coordinate = {q->x >> shift, q->y >> shift, get_z(q) >> shift}};
}

static rind_block *local_blocks(p4est_t *p4est) {
  rind_block *block = calloc((size_t)p4est->local_num_quadrants + 1, sizeof *block);
  int num_blocks = 0;
  for (p4est_topidx_t t = p4est->first_local_tree; block && t <= p4est->last_local_tree; ++t) {
    p4est_tree_t *tree = p4est_tree_array_index(p4est->trees, t);
    for (size_t i = 0; i < tree->quadrants.elem_count; ++i)
      block[num_blocks++] = block_of(t, p4est_quadrant_array_index(&tree->quadrants, i));
  }
  return block;
}

/* What the dimension-free files see of it. */
static rind_tree_mesh view_of(mesh *of) {
  rind_tree_mesh view = {.self = of,
                         .dim = P4EST_DIM,
                         .max_level = P4EST_QMAXLEVEL,
                         .first_global = of->p4est->global_first_quadrant,
                         .is_brick = of->is_brick,
                         .cross_face = cross_face,
                         .is_joined = is_joined,
                         .find_owner = find_owner,
                         .corners = corners,
                         .is_balanced = is_balanced};
  memcpy(view.lower, of->lower, sizeof view.lower);
  memcpy(view.side, of->side, sizeof view.side);
  return view;
}

/* Collective. Sets arrays on success. */
static rind_error build_arrays(mesh *of, rind_forest_arrays *arrays) {
  const int num_local = of->p4est->local_num_quadrants;
  rind_block *local = local_blocks(of->p4est);
  rind_error error = RIND_OK;
  if (!local)
    error = rind_context_fail(of->context, RIND_ERROR_MEMORY, "no memory for %d blocks", num_local);
  error = rind_context_agree(of->context, error);
  if (error != RIND_OK) {
    free(local);
    return error;
  }
  const rind_tree_mesh view = view_of(of);
  return rind_forest_links_build(of->context, &view, local, num_local, arrays);
}

static void destroy_p4est(p4est_t *p4est) {
  p4est_connectivity_t *trees = p4est->connectivity;
  p4est_destroy(p4est);
  p4est_connectivity_destroy(trees);
}

static void destroy_mesh(void *self) {
  mesh *of = self;
  rind_forest_links_free(&of->arrays);
  if (!of->is_wrapped && of->p4est) destroy_p4est(of->p4est);
  free(of);
}

static int splits(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q) {
  rind_block block = block_of(tree, q);
  return rind_refinement_splits(p4est->user_pointer, &block);
}

/* Collective. A refined copy of the p4est, ours; NULL on failure. */
static rind_error refined_copy(mesh *of, int max_level, rind_refine_function refine, void *user,
                               p4est_t **refined) {
  const rind_tree_mesh view = view_of(of);
  rind_refinement asking = {.user = NULL};
  rind_error error = RIND_OK;
  if (max_level > P4EST_QMAXLEVEL)
    error = rind_context_fail(of->context, RIND_ERROR_INVALID,
                              "max_level is %d: 0 to %d it must be in %dD", max_level,
                              P4EST_QMAXLEVEL, P4EST_DIM);
  else if (!rind_refinement_begin(&view, &of->arrays, rind_context_rank(of->context), refine, user,
                                  &asking))
    error = rind_context_fail(of->context, RIND_ERROR_MEMORY, "no memory for a table of blocks");
  error = rind_context_agree(of->context, error);
  if (error == RIND_OK) {
    p4est_t *copy = p4est_copy(of->p4est, 0);
    copy->user_pointer = &asking;
    p4est_refine_ext(copy, 1, max_level, splits, NULL, NULL);
    copy->user_pointer = NULL;
    if (asking.is_full)
      error = rind_context_fail(of->context, RIND_ERROR_OVERFLOW,
                                "more than %d blocks on a rank are asked for: use more ranks, or "
                                "refine and partition in several steps",
                                RIND_MOST_BLOCKS);
    error = rind_context_agree(of->context, error);
    if (error == RIND_OK)
      *refined = copy;
    else
      p4est_destroy(copy);
  }
  rind_refinement_end(&asking);
  return error;
}

static rind_error refine_mesh(void *self, int max_level, rind_refine_function refine, void *user,
                              rind_forest_arrays *arrays) {
  mesh *of = self;
  mesh made = *of;
  RIND_TRY(refined_copy(of, max_level, refine, user, &made.p4est));
  p4est_balance(made.p4est, P4EST_CONNECT_FULL, NULL);
  p4est_partition(made.p4est, 0, NULL);
  const rind_error error = build_arrays(&made, &made.arrays);
  if (error != RIND_OK) {
    p4est_destroy(made.p4est);
    return error;
  }
  rind_forest_links_free(&of->arrays);
  p4est_destroy(of->p4est);
  *of = made;
  *arrays = made.arrays;
  return RIND_OK;
}

static int64_t revision_of(void *self) {
  const mesh *of = self;
  return of->p4est->revision;
}

/* Collective. A forest that owns the mesh, which goes on failure. */
static rind_error make_forest(mesh *of, const rind_forest_backend *backend, rind_forest **forest) {
  rind_error error = build_arrays(of, &of->arrays);
  if (error == RIND_OK)
    error = rind_forest_create_arrays(of->context, &of->arrays, backend, forest);
  if (error != RIND_OK) destroy_mesh(of);
  return error;
}

static rind_error create_brick(rind_context *context, const rind_brick *brick,
                               rind_forest **forest) {
  mesh *of = calloc(1, sizeof *of);
  RIND_TRY(rind_context_agree(
      context,
      of ? RIND_OK : rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a brick")));
  silence();
  of->context = context;
  of->is_brick = true;
  for (int a = 0; a < P4EST_DIM; ++a) {
    of->lower[a] = brick->lower[a];
    of->side[a] = (brick->upper[a] - brick->lower[a]) / brick->trees[a];
    of->upper[a] = brick->upper[a];
    of->num_trees[a] = brick->trees[a];
  }
  of->p4est = p4est_new_ext(rind_context_comm(context), new_brick(brick), 0, brick->level, 1, 0,
                            NULL, NULL);
  const rind_forest_backend backend = {
      .mesh = of, .trees = &trees_of_mesh, .refine = refine_mesh, .destroy = destroy_mesh};
  return make_forest(of, &backend, forest);
}

/* Trees that know their corners; p4est finds out which of them touch. */
static p4est_connectivity_t *connect(const rind_inp *inp) {
  p4est_connectivity_t *trees = new_trees(inp->num_nodes, inp->num_elements);
  memcpy(trees->vertices, inp->node, 3 * (size_t)inp->num_nodes * sizeof *inp->node);
  for (p4est_topidx_t tree = 0; tree < inp->num_elements; ++tree) {
    for (int c = 0; c < P4EST_CHILDREN; ++c) {
      const size_t at = (size_t)tree * P4EST_CHILDREN + (size_t)c;
      trees->tree_to_vertex[at] = inp->corner[at];
    }
    for (int f = 0; f < P4EST_FACES; ++f) {
      const size_t at = (size_t)tree * P4EST_FACES + (size_t)f;
      trees->tree_to_tree[at] = tree;
      trees->tree_to_face[at] = (int8_t)f;
    }
  }
  p4est_connectivity_complete(trees);
  return trees;
}

static rind_error create_mesh(rind_context *context, const rind_inp *inp, int level,
                              rind_forest **forest) {
  mesh *of = calloc(1, sizeof *of);
  RIND_TRY(rind_context_agree(
      context,
      of ? RIND_OK : rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a mesh")));
  silence();
  of->context = context;
  of->p4est = p4est_new_ext(rind_context_comm(context), connect(inp), 0, level, 1, 0, NULL, NULL);
  const rind_forest_backend backend = {
      .mesh = of, .trees = &trees_of_mesh, .refine = refine_mesh, .destroy = destroy_mesh};
  return make_forest(of, &backend, forest);
}

const rind_brick_maker rind_brick_maker_p4est = {
    .max_level = P4EST_QMAXLEVEL, .create = create_brick, .create_mesh = create_mesh};

static rind_error check_wrapped(rind_context *context, const p4est_t *p4est) {
  RIND_REQUIRE(context, p4est, RIND_ERROR_INVALID, "the p4est to wrap is NULL");
  int relation = MPI_UNEQUAL;
  RIND_REQUIRE(context,
               MPI_Comm_compare(p4est->mpicomm, rind_context_comm(context), &relation) ==
                   MPI_SUCCESS,
               RIND_ERROR_MPI, "MPI_Comm_compare failed on the communicator of the p4est");
  RIND_REQUIRE(context, relation == MPI_IDENT || relation == MPI_CONGRUENT, RIND_ERROR_MISMATCH,
               "the p4est lives on another communicator (%d ranks) than the context (%d): the same "
               "ranks in the same order it must be",
               p4est->mpisize, rind_context_size(context));
  return RIND_OK;
}

rind_error rind_forest_wrap_p4est(rind_context *context, p4est_t *p4est, rind_forest **forest) {
  if (!context) return RIND_ERROR_INVALID;
  mesh *of = calloc(1, sizeof *of);
  rind_error error = RIND_CHECK_RESULT(context, forest);
  if (error == RIND_OK)
    error = of ? check_wrapped(context, p4est)
               : rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a mesh");
  error = rind_context_agree(context, error);
  if (error != RIND_OK) {
    free(of);
    return error;
  }
  silence();
  of->context = context;
  of->p4est = p4est;
  of->is_wrapped = true;
  const rind_forest_backend backend = {
      .mesh = of, .trees = &trees_of_mesh, .revision = revision_of, .destroy = destroy_mesh};
  return make_forest(of, &backend, forest);
}
