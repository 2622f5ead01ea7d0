/* groups.c - sorts particles: by block, then within each block by group, then by id. */
#include <particles_data.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first block of a thread that went wrong. */
typedef struct fault {
  int block; /* num_blocks: none */
  bool memory;
  int64_t id; /* that of two particles, if memory is not it */
} fault;

/* An item is a given particle, or num_given + a record. */
typedef struct sorter {
  rind_particles *set;
  const rind_arrivals *from;
  int64_t num_items;
  int threads;
  int64_t *slot;    /* [threads * num_blocks], where a thread's next item of a block goes */
  uint64_t *sorted; /* [count], by block: the group in it, then the item, 32 bits each */
  uint32_t *item;   /* [count], by group */
  int64_t *scratch; /* [threads * num_groups] */
  fault *found;     /* [threads] */
} sorter;

typedef struct tagged {
  int64_t id;
  uint32_t item;
} tagged;

static int32_t block_of(const sorter *s, int64_t item) {
  const int64_t given = s->from->given.count;
  return item < given ? s->from->given_block[item] : s->from->record_block[item - given];
}

static const char *record_of(const sorter *s, uint32_t item) {
  return s->from->records + (size_t)(item - s->from->given.count) * s->from->record_bytes;
}

static double coordinate_of(const sorter *s, int axis, uint32_t item) {
  if (item < s->from->given.count)
    return rind_locator_wrap(&s->set->locator, axis, s->from->given.position[axis][item]);
  double x;
  memcpy(&x, record_of(s, item) + (size_t)axis * sizeof x, sizeof x);
  return x;
}

static int64_t id_of(const sorter *s, uint32_t item) {
  if (item < s->from->given.count) return s->from->given.id[item];
  int64_t id;
  memcpy(&id, record_of(s, item) + (size_t)s->set->dim * sizeof(double), sizeof id);
  return id;
}

static double attribute_of(const sorter *s, int k, uint32_t item) {
  if (item < s->from->given.count) return s->from->given.attribute[k][item];
  double value;
  memcpy(&value, record_of(s, item) + ((size_t)s->set->dim + 1 + (size_t)k) * sizeof(double),
         sizeof value);
  return value;
}

/* The items of one thread. */
static void range_of(const sorter *s, int thread, int64_t *first, int64_t *last) {
  const int64_t part = s->num_items / s->threads + 1;
  *first = thread * part < s->num_items ? thread * part : s->num_items;
  *last = *first + part < s->num_items ? *first + part : s->num_items;
}

/* Stable: by block, and within one by item. */
static void sort_by_block(const sorter *s) {
  const int num_blocks = s->set->num_blocks;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
  for (int t = 0; t < s->threads; ++t) {
    int64_t first, last, *slot = s->slot + (size_t)t * (size_t)num_blocks;
    range_of(s, t, &first, &last);
    for (int64_t i = first; i < last; ++i)
      if (block_of(s, i) >= 0) ++slot[block_of(s, i)];
  }
  int64_t sum = 0, *in_block = s->set->first_in_block;
  for (int b = 0; b < num_blocks; ++b) {
    in_block[b] = sum;
    for (int t = 0; t < s->threads; ++t) {
      int64_t *slot = &s->slot[(size_t)t * (size_t)num_blocks + (size_t)b];
      const int64_t here = *slot;
      *slot = sum;
      sum += here;
    }
  }
  in_block[num_blocks] = sum;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
  for (int t = 0; t < s->threads; ++t) {
    int64_t first, last, *slot = s->slot + (size_t)t * (size_t)num_blocks;
    range_of(s, t, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      const int32_t block = block_of(s, i);
      if (block < 0) continue;
      double x[3] = {0};
      for (int a = 0; a < s->set->dim; ++a)
        x[a] = coordinate_of(s, a, (uint32_t)i);
      const uint64_t group = (uint64_t)rind_particles_group(s->set, block, x);
      s->sorted[slot[block]++] = group << 32 | (uint64_t)i;
    }
  }
}

static int compare_tagged(const void *one, const void *other) {
  const tagged *a = one, *b = other;
  return (a->id > b->id) - (a->id < b->id);
}

/* Sorts the items of a group that are not in the order of their ids. False without memory. */
static bool sort_group(const sorter *s, int64_t first, int64_t last) {
  const size_t n = (size_t)(last - first);
  tagged few[64], *list = n <= 64 ? few : malloc(n * sizeof *list);
  if (!list) return false;
  for (size_t i = 0; i < n; ++i)
    list[i] = (tagged){.id = s->set->id[first + (int64_t)i], .item = s->item[first + (int64_t)i]};
  if (n <= 64) {
    for (size_t i = 1; i < n; ++i) {
      const tagged moved = list[i];
      size_t j = i;
      for (; j > 0 && list[j - 1].id > moved.id; --j)
        list[j] = list[j - 1];
      list[j] = moved;
    }
  } else {
    qsort(list, n, sizeof *list, compare_tagged);
  }
  for (size_t i = 0; i < n; ++i) {
    s->set->id[first + (int64_t)i] = list[i].id;
    s->item[first + (int64_t)i] = list[i].item;
  }
  if (list != few) free(list);
  return true;
}

static void note(fault *found, fault what) {
  if (what.block < found->block) *found = what;
}

static void sort_block(const sorter *s, int block, int64_t *slot, fault *found) {
  rind_particles *set = s->set;
  const int64_t begin = set->first_in_block[block], end = set->first_in_block[block + 1];
  int64_t *first = set->first_in_group + block * set->num_groups;
  memset(slot, 0, (size_t)set->num_groups * sizeof *slot);
  for (int64_t p = begin; p < end; ++p)
    ++slot[s->sorted[p] >> 32];
  int64_t sum = begin;
  for (int64_t k = 0; k < set->num_groups; ++k) {
    first[k] = sum;
    sum += slot[k];
    slot[k] = first[k];
  }
  for (int64_t p = begin; p < end; ++p) {
    const int64_t to = slot[s->sorted[p] >> 32]++;
    s->item[to] = (uint32_t)s->sorted[p];
    set->id[to] = id_of(s, s->item[to]);
  }
  for (int64_t k = 0; k < set->num_groups; ++k) {
    const int64_t last = slot[k];
    bool ascend = true;
    for (int64_t p = first[k] + 1; p < last && ascend; ++p)
      ascend = set->id[p - 1] < set->id[p];
    if (ascend) continue;
    if (!sort_group(s, first[k], last)) {
      note(found, (fault){.block = block, .memory = true});
      continue;
    }
    for (int64_t p = first[k] + 1; p < last; ++p)
      if (set->id[p - 1] == set->id[p]) note(found, (fault){.block = block, .id = set->id[p]});
  }
  for (int a = 0; a < set->dim; ++a)
    for (int64_t p = begin; p < end; ++p)
      set->position[a][p] = coordinate_of(s, a, s->item[p]);
  for (int k = 0; k < set->num_attributes; ++k)
    for (int64_t p = begin; p < end; ++p)
      set->attribute[k][p] = attribute_of(s, k, s->item[p]);
}

static rind_error sort_blocks(const sorter *s) {
  rind_particles *set = s->set;
  int next = 0;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
  for (int t = 0; t < s->threads; ++t) {
    s->found[t] = (fault){.block = set->num_blocks};
    for (;;) {
      int block;
#pragma omp atomic capture
      block = next++;
      if (block >= set->num_blocks) break;
      sort_block(s, block, s->scratch + t * set->num_groups, &s->found[t]);
    }
  }
  set->first_in_group[set->num_blocks * set->num_groups] = set->count;
  fault first = s->found[0];
  for (int t = 1; t < s->threads; ++t)
    note(&first, s->found[t]);
  if (first.block == set->num_blocks) return RIND_OK;
  RIND_REQUIRE(set->context, !first.memory, RIND_ERROR_MEMORY,
               "no memory to sort the particles of block %d", first.block);
  return rind_context_fail(set->context, RIND_ERROR_INVALID,
                           "id %" PRId64 " is that of two particles: each once it must be",
                           first.id);
}

static rind_error allocate_set(rind_particles *set) {
  const size_t n = (size_t)set->count;
  bool fine = (set->id = malloc((n + 1) * sizeof *set->id)) != NULL;
  for (int a = 0; a < set->dim; ++a)
    fine = fine && (set->position[a] = malloc((n + 1) * sizeof(double)));
  set->attribute = rind_allocate((size_t)set->num_attributes, sizeof *set->attribute);
  for (int k = 0; k < set->num_attributes; ++k)
    fine = fine && set->attribute && (set->attribute[k] = malloc((n + 1) * sizeof(double)));
  const int64_t groups = set->num_blocks * set->num_groups;
  set->first_in_block = rind_allocate((size_t)set->num_blocks + 1, sizeof *set->first_in_block);
  set->first_in_group = rind_allocate((size_t)groups + 1, sizeof *set->first_in_group);
  RIND_REQUIRE(set->context, fine && set->attribute && set->first_in_block && set->first_in_group,
               RIND_ERROR_MEMORY,
               "no memory for %" PRId64 " particles with %d attributes in %" PRId64 " groups",
               set->count, set->num_attributes, groups);
  return RIND_OK;
}

static rind_error allocate_sorter(sorter *s) {
  const size_t n = (size_t)s->set->count, threads = (size_t)s->threads;
  s->slot = rind_allocate(threads * (size_t)s->set->num_blocks, sizeof *s->slot);
  s->sorted = malloc((n + 1) * sizeof *s->sorted);
  s->item = malloc((n + 1) * sizeof *s->item);
  s->scratch = rind_allocate(threads * (size_t)s->set->num_groups, sizeof *s->scratch);
  s->found = rind_allocate(threads, sizeof *s->found);
  RIND_REQUIRE(s->set->context, s->slot && s->sorted && s->item && s->scratch && s->found,
               RIND_ERROR_MEMORY, "no memory to sort %" PRId64 " particles", s->set->count);
  return RIND_OK;
}

rind_error rind_particles_fill(rind_particles *particles, const rind_arrivals *arrivals) {
  sorter s = {.set = particles,
              .from = arrivals,
              .num_items = arrivals->given.count + arrivals->num_records,
              .threads = particles->context->threads};
  RIND_REQUIRE(particles->context, s.num_items < UINT32_MAX, RIND_ERROR_OVERFLOW,
               "%" PRId64 " particles on a rank: fewer than %lld it must be", s.num_items,
               (long long)UINT32_MAX);
  particles->count = arrivals->num_records;
  for (int64_t i = 0; i < arrivals->given.count; ++i)
    particles->count += arrivals->given_block[i] >= 0;
  rind_error error = allocate_set(particles);
  if (error == RIND_OK) error = allocate_sorter(&s);
  if (error == RIND_OK) {
    sort_by_block(&s);
    error = sort_blocks(&s);
  }
  free(s.slot);
  free(s.sorted);
  free(s.item);
  free(s.scratch);
  free(s.found);
  return error;
}
