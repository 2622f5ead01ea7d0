/* forest_p4est.c - forests of a p4est: bricks of our own, or around the caller's; 2D and, included
 * by forest_p8est.c, 3D. */
#include <brick_maker.h>
#include <forest_of_p4est.h>

#include <stdlib.h>
#include <string.h>

#include <core.h>
#include <forest_links.h>
#include <neighbour.h>
#include <refinement.h>

/* p4est prints until told not to. Its package is left unregistered: a caller who initialises it
 * later could not do so twice. */
static void silence(void) {
  if (p4est_package_id < 0) sc_set_log_defaults(NULL, NULL, SC_LP_ERROR);
}

static rind_block *local_blocks(p4est_t *p4est) {
  rind_block *block = calloc((size_t)p4est->local_num_quadrants + 1, sizeof *block);
  int num_blocks = 0;
  for (p4est_topidx_t t = p4est->first_local_tree; block && t <= p4est->last_local_tree; ++t) {
    p4est_tree_t *tree = p4est_tree_array_index(p4est->trees, t);
    for (size_t i = 0; i < tree->quadrants.elem_count; ++i)
      block[num_blocks++] = rind_p4est_block(t, p4est_quadrant_array_index(&tree->quadrants, i));
  }
  return block;
}

/* Collective. Sets arrays on success. */
static rind_error build_arrays(rind_p4est_mesh *of, rind_forest_arrays *arrays) {
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
  const rind_tree_mesh view = rind_p4est_view(of);
  return rind_forest_links_build(of->context, &view, local, num_local, arrays);
}

static void destroy_p4est(p4est_t *p4est) {
  p4est_connectivity_t *trees = p4est->connectivity;
  p4est_destroy(p4est);
  p4est_connectivity_destroy(trees);
}

static void destroy_mesh(void *self) {
  rind_p4est_mesh *of = self;
  rind_forest_links_free(&of->arrays);
  if (!of->is_wrapped && of->p4est) destroy_p4est(of->p4est);
  free(of);
}

static int splits(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q) {
  rind_block block = rind_p4est_block(tree, q);
  return rind_refinement_splits(p4est->user_pointer, &block);
}

/* Collective. A refined copy of the p4est, ours; NULL on failure. */
static rind_error refined_copy(rind_p4est_mesh *of, int max_level, rind_refine_function refine,
                               void *user, p4est_t **refined) {
  const rind_tree_mesh view = rind_p4est_view(of);
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
  rind_p4est_mesh *of = self;
  rind_p4est_mesh made = *of;
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
  const rind_p4est_mesh *of = self;
  return of->p4est->revision;
}

/* Collective. A forest that owns the mesh, which goes on failure. */
static rind_error make_forest(rind_p4est_mesh *of, const rind_forest_backend *backend,
                              rind_forest **forest) {
  rind_error error = build_arrays(of, &of->arrays);
  if (error == RIND_OK)
    error = rind_forest_create_arrays(of->context, &of->arrays, backend, forest);
  if (error != RIND_OK) destroy_mesh(of);
  return error;
}

static rind_error create_brick(rind_context *context, const rind_brick *brick,
                               rind_forest **forest) {
  rind_p4est_mesh *of = calloc(1, sizeof *of);
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
  of->p4est = p4est_new_ext(rind_context_comm(context), rind_p4est_new_brick(brick), 0,
                            brick->level, 1, 0, NULL, NULL);
  const rind_forest_backend backend = {
      .mesh = of, .trees = &rind_p4est_trees, .refine = refine_mesh, .destroy = destroy_mesh};
  return make_forest(of, &backend, forest);
}

/* Trees that know their corners; p4est finds out which of them touch. */
static p4est_connectivity_t *connect(const rind_inp *inp) {
  p4est_connectivity_t *trees = rind_p4est_new_trees(inp->num_nodes, inp->num_elements);
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
  rind_p4est_mesh *of = calloc(1, sizeof *of);
  RIND_TRY(rind_context_agree(
      context,
      of ? RIND_OK : rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a mesh")));
  silence();
  of->context = context;
  of->p4est = p4est_new_ext(rind_context_comm(context), connect(inp), 0, level, 1, 0, NULL, NULL);
  const rind_forest_backend backend = {
      .mesh = of, .trees = &rind_p4est_trees, .refine = refine_mesh, .destroy = destroy_mesh};
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
  rind_p4est_mesh *of = calloc(1, sizeof *of);
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
      .mesh = of, .trees = &rind_p4est_trees, .revision = revision_of, .destroy = destroy_mesh};
  return make_forest(of, &backend, forest);
}
