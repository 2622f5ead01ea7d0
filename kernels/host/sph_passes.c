/* sph_passes.c - density and gradient of all cells of a list. */
#include <sph_pass.h>
#include <sph_take_plain.h>

#define SPH_TARGET
#define SPH_NAME(word) word##_plain
#include <sph_pass_body.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <sph_take_avx2.h>

#define SPH_TARGET __attribute__((target("avx2")))
#define SPH_NAME(word) word##_avx2
#include <sph_pass_body.h>

static bool is_wide(void) {
  return __builtin_cpu_supports("avx2");
}
#else
static const rind_sph_pass density_avx2 = NULL, gradient_avx2 = NULL;

static bool is_wide(void) {
  return false;
}
#endif

/* Particles of a cell that are taken together, at most; counts of them fit a byte. */
enum { MOST_AT_ONCE = 64 };

/* One pass over all cells. */
typedef struct job {
  rind_sph_list *list;
  const rind_sph_numbers *numbers;
  rind_sph_pass pass;
  bool is_gradient;
} job;

RIND_SPH_INLINE void store(int dim, const job *work, int p, const rind_sph_lanes *lanes, int lane) {
  const rind_sph_list *list = work->list;
  if (!work->is_gradient) {
    list->excess[p] = work->numbers->density_scale * lanes->sum[0][lane];
    return;
  }
  double *to = (double *)list->work + (size_t)list->slot[p] * (size_t)dim;
  for (int a = 0; a < dim; ++a)
    to[a] = work->numbers->gradient_scale * lanes->sum[a][lane];
}

/* Results of cells soon after this one go where nothing foresees. Inline: compilers drop calls of
 * functions that do nothing else. */
RIND_SPH_INLINE void expect(const job *work, int first, int end) {
  enum { AHEAD = 24 };
  const rind_sph_list *list = work->list;
  if (!work->is_gradient) return;
  for (int p = first + AHEAD; p < end + AHEAD && p < list->count; ++p)
    RIND_SPH_WILL_WRITE((double *)list->work + (size_t)list->slot[p] * (size_t)list->grid.dim);
}

/* The first MOST_AT_ONCE own particles of a cell from *from on, which moves on, to own; how many.
 * They go from one quarter (eighth) of the cell to one beside it, so that those next to each other
 * see much the same neighbours. */
RIND_SPH_INLINE int gather_own(int dim, const rind_sph_list *list, const uint32_t cell[3],
                               int *from, int end, int own[MOST_AT_ONCE]) {
  double scale[3], middle[3];
  for (int a = 0; a < dim; ++a) {
    scale[a] = list->grid.inverse_size[a];
    middle[a] = cell[a] + 0.5 + list->grid.lower[a] * scale[a];
  }
  int as_sorted[MOST_AT_ONCE], eights[MOST_AT_ONCE], num = 0, p = *from;
  uint64_t place = 0; /* a byte a quarter: how many, then where the next one goes */
  for (; p < end && num < MOST_AT_ONCE; ++p) {
    const uint64_t is_own = (int)list->index[p] < list->num_own;
    int side = 0, quarter = 0;
    for (int a = dim - 1; a >= 0; --a) {
      side ^= list->at[a][p] * scale[a] > middle[a];
      quarter = 2 * quarter + side;
    }
    as_sorted[num] = p;
    eights[num] = 8 * quarter;
    place += is_own << 8 * quarter;
    num += (int)is_own;
  }
  *from = p;
  place *= UINT64_C(0x0101010101010100);
  for (int k = 0; k < num; ++k) {
    own[place >> eights[k] & 255] = as_sorted[k];
    place += UINT64_C(1) << eights[k];
  }
  return num;
}

/* All lanes are filled before any is read, which would wait for what has just been written. */
RIND_SPH_INLINE int fill_lanes(int dim, const job *work, int own[MOST_AT_ONCE], int num,
                               rind_sph_lanes lanes[MOST_AT_ONCE / RIND_SPH_LANES]) {
  const rind_sph_list *list = work->list;
  const int num_groups = (num + RIND_SPH_LANES - 1) / RIND_SPH_LANES;
  for (int k = num; k < num_groups * RIND_SPH_LANES; ++k)
    own[k] = own[num - 1];
  for (int g = 0; g < num_groups; ++g)
    for (int l = 0; l < RIND_SPH_LANES; ++l) {
      const int p = own[g * RIND_SPH_LANES + l];
      for (int a = 0; a < dim; ++a)
        lanes[g].at[a][l] = list->at[a][p];
      lanes[g].excess[l] = work->is_gradient ? list->excess[p] : 0;
    }
  return num_groups;
}

/* The own particles of a cell, as many at a time as there are lanes. */
RIND_SPH_INLINE void run_cell(int dim, const job *work, int first, int end) {
  const rind_sph_list *list = work->list;
  rind_sph_range range[2 * RIND_SPH_MOST_ROWS];
  rind_sph_lanes lanes[MOST_AT_ONCE / RIND_SPH_LANES];
  uint32_t cell[3];
  rind_sph_place_of(&list->grid, list->cell[first], cell);
  const int num_ranges = rind_sph_list_ranges(list, cell, range);
  expect(work, first, end);
  for (int p = first; p < end;) {
    int own[MOST_AT_ONCE];
    const int num = gather_own(dim, list, cell, &p, end, own);
    const int num_groups = fill_lanes(dim, work, own, num, lanes);
    for (int g = 0; g < num_groups; ++g)
      work->pass(list, work->numbers, range, num_ranges, lanes + g);
    for (int k = 0; k < num; ++k)
      store(dim, work, own[k], lanes + k / RIND_SPH_LANES, k % RIND_SPH_LANES);
  }
}

/* The cells that begin in [from, to). */
RIND_SPH_INLINE void run_cells(int dim, const job *work, int from, int to) {
  const rind_sph_list *list = work->list;
  int first = from;
  while (first > 0 && first < to && list->cell[first] == list->cell[first - 1])
    ++first;
  for (int end; first < to; first = end) {
    for (end = first + 1; end < list->count && list->cell[end] == list->cell[first];)
      ++end;
    run_cell(dim, work, first, end);
  }
}

static void run_part(const job *work, int from, int to) {
  if (work->list->grid.dim == 2)
    run_cells(2, work, from, to);
  else
    run_cells(3, work, from, to);
}

static void run(const job *work, int threads) {
  enum { PARTS_A_THREAD = 32 };
  const int64_t count = work->list->count;
  if (threads <= 1) {
    run_part(work, 0, (int)count);
    return;
  }
  const int64_t wanted = (int64_t)threads * PARTS_A_THREAD, parts = count < wanted ? count : wanted;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int64_t part = 0; part < parts; ++part)
    run_part(work, (int)(count * part / parts), (int)(count * (part + 1) / parts));
}

void rind_sph_list_density(rind_sph_list *list, const rind_sph_numbers *numbers, int threads) {
  const job work = {
      .list = list, .numbers = numbers, .pass = is_wide() ? density_avx2 : density_plain};
  run(&work, threads);
}

void rind_sph_list_give_density(rind_sph_list *list, rind_type type, void *density, int threads) {
  double *result = list->work;
  void *const to[3] = {density, NULL, NULL};
  for (int p = 0; p < list->count; ++p)
    result[list->slot[p]] = list->excess[p];
  rind_sph_list_give(list, 1, type, to, threads);
}

void rind_sph_list_take_density(rind_sph_list *list, const double *density) {
  for (int p = 0; p < list->count; ++p)
    if ((int)list->index[p] >= list->num_own) list->excess[p] = density[list->index[p]];
}

void rind_sph_list_gradient(rind_sph_list *list, const rind_sph_numbers *numbers, rind_type type,
                            void *const gradient[3], int threads) {
  const job work = {.list = list,
                    .numbers = numbers,
                    .pass = is_wide() ? gradient_avx2 : gradient_plain,
                    .is_gradient = true};
  for (int p = 0; p < list->count; ++p)
    list->excess[p] -= numbers->rest_density;
  run(&work, threads);
  rind_sph_list_give(list, list->grid.dim, type, gradient, threads);
}
