/* program_table.c - the rows of a gather, block by block. */
#include <core.h>
#include <program_table.h>
#include <stdlib.h>
#include <string.h>

typedef rind_program_table table;

void rind_program_table_free(table *t) {
  free(t->first);
  free(t->fill);
  free(t->row);
  free(t->source);
  free(t->num_sources);
}

/* Blocks are the batches, or all fills to one destination. */
static bool sort_fills(const rind_gather *gather, const int *first_fill, int num_batches,
                       table *t) {
  t->num_blocks = num_batches;
  for (int f = 0; f < gather->num_fills && !first_fill; ++f)
    if (gather->fill[f].to >= t->num_blocks) t->num_blocks = gather->fill[f].to + 1;
  const size_t fills = (size_t)gather->num_fills, blocks = (size_t)t->num_blocks;
  t->first = rind_allocate(blocks + 2, sizeof *t->first);
  t->fill = rind_allocate(fills, sizeof *t->fill);
  t->row = rind_allocate(fills, sizeof *t->row);
  t->source = rind_allocate(fills, sizeof *t->source);
  t->num_sources = rind_allocate(blocks, sizeof *t->num_sources);
  if (!t->first || !t->fill || !t->row || !t->source || !t->num_sources) return false;
  for (int f = 0; f < gather->num_fills; ++f)
    t->fill[f] = f;
  if (first_fill) {
    memcpy(t->first, first_fill, (blocks + 1) * sizeof *t->first);
    return true;
  }
  for (int f = 0; f < gather->num_fills; ++f)
    ++t->first[gather->fill[f].to + 2];
  for (int b = 0; b < t->num_blocks; ++b)
    t->first[b + 2] += t->first[b + 1];
  for (int f = 0; f < gather->num_fills; ++f)
    t->fill[t->first[gather->fill[f].to + 1]++] = f;
  return true;
}

/* Rows of a block in one order for all blocks: fills that run in any order make fewer programs so.
 */
static void sort_rows(const rind_gather *gather, table *t, int block) {
  for (int f = t->first[block] + 1; f < t->first[block + 1]; ++f)
    for (int at = f; at > t->first[block]; --at) {
      const int fill = t->fill[at];
      if (gather->fill[t->fill[at - 1]].row <= gather->fill[fill].row) break;
      t->fill[at] = t->fill[at - 1];
      t->fill[at - 1] = fill;
    }
}

/* True if each lane's first term is its own cell, with weight 1. */
static bool adds_in_place(const rind_gather_row *row) {
  if (row->num_own_first != 1 || row->num_own_last != 0) return false;
  for (int lane = 0; lane < row->num_lanes; ++lane)
    if (row->weight[lane] != 1.0 || row->offset[0] + row->own_offset[lane] != row->to_offset[lane])
      return false;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (row->extent[d] > 1 && row->own_stride[d] != row->to_stride[d]) return false;
  return true;
}

static ptrdiff_t reach(const int32_t *extent, const ptrdiff_t *stride) {
  ptrdiff_t far = 0;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    far += (extent[d] - 1) * (stride[d] < 0 ? -stride[d] : stride[d]);
  return far;
}

/* True if terms can hold all its offsets. */
static bool is_near(const rind_gather_row *row) {
  ptrdiff_t far = reach(row->extent, row->to_stride);
  if (reach(row->extent, row->own_stride) > far) far = reach(row->extent, row->own_stride);
  if (reach(row->extent, row->source_stride) > far) far = reach(row->extent, row->source_stride);
  const ptrdiff_t limit = RIND_PROGRAM_REACH / 4;
  bool near = far < limit;
  for (int lane = 0; lane < row->num_lanes && near; ++lane)
    near = llabs(row->to_offset[lane]) < limit && llabs(row->own_offset[lane]) < limit;
  for (int t = 0; t < row->num_terms && near; ++t)
    near = llabs(row->offset[t]) < limit;
  return near;
}

static bool *usable_rows(const rind_gather *gather, bool adds) {
  int num_rows = 0;
  for (int f = 0; f < gather->num_fills; ++f)
    if (gather->fill[f].row >= num_rows) num_rows = gather->fill[f].row + 1;
  bool *usable = rind_allocate((size_t)num_rows, sizeof *usable);
  for (int r = 0; usable && r < num_rows; ++r) {
    const rind_gather_row *row = &gather->row[r];
    usable[r] = is_near(row) && (!adds || (row->num_terms > 0 && adds_in_place(row)));
  }
  return usable;
}

/* Rows of a block, with slots in the order in which its sources appear. Rows of zeros have none. */
static void list_rows(const rind_gather *gather, const bool *usable, table *t, int block) {
  int32_t *source = &t->source[t->first[block]];
  int count = 0;
  for (int f = t->first[block]; f < t->first[block + 1]; ++f) {
    const rind_gather_fill *fill = &gather->fill[t->fill[f]];
    const bool zeros = gather->row[fill->row].num_terms == 0;
    int slot = 0;
    while (slot < count && source[slot] != fill->source && !zeros)
      ++slot;
    if (!usable[fill->row] || slot == RIND_PROGRAM_MAX_SOURCES) {
      t->num_sources[block] = -1;
      return;
    }
    if (slot == count && !zeros) source[count++] = fill->source;
    t->row[f] = (rind_program_row){fill->row, zeros ? RIND_PROGRAM_OWN : slot + 1};
  }
  t->num_sources[block] = count;
}

bool rind_program_table_make(const rind_gather *gather, const int *first_fill, int num_batches,
                             table *t) {
  *t = (table){0};
  bool *usable = usable_rows(gather, first_fill != NULL);
  const bool there = usable && sort_fills(gather, first_fill, num_batches, t);
  for (int b = 0; there && b < t->num_blocks; ++b) {
    if (!first_fill) sort_rows(gather, t, b);
    list_rows(gather, usable, t, b);
  }
  free(usable);
  return there;
}
