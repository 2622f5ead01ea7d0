/* deposit_input.c - draws particles and target. */
#include <deposit_input.h>

#include <stdlib.h>

#include <deposit_rule.h>
#include <random.h>

bool deposit_arrays_create(int64_t count, uint64_t seed, deposit_arrays *arrays) {
  const size_t n = (size_t)count;
  app_random random;
  *arrays =
      (deposit_arrays){malloc((n + 1) * sizeof *arrays->x), malloc((n + 1) * sizeof *arrays->v),
                       malloc(DEPOSIT_BINS * sizeof *arrays->target)};
  if (!arrays->x || !arrays->v || !arrays->target) {
    deposit_arrays_destroy(arrays);
    return false;
  }
  app_random_seed(&random, seed);
  app_random_fill(&random, arrays->x, n);
  app_random_fill_normal(&random, arrays->v, n);
  app_random_fill(&random, arrays->target, DEPOSIT_BINS);
  for (size_t i = 0; i < n; ++i)
    arrays->v[i] *= 0.005;
  for (int b = 0; b < DEPOSIT_BINS; ++b)
    arrays->target[b] *= 0.01;
  return true;
}

void deposit_arrays_destroy(deposit_arrays *arrays) {
  free(arrays->x);
  free(arrays->v);
  free(arrays->target);
  *arrays = (deposit_arrays){0};
}
