/* plummer.c - random clouds of particles in the unit square or cube. */
#include "plummer.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"

enum { BATCH = 65536 };

const char *const cloud_words[] = {"plummer", "uniform", NULL};

static bool draw_plummer(app_random *random, int dim, double radius, double x[3]) {
  const double pi = 3.14159265358979323846;
  const double u = 1 - app_random_double(random); /* in (0, 1] */
  const double r = radius / sqrt(pow(u, -2.0 / 3) - 1);
  const double z = 2 * app_random_double(random) - 1;
  const double turn = 2 * pi * app_random_double(random), flat = sqrt(1 - z * z);
  x[0] = 0.5 + r * flat * cos(turn);
  x[1] = 0.5 + r * flat * sin(turn);
  x[2] = 0.5 + r * z;
  bool inside = true;
  for (int a = 0; a < dim; ++a)
    inside = inside && x[a] >= 0 && x[a] < 1;
  return inside;
}

static void draw(app_random *random, cloud_kind kind, int dim, double radius, double x[3]) {
  if (kind == CLOUD_PLUMMER) {
    while (!draw_plummer(random, dim, radius, x)) {
    }
    return;
  }
  for (int a = 0; a < dim; ++a)
    x[a] = app_random_double(random);
}

static bool allocate(int64_t count, cloud_share *share) {
  bool fine = true;
  for (int a = 0; a < 3; ++a)
    fine = (share->position[a] = malloc((size_t)(count + 1) * sizeof(double))) && fine;
  fine = (share->id = malloc((size_t)(count + 1) * sizeof(int64_t))) && fine;
  return (share->mass = malloc((size_t)(count + 1) * sizeof(double))) && fine;
}

bool cloud_draw(cloud_kind kind, int dim, double radius, uint64_t seed, int64_t total, int rank,
                int ranks, cloud_share *share) {
  const int64_t batches = (total + BATCH - 1) / BATCH;
  int64_t count = 0;
  for (int64_t batch = rank; batch < batches; batch += ranks)
    count += batch == batches - 1 ? total - batch * BATCH : BATCH;
  *share = (cloud_share){.count = count};
  if (!allocate(count, share)) {
    cloud_share_free(share);
    return false;
  }
  int64_t i = 0;
  for (int64_t batch = rank; batch < batches; batch += ranks) {
    const int64_t end = batch == batches - 1 ? total : (batch + 1) * BATCH;
    app_random random;
    app_random_seed(&random, seed + (uint64_t)batch * UINT64_C(0x100000000));
    for (int64_t id = batch * BATCH; id < end; ++id, ++i) {
      double x[3] = {0};
      draw(&random, kind, dim, radius, x);
      for (int a = 0; a < 3; ++a)
        share->position[a][i] = x[a];
      share->id[i] = id;
      share->mass[i] = 1.0 / (double)total;
    }
  }
  return true;
}

void cloud_share_free(cloud_share *share) {
  for (int a = 0; a < 3; ++a)
    free(share->position[a]);
  free(share->id);
  free(share->mass);
  *share = (cloud_share){.count = 0};
}
