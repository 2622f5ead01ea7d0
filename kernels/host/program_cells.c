/* program_cells.c - sorts what the rows of a block do by cell. */
#include <core.h>
#include <limits.h>
#include <program_cells.h>
#include <stdlib.h>

/* Cells side by side: more of them fill lines of memory. */
enum { LONGEST_RUN = 8 };

/* Of what entries are sorted by. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

typedef rind_program_entry entry;
typedef rind_program_cell cell;

/* A row of zeros has one entry a value, without a term. */
static int num_added(const rind_program_maker *maker, const rind_gather_row *row) {
  return row->num_terms == 0 ? 1 : row->num_terms - (maker->adds ? 1 : 0);
}

static int64_t count_entries(const rind_program_maker *maker, rind_program_rows rows) {
  int64_t count = 0;
  for (int r = 0; r < rows.num_rows; ++r) {
    const rind_gather_row *row = &maker->gather->row[rows.row[r].row];
    count += rind_gather_count_positions(row) * row->num_lanes * num_added(maker, row);
  }
  return count;
}

static bool has_weights(const rind_program_maker *maker, const rind_gather_row *row, int lane) {
  for (int t = row->num_terms - num_added(maker, row); t < row->num_terms; ++t)
    if (!maker->adds || row->weight[(ptrdiff_t)t * row->num_lanes + lane] != 1.0) return true;
  return false;
}

size_t rind_program_least_bytes(const rind_program_maker *maker, rind_program_rows rows) {
  const rind_programs *made = maker->made;
  size_t bytes = 0;
  for (int r = 0; r < rows.num_rows; ++r) {
    const rind_gather_row *row = &maker->gather->row[rows.row[r].row];
    const size_t values = (size_t)rind_gather_count_positions(row);
    const size_t terms = values * (size_t)num_added(maker, row);
    const bool moves = row->body == RIND_GATHER_COPY || row->num_terms == 0;
    if (moves) bytes += values * (size_t)row->num_lanes * sizeof *made->move;
    for (int lane = 0; !moves && lane < row->num_lanes; ++lane)
      bytes +=
          terms * (sizeof *made->term + (has_weights(maker, row, lane) ? sizeof *made->weight : 0));
  }
  return bytes;
}

/* The terms of one value of a row, at these offsets of its cell in each slot. */
static entry *list_value(const rind_program_maker *maker, const rind_program_row *at, int lane,
                         ptrdiff_t to, ptrdiff_t own, ptrdiff_t source, entry *next) {
  const rind_gather_row *row = &maker->gather->row[at->row];
  if (row->num_terms == 0)
    *next++ = (entry){.to = (int32_t)(to + row->to_offset[lane]),
                      .term = rind_program_term(RIND_PROGRAM_NONE, false, 0),
                      .copies = true};
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

/* Some bits of how far an entry's cell is from the lowest. */
static uint32_t digit_of(const entry *of, int32_t low, int shift) {
  return (uint32_t)(of->to - low) >> shift & (DIGITS - 1);
}

/* Those with the same digit stay as they are. */
static void sort_by_digit(const entry *from, int num_entries, int32_t low, int shift, entry *to) {
  int first[DIGITS + 1] = {0};
  for (int e = 0; e < num_entries; ++e)
    ++first[1 + digit_of(&from[e], low, shift)];
  for (int d = 0; d < DIGITS; ++d)
    first[d + 1] += first[d];
  for (int e = 0; e < num_entries; ++e)
    to[first[digit_of(&from[e], low, shift)]++] = from[e];
}

/* Sorts the list's entries by cell, those of a cell as they are. Cells may lie far apart: time goes
 * with the entries, and not with what lies between. False without memory. */
static bool sort_entries(rind_program_list *list, int num_entries) {
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (int e = 0; e < num_entries; ++e) {
    if (list->entry[e].to < low) low = list->entry[e].to;
    if (list->entry[e].to > high) high = list->entry[e].to;
  }
  entry *room = malloc((size_t)num_entries * sizeof *room + 1);
  for (int shift = 0; room && num_entries > 0 && (high - low) >> shift > 0; shift += DIGIT_BITS) {
    entry *from = list->entry;
    sort_by_digit(from, num_entries, low, shift, room);
    list->entry = room;
    room = from;
  }
  free(room);
  return room != NULL;
}

/* The cells of sorted entries, ascending. False without memory. */
static bool find_cells(const rind_program_maker *maker, int num_entries, rind_program_list *list) {
  const entry *sorted = list->entry;
  int count = 0;
  for (int e = 0; e < num_entries; ++e)
    count += e == 0 || sorted[e].to != sorted[e - 1].to;
  list->cell = rind_allocate((size_t)count, sizeof *list->cell);
  for (int first = 0, last = 0; list->cell && first < num_entries; first = last) {
    while (last < num_entries && sorted[last].to == sorted[first].to)
      ++last;
    list->cell[list->num_cells++] =
        (cell){.to = sorted[first].to,
               .first = first,
               .num_terms = last - first,
               .kind = (int32_t)kind_of(maker, &sorted[first], last - first)};
  }
  return list->cell != NULL;
}

/* The slot of the only cell that a cell takes, or is a copy of; or RIND_PROGRAM_OWN. */
static int lone_slot(const rind_program_list *list, const cell *at) {
  if (at->kind == RIND_CELL_SUM || at->num_terms != 1) return RIND_PROGRAM_OWN;
  const int32_t term = list->entry[at->first].term;
  if (RIND_PROGRAM_SLOT(term) == RIND_PROGRAM_NONE) return RIND_PROGRAM_OWN;
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
  list->entry = malloc((size_t)num_entries * sizeof *list->entry + 1);
  if (list->entry) list_entries(maker, rows, list->entry);
  if (!list->entry || !sort_entries(list, (int)num_entries) ||
      !find_cells(maker, (int)num_entries, list)) {
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
