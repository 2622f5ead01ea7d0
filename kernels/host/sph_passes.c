/* sph_passes.c - density and gradient of all cells of a list. */
#include <sph_pass.h>

#define SPH_TARGET
#define SPH_NAME(word) word##_plain
#include <sph_pass_body.h>

#if defined(__x86_64__) && defined(__GNUC__)
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

/* One pass over all cells. */
typedef struct job {
  rind_sph_list *list;
  const rind_sph_numbers *numbers;
  rind_sph_pass pass;
  bool is_gradient;
} job;

static void store(const job *work, int p, const rind_sph_lanes *lanes, int lane) {
  const rind_sph_list *list = work->list;
  if (!work->is_gradient) {
    list->excess[p] = work->numbers->density_scale * lanes->sum[0][lane];
    return;
  }
  double *to = (double *)list->work + (size_t)list->slot[p] * (size_t)list->grid.dim;
  for (int a = 0; a < list->grid.dim; ++a)
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

/* The own particles of a cell, as many at a time as there are lanes. */
static void run_cell(const job *work, int first, int end) {
  const rind_sph_list *list = work->list;
  rind_sph_range range[2 * RIND_SPH_MOST_ROWS];
  const int num_ranges = rind_sph_list_ranges(list, list->cell[first], range);
  expect(work, first, end);
  for (int p = first; p < end;) {
    int own[RIND_SPH_LANES], num = 0;
    for (; p < end && num < RIND_SPH_LANES; ++p)
      if ((int)list->index[p] < list->num_own) own[num++] = p;
    if (num == 0) return;
    rind_sph_lanes lanes = {.excess = {0}};
    for (int l = 0; l < RIND_SPH_LANES; ++l) {
      const int from = own[l < num ? l : num - 1];
      for (int a = 0; a < list->grid.dim; ++a)
        lanes.at[a][l] = list->at[a][from];
      if (work->is_gradient) lanes.excess[l] = list->excess[from];
    }
    work->pass(list, work->numbers, range, num_ranges, &lanes);
    for (int l = 0; l < num; ++l)
      store(work, own[l], &lanes, l);
  }
}

/* The cells that begin in [from, to). */
static void run_part(const job *work, int from, int to) {
  const rind_sph_list *list = work->list;
  int first = from;
  while (first > 0 && first < to && list->cell[first] == list->cell[first - 1])
    ++first;
  for (int end; first < to; first = end) {
    for (end = first + 1; end < list->count && list->cell[end] == list->cell[first];)
      ++end;
    run_cell(work, first, end);
  }
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
