/* sph_list.c - sorts particles into cells. */
#include <sph_list.h>

#include <stdlib.h>
#include <string.h>

#include <core.h>

/* More cells a particle than this are searched for, not tabulated. */
enum { MOST_CELLS_A_PARTICLE = 4, FEW_CELLS = 1 << 16 };
/* Buckets of so many particles, or up to twice as many, stay in a second-level cache. */
enum { BUCKET_PARTICLES = 2048 };

void rind_sph_list_free(rind_sph_list *list) {
  free(list->place);
  free(list->cell_of);
  free(list->work);
  free(list->slot);
  free(list->cell);
  free(list->index);
  for (int a = 0; a < 3; ++a)
    free(list->at[a]);
  free(list->excess);
  free(list->entry);
  free(list->other_entry);
  free(list->start);
  memset(list, 0, sizeof *list);
}

int64_t rind_sph_list_bytes(const rind_sph_list *list) {
  const int num_entries = (list->entry != NULL) + (list->other_entry != NULL);
  const int64_t each = (2 * list->grid.dim + 2 + num_entries) * (int64_t)sizeof(double) +
                       4 * (int64_t)sizeof(uint32_t);
  return list->capacity * each + (int64_t)(list->start_room * sizeof *list->start) +
         (int64_t)(list->place_room * sizeof *list->place);
}

/* Not zeroed; large pages, for buckets are many places at once. */
static void *allocate(size_t count, size_t bytes) {
  void *memory = malloc(count * bytes);
  if (memory) rind_use_huge_pages(memory, count * bytes);
  return memory;
}

/* Room for count particles, whose old values are dropped. */
static bool reserve_particles(rind_sph_list *list, int dim, int count) {
  if (count <= list->capacity && list->work) return true;
  rind_sph_list_free(list);
  const size_t capacity = (size_t)count + (size_t)(count / 8), room = capacity + 16;
  list->cell_of = allocate(room, sizeof *list->cell_of);
  list->work = allocate(room * (size_t)(dim + 1), sizeof(uint64_t));
  list->slot = allocate(room, sizeof *list->slot);
  list->cell = allocate(room, sizeof *list->cell);
  list->index = allocate(room, sizeof *list->index);
  list->excess = allocate(room, sizeof *list->excess);
  bool have = list->cell_of && list->work && list->slot && list->cell && list->index;
  for (int a = 0; a < dim; ++a) {
    list->at[a] = allocate(room, sizeof *list->at[a]);
    have = have && list->at[a];
  }
  if (!have || !list->excess || room > INT32_MAX) return false;
  list->capacity = (int)capacity;
  return true;
}

/* Keys, where there are any to sort. */
static bool reserve_entries(rind_sph_list *list, bool have_ids) {
  const size_t room = (size_t)list->capacity + 1;
  if (!list->entry && (have_ids || !list->has_start))
    list->entry = allocate(room, sizeof *list->entry);
  if (!list->other_entry && !list->has_start)
    list->other_entry = allocate(room, sizeof *list->entry);
  return (list->entry || (!have_ids && list->has_start)) && (list->other_entry || list->has_start);
}

static bool reserve_starts(rind_sph_list *list, const rind_sph_grid *grid, int count) {
  const size_t cells = rind_sph_num_cells(grid);
  list->has_start = cells <= FEW_CELLS || cells <= (size_t)count * MOST_CELLS_A_PARTICLE;
  if (!list->has_start || cells + 1 <= list->start_room) return true;
  free(list->start);
  list->start = allocate(cells + 1, sizeof *list->start);
  list->start_room = list->start ? cells + 1 : 0;
  return list->start != NULL;
}

/* As many buckets as keep each in a cache, and a part for each thread. */
static bool reserve_places(rind_sph_list *list, const rind_sph_grid *grid, int count, int threads) {
  const uint32_t last = rind_sph_num_cells(grid) - 1;
  const int wanted = count / BUCKET_PARTICLES;
  const int most = wanted < 1 ? 1 : wanted < RIND_SPH_MOST_BUCKETS ? wanted : RIND_SPH_MOST_BUCKETS;
  list->shift = 0;
  while (list->shift < 31 && (uint64_t)last >> list->shift >= (uint64_t)most)
    ++list->shift;
  list->num_buckets = (int)((uint64_t)last >> list->shift) + 1;
  list->num_parts = threads > 1 ? threads : 1;
  const size_t room = (size_t)list->num_parts * (size_t)list->num_buckets;
  if (room <= list->place_room) return true;
  free(list->place);
  list->place = malloc(room * sizeof *list->place);
  list->place_room = list->place ? room : 0;
  return list->place != NULL;
}

bool rind_sph_list_build(const rind_sph_grid *grid, const rind_sph_source *source, int threads,
                         rind_sph_list *list, int *bad) {
  *bad = -1;
  if (!reserve_particles(list, grid->dim, source->count) ||
      !reserve_starts(list, grid, source->count) || !reserve_entries(list, source->id != NULL) ||
      !reserve_places(list, grid, source->count, threads)) {
    rind_sph_list_free(list);
    return false;
  }
  list->grid = *grid;
  list->num_own = source->num_own;
  list->count = source->count;
  *bad = rind_sph_list_sort(source, list, threads);
  return true;
}

/* The first particle whose cell is at least so. */
static int first_from(const rind_sph_list *list, uint32_t cell) {
  if (list->has_start) return list->start[cell];
  int low = 0, high = list->count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (list->cell[middle] < cell)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int rind_sph_list_ranges(const rind_sph_list *list, const uint32_t cell[3],
                         rind_sph_range range[2 * RIND_SPH_MOST_ROWS]) {
  const rind_sph_grid *grid = &list->grid;
  int num = 0;
  for (int row = 0; row < rind_sph_num_rows(grid->dim); ++row) {
    rind_sph_piece piece[2];
    const int num_pieces = rind_sph_pieces(grid, cell, row, piece);
    for (int k = 0; k < num_pieces; ++k) {
      const int first = first_from(list, piece[k].low), last = first_from(list, piece[k].high + 1);
      if (first == last) continue;
      range[num] = (rind_sph_range){.first = first, .last = last};
      for (int a = 0; a < 3; ++a)
        range[num].shift[a] = piece[k].image[a] * grid->length[a];
      ++num;
    }
  }
  return num;
}

void rind_sph_list_count(const rind_sph_list *list, int64_t *largest_cell, int64_t *pair_slots) {
  rind_sph_range range[2 * RIND_SPH_MOST_ROWS];
  *largest_cell = *pair_slots = 0;
  for (int first = 0, end; first < list->count; first = end) {
    int64_t own = 0, seen = 0;
    uint32_t cell[3];
    rind_sph_place_of(&list->grid, list->cell[first], cell);
    for (end = first; end < list->count && list->cell[end] == list->cell[first]; ++end)
      own += (int)list->index[end] < list->num_own;
    const int num = rind_sph_list_ranges(list, cell, range);
    for (int k = 0; k < num; ++k)
      seen += range[k].last - range[k].first;
    *pair_slots += own * seen;
    if (end - first > *largest_cell) *largest_cell = end - first;
  }
}
