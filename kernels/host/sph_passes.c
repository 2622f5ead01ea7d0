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

/* One pass over all cells; what to do with a particle's sums is decided by which pointers are set.
 */
typedef struct job {
  rind_sph_list *list;
  const rind_sph_numbers *numbers;
  rind_sph_pass pass;
  double *density;    /* or NULL */
  double *along64[3]; /* or NULL */
  float *along32[3];  /* or NULL */
} job;

static void store(const job *work, int particle, const rind_sph_lanes *lanes, int lane) {
  if (work->density) {
    work->density[particle] = work->numbers->density_scale * lanes->sum[0][lane];
    return;
  }
  for (int a = 0; a < work->list->grid.dim; ++a) {
    const double along = work->numbers->gradient_scale * lanes->sum[a][lane];
    if (work->along64[a]) work->along64[a][particle] = along;
    if (work->along32[a]) work->along32[a][particle] = (float)along;
  }
}

/* The own particles of a cell, as many at a time as there are lanes. */
static void run_cell(const job *work, int first, int end) {
  const rind_sph_list *list = work->list;
  rind_sph_range range[2 * RIND_SPH_MOST_ROWS];
  const int num_ranges = rind_sph_list_ranges(list, list->cell[first], range);
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
      if (!work->density) lanes.excess[l] = list->excess[from];
    }
    work->pass(list, work->numbers->inverse_h, range, num_ranges, &lanes);
    for (int l = 0; l < num; ++l)
      store(work, (int)list->index[own[l]], &lanes, l);
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

void rind_sph_list_density(const rind_sph_list *list, const rind_sph_numbers *numbers,
                           double *density, int threads) {
  const job work = {.list = (rind_sph_list *)list,
                    .numbers = numbers,
                    .pass = is_wide() ? density_avx2 : density_plain,
                    .density = density};
  run(&work, threads);
}

void rind_sph_list_gradient(rind_sph_list *list, const rind_sph_numbers *numbers,
                            const double *density, rind_type type, void *const gradient[3],
                            int threads) {
  job work = {.list = list, .numbers = numbers, .pass = is_wide() ? gradient_avx2 : gradient_plain};
  for (int a = 0; a < list->grid.dim; ++a) {
    if (type == RIND_FLOAT64)
      work.along64[a] = gradient[a];
    else
      work.along32[a] = gradient[a];
  }
  for (int p = 0; p < list->count; ++p) {
    if (p + RIND_SPH_AHEAD < list->count)
      RIND_SPH_WILL_READ(density + list->index[p + RIND_SPH_AHEAD]);
    list->excess[p] = density[list->index[p]] - numbers->rest_density;
  }
  run(&work, threads);
}
