/* block_programs.c - finds the blocks whose rows are the same, and makes a program for each kind.
 */
#include <block_programs.h>

#include <core.h>
#include <limits.h>
#include <program_cells.h>
#include <stdlib.h>
#include <string.h>

/* The rows of all blocks: those of block b are [first[b], first[b + 1]). */
typedef struct table {
  int num_blocks;
  int *first;
  int *fill;             /* of the gather, [first[num_blocks]] */
  rind_program_row *row; /* their rows, and the slots of their sources in the block */
  int32_t *source;       /* distinct ones of block b, from first[b] on */
  int *num_sources;      /* of each block; -1: it cannot be in a program */
} table;

/* Blocks of the same rows. */
typedef struct kind {
  int block; /* the first of them */
  int uses;
  bool has_program;
  rind_program_item item; /* but for the block */
} kind;

static void free_table(table *t) {
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
    usable[r] = row->num_terms > 0 && is_near(row) && (!adds || adds_in_place(row));
  }
  return usable;
}

/* Rows of a block, with slots in the order in which its sources appear. */
static void list_rows(const rind_gather *gather, const bool *usable, table *t, int block) {
  int32_t *source = &t->source[t->first[block]];
  int count = 0;
  for (int f = t->first[block]; f < t->first[block + 1]; ++f) {
    const rind_gather_fill *fill = &gather->fill[t->fill[f]];
    int slot = 0;
    while (slot < count && source[slot] != fill->source)
      ++slot;
    if (!usable[fill->row] || slot == RIND_PROGRAM_MAX_SOURCES) {
      t->num_sources[block] = -1;
      return;
    }
    if (slot == count) source[count++] = fill->source;
    t->row[f] = (rind_program_row){fill->row, slot + 1};
  }
  t->num_sources[block] = count;
}

static uint64_t hash_rows(const rind_program_row *rows, int num_rows) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int r = 0; r < num_rows; ++r)
    hash = (hash ^ ((uint64_t)(uint32_t)rows[r].row << 32 | (uint32_t)rows[r].slot)) *
           0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static bool same_rows(const table *t, int a, int b) {
  const int count = t->first[a + 1] - t->first[a];
  return count == t->first[b + 1] - t->first[b] &&
         memcmp(&t->row[t->first[a]], &t->row[t->first[b]], (size_t)count * sizeof *t->row) == 0;
}

/* kind_of [num_blocks]: -1 without. kinds [num_blocks]. Their number, or -1 without memory. */
static int find_kinds(const table *t, kind *kinds, int *kind_of) {
  size_t room = 16;
  while (room < 2 * (size_t)t->num_blocks)
    room *= 2;
  int *place = rind_allocate(room, sizeof *place); /* kind + 1 */
  int count = 0;
  for (int b = 0; b < t->num_blocks && place; ++b) {
    const int num_rows = t->first[b + 1] - t->first[b];
    kind_of[b] = -1;
    if (num_rows == 0 || t->num_sources[b] < 0) continue;
    size_t at = hash_rows(&t->row[t->first[b]], num_rows) & (room - 1);
    while (place[at] > 0 && !same_rows(t, kinds[place[at] - 1].block, b))
      at = (at + 1) & (room - 1);
    if (place[at] == 0) {
      kinds[count] = (kind){.block = b};
      place[at] = ++count;
    }
    kind_of[b] = place[at] - 1;
    ++kinds[kind_of[b]].uses;
  }
  const bool there = place != NULL;
  free(place);
  return there ? count : -1;
}

static size_t bytes_of(const rind_programs *made) {
  return (size_t)made->num_moves * sizeof *made->move +
         (size_t)made->num_cells * sizeof *made->cell +
         (size_t)made->num_terms * sizeof *made->term +
         (size_t)made->num_weights * sizeof *made->weight;
}

typedef struct use {
  int uses;
  int kind;
} use;

static int compare_uses(const void *a, const void *b) {
  const use *x = a, *y = b;
  if (x->uses != y->uses) return x->uses > y->uses ? -1 : 1;
  return (x->kind > y->kind) - (x->kind < y->kind);
}

/* The most used kinds first, as long as there is room. */
static bool make_programs(rind_program_maker *maker, const table *t, kind *kinds, int num_kinds,
                          size_t max_bytes) {
  rind_programs *made = maker->made;
  use *order = rind_allocate((size_t)num_kinds, sizeof *order);
  if (!order) return false;
  for (int k = 0; k < num_kinds; ++k)
    order[k] = (use){kinds[k].uses, k};
  qsort(order, (size_t)num_kinds, sizeof *order, compare_uses);
  bool there = true;
  for (int k = 0; k < num_kinds && there; ++k) {
    kind *next = &kinds[order[k].kind];
    const rind_programs before = *made;
    const int first = t->first[next->block];
    there = rind_program_add(maker, &t->row[first], t->first[next->block + 1] - first, &next->item);
    next->has_program = true;
    if (there && bytes_of(made) > max_bytes) {
      next->has_program = false;
      made->num_moves = before.num_moves;
      made->num_cells = before.num_cells;
      made->num_terms = before.num_terms;
      made->num_weights = before.num_weights;
      made->num_sums = before.num_sums;
      break;
    }
  }
  free(order);
  return there;
}

static const kind *program_of(const kind *kinds, int number) {
  return number >= 0 && kinds[number].has_program ? &kinds[number] : NULL;
}

/* Items and the rest. */
static bool list_items(const table *t, const kind *kinds, const int *kind_of, bool batches,
                       rind_programs *made) {
  int items = 0, sources = 0, rest = 0;
  for (int b = 0; b < t->num_blocks; ++b) {
    const bool has_program = program_of(kinds, kind_of[b]) != NULL;
    items += has_program;
    sources += has_program ? t->num_sources[b] : 0;
    if (!has_program) rest += batches ? 1 : t->first[b + 1] - t->first[b];
  }
  made->item = rind_allocate((size_t)items, sizeof *made->item);
  made->source = rind_allocate((size_t)sources, sizeof *made->source);
  made->rest = rind_allocate((size_t)rest, sizeof *made->rest);
  return made->item && made->source && made->rest;
}

static void fill_items(const rind_program_maker *maker, const table *t, const kind *kinds,
                       const int *kind_of) {
  rind_programs *made = maker->made;
  for (int b = 0; b < t->num_blocks; ++b) {
    const kind *of = program_of(kinds, kind_of[b]);
    if (!of) {
      for (int f = t->first[b]; !maker->adds && f < t->first[b + 1]; ++f)
        made->rest[made->num_rest++] = t->fill[f];
      if (maker->adds) made->rest[made->num_rest++] = b;
      continue;
    }
    rind_program_item *item = &made->item[made->num_items++];
    *item = of->item;
    item->to = maker->gather->fill[t->fill[t->first[b]]].to;
    item->first_slot = made->num_sources;
    item->num_slots = t->num_sources[b];
    memcpy(&made->source[made->num_sources], &t->source[t->first[b]],
           (size_t)t->num_sources[b] * sizeof *made->source);
    made->num_sources += t->num_sources[b];
  }
}

/* A map of the interior; NULL without memory. */
static unsigned char *map_interior(const rind_program_frame *frame) {
  unsigned char *interior = rind_allocate((size_t)frame->elements, 1);
  const int32_t *extent = frame->extent;
  int32_t i[RIND_GATHER_DIMS];
  for (i[3] = 0; i[3] < extent[3] && interior; ++i[3])
    for (i[2] = 0; i[2] < extent[2]; ++i[2])
      for (i[1] = 0; i[1] < extent[1]; ++i[1])
        for (i[0] = 0; i[0] < extent[0]; ++i[0]) {
          ptrdiff_t at = -frame->lowest;
          for (int d = 0; d < RIND_GATHER_DIMS; ++d)
            at += i[d] * frame->stride[d];
          interior[at] = 1;
        }
  return interior;
}

bool rind_programs_make(const rind_gather *gather, const int *first_fill, int num_batches,
                        const rind_program_frame *frame, size_t max_bytes, rind_programs *made) {
  table t = {0};
  const bool adds = first_fill != NULL;
  *made = (rind_programs){.adds = adds};
  rind_program_maker maker = {.gather = gather, .frame = frame, .adds = adds, .made = made};
  bool *usable = usable_rows(gather, adds);
  unsigned char *interior = adds && frame->sector > 0 ? map_interior(frame) : NULL;
  kind *kinds = NULL;
  int *kind_of = NULL;
  maker.interior = interior;
  bool there = usable && (interior || !adds || frame->sector == 0) &&
               sort_fills(gather, first_fill, num_batches, &t);
  if (there) {
    kinds = rind_allocate((size_t)t.num_blocks, sizeof *kinds);
    kind_of = rind_allocate((size_t)t.num_blocks, sizeof *kind_of);
    for (int b = 0; b < t.num_blocks; ++b) {
      if (!adds) sort_rows(gather, &t, b);
      list_rows(gather, usable, &t, b);
    }
    const int num_kinds = kinds && kind_of ? find_kinds(&t, kinds, kind_of) : -1;
    there = num_kinds >= 0 && make_programs(&maker, &t, kinds, num_kinds, max_bytes) &&
            list_items(&t, kinds, kind_of, adds, made);
  }
  if (there)
    fill_items(&maker, &t, kinds, kind_of);
  else
    rind_programs_free(made);
  free(kinds);
  free(kind_of);
  free(usable);
  free(interior);
  free_table(&t);
  return there;
}

void rind_programs_free(rind_programs *programs) {
  free(programs->item);
  free(programs->source);
  free(programs->sum);
  free(programs->move);
  free(programs->cell);
  free(programs->term);
  free(programs->weight);
  free(programs->rest);
  *programs = (rind_programs){0};
}
