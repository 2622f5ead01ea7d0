/* sph_buckets.c - sorts particles by cell in two steps, and takes results back the same way.
 *
 * Particles are first dealt, in the order given, to buckets of neighbouring cells, and sorted
 * within one bucket after the other, which a second-level cache holds. So memory is met in a few
 * hundred streams and nowhere at random. Results go to the places that particles had in buckets,
 * and are then dealt out to particles in the order given. */
#include <sph_list.h>

#include <string.h>

static double coordinate(const rind_sph_source *source, int axis, int i) {
  if (i >= source->num_own) return source->others[axis][i - source->num_own];
  return source->type == RIND_FLOAT64 ? ((const double *)source->position[axis])[i]
                                      : (double)((const float *)source->position[axis])[i];
}

/* The first particle of a part. */
static int part_from(const rind_sph_list *list, int part) {
  return (int)((int64_t)list->count * part / list->num_parts);
}

/* Where the next particle of a part goes, of each bucket. */
static int32_t *places(const rind_sph_list *list, int part) {
  return list->place + (size_t)part * (size_t)list->num_buckets;
}

/* Finds cells and counts a part's particles by bucket; the first that is nowhere, or -1. */
RIND_SPH_INLINE int count_particles(int dim, const rind_sph_source *source, rind_sph_list *list,
                                    int part) {
  const rind_sph_grid *grid = &list->grid;
  const int end = part_from(list, part + 1);
  int32_t *count = places(list, part);
  memset(count, 0, (size_t)list->num_buckets * sizeof *count);
  for (int i = part_from(list, part); i < end; ++i) {
    uint32_t number = 0;
    bool finite = true;
    for (int a = dim - 1; a >= 0; --a) {
      const double x = coordinate(source, a, i);
      finite = finite && rind_sph_is_finite(x);
      number = number * grid->cells[a] + rind_sph_cell_along(grid, a, rind_sph_wrap(grid, a, x));
    }
    if (!finite) return i;
    list->cell_of[i] = number;
    ++count[number >> list->shift];
  }
  return -1;
}

/* Turns counts into places: bucket by bucket, the parts of each in order. */
static void find_places(rind_sph_list *list) {
  int32_t before = 0;
  for (int b = 0; b < list->num_buckets; ++b)
    for (int part = 0; part < list->num_parts; ++part) {
      int32_t *place = places(list, part) + b;
      const int32_t here = *place;
      *place = before;
      before += here;
    }
}

/* A record of dim + 1 words is a key, cell << 32 | particle, and the position. */
RIND_SPH_INLINE void deal_records(int dim, const rind_sph_source *source, rind_sph_list *list,
                                  int part) {
  enum { AHEAD = 3 }; /* records */
  const int end = part_from(list, part + 1);
  int32_t next[RIND_SPH_MOST_BUCKETS];
  memcpy(next, places(list, part), (size_t)list->num_buckets * sizeof *next);
  for (int i = part_from(list, part); i < end; ++i) {
    const uint32_t cell = list->cell_of[i];
    const size_t to = (size_t)next[cell >> list->shift]++;
    uint64_t *record = (uint64_t *)list->work + to * (size_t)(dim + 1);
    RIND_SPH_WILL_WRITE(record + AHEAD * (dim + 1));
    record[0] = (uint64_t)cell << 32 | (uint32_t)i;
    for (int a = 0; a < dim; ++a) {
      const double x = rind_sph_wrap(&list->grid, a, coordinate(source, a, i));
      memcpy(record + 1 + a, &x, sizeof x);
    }
  }
}

/* Keys and what goes with them, by key: insertion over gaps that shrink to 1. */
static void sort_ids(uint64_t *key, uint32_t *slot, int count) {
  int gap = 1;
  while (gap < count / 3 - 1)
    gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int p = gap; p < count; ++p) {
      const uint64_t id = key[p];
      const uint32_t moved = slot[p];
      int to = p;
      for (; to >= gap && key[to - gap] > id; to -= gap) {
        key[to] = key[to - gap];
        slot[to] = slot[to - gap];
      }
      key[to] = id;
      slot[to] = moved;
    }
}

/* The order of a bucket's records by cell where starts are tabulated. start[c + 1] is where the
 * next one of cell c goes, and at last where c + 1 begins. */
static void count_cells(rind_sph_list *list, int words, uint32_t bucket, int first, int last) {
  const uint64_t *record = list->work;
  const size_t cells = rind_sph_num_cells(&list->grid), low = (size_t)bucket << list->shift;
  const size_t wanted = (size_t)(bucket + 1) << list->shift, high = wanted < cells ? wanted : cells;
  int32_t *next = list->start + 1, run = first;
  memset(next + low, 0, (high - low) * sizeof *next);
  for (int s = first; s < last; ++s)
    ++next[record[(size_t)s * words] >> 32];
  for (size_t c = low; c < high; ++c) {
    const int32_t here = next[c];
    next[c] = run;
    run += here;
  }
  for (int s = first; s < last; ++s)
    list->slot[next[record[(size_t)s * words] >> 32]++] = (uint32_t)s;
}

/* The same where there are too many cells for that. */
static void sort_cells(rind_sph_list *list, int words, int first, int last) {
  const uint64_t *record = list->work;
  uint64_t *entry = list->entry + first, *other = list->other_entry + first;
  for (int s = first; s < last; ++s)
    entry[s - first] = record[(size_t)s * words] >> 32 << 32 | (uint32_t)s;
  rind_sph_sort(&entry, &other, last - first, list->shift);
  for (int s = first; s < last; ++s)
    list->slot[s] = (uint32_t)entry[s - first];
}

RIND_SPH_INLINE void sort_bucket(int dim, const rind_sph_source *source, rind_sph_list *list,
                                 int bucket) {
  const int words = dim + 1, first = list->place[bucket];
  const int last = bucket + 1 < list->num_buckets ? list->place[bucket + 1] : list->count;
  /* The next bucket's records are asked for meanwhile. */
  const int ahead = last - first < list->count - last ? last - first : 0;
  const uint64_t *record = list->work;
  if (list->has_start)
    count_cells(list, words, (uint32_t)bucket, first, last);
  else
    sort_cells(list, words, first, last);
  for (int p = first, end; source->id && p < last; p = end) {
    const uint64_t cell = record[(size_t)list->slot[p] * words] >> 32;
    for (end = p; end < last && record[(size_t)list->slot[end] * words] >> 32 == cell; ++end)
      list->entry[end] = (uint64_t)source->id[(uint32_t)record[(size_t)list->slot[end] * words]];
    sort_ids(list->entry + p, list->slot + p, end - p);
  }
  for (int p = first; p < last; ++p) {
    const uint64_t *from = record + (size_t)list->slot[p] * words;
    RIND_SPH_WILL_READ(record + (size_t)(p + ahead) * words);
    list->cell[p] = (uint32_t)(from[0] >> 32);
    list->index[p] = (uint32_t)from[0];
    for (int a = 0; a < dim; ++a)
      memcpy(list->at[a] + p, from + 1 + a, sizeof(double));
  }
}

static int count_part(const rind_sph_source *source, rind_sph_list *list, int part) {
  return list->grid.dim == 2 ? count_particles(2, source, list, part)
                             : count_particles(3, source, list, part);
}

static void deal_part(const rind_sph_source *source, rind_sph_list *list, int part) {
  if (list->grid.dim == 2)
    deal_records(2, source, list, part);
  else
    deal_records(3, source, list, part);
}

int rind_sph_list_sort(const rind_sph_source *source, rind_sph_list *list, int threads) {
  int bad = list->count;
  if (list->has_start) list->start[0] = 0;
#pragma omp parallel for num_threads(threads) if (threads > 1) reduction(min : bad)
  for (int part = 0; part < list->num_parts; ++part) {
    const int nowhere = count_part(source, list, part);
    if (nowhere >= 0 && nowhere < bad) bad = nowhere;
  }
  if (bad < list->count) return bad;
  find_places(list);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (int part = 0; part < list->num_parts; ++part)
    deal_part(source, list, part);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 1)
  for (int bucket = 0; bucket < list->num_buckets; ++bucket) {
    if (list->grid.dim == 2)
      sort_bucket(2, source, list, bucket);
    else
      sort_bucket(3, source, list, bucket);
  }
  return -1;
}

/* Of the own particles of a part. */
RIND_SPH_INLINE void give_results(int num, rind_type type, const rind_sph_list *list, int part,
                                  void *const to[3]) {
  enum { AHEAD = 16 }; /* doubles */
  const int whole = part_from(list, part + 1), end = whole < list->num_own ? whole : list->num_own;
  int32_t next[RIND_SPH_MOST_BUCKETS];
  memcpy(next, places(list, part), (size_t)list->num_buckets * sizeof *next);
  for (int i = part_from(list, part); i < end; ++i) {
    const size_t from = (size_t)next[list->cell_of[i] >> list->shift]++;
    const double *result = (const double *)list->work + from * (size_t)num;
    RIND_SPH_WILL_READ(result + AHEAD);
    for (int a = 0; a < num; ++a) {
      if (type == RIND_FLOAT64)
        ((double *)to[a])[i] = result[a];
      else
        ((float *)to[a])[i] = (float)result[a];
    }
  }
}

static void give_part(int num, rind_type type, const rind_sph_list *list, int part,
                      void *const to[3]) {
  if (num == 1 && type == RIND_FLOAT64)
    give_results(1, RIND_FLOAT64, list, part, to);
  else if (num == 2 && type == RIND_FLOAT64)
    give_results(2, RIND_FLOAT64, list, part, to);
  else
    give_results(num, type, list, part, to);
}

void rind_sph_list_give(const rind_sph_list *list, int num, rind_type type, void *const to[3],
                        int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (int part = 0; part < list->num_parts; ++part)
    give_part(num, type, list, part, to);
}
