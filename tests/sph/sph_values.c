/* sph_values.c - densities and gradients against golden values, sums over all pairs and finite
 * differences. */
#include <sph_cases.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

static rind_context *context;

/* A number is what it should be in all digits that are given. */
static void expect(const char *what, double value, const char *format, const char *digits) {
  char text[64];
  snprintf(text, sizeof text, format, value);
  CHECK(strcmp(text, digits) == 0, "%s is %s, should be %s", what, text, digits);
}

static double norm_of(const sph_case *c, double *const gradient[3]) {
  double sum = 0;
  for (int i = 0; i < c->count; ++i)
    for (int a = 0; a < c->box.dim; ++a)
      sum += gradient[a][i] * gradient[a][i];
  return sqrt(sum);
}

static void check_golden(void) {
  sph_case c = sph_case_golden(1000);
  sph_answer got = sph_case_ask(context, &c);
  double mean = 0, running = 0;
  for (int i = 0; i < c.count; ++i) {
    mean += got.density[i] / c.count;
    running += (got.density[i] - 10) * (got.density[i] - 10);
  }
  /* The value in 40 digits is 12476.36174287924681; that of a running sum ends otherwise. */
  expect("the running sum of the loss", running, "%.10f", "12476.3617428793");
  CHECK(fabs(got.loss - 12476.36174287924681) < 4e-12, "the loss is %.17g", got.loss);
  expect("the gradient's norm", norm_of(&c, got.gradient), "%.6f", "7526.066606");
  expect("the mean density", mean, "%.10f", "11.7027120777");
  CHECK(got.stats.largest_cell == 23, "largest cell %lld", (long long)got.stats.largest_cell);
  CHECK(got.stats.pair_slots == 91026, "%lld pair slots", (long long)got.stats.pair_slots);
  CHECK(got.stats.cells[0] == 10 && got.stats.cells[1] == 10, "%lld x %lld cells",
        (long long)got.stats.cells[0], (long long)got.stats.cells[1]);
  sph_answer_free(&got);
  sph_case_free(&c);
}

/* Against all pairs, to rounding. */
static void check_brute(const char *name, const sph_case *c) {
  sph_answer got = sph_case_ask(context, c);
  double *density = calloc((size_t)c->count + 1, sizeof *density), *gradient[3];
  for (int a = 0; a < 3; ++a)
    gradient[a] = calloc((size_t)c->count + 1, sizeof(double));
  const double loss = sph_case_brute(c, density, gradient), norm = norm_of(c, gradient);
  CHECK(fabs(got.loss - loss) <= 1e-12 * loss, "%s: loss %.17g, should be %.17g", name, got.loss,
        loss);
  double largest = 0;
  for (int i = 0; i < c->count; ++i)
    largest = fmax(largest, density[i]);
  for (int i = 0; i < c->count; ++i) {
    CHECK(fabs(got.density[i] - density[i]) <= 1e-13 * largest,
          "%s: density of %d is %.17g, should be %.17g", name, i, got.density[i], density[i]);
    for (int a = 0; a < c->box.dim; ++a)
      CHECK(fabs(got.gradient[a][i] - gradient[a][i]) <= 1e-12 * norm + 1e-300,
            "%s: gradient %d of %d is %.17g, should be %.17g", name, a, i, got.gradient[a][i],
            gradient[a][i]);
  }
  sph_answer_free(&got);
  free(density);
  for (int a = 0; a < 3; ++a)
    free(gradient[a]);
}

/* The slope along a random direction. */
static void check_differences(const char *name, sph_case *c) {
  sph_answer got = sph_case_ask(context, c);
  const double step = 1e-6;
  double slope = 0, loss[2];
  sph_case moved[2];
  for (int side = 0; side < 2; ++side) {
    moved[side] = sph_case_make(c->model, c->box, c->count, 1, 3);
    for (int i = 0; i < c->count; ++i)
      for (int a = 0; a < c->box.dim; ++a) {
        const double along = sin(1.0 + 7.0 * i + 3.0 * a);
        moved[side].at[a][i] = c->at[a][i] + (side ? step : -step) * along;
        if (side) slope += along * got.gradient[a][i];
      }
    sph_answer there = sph_case_ask(context, &moved[side]);
    loss[side] = there.loss;
    sph_answer_free(&there);
    sph_case_free(&moved[side]);
  }
  const double by_difference = (loss[1] - loss[0]) / (2 * step);
  CHECK(fabs(by_difference - slope) <= 1e-6 * norm_of(c, got.gradient),
        "%s: slope %.10g, by differences %.10g", name, slope, by_difference);
  sph_answer_free(&got);
}

static void check_boxes(void) {
  for (int k = 0; k < sph_num_known(); ++k) {
    sph_case c = sph_case_known(k);
    check_brute(sph_known_name(k), &c);
    if (c.count > 1 && c.model.h > 0.01 && c.model.h < 1 && c.box.upper[0] < 40)
      check_differences(sph_known_name(k), &c);
    sph_case_free(&c);
  }
}

/* Boxes, walls and lengths by chance. */
static void check_random(void) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const int dim = 2 + (int)(seed % 2), count = 1 + (int)(seed * 37 % 260);
    sph_case draw = sph_case_make((rind_sph_model){.h = 1},
                                  (rind_sph_box){.dim = 3, .upper = {1, 1, 1}}, 4, 1, seed);
    rind_sph_box box = {.dim = dim};
    for (int a = 0; a < dim; ++a) {
      box.lower[a] = 4 * draw.at[a][0] - 2;
      box.upper[a] = box.lower[a] + 0.2 + 2 * draw.at[a][1];
      box.periodic[a] = draw.at[a][2] < 0.5;
    }
    const rind_sph_model model = {.h = 0.03 + 0.4 * draw.at[0][3] * draw.at[1][3],
                                  .mass = 0.1 + draw.at[2][3],
                                  .rest_density = 20 * draw.at[2][0]};
    char name[32];
    snprintf(name, sizeof name, "seed %u", seed);
    sph_case c = sph_case_make(model, box, count, 0.5 + 2 * draw.at[2][1], seed + 1000);
    check_brute(name, &c);
    sph_case_free(&c);
    sph_case_free(&draw);
  }
}

/* Half of the points lie where the others do. */
static void check_doubles(void) {
  sph_case c =
      sph_case_make((rind_sph_model){.h = 0.2, .mass = 1, .rest_density = 3},
                    (rind_sph_box){.dim = 2, .upper = {1, 1}, .periodic = {1, 1}}, 200, 1, 5);
  for (int i = 0; i < 100; ++i)
    for (int a = 0; a < 2; ++a)
      c.at[a][100 + i] = c.at[a][i];
  check_brute("twins", &c);
  sph_case_free(&c);
}

/* Corners and borders of cells, points on them. */
static void check_lattice(void) {
  sph_case c =
      sph_case_make((rind_sph_model){.h = 0.05, .mass = 1, .rest_density = 3},
                    (rind_sph_box){.dim = 2, .upper = {1, 1}, .periodic = {1, 1}}, 400, 1, 6);
  for (int i = 0; i < 400; ++i) {
    c.at[0][i] = (i % 20) / 20.0;
    c.at[1][i] = i / 20 / 19.0;
  }
  check_brute("lattice", &c);
  sph_case_free(&c);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  check_golden();
  check_boxes();
  check_random();
  check_doubles();
  check_lattice();
  rind_context_destroy(&context);
  return check_end();
}
