/* groups.c - sorts particles: by block, column after column into the set's arrays, then within each
 * block by group, then by id. */
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

/* What a thread sorts a block with. */
typedef struct bench {
  int64_t *next;   /* [num_groups], where the next particle of a group goes */
  uint32_t *order; /* [most], particles of the block by group, counted from the block's first */
  int64_t *column; /* [most], what is permuted */
  fault found;
} bench;

/* An item is a given particle, or the number of given ones + a record. */
typedef struct sorter {
  rind_particles *set;
  const rind_arrivals *from;
  int64_t num_items;
  int threads;
  int64_t *next;   /* [threads * num_blocks], where a thread's next item of a block goes */
  uint32_t *place; /* [num_items], in the set, by block; GONE: on another rank */
  uint32_t *group; /* [count], in its block, of the particle in that place */
  bench *bench;    /* [threads] */
} sorter;

static const uint32_t GONE = UINT32_MAX;
enum { FEW = 32 };

typedef struct tagged {
  int64_t id;
  uint32_t item;
} tagged;

static int32_t block_of(const sorter *s, int64_t item) {
  const int64_t given = s->from->given.count;
  return item < given ? s->from->given_block[item] : s->from->record_block[item - given];
}

/* The items of one thread. */
static void range_of(const sorter *s, int thread, int64_t *first, int64_t *last) {
  const int64_t part = s->num_items / s->threads + 1;
  *first = thread * part < s->num_items ? thread * part : s->num_items;
  *last = *first + part < s->num_items ? *first + part : s->num_items;
}

/* Stable: by block, and within one by item. */
static void find_places(const sorter *s) {
  const int num_blocks = s->set->num_blocks;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
  for (int t = 0; t < s->threads; ++t) {
    int64_t first, last, *next = s->next + (size_t)t * (size_t)num_blocks;
    range_of(s, t, &first, &last);
    for (int64_t i = first; i < last; ++i)
      if (block_of(s, i) >= 0) ++next[block_of(s, i)];
  }
  int64_t sum = 0, *in_block = s->set->first_in_block;
  for (int b = 0; b < num_blocks; ++b) {
    in_block[b] = sum;
    for (int t = 0; t < s->threads; ++t) {
      int64_t *next = &s->next[(size_t)t * (size_t)num_blocks + (size_t)b];
      const int64_t here = *next;
      *next = sum;
      sum += here;
    }
  }
  in_block[num_blocks] = sum;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
  for (int t = 0; t < s->threads; ++t) {
    int64_t first, last, *next = s->next + (size_t)t * (size_t)num_blocks;
    range_of(s, t, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      const int32_t block = block_of(s, i);
      s->place[i] = block < 0 ? GONE : (uint32_t)next[block]++;
    }
  }
}

/* 8 bytes of each item to its place: those of the given column, and word of the records. */
static void place_column(const sorter *s, const void *column, size_t word, void *to) {
  const rind_arrivals *from = s->from;
  const char *given = column, *records = from->records;
  char *placed = to;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
  for (int t = 0; t < s->threads; ++t) {
    int64_t first, last;
    range_of(s, t, &first, &last);
    const int64_t middle = last < from->given.count ? last : from->given.count;
    for (int64_t i = first; i < middle; ++i)
      if (s->place[i] != GONE) memcpy(placed + 8 * (size_t)s->place[i], given + 8 * i, 8);
    for (int64_t i = first > middle ? first : middle; i < last; ++i)
      memcpy(placed + 8 * (size_t)s->place[i],
             records + (size_t)(i - from->given.count) * from->record_bytes + 8 * word, 8);
  }
}

/* Every column, block by block; positions given are moved into the domain. */
static void place_columns(const sorter *s) {
  rind_particles *set = s->set;
  const rind_particle_arrays *given = &s->from->given;
  const size_t dim = (size_t)set->dim;
  for (size_t a = 0; a < dim; ++a) {
    place_column(s, given->position[a], a, set->position[a]);
    if (!set->locator.periodic[a]) continue;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t p = 0; p < set->count; ++p)
      set->position[a][p] = rind_locator_wrap(&set->locator, (int)a, set->position[a][p]);
  }
  place_column(s, given->id, dim, set->id);
  for (int k = 0; k < set->num_attributes; ++k)
    place_column(s, given->attribute ? given->attribute[k] : NULL, dim + 1 + (size_t)k,
                 set->attribute[k]);
}

/* Few: each moves down to its place. */
static void insert(tagged *list, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const tagged moved = list[i];
    size_t j = i;
    for (; j > 0 && list[j - 1].id > moved.id; --j)
      list[j] = list[j - 1];
    list[j] = moved;
  }
}

/* The end of the ascending run that begins there. */
static size_t run_end(const tagged *list, size_t begin, size_t n) {
  size_t end = begin < n ? begin + 1 : n;
  while (end < n && list[end - 1].id <= list[end].id)
    ++end;
  return end;
}

/* Many: runs that ascend, as those that come from one group do, are merged pair by pair. Returns
 * list or spare, whichever holds the result. */
static tagged *merge_runs(tagged *list, tagged *spare, size_t n) {
  while (run_end(list, 0, n) < n) {
    for (size_t begin = 0; begin < n;) {
      const size_t middle = run_end(list, begin, n), end = run_end(list, middle, n);
      size_t i = begin, j = middle;
      for (size_t k = begin; k < end; ++k)
        spare[k] = j == end || (i < middle && list[i].id <= list[j].id) ? list[i++] : list[j++];
      begin = end;
    }
    tagged *const merged = spare;
    spare = list;
    list = merged;
  }
  return list;
}

/* Sorts the items of a group that are not in the order of their ids. False without memory. */
static bool sort_group(int64_t *id, uint32_t *order, size_t n) {
  tagged few[FEW], *memory = n <= FEW ? few : malloc(2 * n * sizeof *memory), *list = memory;
  if (!memory) return false;
  for (size_t i = 0; i < n; ++i)
    list[i] = (tagged){.id = id[i], .item = order[i]};
  if (n <= FEW)
    insert(list, n);
  else
    list = merge_runs(list, list + n, n);
  for (size_t i = 0; i < n; ++i) {
    id[i] = list[i].id;
    order[i] = list[i].item;
  }
  if (memory != few) free(memory);
  return true;
}

static void note(fault *found, fault what) {
  if (what.block < found->block) *found = what;
}

/* Orders a block's particles by group. */
static void order_block(const sorter *s, int block, bench *at) {
  rind_particles *set = s->set;
  const int64_t begin = set->first_in_block[block], end = set->first_in_block[block + 1];
  int64_t *first = set->first_in_group + block * set->num_groups, sum = 0;
  memset(at->next, 0, (size_t)set->num_groups * sizeof *at->next);
  for (int64_t p = begin; p < end; ++p) {
    double x[3] = {0};
    for (int a = 0; a < set->dim; ++a)
      x[a] = set->position[a][p];
    s->group[p] = (uint32_t)rind_particles_group(set, block, x);
    ++at->next[s->group[p]];
  }
  for (int64_t k = 0; k < set->num_groups; ++k) {
    const int64_t here = at->next[k];
    first[k] = begin + sum;
    at->next[k] = sum;
    sum += here;
  }
  for (int64_t p = begin; p < end; ++p)
    at->order[at->next[s->group[p]]++] = (uint32_t)(p - begin);
}

static void permute(const bench *at, void *column, int64_t begin, int64_t count) {
  int64_t *values = (int64_t *)column + begin;
  memcpy(at->column, values, (size_t)count * sizeof *values);
  for (int64_t p = 0; p < count; ++p)
    values[p] = at->column[at->order[p]];
}

/* Puts each group in the order of ids, which are already by group. */
static void order_ids(const sorter *s, int block, bench *at) {
  const rind_particles *set = s->set;
  const int64_t *first = set->first_in_group + block * set->num_groups;
  const int64_t begin = set->first_in_block[block];
  int64_t *id = set->id + begin;
  for (int64_t k = 0; k < set->num_groups; ++k) {
    const int64_t from = first[k] - begin, last = at->next[k];
    bool ascend = true;
    for (int64_t p = from + 1; p < last && ascend; ++p)
      ascend = id[p - 1] < id[p];
    if (ascend) continue;
    if (!sort_group(id + from, at->order + from, (size_t)(last - from))) {
      note(&at->found, (fault){.block = block, .memory = true});
      continue;
    }
    for (int64_t p = from + 1; p < last; ++p)
      if (id[p - 1] == id[p]) note(&at->found, (fault){.block = block, .id = id[p]});
  }
}

static void sort_block(const sorter *s, int block, bench *at) {
  rind_particles *set = s->set;
  const int64_t begin = set->first_in_block[block];
  const int64_t count = set->first_in_block[block + 1] - begin;
  order_block(s, block, at);
  permute(at, set->id, begin, count);
  order_ids(s, block, at);
  for (int a = 0; a < set->dim; ++a)
    permute(at, set->position[a], begin, count);
  for (int k = 0; k < set->num_attributes; ++k)
    permute(at, set->attribute[k], begin, count);
}

static rind_error sort_blocks(const sorter *s) {
  rind_particles *set = s->set;
  int next = 0;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
  for (int t = 0; t < s->threads; ++t)
    for (;;) {
      int block;
#pragma omp atomic capture
      block = next++;
      if (block >= set->num_blocks) break;
      sort_block(s, block, &s->bench[t]);
    }
  set->first_in_group[set->num_blocks * set->num_groups] = set->count;
  fault first = {.block = set->num_blocks};
  for (int t = 0; t < s->threads; ++t)
    note(&first, s->bench[t].found);
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
  const size_t threads = (size_t)s->threads;
  s->next = rind_allocate(threads * (size_t)s->set->num_blocks, sizeof *s->next);
  s->place = malloc(((size_t)s->num_items + 1) * sizeof *s->place);
  s->group = malloc(((size_t)s->set->count + 1) * sizeof *s->group);
  s->bench = rind_allocate(threads, sizeof *s->bench);
  RIND_REQUIRE(s->set->context, s->next && s->place && s->group && s->bench, RIND_ERROR_MEMORY,
               "no memory to sort %" PRId64 " particles", s->set->count);
  return RIND_OK;
}

/* Blocks are known by now. */
static rind_error allocate_benches(const sorter *s) {
  const rind_particles *set = s->set;
  int64_t most = 0;
  bool fine = true;
  for (int b = 0; b < set->num_blocks; ++b) {
    const int64_t here = set->first_in_block[b + 1] - set->first_in_block[b];
    most = here > most ? here : most;
  }
  for (int t = 0; t < s->threads; ++t) {
    bench *at = &s->bench[t];
    at->next = rind_allocate((size_t)set->num_groups, sizeof *at->next);
    at->order = malloc(((size_t)most + 1) * sizeof *at->order);
    at->column = malloc(((size_t)most + 1) * sizeof *at->column);
    at->found = (fault){.block = set->num_blocks};
    fine = fine && at->next && at->order && at->column;
  }
  RIND_REQUIRE(set->context, fine, RIND_ERROR_MEMORY,
               "no memory to sort a block of %" PRId64 " particles on %d threads", most,
               s->threads);
  return RIND_OK;
}

static rind_error sort_all(sorter *s) {
  RIND_TRY(allocate_set(s->set));
  RIND_TRY(allocate_sorter(s));
  find_places(s);
  place_columns(s);
  RIND_TRY(allocate_benches(s));
  return sort_blocks(s);
}

static void free_sorter(sorter *s) {
  for (int t = 0; s->bench && t < s->threads; ++t) {
    free(s->bench[t].next);
    free(s->bench[t].order);
    free(s->bench[t].column);
  }
  free(s->bench);
  free(s->next);
  free(s->place);
  free(s->group);
}

rind_error rind_particles_fill(rind_particles *particles, const rind_arrivals *arrivals) {
  sorter s = {.set = particles,
              .from = arrivals,
              .num_items = arrivals->given.count + arrivals->num_records,
              .threads = particles->context->threads};
  RIND_REQUIRE(particles->context, s.num_items < GONE, RIND_ERROR_OVERFLOW,
               "%" PRId64 " particles on a rank: fewer than %lld it must be", s.num_items,
               (long long)GONE);
  particles->count = arrivals->num_records;
  for (int64_t i = 0; i < arrivals->given.count; ++i)
    particles->count += arrivals->given_block[i] >= 0;
  const rind_error error = sort_all(&s);
  free_sorter(&s);
  return error;
}
