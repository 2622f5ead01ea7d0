/* sph_list.c - sorts particles into cells. */
#include <sph_list.h>

#include <stdlib.h>
#include <string.h>

/* More cells a particle than this are searched for, not tabulated. */
enum { MOST_CELLS_A_PARTICLE = 4, FEW_CELLS = 1 << 16 };

void rind_sph_list_free(rind_sph_list *list) {
  free(list->entry);
  free(list->other_entry);
  free(list->cell);
  free(list->index);
  for (int a = 0; a < 3; ++a)
    free(list->at[a]);
  free(list->excess);
  free(list->start);
  memset(list, 0, sizeof *list);
}

int64_t rind_sph_list_bytes(const rind_sph_list *list) {
  const int64_t each = 2 * (int64_t)sizeof(uint64_t) + 2 * (int64_t)sizeof(uint32_t) +
                       (list->grid.dim + 1) * (int64_t)sizeof(double);
  return list->capacity * each + (int64_t)(list->start_room * sizeof *list->start);
}

/* Room for count particles, whose old values are dropped. */
static bool reserve(rind_sph_list *list, const rind_sph_grid *grid, int count) {
  if (count > list->capacity || !list->entry) {
    rind_sph_list_free(list);
    const size_t room = (size_t)count + (size_t)(count / 8) + 16;
    list->entry = malloc(room * sizeof *list->entry);
    list->other_entry = malloc(room * sizeof *list->other_entry);
    list->cell = malloc(room * sizeof *list->cell);
    list->index = malloc(room * sizeof *list->index);
    bool have = list->entry && list->other_entry && list->cell && list->index;
    for (int a = 0; a < grid->dim; ++a) {
      list->at[a] = malloc(room * sizeof(double));
      have = have && list->at[a];
    }
    list->excess = malloc(room * sizeof(double));
    if (!have || !list->excess || room > INT32_MAX) {
      rind_sph_list_free(list);
      return false;
    }
    list->capacity = (int)room;
  }
  const size_t cells = rind_sph_num_cells(grid);
  list->has_start = cells <= FEW_CELLS || cells <= (size_t)count * MOST_CELLS_A_PARTICLE;
  if (list->has_start && cells + 1 > list->start_room) {
    int32_t *start = realloc(list->start, (cells + 1) * sizeof *start);
    if (!start) return false;
    list->start = start;
    list->start_room = cells + 1;
  }
  return true;
}

static double coordinate(const rind_sph_source *source, int axis, int i) {
  if (i >= source->num_own) return source->others[axis][i - source->num_own];
  return source->type == RIND_FLOAT64 ? ((const double *)source->position[axis])[i]
                                      : (double)((const float *)source->position[axis])[i];
}

/* The cell of a particle; false if it is nowhere. */
static bool find_cell(const rind_sph_grid *grid, const rind_sph_source *source, int i,
                      uint32_t *cell) {
  uint32_t number = 0;
  for (int a = grid->dim - 1; a >= 0; --a) {
    const double x = coordinate(source, a, i);
    if (!rind_sph_is_finite(x)) return false;
    number = number * grid->cells[a] + rind_sph_cell_along(grid, a, rind_sph_wrap(grid, a, x));
  }
  *cell = number;
  return true;
}

static int bits_of(uint64_t largest) {
  int bits = 0;
  for (; largest > 0; largest >>= 1)
    ++bits;
  return bits;
}

/* Entries in the order of ids. */
static void sort_ids(const rind_sph_source *source, rind_sph_list *list) {
  uint64_t largest = 0;
  bool ascending = true;
  for (int i = 0; i < list->count; ++i) {
    const uint64_t id = source->id ? (uint64_t)source->id[i] : (uint64_t)i;
    ascending = ascending && (i == 0 || id > largest);
    largest = id > largest ? id : largest;
    list->entry[i] = id << 32 | (uint32_t)i;
  }
  if (ascending) return;
  rind_sph_sort(&list->entry, &list->other_entry, list->count, bits_of(largest & UINT32_MAX));
  if (largest <= UINT32_MAX) return;
  for (int p = 0; p < list->count; ++p) {
    const uint64_t i = list->entry[p] & UINT32_MAX;
    list->entry[p] = (uint64_t)source->id[i] >> 32 << 32 | i;
  }
  rind_sph_sort(&list->entry, &list->other_entry, list->count, bits_of(largest >> 32));
}

/* Sorts entries by cell; the first particle that is nowhere, or -1. */
static int sort_cells(const rind_sph_source *source, rind_sph_list *list) {
  for (int i = 0; i < list->count; ++i)
    if (!find_cell(&list->grid, source, i, &list->cell[i])) return i;
  for (int p = 0; p < list->count; ++p) {
    const uint64_t i = list->entry[p] & UINT32_MAX;
    list->entry[p] = (uint64_t)list->cell[i] << 32 | i;
  }
  rind_sph_sort(&list->entry, &list->other_entry, list->count,
                bits_of(rind_sph_num_cells(&list->grid) - 1));
  return -1;
}

/* A position that will be read. */
static void expect(const rind_sph_source *source, int dim, uint32_t i) {
  const size_t bytes = source->type == RIND_FLOAT64 ? sizeof(double) : sizeof(float);
  if (i >= (uint32_t)source->num_own) return;
  for (int a = 0; a < dim; ++a)
    RIND_SPH_WILL_READ((const char *)source->position[a] + i * bytes);
}

static void find_starts(rind_sph_list *list) {
  const size_t cells = rind_sph_num_cells(&list->grid);
  size_t next = 0;
  for (int p = 0; p < list->count; ++p)
    for (; next <= list->cell[p]; ++next)
      list->start[next] = p;
  for (; next <= cells; ++next)
    list->start[next] = list->count;
}

bool rind_sph_list_build(const rind_sph_grid *grid, const rind_sph_source *source,
                         rind_sph_list *list, int *bad) {
  *bad = -1;
  if (!reserve(list, grid, source->count)) return false;
  list->grid = *grid;
  list->num_own = source->num_own;
  list->count = source->count;
  sort_ids(source, list);
  *bad = sort_cells(source, list);
  if (*bad >= 0) return true;
  for (int p = 0; p < list->count; ++p) {
    if (p + RIND_SPH_AHEAD < list->count)
      expect(source, grid->dim, (uint32_t)list->entry[p + RIND_SPH_AHEAD]);
    list->cell[p] = (uint32_t)(list->entry[p] >> 32);
    list->index[p] = (uint32_t)list->entry[p];
    for (int a = 0; a < grid->dim; ++a)
      list->at[a][p] = rind_sph_wrap(grid, a, coordinate(source, a, (int)list->index[p]));
  }
  if (list->has_start) find_starts(list);
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

int rind_sph_list_ranges(const rind_sph_list *list, uint32_t cell,
                         rind_sph_range range[2 * RIND_SPH_MOST_ROWS]) {
  const rind_sph_grid *grid = &list->grid;
  uint32_t place[3];
  int num = 0;
  rind_sph_place_of(grid, cell, place);
  for (int row = 0; row < rind_sph_num_rows(grid->dim); ++row) {
    rind_sph_piece piece[2];
    const int num_pieces = rind_sph_pieces(grid, place, row, piece);
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
    for (end = first; end < list->count && list->cell[end] == list->cell[first]; ++end)
      own += (int)list->index[end] < list->num_own;
    const int num = rind_sph_list_ranges(list, list->cell[first], range);
    for (int k = 0; k < num; ++k)
      seen += range[k].last - range[k].first;
    *pair_slots += own * seen;
    if (end - first > *largest_cell) *largest_cell = end - first;
  }
}
