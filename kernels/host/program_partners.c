/* program_partners.c - blocks that read lone cells of each other: neighbours across the faces where
 * the cells of a row's ends lie alone in their lines of memory. */
#include <core.h>
#include <program_partners.h>
#include <stdlib.h>

typedef rind_program_table table;

/* lone[k][s]: whether kind k has lone cells of the block of slot s. */
static bool find_lone_slots(const rind_program_maker *maker, const table *t,
                            const rind_program_classes *rows, bool (*lone)[RIND_PROGRAM_NONE]) {
  for (int k = 0; k < rows->count; ++k) {
    rind_program_list list;
    if (!rind_program_list_cells(maker, rind_program_rows_of(t, rows->block[k]), &list))
      return false;
    for (int c = 0; c < list.num_cells; ++c)
      lone[k][list.cell[c].lone] = true;
    lone[k][RIND_PROGRAM_OWN] = false;
    rind_program_list_free(&list);
  }
  return true;
}

/* block_of [num_indices]: of a destination, or -1. */
static int *find_blocks(const rind_program_maker *maker, const table *t, int *num_indices) {
  const rind_gather_fill *fill = maker->gather->fill;
  *num_indices = 0;
  for (int f = 0; f < t->first[t->num_blocks]; ++f)
    if (fill[f].to >= *num_indices) *num_indices = fill[f].to + 1;
  int *block_of = rind_allocate((size_t)*num_indices, sizeof *block_of);
  for (int i = 0; block_of && i < *num_indices; ++i)
    block_of[i] = -1;
  for (int b = 0; block_of && b < t->num_blocks; ++b)
    if (t->first[b] < t->first[b + 1]) block_of[fill[t->fill[t->first[b]]].to] = b;
  return block_of;
}

/* The slot of index source in a block, or 0. */
static int find_slot(const table *t, int block, int source) {
  const int32_t *sources = &t->source[t->first[block]];
  for (int s = 0; s < t->num_sources[block]; ++s)
    if (sources[s] == source) return s + 1;
  return 0;
}

bool rind_program_partners_find(const rind_program_maker *maker, const table *t,
                                const rind_program_classes *rows, rind_program_partners *made) {
  *made = (rind_program_partners){.maker = maker, .table = t, .number = rows->number};
  made->lone = rind_allocate((size_t)rows->count, sizeof *made->lone);
  made->block_of = find_blocks(maker, t, &made->num_indices);
  return made->lone && made->block_of && find_lone_slots(maker, t, rows, made->lone);
}

void rind_program_partners_free(rind_program_partners *old) {
  free(old->lone);
  free(old->block_of);
  *old = (rind_program_partners){0};
}

int rind_program_partner(const rind_program_partners *of, int block, int slot, int *slot_there) {
  const table *t = of->table;
  const int source = t->source[t->first[block] + slot - 1];
  const int other = source < of->num_indices ? of->block_of[source] : -1;
  if (other < 0 || other == block || of->number[other] < 0 || !of->lone[of->number[block]][slot])
    return -1;
  *slot_there = find_slot(t, other, of->maker->gather->fill[t->fill[t->first[block]]].to);
  return of->lone[of->number[other]][*slot_there] ? other : -1;
}

/* A partner near by that is in no group yet, or -1. */
static int next_partner(const rind_program_partners *of, int block, const bool *grouped) {
  enum { WINDOW = 64 };
  for (int s = 1; s <= of->table->num_sources[block]; ++s) {
    int there;
    const int other = rind_program_partner(of, block, s, &there);
    if (other >= 0 && !grouped[other] && abs(other - block) <= WINDOW) return other;
  }
  return -1;
}

bool rind_program_partners_order(const rind_program_partners *of, int group, int *order) {
  const int num_blocks = of->table->num_blocks;
  bool *grouped = rind_allocate((size_t)num_blocks, sizeof *grouped);
  if (!grouped) return false;
  int last = -1, num_ordered = 0; /* of those that have kinds */
  for (int count = 0, next = 0; count < num_blocks; ++count) {
    int block = num_ordered % group > 0 ? next_partner(of, last, grouped) : -1;
    while (block < 0 && grouped[next])
      ++next;
    if (block < 0) block = next;
    order[count] = block;
    grouped[block] = true;
    if (of->number[block] < 0) continue;
    last = block;
    ++num_ordered;
  }
  free(grouped);
  return true;
}
