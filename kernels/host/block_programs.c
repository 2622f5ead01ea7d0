/* block_programs.c - finds the blocks whose rows are the same, and makes a program for each kind.
 */
#include <block_programs.h>

#include <core.h>
#include <program_kinds.h>
#include <stdlib.h>
#include <string.h>

typedef rind_program_table table;
typedef rind_program_kinds kinds;

/* A kind's program. */
typedef struct program {
  bool there;
  rind_program_item item; /* but for the block */
} program;

static size_t bytes_of(const rind_programs *made) {
  return (size_t)made->num_moves * sizeof *made->move +
         (size_t)made->num_cells * sizeof *made->cell +
         (size_t)made->num_terms * sizeof *made->term +
         (size_t)made->num_weights * sizeof *made->weight +
         (size_t)made->num_pairs * sizeof *made->pair;
}

/* The cells of kinds that a program is made of: the rows of a block, and of those it has pairs
 * with.
 */
static bool list_lists(const rind_program_maker *maker, const table *t, const kinds *alike,
                       int block, rind_program_list *own, rind_program_list *other) {
  const rind_program_link *link = rind_program_links_of(alike, t, block);
  bool there = rind_program_list_cells(maker, rind_program_rows_of(t, block), own);
  for (int s = 0; link && s < t->num_sources[block] && there; ++s)
    if (link[s].way == RIND_PAIRS_HERE)
      there = rind_program_list_cells(
          maker, rind_program_rows_of(t, alike->rows.block[link[s].kind]), &other[s]);
  return there;
}

static bool make_program(rind_program_maker *maker, const table *t, const kinds *alike, int block,
                         rind_program_item *item) {
  const rind_program_link *link = rind_program_links_of(alike, t, block);
  rind_program_list own = {0}, other[RIND_PROGRAM_MAX_SOURCES] = {{0}};
  const int num_links = link ? t->num_sources[block] : 0;
  const bool made = list_lists(maker, t, alike, block, &own, other) &&
                    rind_program_add(maker, &own, link, other, num_links, item);
  for (int s = 0; s < num_links; ++s)
    rind_program_list_free(&other[s]);
  rind_program_list_free(&own);
  return made;
}

/* The most used kinds first, as long as there is room. programs [alike->all.count]. Their bytes are
 * more than max_bytes if there was not. */
static bool make_programs(rind_program_maker *maker, const table *t, const kinds *alike,
                          size_t max_bytes, program *programs, bool *all) {
  rind_programs *made = maker->made;
  const int num_kinds = alike->all.count;
  int *order = rind_program_classes_by_use(&alike->all);
  if (!order) return false;
  bool there = true;
  *all = true;
  for (int k = 0; k < num_kinds && there && *all; ++k) {
    program *next = &programs[order[k]];
    const rind_programs before = *made;
    there = make_program(maker, t, alike, alike->all.block[order[k]], &next->item);
    next->there = there;
    if (!there || bytes_of(made) <= max_bytes) continue;
    next->there = *all = false;
    made->num_moves = before.num_moves;
    made->num_cells = before.num_cells;
    made->num_terms = before.num_terms;
    made->num_weights = before.num_weights;
    made->num_sums = before.num_sums;
    made->num_pairs = before.num_pairs;
  }
  free(order);
  return there;
}

static const program *program_of(const program *programs, int number) {
  return number >= 0 && programs[number].there ? &programs[number] : NULL;
}

static bool make_room(const table *t, const program *programs, const int *kind_of, bool batches,
                      rind_programs *made) {
  int items = 0, sources = 0, rest = 0;
  for (int b = 0; b < t->num_blocks; ++b) {
    const bool has_program = program_of(programs, kind_of[b]) != NULL;
    items += has_program;
    sources += has_program ? t->num_sources[b] : 0;
    if (!has_program) rest += batches ? 1 : t->first[b + 1] - t->first[b];
  }
  made->item = rind_allocate((size_t)items, sizeof *made->item);
  made->source = rind_allocate((size_t)sources, sizeof *made->source);
  made->rest = rind_allocate((size_t)rest, sizeof *made->rest);
  return made->item && made->source && made->rest;
}

static void list_rest(const rind_program_maker *maker, const table *t, const program *programs,
                      const int *kind_of) {
  rind_programs *made = maker->made;
  for (int b = 0; b < t->num_blocks; ++b) {
    if (program_of(programs, kind_of[b])) continue;
    for (int f = t->first[b]; !maker->adds && f < t->first[b + 1]; ++f)
      made->rest[made->num_rest++] = t->fill[f];
    if (maker->adds) made->rest[made->num_rest++] = b;
  }
}

static void fill_items(const rind_program_maker *maker, const table *t, const program *programs,
                       const kinds *alike) {
  rind_programs *made = maker->made;
  for (int n = 0; n < t->num_blocks; ++n) {
    const int b = alike->order[n];
    const program *of = program_of(programs, alike->all.number[b]);
    if (!of) continue;
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

/* Programs of all blocks with these kinds; *all is false where some had no room. */
static bool make_all(rind_program_maker *maker, const table *t, const kinds *alike,
                     size_t max_bytes, bool *all) {
  program *programs = rind_allocate((size_t)alike->all.count, sizeof *programs);
  const bool there = programs && make_programs(maker, t, alike, max_bytes, programs, all) &&
                     make_room(t, programs, alike->all.number, maker->adds, maker->made);
  if (there) {
    fill_items(maker, t, programs, alike);
    list_rest(maker, t, programs, alike->all.number);
  }
  free(programs);
  return there;
}

/* Pairs are for all blocks or for none: whether a block has some depends on its neighbours. */
bool rind_programs_make(const rind_gather *gather, const int *first_fill, int num_batches,
                        const rind_program_frame *frame, size_t max_bytes, rind_programs *made) {
  table t = {0};
  kinds alike = {0};
  const bool adds = first_fill != NULL;
  rind_program_maker maker = {.gather = gather, .frame = frame, .adds = adds, .made = made};
  const rind_program_maker fresh = maker;
  bool there = rind_program_table_make(gather, first_fill, num_batches, &t) &&
               rind_program_kinds_find(&maker, &t, max_bytes, &alike);
  *made = (rind_programs){.adds = adds};
  for (bool again = there, all = false; again;) {
    there = make_all(&maker, &t, &alike, max_bytes, &all);
    again = there && alike.link && !all;
    if (!there || again) {
      rind_programs_free(made);
      *made = (rind_programs){.adds = adds};
      maker = fresh;
    }
    if (again) rind_program_kinds_drop_pairs(&t, &alike);
  }
  rind_program_kinds_free(&alike);
  rind_program_table_free(&t);
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
  free(programs->pair);
  free(programs->rest);
  *programs = (rind_programs){0};
}
