/* gather_points.c - packs rows of one cell: 8 bytes a term, and each pair of weights once. */
#include <core.h>
#include <gather.h>
#include <stdlib.h>
#include <string.h>

/* Lines of memory; and weights in the table, four times which are counted in 16 bits. */
enum { ALIGNMENT = 64, MOST_WEIGHTS = UINT16_MAX / RIND_GATHER_BLOCKS };

bool rind_gather_row_adds_sum(const rind_gather_row *row) {
  if (row->body != RIND_GATHER_SUM || row->num_terms < 3 || row->num_own_first != 1 ||
      row->num_own_last != 0)
    return false;
  for (int d = 1; d < RIND_GATHER_DIMS; ++d)
    if (row->extent[d] != 1) return false;
  if (row->extent[0] > 1 && row->own_stride[0] != row->to_stride[0]) return false;
  for (int lane = 0; lane < row->num_lanes; ++lane)
    if (row->weight[lane] != 1.0 || row->offset[0] + row->own_offset[lane] != row->to_offset[lane])
      return false;
  return true;
}

bool rind_gather_row_is_point(const rind_gather_row *row) {
  return row->num_lanes <= 2 && rind_gather_row_adds_sum(row);
}

bool rind_gather_points_alike(const rind_gather_row *a, const rind_gather_row *b) {
  return a->extent[0] == b->extent[0] &&
         (a->extent[0] == 1 ||
          (a->to_stride[0] == b->to_stride[0] && a->source_stride[0] == b->source_stride[0]));
}

static bool fits(ptrdiff_t offset) {
  return offset >= INT32_MIN && offset <= INT32_MAX;
}

static ptrdiff_t last_cell(const rind_gather_row *row) {
  return row->to_offset[row->num_lanes - 1];
}

static bool share_a_cell(const rind_gather_row *a, const rind_gather_row *b) {
  return a->to_offset[0] == b->to_offset[0] || a->to_offset[0] == last_cell(b) ||
         last_cell(a) == b->to_offset[0] || last_cell(a) == last_cell(b);
}

static bool can_pack(const rind_gather_row *const *point, int count, int64_t *num_terms) {
  *num_terms = 0;
  for (int p = 0; p < count; ++p) {
    *num_terms += point[p]->num_terms - 1;
    if (!fits(point[p]->to_offset[0]) || !fits(last_cell(point[p]))) return false;
    for (int term = 1; term < point[p]->num_terms; ++term)
      if (!fits(point[p]->offset[term])) return false;
    for (int q = 0; q < p; ++q)
      if (share_a_cell(point[p], point[q])) return false;
  }
  return *num_terms <= INT32_MAX / 2;
}

/* Where the pair of weights lies in the table, which it joins if it is new. Bits count: -0 and 0
 * differ. */
static int32_t find_weights(double *table, int32_t *num_weights, const double pair[2]) {
  for (int32_t w = 0; w < *num_weights; w += 2)
    if (memcmp(table + w, pair, 2 * sizeof *pair) == 0) return w;
  memcpy(table + *num_weights, pair, 2 * sizeof *pair);
  *num_weights += 2;
  return *num_weights - 2;
}

static int compare_rows(const void *left, const void *right) {
  const rind_gather_row *a = *(const rind_gather_row *const *)left;
  const rind_gather_row *b = *(const rind_gather_row *const *)right;
  if (a->num_terms != b->num_terms) return a->num_terms < b->num_terms ? -1 : 1;
  return a->to_offset[0] < b->to_offset[0] ? -1 : a->to_offset[0] > b->to_offset[0];
}

/* Points, terms and weights of sorted rows. */
static int32_t write_points(const rind_gather_row *const *row, int count, rind_gather_point *point,
                            rind_gather_point_term *term, double *table) {
  int32_t num_weights = 0;
  for (int p = 0; p < count; ++p) {
    const int lanes = row[p]->num_lanes, num_terms = row[p]->num_terms;
    point[p] = (rind_gather_point){{(int32_t)row[p]->to_offset[0], (int32_t)last_cell(row[p])},
                                   num_terms - 1};
    for (int t = 1; t < num_terms; ++t, ++term) {
      const double *weight = row[p]->weight + (ptrdiff_t)t * lanes;
      const double pair[2] = {weight[0], weight[lanes - 1]};
      *term = (rind_gather_point_term){(int32_t)row[p]->offset[t],
                                       find_weights(table, &num_weights, pair)};
    }
  }
  return num_weights;
}

/* Where an offset lies in a list, which it joins if it is new and there is room; else -1. */
static int find_ghost(int32_t *ghost, int *num_ghosts, int32_t offset) {
  for (int g = 0; g < *num_ghosts; ++g)
    if (ghost[g] == offset) return g;
  if (*num_ghosts == RIND_GATHER_GHOSTS) return -1;
  ghost[*num_ghosts] = offset;
  return (*num_ghosts)++;
}

/* The ghosts of terms, and where each term has its own and its weights; 0 if there are too many. */
static int list_terms(const rind_gather_point_term *term, int64_t num_terms, int32_t num_weights,
                      int32_t *ghost, rind_gather_listed_term *listed) {
  int num_ghosts = 0;
  if (num_weights > MOST_WEIGHTS) return 0;
  for (int64_t t = 0; t < num_terms; ++t) {
    const int found = find_ghost(ghost, &num_ghosts, term[t].offset);
    if (found < 0) return 0;
    listed[t] = (rind_gather_listed_term){(uint16_t)(RIND_GATHER_BLOCKS * found),
                                          (uint16_t)(RIND_GATHER_BLOCKS * term[t].weight)};
  }
  return num_ghosts;
}

/* Hands out the next part of memory. */
static void *take(char **memory, size_t bytes) {
  void *taken = *memory;
  *memory += bytes;
  return taken;
}

static size_t round_up(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* One allocation: the table first, what is read as vectors last. */
static void *join(const double *table, size_t num_weights, const rind_gather_point_term *term,
                  int64_t num_terms, const rind_gather_point *point, int count, size_t *bytes) {
  int32_t ghost[RIND_GATHER_GHOSTS];
  const size_t terms = (size_t)num_terms;
  rind_gather_listed_term *listed = rind_allocate(terms, sizeof *listed);
  if (!listed) return NULL;
  const int num_ghosts = list_terms(term, num_terms, (int32_t)num_weights, ghost, listed);
  const size_t num_listed = num_ghosts > 0 ? terms : 0;
  const size_t vectors = num_ghosts > 0 ? num_weights * RIND_GATHER_BLOCKS : 0;
  const size_t before = num_weights * sizeof *table + sizeof(rind_gather_points) +
                        terms * sizeof *term + (size_t)count * sizeof *point +
                        (size_t)num_ghosts * sizeof *ghost + num_listed * sizeof *listed;
  *bytes = before + (vectors > 0 ? ALIGNMENT + vectors * sizeof *table : 0);
  char *const memory = rind_allocate(*bytes, 1);
  if (memory) {
    char *next = memory;
    memcpy(take(&next, num_weights * sizeof *table), table, num_weights * sizeof *table);
    rind_gather_points *points = take(&next, sizeof *points);
    rind_gather_point_term *terms_to = take(&next, terms * sizeof *term);
    rind_gather_point *points_to = take(&next, (size_t)count * sizeof *point);
    int32_t *ghosts_to = take(&next, (size_t)num_ghosts * sizeof *ghost);
    rind_gather_listed_term *listed_to = take(&next, num_listed * sizeof *listed);
    double *of_four = (double *)round_up((uintptr_t)next);
    memcpy(terms_to, term, terms * sizeof *term);
    memcpy(points_to, point, (size_t)count * sizeof *point);
    memcpy(ghosts_to, ghost, (size_t)num_ghosts * sizeof *ghost);
    memcpy(listed_to, listed, num_listed * sizeof *listed);
    for (size_t w = 0; w < vectors; ++w)
      of_four[w] = table[w / RIND_GATHER_BLOCKS];
    *points = (rind_gather_points){.num_points = count,
                                   .num_ghosts = num_ghosts,
                                   .ghost = ghosts_to,
                                   .listed = listed_to,
                                   .weight_of_four = vectors > 0 ? of_four : NULL,
                                   .point = points_to,
                                   .term = terms_to};
  }
  free(listed);
  return memory;
}

bool rind_gather_points_create(const rind_gather_row *const *point, int count, rind_gather_row *row,
                               size_t *bytes, bool *done) {
  int64_t num_terms = 0;
  *done = false;
  if (!can_pack(point, count, &num_terms)) return true;
  const rind_gather_row **sorted = rind_allocate((size_t)count, sizeof *sorted);
  rind_gather_point *points = rind_allocate((size_t)count, sizeof *points);
  rind_gather_point_term *terms = rind_allocate((size_t)num_terms, sizeof *terms);
  double *table = rind_allocate(2 * (size_t)num_terms, sizeof *table), *memory = NULL;
  if (sorted && points && terms && table) {
    memcpy(sorted, point, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_rows);
    const size_t weights = (size_t)write_points(sorted, count, points, terms, table);
    memory = join(table, weights, terms, num_terms, points, count, bytes);
    if (memory)
      *row = (rind_gather_row){.body = RIND_GATHER_POINTS,
                               .num_lanes = 2,
                               .num_terms = 1 + (int32_t)num_terms,
                               .num_own_first = 1,
                               .extent = {point[0]->extent[0], 1, 1, 1},
                               .to_stride = {point[0]->to_stride[0]},
                               .own_stride = {point[0]->own_stride[0]},
                               .source_stride = {point[0]->source_stride[0]},
                               .weight = memory,
                               .points = (rind_gather_points *)(void *)(memory + weights)};
  }
  free(sorted);
  free(points);
  free(terms);
  free(table);
  *done = memory != NULL;
  return *done;
}
