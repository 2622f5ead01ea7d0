/* program_slices.c - lays a block's cells out in slices of a program. */
#include <core.h>
#include <limits.h>
#include <program_cells.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = RIND_PROGRAM_LANES };

typedef rind_program_entry entry;
typedef rind_program_cell cell;

static int compare_cells(const void *a, const void *b) {
  const cell *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->kind == RIND_CELL_SUM && x->num_terms != y->num_terms)
    return x->num_terms < y->num_terms ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

static bool may_write_back(const rind_program_maker *maker, ptrdiff_t element) {
  const ptrdiff_t at = element - maker->frame->lowest;
  return at >= 0 && at < maker->frame->elements;
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
        cells[count++] = (cell){.to = (int32_t)element, .kind = RIND_CELL_MOVE};
    }
  }
  return count;
}

/* Room for count more items; false without memory or beyond an int. */
bool rind_program_reserve(void **array, int num, int count, int *room, size_t bytes) {
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
  const bool there = rind_program_reserve(&array, maker->made->num_moves, LANES, &maker->room.moves,
                                          sizeof *maker->made->move);
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
      rind_program_reserve(&sums, made->num_sums, 1, &maker->room.sums, sizeof *made->sum) &&
      rind_program_reserve(&cells, made->num_cells, LANES, &maker->room.cells,
                           sizeof *made->cell) &&
      rind_program_reserve(&terms, made->num_terms, count, &maker->room.terms,
                           sizeof *made->term) &&
      (plain || rind_program_reserve(&weights, made->num_weights, count, &maker->room.weights,
                                     sizeof *made->weight));
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
  const bool plain = cells->kind == RIND_CELL_PLAIN;
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
    if (!(cells->kind == RIND_CELL_MOVE ? add_moves(maker, &cells[first], count, entries)
                                        : add_sums(maker, &cells[first], count, entries)))
      return false;
  }
  return true;
}

static int count_kind(const cell *cells, int num_cells, rind_program_cell_kind kind) {
  int count = 0;
  while (count < num_cells && cells[count].kind == (int32_t)kind)
    ++count;
  return count;
}

/* Slices of sorted cells. */
static bool add_cells(rind_program_maker *maker, const cell *cells, int num_cells,
                      const entry *entries, rind_program_item *item) {
  const rind_programs *made = maker->made;
  const int copies = count_kind(cells, num_cells, RIND_CELL_MOVE);
  const int plain = count_kind(&cells[copies], num_cells - copies, RIND_CELL_PLAIN);
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

/* The cells that the program sums or copies: not those of pairs. */
static int list_others(const rind_program_list *own, const rind_program_link *link, int num_links,
                       cell *cells) {
  int count = 0;
  for (int c = 0; c < own->num_cells; ++c) {
    const int slot = own->cell[c].lone;
    if (slot == RIND_PROGRAM_OWN || slot > num_links || link[slot - 1].way == RIND_PAIRS_NONE)
      cells[count++] = own->cell[c];
  }
  return count;
}

bool rind_program_add(rind_program_maker *maker, const rind_program_list *own,
                      const rind_program_link *link, const rind_program_list *other, int num_links,
                      rind_program_item *item) {
  const int32_t sector = maker->adds ? 0 : maker->frame->sector;
  if (own->num_cells > INT_MAX / (sector > 0 ? 2 * sector : 1)) return false;
  const size_t room = (size_t)own->num_cells * (size_t)(sector > 0 ? sector : 1);
  cell *cells = rind_allocate(room, sizeof *cells);
  if (!cells) return false;
  int num_cells = list_others(own, link, num_links, cells);
  if (sector > 0) num_cells = complete_sectors(maker, cells, num_cells);
  qsort(cells, (size_t)num_cells, sizeof *cells, compare_cells);
  const bool made = add_cells(maker, cells, num_cells, own->entry, item) &&
                    rind_program_add_pairs(maker, own, link, other, num_links, item);
  free(cells);
  return made;
}
