/* sph_cases.c - boxes of points and the judge of their densities. */
#include <sph_cases.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <device_memory.h>
#include <random.h>

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static sph_case allocate(rind_sph_model model, rind_sph_box box, int count) {
  sph_case made = {.model = model, .box = box, .count = count};
  for (int a = 0; a < 3; ++a)
    made.at[a] = calloc((size_t)count + 1, sizeof(double));
  return made;
}

sph_case sph_case_make(rind_sph_model model, rind_sph_box box, int count, double spread,
                       unsigned seed) {
  sph_case made = allocate(model, box, count);
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (int i = 0; i < count; ++i)
    for (int a = 0; a < box.dim; ++a) {
      const double middle = 0.5 * (box.lower[a] + box.upper[a]);
      made.at[a][i] = middle + spread * (box.upper[a] - box.lower[a]) * (uniform(&state) - 0.5);
    }
  return made;
}

static const struct {
  const char *name;
  rind_sph_model model;
  rind_sph_box box;
  int count;
  double spread;
} known_case[] = {
    {"flat, periodic", {0.1, 0.01, 5}, {2, {0, 0, 0}, {1, 1.3, 0}, {1, 1, 0}}, 700, 1},
    {"flat, walls", {0.1, 0.01, 5}, {2, {-1, 2, 0}, {1, 3, 0}, {0, 0, 0}}, 700, 1},
    {"flat, points beyond walls", {0.1, 0.5, 0}, {2, {-1, 2, 0}, {1, 3, 0}, {0, 0, 0}}, 700, 3},
    {"flat, points beyond periods", {0.1, 1, 9}, {2, {-1, 2, 0}, {1, 3, 0}, {1, 1, 0}}, 700, 5},
    {"flat, one axis periodic", {0.1, 1, 9}, {2, {-1, 2, 0}, {1, 3, 0}, {0, 1, 0}}, 700, 2},
    {"two cells an axis", {0.24, 1, 9}, {2, {0, 0, 0}, {1, 1, 0}, {1, 1, 0}}, 200, 1},
    {"nearest images", {0.26, 1, 9}, {2, {0, 0, 0}, {1, 1, 0}, {1, 1, 0}}, 200, 1},
    {"h beyond the box", {7, 1, 9}, {2, {0, 0, 0}, {1, 1, 0}, {1, 1, 0}}, 100, 1},
    {"h beyond a walled box", {7, 1, 9}, {2, {0, 0, 0}, {1, 1, 0}, {0, 0, 0}}, 100, 1},
    {"one axis short", {0.2, 1, 9}, {2, {0, 0, 0}, {0.3, 4, 0}, {1, 1, 0}}, 300, 1},
    {"solid, periodic", {0.15, 1, 9}, {3, {0, 0, 0}, {1, 1.2, 0.9}, {1, 1, 1}}, 900, 1},
    {"solid, walls", {0.15, 1, 9}, {3, {0, 0, 0}, {1, 1.2, 0.9}, {0, 0, 0}}, 900, 1},
    {"solid, mixed", {0.15, 1, 9}, {3, {0, 0, 0}, {1, 1.2, 0.9}, {0, 1, 0}}, 900, 1.5},
    {"solid, one axis short", {0.3, 1, 9}, {3, {0, 0, 0}, {4, 1, 3}, {1, 1, 1}}, 400, 1},
    {"many empty cells", {1e-3, 1, 0}, {2, {0, 0, 0}, {1, 1, 0}, {1, 1, 0}}, 300, 1e-2},
    {"more cells than numbers", {1e-9, 1, 0}, {3, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}}, 200, 1e-8},
    {"one point", {0.5, 1, 10}, {2, {0, 0, 0}, {0.316, 0.316, 0}, {1, 1, 0}}, 1, 1},
    {"one point, walls", {0.5, 1, 10}, {3, {0, 0, 0}, {9, 9, 9}, {0, 0, 0}}, 1, 1},
    {"no point", {0.5, 1, 10}, {2, {0, 0, 0}, {9, 9, 0}, {1, 1, 0}}, 0, 1},
    {"all in one cell", {0.5, 1, 10}, {2, {0, 0, 0}, {40, 40, 0}, {1, 1, 0}}, 500, 0.01},
    {"all at one place", {0.5, 1, 10}, {2, {0, 0, 0}, {40, 40, 0}, {1, 1, 0}}, 500, 0},
};

int sph_num_known(void) {
  return (int)(sizeof known_case / sizeof *known_case);
}

const char *sph_known_name(int which) {
  return known_case[which].name;
}

sph_case sph_case_known(int which) {
  return sph_case_make(known_case[which].model, known_case[which].box, known_case[which].count,
                       known_case[which].spread, (unsigned)which + 1);
}

sph_case sph_case_golden(int count) {
  const double length = sqrt(count / 10.0);
  sph_case made =
      allocate((rind_sph_model){.h = 0.5, .mass = 1, .rest_density = 10},
               (rind_sph_box){.dim = 2, .upper = {length, length}, .periodic = {1, 1}}, count);
  double *both = calloc(2 * (size_t)count + 1, sizeof *both);
  app_random random;
  app_random_seed(&random, 42);
  app_random_fill(&random, both, 2 * (size_t)count);
  for (int i = 0; i < count; ++i)
    for (int a = 0; a < 2; ++a)
      made.at[a][i] = length * both[2 * i + a];
  free(both);
  return made;
}

void sph_case_free(sph_case *c) {
  for (int a = 0; a < 3; ++a)
    free(c->at[a]);
}

/* W and W'/r as they are written in books, piece by piece. */
static void kernel(int dim, double h, double r, double *w, double *slope) {
  const double pi = acos(-1.0), q = r / h;
  const double s = dim == 2 ? 10 / (7 * pi * h * h) : 1 / (pi * h * h * h);
  *w = q < 1 ? s * (1 - 1.5 * q * q + 0.75 * q * q * q) : q < 2 ? s * 0.25 * pow(2 - q, 3) : 0;
  const double prime = q < 1   ? s / h * (-3 * q + 2.25 * q * q)
                       : q < 2 ? s / h * -0.75 * (2 - q) * (2 - q)
                               : 0;
  *slope = r > 0 ? prime / r : 0;
}

static double pair(const sph_case *c, int i, int j, double d[3], double *slope) {
  double square = 0, w;
  for (int a = 0; a < c->box.dim; ++a) {
    const double length = c->box.upper[a] - c->box.lower[a];
    d[a] = c->at[a][i] - c->at[a][j];
    if (c->box.periodic[a]) d[a] -= length * rint(d[a] / length);
    square += d[a] * d[a];
  }
  kernel(c->box.dim, c->model.h, sqrt(square), &w, slope);
  return w;
}

double sph_case_brute(const sph_case *c, double *density, double *const gradient[3]) {
  double d[3], slope, loss = 0;
  const double mass = c->model.mass, rest = c->model.rest_density;
  for (int i = 0; i < c->count; ++i) {
    density[i] = 0;
    for (int j = 0; j < c->count; ++j)
      density[i] += mass * pair(c, i, j, d, &slope);
    loss += (density[i] - rest) * (density[i] - rest);
  }
  for (int i = 0; i < c->count; ++i) {
    for (int a = 0; a < c->box.dim; ++a)
      gradient[a][i] = 0;
    for (int j = 0; j < c->count; ++j) {
      pair(c, i, j, d, &slope);
      for (int a = 0; a < c->box.dim; ++a)
        gradient[a][i] += 2 * mass * (density[i] - rest + density[j] - rest) * slope * d[a];
    }
  }
  return loss;
}

/* Arrays of a type in a space, from and to doubles. */
static void *give(const double *from, int count, rind_type type, rind_space space) {
  const size_t bytes = ((size_t)count + 1) * rind_type_bytes(type);
  void *here = malloc(bytes), *there = here;
  for (int i = 0; from && i < count; ++i) {
    if (type == RIND_FLOAT64)
      ((double *)here)[i] = from[i];
    else
      ((float *)here)[i] = (float)from[i];
  }
  if (space == RIND_HOST) return here;
  CHECK(rind_device_allocate(bytes, &there) == 0, "no device memory");
  if (from) CHECK(rind_device_copy(there, here, bytes) == 0, "no copy to the device");
  free(here);
  return there;
}

static void take(void *from, double *to, int count, rind_type type, rind_space space) {
  const size_t bytes = (size_t)count * rind_type_bytes(type);
  void *here = from;
  if (space == RIND_DEVICE) {
    here = malloc(bytes + 1);
    CHECK(rind_device_copy(here, from, bytes) == 0, "no copy from the device");
    rind_device_free(from);
  }
  for (int i = 0; to && i < count; ++i)
    to[i] = type == RIND_FLOAT64 ? ((double *)here)[i] : (double)((float *)here)[i];
  free(here);
}

sph_answer sph_case_ask_in(rind_context *context, const sph_case *c, rind_type type,
                           rind_space space) {
  sph_answer answer = {.loss = -1};
  const size_t count = (size_t)c->count + 1;
  answer.density = calloc(count, sizeof(double));
  for (int a = 0; a < 3; ++a)
    answer.gradient[a] = calloc(count, sizeof(double));
  rind_sph *sph = NULL;
  CHECK_OK(rind_sph_create_box(context, &c->model, &c->box, &(rind_sph_options){type, space}, &sph),
           context);
  if (!sph) return answer;
  rind_sph_points points = {.count = c->count};
  void *density = give(NULL, c->count, type, space), *gradient[3], *at[3];
  for (int a = 0; a < 3; ++a) {
    at[a] = give(c->at[a], c->count, type, space);
    points.position[a] = at[a];
    gradient[a] = give(answer.gradient[a], c->count, type, space);
  }
  CHECK_OK(rind_sph_set_points(sph, &points), context);
  double forward = -2;
  CHECK_OK(rind_sph_density(sph, density), context);
  CHECK_OK(rind_sph_loss(sph, &forward), context);
  CHECK_OK(rind_sph_gradient(sph, (void *const *)gradient, &answer.loss), context);
  CHECK(forward == answer.loss, "loss %.17g, with a gradient %.17g", forward, answer.loss);
  CHECK_OK(rind_sph_get_stats(sph, &answer.stats), context);
  rind_sph_destroy(&sph);
  take(density, answer.density, c->count, type, space);
  for (int a = 0; a < 3; ++a) {
    take(gradient[a], answer.gradient[a], c->count, type, space);
    take(at[a], NULL, c->count, type, space);
  }
  return answer;
}

sph_answer sph_case_ask(rind_context *context, const sph_case *c) {
  return sph_case_ask_in(context, c, RIND_FLOAT64, RIND_HOST);
}

static void compare(const char *name, const char *what, const double *one, const double *other,
                    int count) {
  for (int i = 0; i < count; ++i)
    CHECK(memcmp(&one[i], &other[i], sizeof one[i]) == 0, "%s: %s of %d is %.17g and %.17g", name,
          what, i, one[i], other[i]);
}

void sph_answer_compare(const char *name, const sph_case *c, const sph_answer *one,
                        const sph_answer *other) {
  compare(name, "the loss", &one->loss, &other->loss, 1);
  compare(name, "the density", one->density, other->density, c->count);
  for (int a = 0; a < c->box.dim; ++a)
    compare(name, "the gradient", one->gradient[a], other->gradient[a], c->count);
  CHECK(one->stats.largest_cell == other->stats.largest_cell, "%s: largest cells %lld and %lld",
        name, (long long)one->stats.largest_cell, (long long)other->stats.largest_cell);
  CHECK(one->stats.pair_slots == other->stats.pair_slots, "%s: pair slots %lld and %lld", name,
        (long long)one->stats.pair_slots, (long long)other->stats.pair_slots);
}

void sph_answer_free(sph_answer *answer) {
  free(answer->density);
  for (int a = 0; a < 3; ++a)
    free(answer->gradient[a]);
}
