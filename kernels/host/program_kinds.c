/* program_kinds.c - finds the blocks whose rows, and whose pairs with neighbours, are the same. */
#include <program_kinds.h>

#include <core.h>
#include <stdlib.h>
#include <string.h>

typedef rind_program_table table;
typedef rind_program_classes classes;
typedef rind_program_link link;

/* What a block is compared by: two arrays of words. */
typedef struct key {
  const int32_t *word[2];
  size_t num_words[2];
} key;

static uint64_t hash_key(const key *of) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int part = 0; part < 2; ++part)
    for (size_t w = 0; w < of->num_words[part]; ++w)
      hash = (hash ^ (uint32_t)of->word[part][w]) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static bool same_key(const key *a, const key *b) {
  for (int part = 0; part < 2; ++part) {
    const size_t words = a->num_words[part];
    if (words != b->num_words[part] ||
        (words > 0 && memcmp(a->word[part], b->word[part], words * sizeof *a->word[part]) != 0))
      return false;
  }
  return true;
}

static bool allocate(int num_blocks, classes *made) {
  made->number = rind_allocate((size_t)num_blocks, sizeof *made->number);
  made->block = rind_allocate((size_t)num_blocks, sizeof *made->block);
  made->uses = rind_allocate((size_t)num_blocks, sizeof *made->uses);
  return made->number && made->block && made->uses;
}

static void free_classes(classes *old) {
  free(old->number);
  free(old->block);
  free(old->uses);
}

/* keys [num_blocks]; those without words have no class. */
static bool classify(const key *keys, int num_blocks, classes *made) {
  size_t room = 16;
  while (room < 2 * (size_t)num_blocks)
    room *= 2;
  int *place = rind_allocate(room, sizeof *place); /* class + 1 */
  const bool there = place && allocate(num_blocks, made);
  for (int b = 0; b < num_blocks && there; ++b) {
    made->number[b] = -1;
    if (keys[b].num_words[0] == 0) continue;
    size_t at = hash_key(&keys[b]) & (room - 1);
    while (place[at] > 0 && !same_key(&keys[made->block[place[at] - 1]], &keys[b]))
      at = (at + 1) & (room - 1);
    if (place[at] == 0) {
      made->block[made->count] = b;
      place[at] = ++made->count;
    }
    made->number[b] = place[at] - 1;
    ++made->uses[made->number[b]];
  }
  free(place);
  return there;
}

typedef struct use {
  int uses;
  int number;
} use;

static int compare_uses(const void *a, const void *b) {
  const use *x = a, *y = b;
  if (x->uses != y->uses) return x->uses > y->uses ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

int *rind_program_classes_by_use(const classes *of) {
  use *sorted = rind_allocate((size_t)of->count, sizeof *sorted);
  int *order = rind_allocate((size_t)of->count, sizeof *order);
  for (int k = 0; sorted && k < of->count; ++k)
    sorted[k] = (use){of->uses[k], k};
  if (sorted) qsort(sorted, (size_t)of->count, sizeof *sorted, compare_uses);
  for (int k = 0; sorted && order && k < of->count; ++k)
    order[k] = sorted[k].number;
  if (!sorted) {
    free(order);
    order = NULL;
  }
  free(sorted);
  return order;
}

static void key_rows(const table *t, key *keys) {
  for (int b = 0; b < t->num_blocks; ++b) {
    const rind_program_rows rows = rind_program_rows_of(t, b);
    keys[b] = (key){0};
    if (t->num_sources[b] < 0) continue;
    keys[b].word[0] = (const int32_t *)(const void *)rows.row;
    keys[b].num_words[0] = (size_t)rows.num_rows * (sizeof *rows.row / sizeof(int32_t));
  }
}

/* Adds what becomes of pairs. */
static void key_links(const table *t, const link *ways, key *keys) {
  for (int b = 0; b < t->num_blocks; ++b) {
    if (keys[b].num_words[0] == 0) continue;
    keys[b].word[1] = (const int32_t *)(const void *)&ways[t->first[b]];
    keys[b].num_words[1] = (size_t)t->num_sources[b] * (sizeof *ways / sizeof(int32_t));
  }
}

/* Takes the words of blocks whose programs cannot be within max_bytes. False without memory. */
static bool drop_large(const rind_program_maker *maker, const table *t, const classes *rows,
                       size_t max_bytes, key *keys, bool *dropped) {
  int *order = rind_program_classes_by_use(rows);
  bool *large = rind_allocate((size_t)rows->count, sizeof *large);
  const bool there = order && large;
  size_t bytes = 0;
  for (int k = 0; there && k < rows->count; ++k) {
    if (bytes <= max_bytes)
      bytes += rind_program_least_bytes(maker, rind_program_rows_of(t, rows->block[order[k]]));
    large[order[k]] = bytes > max_bytes;
  }
  *dropped = bytes > max_bytes;
  for (int b = 0; there && b < t->num_blocks; ++b)
    if (rows->number[b] >= 0 && large[rows->number[b]]) keys[b].num_words[0] = 0;
  free(order);
  free(large);
  return there;
}

/* The kinds of rows that may have programs. */
static bool find_rows(const rind_program_maker *maker, const table *t, size_t max_bytes, key *keys,
                      classes *rows, bool *dropped) {
  key_rows(t, keys);
  if (!classify(keys, t->num_blocks, rows) || !drop_large(maker, t, rows, max_bytes, keys, dropped))
    return false;
  if (!*dropped) return true;
  free_classes(rows);
  *rows = (classes){0};
  return classify(keys, t->num_blocks, rows);
}

typedef struct sharing {
  const rind_program_partners *partners;
  link *link; /* beside the table's sources */
} sharing;

static link *link_of(const sharing *of, int block, int slot) {
  return &of->link[of->partners->table->first[block] + slot - 1];
}

/* Gives a block all pairs that it shares with others and that nobody has; with only_alone if nobody
 * has any of them. */
static void take_pairs(const sharing *of, int block, bool only_alone) {
  const int num_sources = of->partners->table->num_sources[block];
  int there;
  for (int s = 1; s <= num_sources && only_alone; ++s)
    if (rind_program_partner(of->partners, block, s, &there) >= 0 &&
        link_of(of, block, s)->way != RIND_PAIRS_NONE)
      return;
  for (int s = 1; s <= num_sources; ++s) {
    const int other = rind_program_partner(of->partners, block, s, &there);
    if (other < 0 || link_of(of, block, s)->way != RIND_PAIRS_NONE) continue;
    *link_of(of, block, s) = (link){RIND_PAIRS_HERE, of->partners->number[other], there};
    *link_of(of, other, there) = (link){.way = RIND_PAIRS_THERE};
  }
}

/* As many blocks as can run all their pairs: what lies on both sides of a row's end is then written
 * at once. */
static bool share_pairs(const rind_program_partners *partners, rind_program_kinds *kinds) {
  const table *t = partners->table;
  kinds->link = rind_allocate((size_t)t->first[t->num_blocks], sizeof *kinds->link);
  const sharing of = {partners, kinds->link};
  for (int pass = 0; pass < 2 && of.link; ++pass)
    for (int b = 0; b < t->num_blocks; ++b)
      if (partners->number[b] >= 0) take_pairs(&of, b, pass == 0);
  return of.link != NULL;
}

/* Partners, where sources are blocks: the order of items, and with pairs who runs them. */
static bool find_partners(const rind_program_maker *maker, const table *t, bool pairs,
                          rind_program_kinds *kinds) {
  rind_program_partners partners;
  const bool there =
      rind_program_partners_find(maker, t, &kinds->rows, &partners) &&
      rind_program_partners_order(&partners, RIND_PROGRAM_NEIGHBOURS, kinds->order) &&
      (!pairs || share_pairs(&partners, kinds));
  rind_program_partners_free(&partners);
  return there;
}

bool rind_program_kinds_find(const rind_program_maker *maker, const table *t, size_t max_bytes,
                             rind_program_kinds *kinds) {
  *kinds = (rind_program_kinds){0};
  key *keys = rind_allocate((size_t)t->num_blocks, sizeof *keys);
  kinds->order = rind_allocate((size_t)t->num_blocks, sizeof *kinds->order);
  bool dropped = false;
  bool there = keys && kinds->order && find_rows(maker, t, max_bytes, keys, &kinds->rows, &dropped);
  for (int b = 0; b < t->num_blocks && there; ++b)
    kinds->order[b] = b;
  if (there && maker->frame->same_blocks)
    there = find_partners(maker, t, maker->adds && !dropped, kinds);
  if (there && kinds->link) key_links(t, kinds->link, keys);
  there = there && classify(keys, t->num_blocks, &kinds->all);
  free(keys);
  return there;
}

void rind_program_kinds_drop_pairs(const table *t, rind_program_kinds *kinds) {
  const size_t bytes = (size_t)t->num_blocks * sizeof *kinds->all.number;
  kinds->all.count = kinds->rows.count;
  memcpy(kinds->all.number, kinds->rows.number, bytes);
  memcpy(kinds->all.block, kinds->rows.block, bytes);
  memcpy(kinds->all.uses, kinds->rows.uses, bytes);
  free(kinds->link);
  kinds->link = NULL;
}

void rind_program_kinds_free(rind_program_kinds *kinds) {
  free_classes(&kinds->rows);
  free_classes(&kinds->all);
  free(kinds->link);
  free(kinds->order);
  *kinds = (rind_program_kinds){0};
}
