/* gather_cells.c - rows of four lanes that run together, as one list of cells. */
#include <core.h>
#include <gather.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHT_ALIGNMENT = 32 }; /* bytes */

/* True if the row's cells can be listed: the own ones go along with those that are written. */
static bool can_list(const rind_gather_row *row) {
  if (row->body != RIND_GATHER_SUM || row->num_lanes != RIND_GATHER_LANES ||
      row->num_own_first > 1 || row->num_own_last > 0 || row->num_own_first == row->num_terms)
    return false;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (row->num_own_first == 1 && row->own_stride[d] != row->to_stride[d]) return false;
  return true;
}

static ptrdiff_t to_shift(const rind_gather_row *row, const rind_gather_row *first) {
  return row->to_offset[0] - first->to_offset[0];
}

static ptrdiff_t source_shift(const rind_gather_row *row, const rind_gather_row *first) {
  return row->offset[row->num_own_first] - first->offset[row->num_own_first];
}

/* True if row's cells are like first's but for where they are and for their weights. */
static bool alike(const rind_gather_row *row, const rind_gather_row *first) {
  if (!can_list(row) || row->num_terms != first->num_terms ||
      row->num_own_first != first->num_own_first)
    return false;
  const ptrdiff_t to = to_shift(row, first), source = source_shift(row, first);
  if (row->num_own_first == 1 &&
      row->offset[0] + row->own_offset[0] != first->offset[0] + first->own_offset[0] + to)
    return false;
  for (int l = 0; l < RIND_GATHER_LANES; ++l)
    if (row->to_offset[l] != first->to_offset[l] + to ||
        row->own_offset[l] - row->own_offset[0] != first->own_offset[l] - first->own_offset[0])
      return false;
  for (int t = row->num_own_first; t < row->num_terms; ++t)
    if (row->offset[t] != first->offset[t] + source) return false;
  return true;
}

int rind_gather_count_alike(const rind_gather *gather, int f) {
  const rind_gather_fill first = gather->fill[f];
  const rind_gather_row *row = &gather->row[first.row];
  if (!can_list(row)) return 0;
  int count = 1;
  for (; f + count < gather->num_fills; ++count) {
    const rind_gather_fill fill = gather->fill[f + count];
    if (fill.to != first.to || fill.source != first.source || fill.row != first.row + count ||
        !alike(row + count, row))
      break;
  }
  return count;
}

static bool fits(ptrdiff_t offset) {
  return offset >= INT32_MIN && offset <= INT32_MAX;
}

/* Cell at of a row of a list; false if it lies too far away. */
static bool place(const rind_gather_row *row, const rind_gather_row *first, int64_t at,
                  rind_gather_cell *cell) {
  ptrdiff_t to = to_shift(row, first), source = source_shift(row, first);
  for (int d = 0; d < RIND_GATHER_DIMS; ++d) {
    const int64_t i = at % row->extent[d];
    to += i * row->to_stride[d];
    source += i * row->source_stride[d];
    at /= row->extent[d];
  }
  cell->to = (int32_t)to;
  cell->source = (int32_t)source;
  return fits(to) && fits(source);
}

/* Row like[r] of count rows is the first with the weights of row r; how many differ. */
static int find_weights(const rind_gather_row *first, int count, int *like) {
  const size_t bytes = (size_t)first->num_terms * RIND_GATHER_LANES * sizeof(double);
  int num_tables = 0;
  for (int r = 0; r < count; ++r) {
    like[r] = 0;
    while (memcmp(first[like[r]].weight, first[r].weight, bytes) != 0)
      ++like[r];
    num_tables += like[r] == r;
  }
  return num_tables;
}

/* How many values next to each other all of count rows have in their innermost loop, in both
 * blocks; 1 if they do not. */
static int32_t count_values(const rind_gather_row *first, int count) {
  for (int r = 0; r < count; ++r)
    if (first[r].extent[0] != first->extent[0] || first[r].to_stride[0] != 1 ||
        first[r].source_stride[0] != 1)
      return 1;
  return first->extent[0];
}

/* Lists the cells of count rows, and copies each table of weights once. False if a cell lies too
 * far away. */
static bool write_cells(const rind_gather_row *first, int count, const int *like,
                        int32_t num_values, rind_gather_cell *cell, double *table) {
  const size_t length = (size_t)first->num_terms * RIND_GATHER_LANES;
  const double **weight = rind_allocate((size_t)count, sizeof *weight);
  bool fine = weight != NULL;
  for (int r = 0; fine && r < count; ++r) {
    if (like[r] == r) {
      weight[r] = memcpy(table, first[r].weight, length * sizeof *table);
      table += length;
    }
    for (int64_t at = 0; at < rind_gather_count_positions(&first[r]); at += num_values, ++cell) {
      cell->weight = weight[like[r]];
      fine = place(&first[r], first, at, cell) && fine;
    }
  }
  free(weight);
  return fine;
}

/* Vectors of weights that begin at multiples of their size lie in one line each. */
static double *align(void *memory) {
  const uintptr_t end = (uintptr_t)memory % WEIGHT_ALIGNMENT;
  return (double *)(void *)((char *)memory + (end > 0 ? WEIGHT_ALIGNMENT - end : 0));
}

bool rind_gather_cells_create(const rind_gather_row *first, int count, rind_gather_cells **cells,
                              size_t *bytes) {
  int64_t num_cells = 0;
  for (int r = 0; r < count; ++r)
    num_cells += rind_gather_count_positions(&first[r]);
  const int32_t num_values = count_values(first, count);
  num_cells /= num_values;
  *cells = NULL;
  *bytes = 0;
  if (num_cells > INT32_MAX) return true;
  int *like = rind_allocate((size_t)count, sizeof *like);
  if (!like) return false;
  const size_t tables = (size_t)find_weights(first, count, like) * (size_t)first->num_terms;
  *bytes = sizeof **cells + (size_t)num_cells * sizeof(rind_gather_cell) + WEIGHT_ALIGNMENT +
           tables * RIND_GATHER_LANES * sizeof(double);
  rind_gather_cells *made = rind_allocate(*bytes, 1);
  const bool have = made != NULL;
  if (have) {
    rind_gather_cell *cell = (rind_gather_cell *)(void *)(made + 1);
    *made = (rind_gather_cells){
        .num_rows = count, .num_values = num_values, .num_cells = (int)num_cells, .cell = cell};
    if (write_cells(first, count, like, num_values, cell, align(cell + num_cells))) *cells = made;
  }
  free(like);
  if (!*cells) free(made);
  return have;
}
