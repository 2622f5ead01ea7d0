/* program_cells.c - sorts what the rows of a block do by cell. */
#include <core.h>
#include <limits.h>
#include <program_cells.h>
#include <stdlib.h>

/* Cells side by side: more of them fill lines of memory. */
enum { LONGEST_RUN = 8 };

typedef rind_program_entry entry;
typedef rind_program_cell cell;

static int64_t count_entries(const rind_program_maker *maker, rind_program_rows rows) {
  int64_t count = 0;
  for (int r = 0; r < rows.num_rows; ++r) {
    const rind_gather_row *row = &maker->gather->row[rows.row[r].row];
    int64_t values = (int64_t)row->num_lanes * (row->num_terms - (maker->adds ? 1 : 0));
    for (int d = 0; d < RIND_GATHER_DIMS; ++d)
      values *= row->extent[d];
    count += values;
  }
  return count;
}

/* The terms of one value of a row, at these offsets of its cell in each slot. */
static entry *list_value(const rind_program_maker *maker, const rind_program_row *at, int lane,
                         ptrdiff_t to, ptrdiff_t own, ptrdiff_t source, entry *next) {
  const rind_gather_row *row = &maker->gather->row[at->row];
  for (int t = maker->adds ? 1 : 0; t < row->num_terms; ++t) {
    const bool is_own = t < row->num_own_first || t >= row->num_terms - row->num_own_last;
    const ptrdiff_t offset = row->offset[t] + (is_own ? own + row->own_offset[lane] : source);
    const int slot = is_own ? RIND_PROGRAM_OWN : at->slot;
    *next = (entry){.to = (int32_t)(to + row->to_offset[lane]),
                    .term = rind_program_term(slot, !is_own && row->takes, offset),
                    .weight = row->weight[(ptrdiff_t)t * row->num_lanes + lane],
                    .copies = row->body == RIND_GATHER_COPY};
    ++next;
  }
  return next;
}

static void list_entries(const rind_program_maker *maker, rind_program_rows rows, entry *entries) {
  entry *next = entries;
  for (int r = 0; r < rows.num_rows; ++r) {
    const rind_gather_row *row = &maker->gather->row[rows.row[r].row];
    const int32_t *extent = row->extent;
    int32_t i[RIND_GATHER_DIMS];
    for (i[3] = 0; i[3] < extent[3]; ++i[3])
      for (i[2] = 0; i[2] < extent[2]; ++i[2])
        for (i[1] = 0; i[1] < extent[1]; ++i[1])
          for (i[0] = 0; i[0] < extent[0]; ++i[0]) {
            ptrdiff_t to = 0, own = 0, source = 0;
            for (int d = 0; d < RIND_GATHER_DIMS; ++d) {
              to += i[d] * row->to_stride[d];
              own += i[d] * row->own_stride[d];
              source += i[d] * row->source_stride[d];
            }
            for (int lane = 0; lane < row->num_lanes; ++lane)
              next = list_value(maker, &rows.row[r], lane, to, own, source, next);
          }
  }
}

static rind_program_cell_kind kind_of(const rind_program_maker *maker, const entry *entries,
                                      int num_terms) {
  if (!maker->adds) return num_terms == 1 && entries->copies ? RIND_CELL_MOVE : RIND_CELL_SUM;
  if (num_terms > RIND_PROGRAM_PLAIN_TERMS) return RIND_CELL_SUM;
  for (int t = 0; t < num_terms; ++t)
    if (entries[t].weight != 1.0) return RIND_CELL_SUM;
  return RIND_CELL_PLAIN;
}

/* Sorts entries by cell, those of a cell as they are, into sorted; and lists the cells, ascending.
 * Their number, or -1 without memory. */
static int sort_entries(const rind_program_maker *maker, const entry *entries, int num_entries,
                        entry *sorted, cell *cells) {
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (int e = 0; e < num_entries; ++e) {
    if (entries[e].to < low) low = entries[e].to;
    if (entries[e].to > high) high = entries[e].to;
  }
  const size_t span = num_entries > 0 ? (size_t)(high - low) + 1 : 0;
  int32_t *end = rind_allocate(span, sizeof *end); /* of the cell's entries so far */
  if (!end) return -1;
  int count = 0, first = 0;
  for (int e = 0; e < num_entries; ++e)
    ++end[entries[e].to - low];
  for (size_t c = 0; c < span; ++c) {
    const int num_terms = end[c];
    end[c] = first;
    if (num_terms > 0)
      cells[count++] = (cell){.to = low + (int32_t)c, .first = first, .num_terms = num_terms};
    first += num_terms;
  }
  for (int e = 0; e < num_entries; ++e)
    sorted[end[entries[e].to - low]++] = entries[e];
  for (int c = 0; c < count; ++c)
    cells[c].kind = (int32_t)kind_of(maker, &sorted[cells[c].first], cells[c].num_terms);
  free(end);
  return count;
}

/* The slot of the only cell that a cell takes, or is a copy of; or RIND_PROGRAM_OWN. */
static int lone_slot(const rind_program_list *list, const cell *at) {
  if (at->kind == RIND_CELL_SUM || at->num_terms != 1) return RIND_PROGRAM_OWN;
  const int32_t term = list->entry[at->first].term;
  return at->kind == RIND_CELL_MOVE || RIND_PROGRAM_TAKEN(term) ? RIND_PROGRAM_SLOT(term)
                                                                : RIND_PROGRAM_OWN;
}

static void find_lone(rind_program_list *list) {
  cell *cells = list->cell;
  for (int first = 0, last = 0; first < list->num_cells; first = last) {
    const int slot = lone_slot(list, &cells[first]);
    for (last = first + 1; last < list->num_cells; ++last)
      if (lone_slot(list, &cells[last]) != slot || cells[last].to != cells[last - 1].to + 1) break;
    for (int c = first; c < last; ++c) {
      cells[c].lone = last - first <= LONGEST_RUN ? slot : RIND_PROGRAM_OWN;
      cells[c].run = first;
    }
  }
}

bool rind_program_list_cells(const rind_program_maker *maker, rind_program_rows rows,
                             rind_program_list *list) {
  const int64_t num_entries = count_entries(maker, rows);
  *list = (rind_program_list){0};
  if (num_entries > INT_MAX / 2) return false;
  entry *entries = rind_allocate((size_t)num_entries, sizeof *entries);
  list->entry = rind_allocate((size_t)num_entries, sizeof *list->entry);
  list->cell = rind_allocate((size_t)num_entries, sizeof *list->cell);
  list->num_cells = -1;
  if (entries && list->entry && list->cell) {
    list_entries(maker, rows, entries);
    list->num_cells = sort_entries(maker, entries, (int)num_entries, list->entry, list->cell);
  }
  free(entries);
  if (list->num_cells < 0) {
    rind_program_list_free(list);
    return false;
  }
  find_lone(list);
  return true;
}

void rind_program_list_free(rind_program_list *list) {
  free(list->entry);
  free(list->cell);
  *list = (rind_program_list){0};
}
