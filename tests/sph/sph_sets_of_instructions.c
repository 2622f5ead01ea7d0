/* sph_sets_of_instructions.c - passes give the same bits with every set of instructions that this
 * machine has. */
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

static void compare(const rind_sph_list *list, rind_sph_pass one, rind_sph_pass other,
                    const char *name) {
  const rind_sph_range range[3] = {
      {0, 70, {0, 0, 0}}, {70, 70, {0, 0, 0}}, {75, COUNT, {1, -1, 0}}};
  for (int first = 0; first + RIND_SPH_LANES <= COUNT; first += RIND_SPH_LANES) {
    rind_sph_lanes lanes = {.excess = {0}};
    for (int l = 0; l < RIND_SPH_LANES; ++l) {
      for (int a = 0; a < list->grid.dim; ++a)
        lanes.at[a][l] = list->at[a][first + l];
      lanes.excess[l] = list->excess[first + l];
    }
    rind_sph_lanes same = lanes;
    one(list, 4.0, range, 3, &lanes);
    other(list, 4.0, range, 3, &same);
    for (int a = 0; a < list->grid.dim; ++a)
      CHECK(memcmp(lanes.sum[a], same.sum[a], sizeof lanes.sum[a]) == 0,
            "%s in %dD, axis %d of lanes from %d: %.17g and %.17g", name, list->grid.dim, a, first,
            lanes.sum[a][0], same.sum[a][0]);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  static double values[4][COUNT];
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < COUNT; ++i)
      values[a][i] = uniform();
  /* Two at one place. */
  for (int a = 0; a < 3; ++a)
    values[a][100] = values[a][3];
  if (!is_wide()) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  for (int dim = 2; dim <= 3; ++dim)
    for (int nearest = 0; nearest < 2; ++nearest) {
      const rind_sph_list list = {.grid = {.dim = dim,
                                           .length = {1, 1, 1},
                                           .nearest = {nearest, false, nearest},
                                           .any_nearest = nearest},
                                  .at = {values[0], values[1], values[2]},
                                  .excess = values[3]};
      compare(&list, density_plain, density_avx2, "density");
      compare(&list, gradient_plain, gradient_avx2, "gradient");
    }
  return check_end();
}
