/* sph_sets_of_instructions.c - passes give the bits of plain sums over all pairs, with every set of
 * instructions that this machine has. */
#include <string.h>

#include <check.h>

/* Its static functions, for one set each. */
#include <sph_passes.c>

static uint64_t state = 7;

static double uniform(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}

enum { COUNT = 200 };

static const rind_sph_numbers numbers = {.inverse_h = 4.0, .far = 0.25 * (1 + 1e-12)};

/* What is said in sph_pair.h, pair by pair: a pass for one lane after the other. */
static void add_all(const rind_sph_list *list, const rind_sph_range *range, int num_ranges,
                    bool is_gradient, rind_sph_lanes *lanes) {
  const rind_sph_grid *grid = &list->grid;
  memset(lanes->sum, 0, sizeof lanes->sum);
  for (int l = 0; l < RIND_SPH_LANES; ++l)
    for (int k = 0; k < num_ranges; ++k)
      for (int j = range[k].first; j < range[k].last; ++j) {
        double d[3] = {0, 0, 0};
        for (int a = 0; a < grid->dim; ++a) {
          d[a] = lanes->at[a][l] - (list->at[a][j] + range[k].shift[a]);
          if (grid->nearest[a]) d[a] = rind_sph_nearest(d[a], grid->length[a]);
        }
        const double square = rind_sph_square(grid->dim, d[0], d[1], d[2]);
        const double slope = rind_sph_slope(square, numbers.inverse_h);
        const double pull = (lanes->excess[l] + list->excess[j]) * slope;
        if (!is_gradient) lanes->sum[0][l] += rind_sph_weight(square, numbers.inverse_h);
        for (int a = 0; is_gradient && a < grid->dim; ++a)
          lanes->sum[a][l] += pull * d[a];
      }
}

static void add_densities(const rind_sph_list *list, const rind_sph_numbers *unused,
                          const rind_sph_range *range, int num_ranges, rind_sph_lanes *lanes) {
  (void)unused;
  add_all(list, range, num_ranges, false, lanes);
}

static void add_gradients(const rind_sph_list *list, const rind_sph_numbers *unused,
                          const rind_sph_range *range, int num_ranges, rind_sph_lanes *lanes) {
  (void)unused;
  add_all(list, range, num_ranges, true, lanes);
}

static void compare(const rind_sph_list *list, rind_sph_pass one, rind_sph_pass other,
                    const char *name) {
  for (int first = 0; first + RIND_SPH_LANES <= COUNT; first += RIND_SPH_LANES) {
    /* Any number of particles behind whole vectors. */
    const int last = COUNT - first / RIND_SPH_LANES % 4;
    const rind_sph_range range[3] = {
        {0, 70, {0, 0, 0}}, {70, 70, {0, 0, 0}}, {75, last, {1, -1, 0}}};
    rind_sph_lanes lanes = {.excess = {0}};
    for (int l = 0; l < RIND_SPH_LANES; ++l) {
      for (int a = 0; a < list->grid.dim; ++a)
        lanes.at[a][l] = list->at[a][first + l];
      lanes.excess[l] = list->excess[first + l];
    }
    rind_sph_lanes same = lanes;
    one(list, &numbers, range, 3, &lanes);
    other(list, &numbers, range, 3, &same);
    for (int a = 0; a < list->grid.dim; ++a)
      CHECK(memcmp(lanes.sum[a], same.sum[a], sizeof lanes.sum[a]) == 0,
            "%s in %dD, axis %d of lanes from %d: %.17g and %.17g", name, list->grid.dim, a, first,
            lanes.sum[a][0], same.sum[a][0]);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  /* A pass reads behind its ranges. */
  static double values[4][COUNT + 3];
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < COUNT; ++i)
      values[a][i] = uniform();
  /* Two at one place. */
  for (int a = 0; a < 3; ++a)
    values[a][100] = values[a][3];
  for (int dim = 2; dim <= 3; ++dim)
    for (int nearest = 0; nearest < 2; ++nearest) {
      const rind_sph_list list = {.grid = {.dim = dim,
                                           .length = {1, 1, 1},
                                           .nearest = {nearest, false, nearest},
                                           .any_nearest = nearest},
                                  .at = {values[0], values[1], values[2]},
                                  .excess = values[3]};
      compare(&list, add_densities, density_plain, "density");
      compare(&list, add_gradients, gradient_plain, "gradient");
      if (!is_wide()) continue;
      compare(&list, add_densities, density_avx2, "density in wide lanes");
      compare(&list, add_gradients, gradient_avx2, "gradient in wide lanes");
    }
  return check_end();
}
