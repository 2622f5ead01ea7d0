/* program_cells.c - sorts what the rows of a block do by cell, and lays it out in slices. */
#include <core.h>
#include <limits.h>
#include <program_cells.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = RIND_PROGRAM_LANES };

/* One term of one cell. */
typedef struct entry {
  int32_t to;
  int32_t term;
  double weight;
  bool copies; /* the whole row is this copy */
} entry;

typedef enum cell_kind { CELL_MOVE, CELL_PLAIN, CELL_SUM } cell_kind;

/* A cell's entries are the num_terms ones from first on; none: it is written back. */
typedef struct cell {
  int32_t to;
  int32_t first;
  int32_t num_terms;
  int32_t kind;
} cell;

static int64_t count_entries(const rind_program_maker *maker, const rind_program_row *rows,
                             int num_rows) {
  int64_t count = 0;
  for (int r = 0; r < num_rows; ++r) {
    const rind_gather_row *row = &maker->gather->row[rows[r].row];
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

static void list_entries(const rind_program_maker *maker, const rind_program_row *rows,
                         int num_rows, entry *entries) {
  entry *next = entries;
  for (int r = 0; r < num_rows; ++r) {
    const rind_gather_row *row = &maker->gather->row[rows[r].row];
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
              next = list_value(maker, &rows[r], lane, to, own, source, next);
          }
  }
}

static int compare_cells(const void *a, const void *b) {
  const cell *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->kind == CELL_SUM && x->num_terms != y->num_terms)
    return x->num_terms < y->num_terms ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

static cell_kind kind_of(const rind_program_maker *maker, const entry *entries, int num_terms) {
  if (!maker->adds) return num_terms == 1 && entries->copies ? CELL_MOVE : CELL_SUM;
  if (num_terms > RIND_PROGRAM_PLAIN_TERMS) return CELL_SUM;
  for (int t = 0; t < num_terms; ++t)
    if (entries[t].weight != 1.0) return CELL_SUM;
  return CELL_PLAIN;
}

/* Sorts entries by cell, those of a cell as they are, into sorted; and lists the cells, ascending.
 * Their number, or -1 without memory. */
static int list_cells(const rind_program_maker *maker, const entry *entries, int num_entries,
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
    if (num_terms > 0) cells[count++] = (cell){low + (int32_t)c, first, num_terms, CELL_SUM};
    first += num_terms;
  }
  for (int e = 0; e < num_entries; ++e)
    sorted[end[entries[e].to - low]++] = entries[e];
  for (int c = 0; c < count; ++c)
    cells[c].kind = (int32_t)kind_of(maker, &sorted[cells[c].first], cells[c].num_terms);
  free(end);
  return count;
}

static bool may_write_back(const rind_program_maker *maker, ptrdiff_t element) {
  const ptrdiff_t at = element - maker->frame->lowest;
  if (at < 0 || at >= maker->frame->elements) return false;
  return !maker->adds || maker->interior[at];
}

/* Appends the cells that make whole sectors of those that ascending cells are in; the new number.
 */
static int complete_sectors(const rind_program_maker *maker, cell *cells, int num_cells) {
  const int32_t sector = maker->frame->sector;
  int count = num_cells;
  for (int first = 0, last = 0; first < num_cells; first = last) {
    int64_t within = ((int64_t)cells[first].to + maker->frame->phase) % sector;
    if (within < 0) within += sector;
    const int64_t begin = cells[first].to - within;
    while (last < num_cells && cells[last].to < begin + sector)
      ++last;
    for (int64_t element = begin, next = first; element < begin + sector; ++element) {
      if (next < last && cells[next].to == element)
        ++next;
      else if (may_write_back(maker, (ptrdiff_t)element))
        cells[count++] = (cell){(int32_t)element, 0, 0, maker->adds ? CELL_PLAIN : CELL_MOVE};
    }
  }
  return count;
}

/* Room for count more items; false without memory or beyond an int. */
static bool reserve(void **array, int num, int count, int *room, size_t bytes) {
  if (num > INT_MAX - count) return false;
  if (num + count <= *room) return true;
  const int wanted = num + count > INT_MAX / 2 ? INT_MAX : 2 * (num + count);
  void *moved = realloc(*array, (size_t)wanted * bytes);
  if (!moved) return false;
  *array = moved;
  *room = wanted;
  return true;
}

static bool reserve_moves(rind_program_maker *maker) {
  void *array = maker->made->move;
  const bool there =
      reserve(&array, maker->made->num_moves, LANES, &maker->room.moves, sizeof *maker->made->move);
  maker->made->move = array;
  return there;
}

/* For a slice of sums with num_terms terms. */
static bool reserve_sums(rind_program_maker *maker, int num_terms, bool plain) {
  rind_programs *made = maker->made;
  if (num_terms > INT_MAX / LANES) return false;
  void *sums = made->sum, *cells = made->cell, *terms = made->term, *weights = made->weight;
  const int count = num_terms * LANES;
  const bool there =
      reserve(&sums, made->num_sums, 1, &maker->room.sums, sizeof *made->sum) &&
      reserve(&cells, made->num_cells, LANES, &maker->room.cells, sizeof *made->cell) &&
      reserve(&terms, made->num_terms, count, &maker->room.terms, sizeof *made->term) &&
      (plain ||
       reserve(&weights, made->num_weights, count, &maker->room.weights, sizeof *made->weight));
  made->sum = sums;
  made->cell = cells;
  made->term = terms;
  made->weight = weights;
  return there;
}

/* A slice of the copies cells[0 .. count - 1]. */
static bool add_moves(rind_program_maker *maker, const cell *cells, int count,
                      const entry *entries) {
  rind_programs *made = maker->made;
  if (!reserve_moves(maker)) return false;
  for (int l = 0; l < LANES; ++l) {
    rind_program_move move = {RIND_PROGRAM_NO_CELL, rind_program_term(RIND_PROGRAM_NONE, false, 0)};
    if (l < count) move.cell = cells[l].to;
    if (l < count && cells[l].num_terms > 0)
      move.term = entries[cells[l].first].term;
    else if (l < count)
      move.term = rind_program_term(RIND_PROGRAM_OWN, false, move.cell);
    made->move[made->num_moves++] = move;
  }
  return true;
}

/* Term t of a cell's sum; with adds term 0 is the cell itself. */
static int32_t sum_term(const rind_program_maker *maker, const cell *at, int t,
                        const entry *entries, double *weight) {
  *weight = 1.0;
  if (maker->adds && t == 0) return rind_program_term(RIND_PROGRAM_OWN, false, at->to);
  const int number = t - (maker->adds ? 1 : 0);
  *weight = 0.0;
  if (number >= at->num_terms) return rind_program_term(RIND_PROGRAM_NONE, false, 0);
  *weight = entries[at->first + number].weight;
  return entries[at->first + number].term;
}

static bool add_sums(rind_program_maker *maker, const cell *cells, int count,
                     const entry *entries) {
  rind_programs *made = maker->made;
  const bool plain = cells->kind == CELL_PLAIN;
  int terms = 0;
  for (int l = 0; l < count; ++l)
    if (cells[l].num_terms > terms) terms = cells[l].num_terms;
  terms += maker->adds ? 1 : 0;
  if (!reserve_sums(maker, terms, plain)) return false;
  made->sum[made->num_sums++] =
      (rind_program_sum){made->num_cells, made->num_terms, plain ? -1 : made->num_weights, terms};
  for (int l = 0; l < LANES; ++l)
    made->cell[made->num_cells++] = l < count ? cells[l].to : RIND_PROGRAM_NO_CELL;
  for (int t = 0; t < terms; ++t)
    for (int l = 0; l < LANES; ++l) {
      double weight = 0.0;
      made->term[made->num_terms++] = l < count ? sum_term(maker, &cells[l], t, entries, &weight)
                                                : rind_program_term(RIND_PROGRAM_NONE, false, 0);
      if (!plain) made->weight[made->num_weights++] = weight;
    }
  return true;
}

/* Slices of cells of one kind. */
static bool add_slices(rind_program_maker *maker, const cell *cells, int num_cells,
                       const entry *entries) {
  for (int first = 0; first < num_cells; first += LANES) {
    const int left = num_cells - first, count = left < LANES ? left : LANES;
    if (!(cells->kind == CELL_MOVE ? add_moves(maker, &cells[first], count, entries)
                                   : add_sums(maker, &cells[first], count, entries)))
      return false;
  }
  return true;
}

static int count_kind(const cell *cells, int num_cells, cell_kind kind) {
  int count = 0;
  while (count < num_cells && cells[count].kind == (int32_t)kind)
    ++count;
  return count;
}

/* Slices of sorted cells. */
static bool add_cells(rind_program_maker *maker, const cell *cells, int num_cells,
                      const entry *entries, rind_program_item *item) {
  const rind_programs *made = maker->made;
  const int copies = count_kind(cells, num_cells, CELL_MOVE);
  const int plain = count_kind(&cells[copies], num_cells - copies, CELL_PLAIN);
  const int others = copies + plain;
  *item = (rind_program_item){.first_move = made->num_moves, .first_sum = made->num_sums};
  if (!add_slices(maker, cells, copies, entries) ||
      !add_slices(maker, &cells[copies], plain, entries) ||
      !add_slices(maker, &cells[others], num_cells - others, entries))
    return false;
  item->num_moves = (made->num_moves - item->first_move) / LANES;
  item->num_sums = made->num_sums - item->first_sum;
  return true;
}

bool rind_program_add(rind_program_maker *maker, const rind_program_row *rows, int num_rows,
                      rind_program_item *item) {
  const int64_t num_entries = count_entries(maker, rows, num_rows);
  const int32_t sector = maker->frame->sector;
  if (num_entries > INT_MAX / (sector > 0 ? 2 * sector : 1)) return false;
  entry *entries = rind_allocate((size_t)num_entries, sizeof *entries);
  entry *sorted = rind_allocate((size_t)num_entries, sizeof *sorted);
  cell *cells =
      rind_allocate((size_t)num_entries * (size_t)(sector > 0 ? sector : 1), sizeof *cells);
  int num_cells = -1;
  if (entries && sorted && cells) {
    list_entries(maker, rows, num_rows, entries);
    num_cells = list_cells(maker, entries, (int)num_entries, sorted, cells);
  }
  bool made = num_cells >= 0;
  if (made) {
    if (sector > 0) num_cells = complete_sectors(maker, cells, num_cells);
    qsort(cells, (size_t)num_cells, sizeof *cells, compare_cells);
    made = add_cells(maker, cells, num_cells, sorted, item);
  }
  free(entries);
  free(sorted);
  free(cells);
  return made;
}
