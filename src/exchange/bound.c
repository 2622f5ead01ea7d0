/* bound.c - memory of rows and fills. */
#include <bound.h>

#include <core.h>
#include <device_gather.h>
#include <limits.h>
#include <stdlib.h>

/* Doubles the room of an array of items. */
static bool grow(void **array, int *room, size_t item_bytes) {
  if (*room > INT_MAX / 2) return false;
  const int wanted = *room > 0 ? 2 * *room : 16;
  size_t bytes = 0;
  if (!rind_size_multiply((size_t)wanted, item_bytes, &bytes)) return false;
  void *moved = realloc(*array, bytes);
  if (!moved) return false;
  *array = moved;
  *room = wanted;
  return true;
}

rind_gather_row *rind_bound_add_row(rind_bound *bound, int num_terms, int num_lanes,
                                    double **weight, ptrdiff_t **offset) {
  void *rows = bound->row;
  if (bound->num_rows == bound->row_room && !grow(&rows, &bound->row_room, sizeof *bound->row))
    return NULL;
  bound->row = rows;
  const size_t weights = (size_t)num_terms * (size_t)num_lanes;
  const size_t bytes = weights * sizeof **weight + (size_t)num_terms * sizeof **offset;
  double *memory = rind_allocate(bytes, 1);
  if (!memory) return NULL;
  *weight = memory;
  *offset = (ptrdiff_t *)(memory + weights);
  bound->term_bytes += bytes;
  rind_gather_row *row = &bound->row[bound->num_rows++];
  *row = (rind_gather_row){.num_lanes = num_lanes,
                           .num_terms = num_terms,
                           .extent = {1, 1, 1, 1},
                           .weight = *weight,
                           .offset = *offset};
  return row;
}

static void free_row(rind_bound *bound, const rind_gather_row *row) {
  const size_t terms = (size_t)row->num_terms;
  bound->term_bytes -= terms * ((size_t)row->num_lanes * sizeof(double) + sizeof(ptrdiff_t));
  free((void *)row->weight);
}

/* True for a row of one cell, with one value or those of several components. */
static bool is_point(const rind_gather_row *row, int components, ptrdiff_t component_stride) {
  const int values = row->extent[0];
  return rind_gather_row_is_point(row) &&
         (values == 1 || (values <= components && row->to_stride[0] == component_stride));
}

/* Packs those from row first on that are like it; done if there are several and it could. */
static bool pack_alike(rind_bound *bound, int first, int components, ptrdiff_t component_stride,
                       bool *done) {
  const int num_rows = bound->num_rows - first;
  const rind_gather_row **point = rind_allocate((size_t)num_rows, sizeof *point);
  bool *is_packed = rind_allocate((size_t)num_rows, sizeof *is_packed);
  rind_gather_row packed;
  size_t bytes = 0;
  int count = 0;
  *done = false;
  bool fine = point && is_packed;
  for (int r = 0; fine && r < num_rows; ++r) {
    const rind_gather_row *row = &bound->row[first + r];
    is_packed[r] = is_point(row, components, component_stride) &&
                   rind_gather_points_alike(row, &bound->row[first]);
    if (is_packed[r]) point[count++] = row;
  }
  if (fine && count > 1) fine = rind_gather_points_create(point, count, &packed, &bytes, done);
  if (*done) {
    int kept = first;
    for (int r = 0; r < num_rows; ++r)
      if (is_packed[r])
        free_row(bound, &bound->row[first + r]);
      else
        bound->row[kept++] = bound->row[first + r];
    bound->row[kept] = packed;
    bound->num_rows = kept + 1;
    bound->term_bytes += bytes;
  }
  free(point);
  free(is_packed);
  return fine;
}

bool rind_bound_pack_points(rind_bound *bound, int first_row, int components,
                            ptrdiff_t component_stride) {
  for (int row = first_row; row < bound->num_rows;) {
    bool is_new = is_point(&bound->row[row], components, component_stride), done = false;
    for (int r = first_row; is_new && r < row; ++r)
      is_new = !(is_point(&bound->row[r], components, component_stride) &&
                 rind_gather_points_alike(&bound->row[r], &bound->row[row]));
    if (is_new && !pack_alike(bound, row, components, component_stride, &done)) return false;
    if (!done) ++row;
  }
  return true;
}

bool rind_bound_add_fill(rind_bound *bound, int row, int to, int source) {
  void *fills = bound->fill;
  if (bound->num_fills == bound->fill_room && !grow(&fills, &bound->fill_room, sizeof *bound->fill))
    return false;
  bound->fill = fills;
  bound->fill[bound->num_fills++] = (rind_gather_fill){row, to, source};
  return true;
}

static void trim(void **array, int num_items, int *room, size_t item_bytes) {
  if (num_items == 0 || num_items == *room) return;
  void *moved = realloc(*array, (size_t)num_items * item_bytes);
  if (!moved) return;
  *array = moved;
  *room = num_items;
}

void rind_bound_trim(rind_bound *bound) {
  void *rows = bound->row, *fills = bound->fill;
  trim(&rows, bound->num_rows, &bound->row_room, sizeof *bound->row);
  trim(&fills, bound->num_fills, &bound->fill_room, sizeof *bound->fill);
  bound->row = rows;
  bound->fill = fills;
}

/* All run alone until something else is found. */
static bool have_pairs(rind_bound *bound) {
  if (!bound->pair) bound->pair = rind_allocate((size_t)bound->num_fills, sizeof *bound->pair);
  return bound->pair != NULL;
}

bool rind_bound_find_pairs(rind_bound *bound, const int *first, int num_batches) {
  bound->swap = rind_allocate((size_t)bound->num_rows, sizeof *bound->swap);
  if (!have_pairs(bound) || !bound->swap) return false;
  const rind_gather gather = rind_bound_gather(bound);
  for (int b = 0; b < num_batches; ++b) {
    rind_gather_find_pairs(&gather, first[b], first[b + 1], bound->row, bound->swap, bound->pair);
    rind_gather_find_fours(&gather, first[b], first[b + 1], bound->fill, bound->pair);
  }
  return true;
}

bool rind_bound_find_fours(rind_bound *bound, const int *first, int num_batches) {
  if (!have_pairs(bound)) return false;
  const rind_gather gather = rind_bound_gather(bound);
  for (int b = 0; b < num_batches; ++b)
    rind_gather_find_fours(&gather, first[b], first[b + 1], bound->fill, bound->pair);
  return true;
}

/* The list of the first of count rows that run together, which is made if it is new. */
static bool find_list(rind_bound *bound, int row, int count) {
  size_t bytes = 0;
  rind_gather_cells *cells = NULL;
  if (bound->row[row].cells) return true;
  if (!rind_gather_cells_create(&bound->row[row], count, &cells, &bytes)) return false;
  bound->row[row].cells = cells;
  if (cells) bound->list_bytes += bytes;
  return true;
}

bool rind_bound_find_lists(rind_bound *bound) {
  if (!have_pairs(bound)) return false;
  const rind_gather gather = rind_bound_gather(bound);
  int next = 0;
  while (next < bound->num_fills) {
    const int f = next, row = bound->fill[f].row, count = rind_gather_count_alike(&gather, f);
    next += count > 0 ? count : 1;
    if (count == 0) continue;
    if (!find_list(bound, row, count)) return false;
    const rind_gather_cells *cells = bound->row[row].cells;
    if (cells && cells->num_rows == count) bound->pair[f] = RIND_GATHER_CELLS;
  }
  return true;
}

rind_gather rind_bound_gather(const rind_bound *bound) {
  return (rind_gather){.to_type = bound->to_type,
                       .source_type = bound->source_type,
                       .row = bound->row,
                       .fill = bound->fill,
                       .num_fills = bound->num_fills,
                       .pair = bound->pair,
                       .ahead = bound->ahead};
}

int64_t rind_bound_bytes(const rind_bound *bound) {
  const size_t pair_bytes = bound->pair ? (size_t)bound->num_fills * sizeof *bound->pair : 0;
  const size_t swap_bytes = bound->swap ? (size_t)bound->num_rows * sizeof *bound->swap : 0;
  return (int64_t)((size_t)bound->row_room * sizeof *bound->row +
                   (size_t)bound->fill_room * sizeof *bound->fill + pair_bytes + swap_bytes +
                   bound->term_bytes + bound->list_bytes + bound->ahead_bytes);
}

void rind_bound_clear(rind_bound *bound) {
  for (int row = 0; row < bound->num_rows; ++row) {
    free((void *)bound->row[row].weight);
    free((void *)bound->row[row].cells);
  }
  free(bound->row);
  free(bound->fill);
  free(bound->pair);
  free(bound->swap);
  free(bound->ahead);
  rind_device_gather_destroy(&bound->device);
  *bound = (rind_bound){0};
}
