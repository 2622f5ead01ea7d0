/* program_pairs.c - the pairs of a program: cells of two blocks, and ghosts that come to them. */
#include <core.h>
#include <program_cells.h>
#include <stdlib.h>

enum {
  PAIRS = RIND_PROGRAM_PAIRS,
  NEAR = 4 /* elements of this block that are likely to share a line of memory */
};

/* A run of this block's cells and one of the other's: ghosts go from beside the one to the other.
 */
typedef struct unit {
  int32_t low, high; /* elements of this block */
  int32_t slot;      /* of the other */
  int32_t first[2];  /* cell of this block, of the other */
  int32_t count[2];
  const rind_program_list *list[2];
} unit;

/* The next run of cells from *next on whose lone slot this is: its first cell and its length, 0 if
 * there is none. */
static int next_run(const rind_program_list *list, int slot, int *next, int *first) {
  const rind_program_cell *cells = list->cell;
  int c = *next;
  while (c < list->num_cells && cells[c].lone != slot)
    ++c;
  *first = c;
  while (c < list->num_cells && cells[c].lone == slot && cells[c].run == cells[*first].run)
    ++c;
  *next = c;
  return c - *first;
}

static void widen(unit *u, int32_t element) {
  if (element < u->low) u->low = element;
  if (element > u->high) u->high = element;
}

/* Where a unit lies in this block: its cells, and the ghosts that go to the other's. */
static void find_extent(unit *u) {
  u->low = INT32_MAX;
  u->high = INT32_MIN;
  for (int c = u->first[0]; c < u->first[0] + u->count[0]; ++c)
    widen(u, u->list[0]->cell[c].to);
  for (int c = u->first[1]; c < u->first[1] + u->count[1]; ++c)
    widen(u, RIND_PROGRAM_OFFSET(u->list[1]->entry[u->list[1]->cell[c].first].term));
}

/* The units of a link, appended to units; their number then. */
static int list_units(const rind_program_list *own, const rind_program_list *other, int slot,
                      int slot_there, unit *units, int count) {
  for (int next[2] = {0, 0};;) {
    unit u = {.slot = slot, .list = {own, other}};
    u.count[0] = next_run(own, slot, &next[0], &u.first[0]);
    u.count[1] = next_run(other, slot_there, &next[1], &u.first[1]);
    if (u.count[0] + u.count[1] == 0) return count;
    find_extent(&u);
    units[count++] = u;
  }
}

static int compare_units(const void *a, const void *b) {
  const unit *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->slot > y->slot) - (x->slot < y->slot);
}

static bool begin_slice(rind_program_maker *maker) {
  rind_programs *made = maker->made;
  void *pair = made->pair;
  const bool there = rind_program_reserve(&pair, made->num_pairs, 2 * PAIRS, &maker->room.pairs,
                                          sizeof *made->pair);
  made->pair = pair;
  for (int l = 0; there && l < 2 * PAIRS; ++l)
    made->pair[made->num_pairs++] = rind_program_term(RIND_PROGRAM_NONE, false, 0);
  return there;
}

/* Appends a unit to the last slice, of which *used pairs are there. */
static bool add_unit(rind_program_maker *maker, const unit *u, int *used) {
  for (int side = 0; side < 2; ++side)
    for (int c = u->first[side]; c < u->first[side] + u->count[side]; ++c) {
      const rind_program_cell *cell = &u->list[side]->cell[c];
      const int32_t ghost = u->list[side]->entry[cell->first].term;
      if (*used == PAIRS && !begin_slice(maker)) return false;
      *used %= PAIRS;
      int32_t *lane = maker->made->pair + maker->made->num_pairs - 2 * PAIRS + (*used)++;
      lane[0] = rind_program_term(side == 0 ? RIND_PROGRAM_OWN : u->slot, false, cell->to);
      lane[PAIRS] = rind_program_term(side == 0 ? u->slot : RIND_PROGRAM_OWN, true,
                                      RIND_PROGRAM_OFFSET(ghost));
    }
  return true;
}

static int pairs_of(const unit *u) {
  return u->count[0] + u->count[1];
}

/* Units side by side are in one slice if that holds them. */
static bool add_units(rind_program_maker *maker, const unit *units, int count) {
  int used = PAIRS;
  for (int first = 0, last = 0; first < count; first = last) {
    int together = pairs_of(&units[first]);
    for (last = first + 1; last < count && units[last].low - units[last - 1].high <= NEAR; ++last) {
      if (together + pairs_of(&units[last]) > PAIRS) break;
      together += pairs_of(&units[last]);
    }
    if (used + together > PAIRS && together <= PAIRS) used = PAIRS;
    for (int u = first; u < last; ++u)
      if (!add_unit(maker, &units[u], &used)) return false;
  }
  return true;
}

bool rind_program_add_pairs(rind_program_maker *maker, const rind_program_list *own,
                            const rind_program_link *link, const rind_program_list *other,
                            int num_links, rind_program_item *item) {
  size_t room = (size_t)own->num_cells;
  int count = 0;
  for (int l = 0; l < num_links; ++l)
    room += (size_t)other[l].num_cells;
  unit *units = rind_allocate(room, sizeof *units);
  item->first_pair = maker->made->num_pairs;
  for (int l = 0; units && l < num_links; ++l)
    if (link[l].way == RIND_PAIRS_HERE)
      count = list_units(own, &other[l], l + 1, link[l].slot, units, count);
  if (units && count > 0) qsort(units, (size_t)count, sizeof *units, compare_units);
  const bool made = units && add_units(maker, units, count);
  item->num_pairs = (maker->made->num_pairs - item->first_pair) / RIND_PROGRAM_LANES;
  free(units);
  return made;
}
