/* adjoint_entries.c - every product weight * ghost that an adjoint adds, cell by cell. */
#include "adjoint_entries.h"

#include <stdlib.h>
#include <string.h>

static void add(adjoint_entries *entries, const adjoint_entry *entry) {
  if (entries->count == entries->room) {
    entries->room = entries->room > 0 ? 2 * entries->room : 1024;
    entries->entry = realloc(entries->entry, (size_t)entries->room * sizeof *entries->entry);
    if (!entries->entry) exit(1);
  }
  entries->entry[entries->count] = *entry;
  entries->entry[entries->count].order = entries->count;
  ++entries->count;
}

static int compare(const void *left, const void *right) {
  const adjoint_entry *a = left, *b = right;
  if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
  if (a->block != b->block) return a->block < b->block ? -1 : 1;
  if (a->component != b->component) return a->component < b->component ? -1 : 1;
  for (int axis = 0; axis < 3; ++axis)
    if (a->cell[axis] != b->cell[axis]) return a->cell[axis] < b->cell[axis] ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static void sort(adjoint_entries *entries) {
  if (entries->count > 0)
    qsort(entries->entry, (size_t)entries->count, sizeof *entries->entry, compare);
}

static void cell_of(const rind_box *box, const int i[3], int32_t cell[3]) {
  for (int a = 0; a < 3; ++a)
    cell[box->axis[a]] = box->origin[box->axis[a]] + i[a] * box->step[a];
}

/* The products of one term over a fill's box; adjoint: the term is the ghost, the box the cell. */
static void add_term(const rind_fill_view *fill, const rind_term_view *term, int phase, int adjoint,
                     adjoint_entries *entries) {
  int i[3];
  for (i[2] = 0; i[2] < fill->extent[2]; ++i[2])
    for (i[1] = 0; i[1] < fill->extent[1]; ++i[1])
      for (i[0] = 0; i[0] < fill->extent[0]; ++i[0]) {
        adjoint_entry entry = {
            .phase = phase, .component = fill->component, .weight = term->weight};
        entry.block = adjoint ? fill->block : term->block;
        entry.ghost_block = adjoint ? term->block : fill->block;
        cell_of(&fill->box, i, adjoint ? entry.cell : entry.ghost);
        cell_of(&term->box, i, adjoint ? entry.ghost : entry.cell);
        add(entries, &entry);
      }
}

void adjoint_entries_forward(const rind_schedule *forward, adjoint_entries *entries) {
  for (int f = rind_schedule_num_fills(forward) - 1; f >= 0; --f) {
    rind_fill_view fill;
    if (rind_schedule_fill(forward, f, &fill) != RIND_OK) exit(1);
    for (int t = 0; t < fill.num_terms; ++t) {
      rind_term_view term;
      if (rind_schedule_term(forward, f, t, &term) != RIND_OK) exit(1);
      if (term.block >= 0) add_term(&fill, &term, fill.phase, 0, entries);
    }
  }
  sort(entries);
}

void adjoint_entries_adjoint(const rind_schedule *adjoint, adjoint_entries *entries) {
  for (int f = 0; f < rind_schedule_num_fills(adjoint); ++f) {
    rind_fill_view fill;
    if (rind_schedule_fill(adjoint, f, &fill) != RIND_OK) exit(1);
    for (int t = 1; t < fill.num_terms; ++t) {
      rind_term_view term;
      if (rind_schedule_term(adjoint, f, t, &term) != RIND_OK) exit(1);
      add_term(&fill, &term, adjoint->num_phases / 2 - 1 - fill.phase / 2, 1, entries);
    }
  }
  sort(entries);
}

int adjoint_entries_equal(const adjoint_entries *a, const adjoint_entries *b, int *where) {
  const int least = a->count < b->count ? a->count : b->count;
  for (*where = 0; *where < least; ++*where) {
    adjoint_entry x = a->entry[*where];
    x.order = b->entry[*where].order;
    if (compare(&x, &b->entry[*where]) != 0 ||
        memcmp(&x.weight, &b->entry[*where].weight, sizeof x.weight) != 0 ||
        x.ghost_block != b->entry[*where].ghost_block ||
        memcmp(x.ghost, b->entry[*where].ghost, sizeof x.ghost) != 0)
      return 0;
  }
  return a->count == b->count;
}

void adjoint_entries_free(adjoint_entries *entries) {
  free(entries->entry);
  *entries = (adjoint_entries){0};
}
