/* forest.c - the forest object: plain arrays, where they came from, and whether they still hold. */
#include <core.h>
#include <forest_backend.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rind_forest {
  rind_context *context; /* borrowed */
  rind_forest_arrays arrays;
  bool owns_arrays;
  rind_forest_backend backend;
  int64_t mesh_revision; /* of the back end's mesh, when the arrays were made */
  int64_t revision;
};

static void free_arrays(rind_forest_arrays *arrays) {
  free((void *)arrays->block);
  free((void *)arrays->first_link);
  free((void *)arrays->link);
  free((void *)arrays->walls);
}

/* A copy of count items that free can take; NULL without memory. */
static void *copy_items(const void *from, size_t count, size_t bytes) {
  void *copy = rind_allocate(count, bytes);
  if (copy && count > 0) memcpy(copy, from, count * bytes);
  return copy;
}

static rind_error copy_arrays(rind_context *context, const rind_forest_arrays *from,
                              rind_forest_arrays *to) {
  const size_t num_blocks = (size_t)from->num_local + (size_t)from->num_remote;
  rind_forest_arrays made = *from;
  made.block = copy_items(from->block, num_blocks, sizeof *from->block);
  made.first_link =
      copy_items(from->first_link, (size_t)from->num_local + 1, sizeof *from->first_link);
  made.link = copy_items(from->link, (size_t)from->first_link[from->num_local], sizeof *from->link);
  made.walls = copy_items(from->walls, (size_t)from->num_local, sizeof *from->walls);
  if (!made.block || !made.first_link || !made.link || !made.walls) {
    free_arrays(&made);
    return rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a forest of %zu blocks",
                             num_blocks);
  }
  *to = made;
  return RIND_OK;
}

static rind_error check_block(rind_context *context, const rind_forest_arrays *arrays, int b) {
  const rind_block *block = &arrays->block[b];
  const bool local = b < arrays->num_local;
  RIND_REQUIRE(context, block->global >= 0 && block->global < arrays->num_global,
               RIND_ERROR_INVALID, "block %d has global number %lld: 0 to %lld it must be", b,
               (long long)block->global, (long long)arrays->num_global - 1);
  RIND_REQUIRE(context, block->level >= 0 && block->tree >= 0 && block->index >= 0,
               RIND_ERROR_INVALID, "block %d has level %d, tree %d, index %d: none may be negative",
               b, block->level, block->tree, block->index);
  for (int a = 0; a < arrays->dim; ++a)
    RIND_REQUIRE(
        context, isfinite(block->lower[a]) && isfinite(block->side[a]) && block->side[a] > 0.0,
        RIND_ERROR_INVALID,
        "block %d lies at %g with side %g along axis %d: finite they must be, and the side "
        "above 0",
        b, block->lower[a], block->side[a], a);
  RIND_REQUIRE(context, block->level <= RIND_MAX_LEVEL, RIND_ERROR_INVALID,
               "block %d has level %d: at most %d it may be", b, block->level, RIND_MAX_LEVEL);
  const int rank = rind_context_rank(context), size = rind_context_size(context);
  RIND_REQUIRE(context, block->owner >= 0 && block->owner < size && (block->owner == rank) == local,
               RIND_ERROR_INVALID, "block %d has owner %d: %s", b, block->owner,
               local ? "a local block's is the calling rank" : "a remote block's is another rank");
  RIND_REQUIRE(context, !local || block->index == b, RIND_ERROR_INVALID,
               "local block %d has index %d: its place in the array it must be", b, block->index);
  RIND_REQUIRE(context, b == 0 || b == arrays->num_local || block[-1].global < block->global,
               RIND_ERROR_INVALID,
               "block %d has global number %lld after %lld: local and remote blocks must ascend", b,
               (long long)block->global, (long long)block[-1].global);
  return RIND_OK;
}

/* True if the neighbour's box holds the part of the region that the link stands for. */
static bool link_fits(const rind_link *link, int axis, int direction) {
  const int side = link->relation == 0 ? 2 : link->relation < 0 ? 4 : 1;
  const int low = direction < 0 ? -1 : direction > 0 ? 2 : 0; /* what the ghosts occupy */
  const int high = direction < 0 ? 0 : direction > 0 ? 3 : 2;
  const int origin = link->origin[axis];
  if (link->relation > 0 && direction == 0) return origin >= 0 && origin + 1 <= 2;
  return origin <= low && origin + side >= high && (link->relation > 0 || origin % 2 == 0);
}

static rind_error check_link(rind_context *context, const rind_forest_arrays *arrays, int b,
                             int l) {
  const rind_link *link = &arrays->link[l];
  RIND_REQUIRE(context,
               link->neighbour >= 0 && link->neighbour < arrays->num_local + arrays->num_remote,
               RIND_ERROR_INVALID, "link %d of block %d names block %d of %d", l, b,
               link->neighbour, arrays->num_local + arrays->num_remote);
  RIND_REQUIRE(context,
               link->relation >= -1 && link->relation <= 1 &&
                   arrays->block[link->neighbour].level == arrays->block[b].level + link->relation,
               RIND_ERROR_UNBALANCED,
               "link %d goes from block %d of level %d to block %d of level %d with relation %d: "
               "levels may differ by one",
               l, b, arrays->block[b].level, link->neighbour, arrays->block[link->neighbour].level,
               link->relation);
  const int o[3] = {link->region % 3 - 1, link->region / 3 % 3 - 1, link->region / 9 - 1};
  RIND_REQUIRE(context,
               link->region >= 0 && link->region < RIND_NUM_REGIONS &&
                   link->region != RIND_REGION_SELF && (arrays->dim == 3 || o[2] == 0) &&
                   (l == arrays->first_link[b] || link[-1].region <= link->region),
               RIND_ERROR_INVALID, "link %d of block %d is for region %d: %s", l, b, link->region,
               "regions are 0 to 26 without 13, 9 to 17 in 2D, ascending");
  unsigned axes = 0;
  bool flips = true, fits = true;
  for (int a = 0; a < 3; ++a) {
    if (link->axis[a] >= 0 && link->axis[a] < 3) axes |= 1u << link->axis[a];
    flips = flips && (link->flip[a] == 0 || link->flip[a] == 1);
    fits = fits && (a >= arrays->dim ? link->origin[a] == 0 : link_fits(link, a, o[a]));
  }
  RIND_REQUIRE(
      context, axes == 7 && flips && (arrays->dim == 3 || link->axis[2] == 2), RIND_ERROR_INVALID,
      "link %d of block %d has axes %d %d %d, flips %d %d %d: a permutation and 0 or 1", l, b,
      link->axis[0], link->axis[1], link->axis[2], link->flip[0], link->flip[1], link->flip[2]);
  RIND_REQUIRE(context, fits, RIND_ERROR_INVALID,
               "link %d of block %d: a neighbour of relation %d at (%d, %d, %d) does not cover "
               "region (%d, %d, %d)",
               l, b, link->relation, link->origin[0], link->origin[1], link->origin[2], o[0], o[1],
               o[2]);
  return RIND_OK;
}

static rind_error check_arrays(rind_context *context, const rind_forest_arrays *arrays) {
  RIND_REQUIRE(context, arrays->dim == 2 || arrays->dim == 3, RIND_ERROR_INVALID,
               "the forest has dimension %d: 2 or 3 it must be", arrays->dim);
  RIND_REQUIRE(context, arrays->num_local >= 0 && arrays->num_remote >= 0, RIND_ERROR_INVALID,
               "the forest has %d local and %d remote blocks: at least 0 it must be",
               arrays->num_local, arrays->num_remote);
  RIND_REQUIRE(context, arrays->num_local <= INT_MAX - arrays->num_remote, RIND_ERROR_OVERFLOW,
               "the forest has %d local and %d remote blocks: at most %d together it may be",
               arrays->num_local, arrays->num_remote, INT_MAX);
  RIND_REQUIRE(context, (unsigned)arrays->balance <= RIND_BALANCE_FACES, RIND_ERROR_INVALID,
               "the forest has balance %d: full (0) or faces (1) it must be", (int)arrays->balance);
  RIND_REQUIRE(context, arrays->num_global >= arrays->num_local, RIND_ERROR_INVALID,
               "the forest has %lld blocks over all ranks: at least its %d local ones it must be",
               (long long)arrays->num_global, arrays->num_local);
  RIND_REQUIRE(context,
               arrays->first_link && (arrays->num_local == 0 || arrays->walls) &&
                   (arrays->num_local + arrays->num_remote == 0 || arrays->block),
               RIND_ERROR_INVALID, "an array of the forest is NULL");
  for (int b = 0; b < arrays->num_local + arrays->num_remote; ++b)
    RIND_TRY(check_block(context, arrays, b));
  RIND_REQUIRE(context, arrays->first_link[0] == 0, RIND_ERROR_INVALID,
               "the links of block 0 begin at %d: 0 it must be", arrays->first_link[0]);
  for (int b = 0; b < arrays->num_local; ++b) {
    RIND_REQUIRE(context, arrays->first_link[b] <= arrays->first_link[b + 1], RIND_ERROR_INVALID,
                 "block %d has links %d to %d", b, arrays->first_link[b],
                 arrays->first_link[b + 1]);
    for (int l = arrays->first_link[b]; l < arrays->first_link[b + 1]; ++l)
      RIND_TRY(check_link(context, arrays, b, l));
  }
  return RIND_OK;
}

/* Collective. What all ranks must give alike. */
static rind_error check_same(rind_context *context, const rind_forest_arrays *arrays) {
  const int64_t mine[3] = {arrays->dim, arrays->balance, arrays->num_global};
  int64_t first[3] = {mine[0], mine[1], mine[2]};
  RIND_REQUIRE(context,
               MPI_Bcast(first, 3, MPI_INT64_T, 0, rind_context_comm(context)) == MPI_SUCCESS,
               RIND_ERROR_MPI, "MPI_Bcast of a forest's numbers failed");
  static const char *const what[3] = {"dimension", "balance", "number of global blocks"};
  for (int i = 0; i < 3; ++i)
    RIND_REQUIRE(context, mine[i] == first[i], RIND_ERROR_INVALID,
                 "rank %d gives %lld as the forest's %s, rank 0 %lld: alike it must be",
                 rind_context_rank(context), (long long)mine[i], what[i], (long long)first[i]);
  return RIND_OK;
}

/* Collective. Every block is one rank's. */
static rind_error check_sum(rind_context *context, const rind_forest_arrays *arrays) {
  int64_t sum = arrays->num_local;
  RIND_REQUIRE(context,
               MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM,
                             rind_context_comm(context)) == MPI_SUCCESS,
               RIND_ERROR_MPI, "MPI_Allreduce of a forest's blocks failed");
  RIND_REQUIRE(context, sum == arrays->num_global, RIND_ERROR_INVALID,
               "the ranks have %lld blocks together, num_global is %lld: alike they must be",
               (long long)sum, (long long)arrays->num_global);
  return RIND_OK;
}

rind_error rind_forest_create_arrays(rind_context *context, const rind_forest_arrays *arrays,
                                     const rind_forest_backend *backend, rind_forest **forest) {
  if (!context) return RIND_ERROR_INVALID;
  rind_error error = RIND_CHECK_RESULT(context, forest);
  if (error == RIND_OK)
    error = arrays ? check_arrays(context, arrays)
                   : rind_context_fail(context, RIND_ERROR_INVALID, "arrays is NULL");
  RIND_TRY(rind_context_agree(context, error));
  RIND_TRY(rind_context_agree(context, check_same(context, arrays)));
  RIND_TRY(rind_context_agree(context, check_sum(context, arrays)));
  rind_forest *made = rind_allocate(1, sizeof *made);
  if (!made)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a forest");
  else if (backend)
    made->arrays = *arrays;
  else
    error = copy_arrays(context, arrays, &made->arrays);
  error = rind_context_agree(context, error);
  if (error != RIND_OK) {
    if (made && !backend) free_arrays(&made->arrays);
    free(made);
    return error;
  }
  made->context = context;
  made->owns_arrays = !backend;
  if (backend) made->backend = *backend;
  if (made->backend.revision) made->mesh_revision = made->backend.revision(made->backend.mesh);
  *forest = made;
  return RIND_OK;
}

void rind_forest_destroy(rind_forest **forest) {
  if (!forest || !*forest) return;
  if ((*forest)->backend.destroy) (*forest)->backend.destroy((*forest)->backend.mesh);
  if ((*forest)->owns_arrays) free_arrays(&(*forest)->arrays);
  free(*forest);
  *forest = NULL;
}

rind_error rind_forest_refine(rind_forest *forest, int max_level, rind_refine_function refine,
                              void *user) {
  if (!forest) return RIND_ERROR_INVALID;
  rind_context *context = forest->context;
  rind_error error = RIND_OK;
  if (!forest->backend.refine)
    error = rind_context_fail(context, RIND_ERROR_UNSUPPORTED,
                              "this forest cannot be refined here: it belongs to the caller");
  else if (!refine)
    error = rind_context_fail(context, RIND_ERROR_INVALID, "refine is NULL");
  else if (max_level < 0)
    error = rind_context_fail(context, RIND_ERROR_INVALID, "max_level is %d: at least 0 it must be",
                              max_level);
  RIND_TRY(rind_context_agree(context, error));
  rind_forest_arrays arrays = forest->arrays;
  RIND_TRY(forest->backend.refine(forest->backend.mesh, max_level, refine, user, &arrays));
  forest->arrays = arrays;
  if (forest->backend.revision)
    forest->mesh_revision = forest->backend.revision(forest->backend.mesh);
  ++forest->revision;
  return RIND_OK;
}

const rind_forest_arrays *rind_forest_get_arrays(const rind_forest *forest) {
  return forest ? &forest->arrays : NULL;
}

const rind_forest_backend *rind_forest_get_backend(const rind_forest *forest) {
  return &forest->backend;
}

rind_context *rind_forest_context(const rind_forest *forest) {
  return forest ? forest->context : NULL;
}

int rind_forest_dim(const rind_forest *forest) {
  return forest ? forest->arrays.dim : 0;
}

int rind_forest_num_blocks(const rind_forest *forest) {
  return forest ? forest->arrays.num_local : 0;
}

int64_t rind_forest_num_global_blocks(const rind_forest *forest) {
  return forest ? forest->arrays.num_global : 0;
}

const rind_block *rind_forest_block(const rind_forest *forest, int block) {
  if (!forest || block < 0 || block >= forest->arrays.num_local) return NULL;
  return &forest->arrays.block[block];
}

int64_t rind_forest_revision(const rind_forest *forest) {
  return forest ? forest->revision : -1;
}

rind_error rind_forest_check(const rind_forest *forest) {
  if (!forest) return RIND_ERROR_INVALID;
  if (!forest->backend.revision) return RIND_OK;
  const int64_t now = forest->backend.revision(forest->backend.mesh);
  RIND_REQUIRE(forest->context, now == forest->mesh_revision, RIND_ERROR_STALE,
               "the mesh is at revision %lld, the forest was made of %lld: make it anew",
               (long long)now, (long long)forest->mesh_revision);
  return RIND_OK;
}
