/* locator_create.c - makes a locator: the grid of the trees, their axes, and this rank's blocks. */
#include <locator.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <forest_backend.h>
#include <locator_grid.h>

/* Keys have 64 bits. */
enum { MAX_DEPTH_2D = 30, MAX_DEPTH_3D = 21 };
/* Parts of trees whose owners are kept, about. */
enum { MOST_PARTS = 1 << 15 };

static int compare_doubles(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static rind_error refuse(rind_context *context, int32_t tree) {
  return rind_context_fail(context, RIND_ERROR_UNSUPPORTED,
                           "tree %d is not an axis-aligned box in one grid with the others: "
                           "particles need that",
                           tree);
}

/* Every plane of every tree, once. */
static rind_error find_edges(rind_context *context, rind_locator *made) {
  const int32_t count = made->trees->count(made->mesh);
  for (int a = 0; a < 3; ++a) {
    made->edge[a] = rind_allocate(2 * (size_t)count + 2, sizeof(double));
    RIND_REQUIRE(context, made->edge[a], RIND_ERROR_MEMORY, "no memory for %d trees", count);
  }
  for (int32_t t = 0; t < count; ++t) {
    double lower[3], upper[3];
    if (!made->trees->box(made->mesh, t, lower, upper)) return refuse(context, t);
    for (int a = 0; a < 3; ++a) {
      made->edge[a][2 * t] = lower[a];
      made->edge[a][2 * t + 1] = upper[a];
    }
  }
  for (int a = 0; a < made->dim; ++a) {
    qsort(made->edge[a], 2 * (size_t)count, sizeof(double), compare_doubles);
    int num = 0;
    for (int32_t i = 1; i < 2 * count; ++i)
      if (made->edge[a][i] != made->edge[a][num]) made->edge[a][++num] = made->edge[a][i];
    made->num[a] = num;
  }
  for (int32_t i = 1; made->dim == 2 && i < 2 * count; ++i)
    if (made->edge[2][i] != made->edge[2][0]) return refuse(context, i / 2);
  made->num[2] = made->dim == 2 ? 1 : made->num[2];
  return RIND_OK;
}

/* The grid place of a tree; false if it spans several. */
static bool place_of(const rind_locator *locator, int32_t tree, int i[3]) {
  double lower[3], upper[3];
  locator->trees->box(locator->mesh, tree, lower, upper);
  i[2] = 0;
  for (int a = 0; a < locator->dim; ++a) {
    i[a] = rind_locator_edge(locator, a, lower[a]);
    if (i[a] >= locator->num[a] || locator->edge[a][i[a] + 1] != upper[a]) return false;
  }
  return true;
}

static rind_error list_trees(rind_context *context, rind_locator *made) {
  const int32_t count = made->trees->count(made->mesh);
  const double places = (double)made->num[0] * made->num[1] * made->num[2];
  RIND_REQUIRE(context, places <= 16.0 * count + 4096, RIND_ERROR_UNSUPPORTED,
               "%d trees in a grid of %d x %d x %d: particles need a fuller one", count,
               made->num[0], made->num[1], made->num[2]);
  made->tree = rind_allocate((size_t)places, sizeof *made->tree);
  RIND_REQUIRE(context, made->tree, RIND_ERROR_MEMORY, "no memory for a grid of %.0f trees",
               places);
  for (size_t i = 0; i < (size_t)places; ++i)
    made->tree[i] = -1;
  for (int32_t t = 0; t < count; ++t) {
    int i[3];
    if (!place_of(made, t, i) || made->tree[rind_locator_slot(made, i)] >= 0)
      return refuse(context, t);
    made->tree[rind_locator_slot(made, i)] = t;
  }
  return RIND_OK;
}

/* An axis is periodic if all lower faces of the domain lead to the upper ones. */
static rind_error find_periods(rind_context *context, rind_locator *made) {
  for (int a = 0; a < made->dim; ++a) {
    int joined = 0, walls = 0;
    const int last[3] = {a == 0 ? 0 : made->num[0] - 1, a == 1 ? 0 : made->num[1] - 1,
                         a == 2 ? 0 : made->num[2] - 1};
    int i[3];
    for (i[2] = 0; i[2] <= last[2]; ++i[2])
      for (i[1] = 0; i[1] <= last[1]; ++i[1])
        for (i[0] = 0; i[0] <= last[0]; ++i[0]) {
          int end[3] = {i[0], i[1], i[2]};
          end[a] = made->num[a] - 1;
          const int32_t tree = made->tree[rind_locator_slot(made, i)];
          if (tree < 0) continue;
          const int32_t across = made->trees->across(made->mesh, tree, 2 * a);
          walls += across < 0;
          joined += across >= 0 && across == made->tree[rind_locator_slot(made, end)];
          RIND_REQUIRE(context, across < 0 || across == made->tree[rind_locator_slot(made, end)],
                       RIND_ERROR_UNSUPPORTED,
                       "tree %d leads over the domain's lower border of axis %d to tree %d, which "
                       "is not opposite: particles need that",
                       tree, a, across);
        }
    RIND_REQUIRE(context, joined == 0 || walls == 0, RIND_ERROR_UNSUPPORTED,
                 "axis %d is periodic for %d trees and ends at a wall for %d: particles need one "
                 "or the other",
                 a, joined, walls);
    made->periodic[a] = joined > 0;
  }
  return RIND_OK;
}

/* What places along an axis are worked out with. */
static rind_error scale_edges(rind_context *context, rind_locator *made) {
  const double places = ldexp(1, made->depth);
  for (int a = 0; a < made->dim; ++a) {
    const double *edge = made->edge[a];
    const int num = made->num[a];
    made->scale[a] = rind_allocate((size_t)num, sizeof(double));
    made->doubt[a] = rind_allocate((size_t)num, sizeof(double));
    RIND_REQUIRE(context, made->scale[a] && made->doubt[a], RIND_ERROR_MEMORY,
                 "no memory for %d planes", num);
    made->per[a] = num / (edge[num] - edge[0]);
    for (int i = 0; i < num; ++i) {
      const double length = edge[i + 1] - edge[i];
      made->scale[a][i] = places / length;
      made->doubt[a][i] =
          places * 16 * DBL_EPSILON * (1 + fmax(fabs(edge[i]), fabs(edge[i + 1])) / length);
    }
  }
  return RIND_OK;
}

/* Where a block begins and ends; the domain's upper border is inside. */
static void bound_block(const rind_locator *made, const rind_block *block, double *bound) {
  const double unit = ldexp(1, -block->level);
  double lower[3], upper[3];
  made->trees->box(made->mesh, block->tree, lower, upper);
  for (int a = 0; a < made->dim; ++a) {
    const double end = (block->coordinate[a] + 1) * unit;
    bound[2 * a] = block->coordinate[a] == 0 ? lower[a] : block->lower[a];
    bound[2 * a + 1] = end < 1 ? made->trees->plane(made->mesh, block->tree, a, end) : upper[a];
    if (bound[2 * a + 1] == made->edge[a][made->num[a]])
      bound[2 * a + 1] = nextafter(bound[2 * a + 1], HUGE_VAL);
  }
}

static rind_error list_blocks(rind_context *context, const rind_forest *forest,
                              rind_locator *made) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  const int n = arrays->num_local;
  made->num_blocks = n;
  made->first_tree = n > 0 ? arrays->block[0].tree : 0;
  made->num_trees = n > 0 ? arrays->block[n - 1].tree - made->first_tree + 1 : 0;
  RIND_REQUIRE(context, made->num_trees >= 0, RIND_ERROR_INTERNAL, "blocks do not ascend by tree");
  made->first_block = rind_allocate((size_t)made->num_trees + 1, sizeof *made->first_block);
  made->key = rind_allocate((size_t)n, sizeof *made->key);
  made->key_end = rind_allocate((size_t)n, sizeof *made->key_end);
  made->bound = rind_allocate((size_t)n, 6 * sizeof *made->bound);
  RIND_REQUIRE(context, made->first_block && made->key && made->key_end && made->bound,
               RIND_ERROR_MEMORY, "no memory for a table of %d blocks", n);
  for (int b = 0; b < n; ++b) {
    const rind_block *block = &arrays->block[b];
    RIND_REQUIRE(context, block->level <= made->depth, RIND_ERROR_UNSUPPORTED,
                 "block %lld has level %d: particles go down to level %d in %dD",
                 (long long)block->global, block->level, made->depth, made->dim);
    const int shift = made->dim * (made->depth - block->level);
    made->key[b] = rind_locator_key(made->dim, block->coordinate) << shift;
    made->key_end[b] = made->key[b] + ((uint64_t)1 << shift);
    bound_block(made, block, made->bound + 6 * (ptrdiff_t)b);
    ++made->first_block[block->tree - made->first_tree + 1];
  }
  for (int t = 0; t < made->num_trees; ++t)
    made->first_block[t + 1] += made->first_block[t];
  return RIND_OK;
}

static rind_error make_parts(rind_context *context, rind_locator *made) {
  const size_t trees = (size_t)made->trees->count(made->mesh);
  while (made->part_depth < made->depth &&
         trees << made->dim * (made->part_depth + 1) <= MOST_PARTS)
    ++made->part_depth;
  made->part_owner = rind_allocate(trees << made->dim * made->part_depth, sizeof(int32_t));
  RIND_REQUIRE(context, made->part_owner, RIND_ERROR_MEMORY, "no memory for the parts of %zu trees",
               trees);
  return RIND_OK;
}

static rind_error make(rind_context *context, const rind_forest *forest, rind_locator *made) {
  RIND_TRY(rind_forest_check(forest));
  const rind_forest_backend *backend = rind_forest_get_backend(forest);
  RIND_REQUIRE(context, backend->trees, RIND_ERROR_UNSUPPORTED,
               "the forest does not say where points lie: it was made from arrays alone");
  made->dim = rind_forest_dim(forest);
  made->trees = backend->trees;
  made->mesh = backend->mesh;
  const int most = made->dim == 2 ? MAX_DEPTH_2D : MAX_DEPTH_3D;
  made->depth = made->trees->max_level < most ? made->trees->max_level : most;
  RIND_TRY(find_edges(context, made));
  RIND_TRY(list_trees(context, made));
  RIND_TRY(find_periods(context, made));
  RIND_TRY(scale_edges(context, made));
  RIND_TRY(make_parts(context, made));
  return list_blocks(context, forest, made);
}

rind_error rind_locator_create(const rind_forest *forest, rind_locator *locator) {
  rind_context *context = rind_forest_context(forest);
  rind_locator made = {.dim = 0};
  const rind_error error = rind_context_agree(context, make(context, forest, &made));
  if (error == RIND_OK)
    *locator = made;
  else
    rind_locator_destroy(&made);
  return error;
}

void rind_locator_destroy(rind_locator *locator) {
  for (int a = 0; a < 3; ++a) {
    free(locator->edge[a]);
    free(locator->scale[a]);
    free(locator->doubt[a]);
  }
  free(locator->tree);
  free(locator->part_owner);
  free(locator->first_block);
  free(locator->key);
  free(locator->key_end);
  free(locator->bound);
  memset(locator, 0, sizeof *locator);
}
