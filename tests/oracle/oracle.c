/* oracle.c - the global picture: all leaves on every rank, and what lies where. */
#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 8 }; /* tree, level, coordinate, place */

static void *allocate(size_t count, size_t bytes) {
  void *data = calloc(count > 0 ? count : 1, bytes);
  if (data == NULL) abort();
  return data;
}

static double tree_side(const rind_brick *brick, int axis) {
  const int trees = brick->trees[axis] > 0 ? brick->trees[axis] : 1;
  const double length = brick->upper[axis] - brick->lower[axis];
  return length > 0 ? length / trees : 1.0;
}

/* Where a block lies in the brick, from its corner in space. */
static void place_block(const rind_block *block, const rind_brick *brick, int32_t *record) {
  record[0] = block->tree;
  record[1] = block->level;
  for (int a = 0; a < 3; ++a) {
    record[2 + a] = block->coordinate[a];
    record[5 + a] = 0;
    if (a >= brick->dim) continue;
    const double trees_away = (block->lower[a] - brick->lower[a]) / tree_side(brick, a);
    record[5 + a] = (int32_t)lround(ldexp(trees_away, block->level));
  }
}

/* Where a block lies in its tree. */
static void place_in_tree(const rind_block *block, int32_t *record) {
  record[0] = block->tree;
  record[1] = block->level;
  for (int a = 0; a < 3; ++a)
    record[2 + a] = record[5 + a] = block->coordinate[a];
}

/* brick NULL: in trees. */
static int32_t *gather_records(MPI_Comm comm, const rind_forest *forest, const rind_brick *brick,
                               int *num_leaves) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const int num_local = rind_forest_num_blocks(forest);
  int32_t *mine = allocate((size_t)num_local * RECORD, sizeof *mine);
  for (int b = 0; b < num_local; ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    int32_t *record = mine + (size_t)b * RECORD;
    if (brick != NULL) {
      place_block(block, brick, record);
    } else {
      place_in_tree(block, record);
    }
  }
  int *counts = allocate((size_t)size, sizeof *counts);
  int *first = allocate((size_t)size, sizeof *first);
  const int count = num_local * RECORD;
  MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm);
  int total = 0;
  for (int r = 0; r < size; ++r) {
    first[r] = total;
    total += counts[r];
  }
  int32_t *all = allocate((size_t)total, sizeof *all);
  MPI_Allgatherv(mine, count, MPI_INT32_T, all, counts, first, MPI_INT32_T, comm);
  free(mine);
  free(counts);
  free(first);
  *num_leaves = total / RECORD;
  return all;
}

static int32_t *map_entry(const oracle *judge, int tree, const int64_t place[3]) {
  const int64_t slab = (int64_t)tree * judge->size[2] + place[2];
  const int64_t row = slab * judge->size[1] + place[1];
  return judge->map + row * judge->size[0] + place[0];
}

/* False if the leaf leaves the brick or meets another one. */
static bool draw_leaf(oracle *judge, int leaf) {
  const oracle_leaf *l = &judge->leaf[leaf];
  const int64_t side = (int64_t)1 << (judge->finest - l->level);
  int64_t first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
  for (int a = 0; a < judge->dim; ++a) {
    first[a] = l->at[a] * side;
    last[a] = first[a] + side - 1;
    if (first[a] < 0 || last[a] >= judge->size[a]) return false;
  }
  int64_t p[3];
  for (p[2] = first[2]; p[2] <= last[2]; ++p[2]) {
    for (p[1] = first[1]; p[1] <= last[1]; ++p[1]) {
      for (p[0] = first[0]; p[0] <= last[0]; ++p[0]) {
        if (*map_entry(judge, l->tree, p) >= 0) return false;
        *map_entry(judge, l->tree, p) = leaf;
      }
    }
  }
  return true;
}

/* The position of the block's tree, from its place and its coordinate, is the same for all blocks
 * of a tree. */
static bool trees_agree(const int32_t *record, int num_leaves, int num_trees) {
  int32_t *position = allocate((size_t)num_trees * 4, sizeof *position);
  bool agree = true;
  for (int i = 0; i < num_leaves && agree; ++i) {
    const int32_t *r = record + (size_t)i * RECORD;
    if (r[0] < 0 || r[0] >= num_trees) {
      agree = false;
      break;
    }
    int32_t *known = position + (size_t)r[0] * 4;
    for (int a = 0; a < 3; ++a) {
      const int32_t offset = r[5 + a] - r[2 + a];
      if (offset % (1 << r[1]) != 0) agree = false;
      const int32_t tree = offset / (1 << r[1]);
      if (known[3] != 0 && known[a] != tree) agree = false;
      known[a] = tree;
    }
    known[3] = 1;
  }
  free(position);
  return agree;
}

static void gather_sides(MPI_Comm comm, const rind_forest *forest, oracle *judge) {
  double *side = allocate((size_t)judge->num_leaves * 3, sizeof *side);
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    memcpy(side + 3 * block->global, block->side, sizeof block->side);
  }
  MPI_Allreduce(MPI_IN_PLACE, side, 3 * judge->num_leaves, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < judge->num_leaves; ++i)
    memcpy(judge->leaf[i].side, side + 3 * (size_t)i, sizeof judge->leaf[i].side);
  free(side);
}

/* A line in text unless the leaves fill every place once. */
static void draw_leaves(oracle *judge, size_t places, char text[256]) {
  judge->map = allocate(places, sizeof *judge->map);
  memset(judge->map, 0xff, places * sizeof *judge->map);
  text[0] = '\0';
  for (int i = 0; i < judge->num_leaves && text[0] == '\0'; ++i) {
    if (!draw_leaf(judge, i)) snprintf(text, 256, "leaf %d meets another or a wall", i);
  }
  for (size_t i = 0; i < places && text[0] == '\0'; ++i) {
    if (judge->map[i] < 0) snprintf(text, 256, "no leaf at place %zu", i);
  }
}

/* brick NULL: in glued trees. */
static oracle *gather_leaves(MPI_Comm comm, const rind_forest *forest, const rind_brick *brick,
                             int cells, int32_t **record) {
  oracle *judge = allocate(1, sizeof *judge);
  judge->dim = rind_forest_dim(forest);
  judge->cells = cells;
  judge->faces_only = rind_forest_get_arrays(forest)->balance == RIND_BALANCE_FACES;
  *record = gather_records(comm, forest, brick, &judge->num_leaves);
  judge->leaf = allocate((size_t)judge->num_leaves, sizeof *judge->leaf);
  judge->kind = allocate((size_t)judge->num_leaves, sizeof *judge->kind);
  gather_sides(comm, forest, judge);
  for (int i = 0; i < judge->num_leaves; ++i) {
    const int32_t *r = *record + (size_t)i * RECORD;
    judge->leaf[i].level = r[1];
    if (brick == NULL) judge->leaf[i].tree = r[0];
    memcpy(judge->leaf[i].at, r + 5, sizeof judge->leaf[i].at);
    if (r[1] > judge->finest) judge->finest = r[1];
  }
  return judge;
}

/* Returns the number of places. */
static size_t set_size(oracle *judge) {
  size_t places = 1;
  for (int a = 0; a < 3; ++a) {
    judge->size[a] = a < judge->dim ? judge->trees[a] << judge->finest : 1;
    places *= (size_t)judge->size[a];
  }
  return places;
}

oracle *oracle_create(MPI_Comm comm, const rind_forest *forest, const rind_brick *brick, int cells,
                      char text[256]) {
  int32_t *record = NULL;
  oracle *judge = gather_leaves(comm, forest, brick, cells, &record);
  for (int a = 0; a < 3; ++a) {
    const bool used = a < brick->dim;
    judge->trees[a] = used && brick->trees[a] > 0 ? brick->trees[a] : 1;
    judge->periodic[a] = used && brick->periodic[a];
  }
  draw_leaves(judge, set_size(judge), text);
  const int num_trees = judge->trees[0] * judge->trees[1] * judge->trees[2];
  if (text[0] == '\0' && !trees_agree(record, judge->num_leaves, num_trees)) {
    snprintf(text, 256, "corners in space disagree with tree coordinates");
  }
  free(record);
  if (text[0] == '\0') return judge;
  oracle_destroy(judge);
  return NULL;
}

oracle *oracle_create_glued(MPI_Comm comm, const rind_forest *forest, const oracle_trees *trees,
                            int cells, char text[256]) {
  int32_t *record = NULL;
  oracle *judge = gather_leaves(comm, forest, NULL, cells, &record);
  free(record);
  judge->glued = trees;
  for (int a = 0; a < 3; ++a)
    judge->trees[a] = 1;
  bool exist = judge->dim == trees->dim;
  for (int i = 0; i < judge->num_leaves; ++i)
    exist = exist && judge->leaf[i].tree >= 0 && judge->leaf[i].tree < trees->num_trees;
  if (exist) {
    draw_leaves(judge, set_size(judge) * (size_t)trees->num_trees, text);
  } else {
    snprintf(text, 256, "leaves of trees that do not exist");
  }
  if (text[0] == '\0') return judge;
  oracle_destroy(judge);
  return NULL;
}

void oracle_destroy(oracle *judge) {
  if (judge == NULL) return;
  free(judge->leaf);
  free(judge->map);
  free(judge->kind);
  free(judge);
}

int oracle_region(const oracle *judge, const int cell[3], int o[3], int *layer) {
  int directions = 0;
  *layer = 0;
  for (int a = 0; a < 3; ++a) {
    o[a] = 0;
    if (a >= judge->dim) continue;
    int away = 0;
    if (cell[a] < 0) {
      o[a] = -1;
      away = -cell[a];
    } else if (cell[a] >= judge->cells) {
      o[a] = 1;
      away = cell[a] - judge->cells + 1;
    }
    if (o[a] != 0) ++directions;
    if (away > *layer) *layer = away;
  }
  return directions;
}

bool oracle_is_interior(const oracle *judge, const int cell[3]) {
  for (int a = 0; a < judge->dim; ++a) {
    if (cell[a] < 0 || cell[a] >= judge->cells) return false;
  }
  return true;
}

bool oracle_locate(const oracle *judge, int leaf, const int cell[3], oracle_place *place) {
  const oracle_leaf *l = &judge->leaf[leaf];
  const int n = judge->cells;
  oracle_place start = {.tree = l->tree, .frame = oracle_frame_straight()};
  int away[3] = {0, 0, 0};
  for (int a = 0; a < judge->dim; ++a) {
    int nearest = cell[a];
    if (nearest < 0) nearest = 0;
    if (nearest >= n) nearest = n - 1;
    start.at[a] = (int64_t)l->at[a] * n + nearest;
    away[a] = cell[a] - nearest;
  }
  if (judge->glued != NULL) {
    return oracle_trees_walk(judge->glued, (int64_t)n << l->level, &start, away, place);
  }
  *place = start;
  for (int a = 0; a < judge->dim; ++a)
    place->at[a] += away[a];
  return true;
}

bool oracle_find(const oracle *judge, int level, int tree, const int64_t at[3], int *leaf,
                 int cell[3]) {
  if (level < 0 || level > judge->finest) return false;
  int64_t wrapped[3] = {0, 0, 0}, place[3] = {0, 0, 0};
  for (int a = 0; a < judge->dim; ++a) {
    const int64_t length = ((int64_t)judge->trees[a] << level) * judge->cells;
    wrapped[a] = at[a];
    if (judge->periodic[a]) wrapped[a] = ((at[a] % length) + length) % length;
    if (wrapped[a] < 0 || wrapped[a] >= length) return false;
    place[a] = (wrapped[a] / judge->cells) << (judge->finest - level);
  }
  *leaf = *map_entry(judge, tree, place);
  const oracle_leaf *l = &judge->leaf[*leaf];
  if (l->level != level) return false;
  for (int a = 0; a < 3; ++a) {
    cell[a] = (int)(wrapped[a] - (int64_t)l->at[a] * (a < judge->dim ? judge->cells : 0));
  }
  return true;
}
