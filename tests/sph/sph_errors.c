/* sph_errors.c - mistakes are refused with a line about them, and change nothing. */
#include <sph_cases.h>

#include <math.h>
#include <string.h>

#include <check.h>

static rind_context *context;

static void refuse_box(rind_sph_model model, rind_sph_box box, const char *word) {
  rind_sph *sph = NULL;
  CHECK_ERROR(rind_sph_create_box(context, &model, &box, NULL, &sph), RIND_ERROR_INVALID, context);
  CHECK(strstr(rind_last_error(context), word), "no %s in: %s", word, rind_last_error(context));
  CHECK(sph == NULL, "an object was made");
  rind_sph_destroy(&sph);
}

static void check_boxes(void) {
  const rind_sph_model model = {.h = 0.5, .mass = 1, .rest_density = 10};
  const rind_sph_box box = {.dim = 2, .upper = {1, 1}};
  rind_sph_model bad = model;
  bad.h = 0;
  refuse_box(bad, box, "smoothing length is 0");
  bad.h = -1;
  refuse_box(bad, box, "smoothing length is -1");
  bad.h = NAN;
  refuse_box(bad, box, "smoothing length is");
  bad.h = 1e-200;
  refuse_box(bad, box, "1e-200");
  bad = model;
  bad.mass = -2;
  refuse_box(bad, box, "mass of a particle is -2");
  bad = model;
  bad.rest_density = INFINITY;
  refuse_box(bad, box, "rest density is inf");
  rind_sph_box odd = box;
  odd.dim = 4;
  refuse_box(model, odd, "dim is 4");
  odd = box;
  odd.upper[1] = 0;
  refuse_box(model, odd, "axis 1 is from 0 to 0");
  odd.upper[1] = NAN;
  refuse_box(model, odd, "axis 1");
  odd = box;
  odd.lower[0] = -INFINITY;
  refuse_box(model, odd, "axis 0");
  rind_sph *sph = NULL;
  CHECK_ERROR(rind_sph_create_box(NULL, &model, &box, NULL, &sph), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_sph_create_box(context, NULL, &box, NULL, &sph), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_sph_create_box(context, &model, NULL, NULL, &sph), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_sph_create_box(context, &model, &box, NULL, NULL), RIND_ERROR_INVALID, context);
}

static void check_calls(void) {
  sph_case c = sph_case_golden(50);
  rind_sph *sph = NULL;
  double density[50], along[2][50], loss = -1;
  void *const gradient[3] = {along[0], along[1], NULL}, *const half[3] = {along[0], NULL, NULL};
  rind_sph_stats stats;
  CHECK_OK(rind_sph_create_box(context, &c.model, &c.box, NULL, &sph), context);
  CHECK_ERROR(rind_sph_density(sph, density), RIND_ERROR_STATE, context);
  CHECK_ERROR(rind_sph_loss(sph, &loss), RIND_ERROR_STATE, context);
  CHECK_ERROR(rind_sph_get_stats(sph, &stats), RIND_ERROR_STATE, context);
  rind_sph_points points = {.count = 50, .position = {c.at[0], NULL}};
  CHECK_ERROR(rind_sph_set_points(sph, &points), RIND_ERROR_INVALID, context);
  points = (rind_sph_points){.count = -1, .position = {c.at[0], c.at[1]}};
  CHECK_ERROR(rind_sph_set_points(sph, &points), RIND_ERROR_INVALID, context);
  points.count = INT64_C(1) << 33;
  CHECK_ERROR(rind_sph_set_points(sph, &points), RIND_ERROR_OVERFLOW, context);
  CHECK_ERROR(rind_sph_set_points(sph, NULL), RIND_ERROR_INVALID, context);
  points.count = 50;
  CHECK_OK(rind_sph_set_points(sph, &points), context);
  CHECK_ERROR(rind_sph_density(sph, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_sph_gradient(sph, NULL, &loss), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_sph_gradient(sph, half, &loss), RIND_ERROR_INVALID, context);
  const double kept = c.at[1][37], wrong[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; ++k) {
    c.at[1][37] = wrong[k];
    CHECK_ERROR(rind_sph_gradient(sph, gradient, &loss), RIND_ERROR_INVALID, context);
    CHECK(strstr(rind_last_error(context), "point 37"), "%s", rind_last_error(context));
    CHECK_ERROR(rind_sph_get_stats(sph, &stats), RIND_ERROR_STATE, context);
  }
  CHECK(loss == -1, "the loss was written: %g", loss);
  c.at[1][37] = kept;
  CHECK_OK(rind_sph_gradient(sph, gradient, NULL), context);
  CHECK_OK(rind_sph_loss(sph, NULL), context);
  CHECK_ERROR(rind_sph_get_stats(sph, NULL), RIND_ERROR_INVALID, context);
  CHECK_OK(rind_sph_get_stats(sph, &stats), context);
  CHECK(stats.num_points == 50 && stats.bytes > 0, "%lld points", (long long)stats.num_points);
  rind_sph_destroy(&sph);
  rind_sph_destroy(&sph);
  rind_sph_destroy(NULL);
  sph_case_free(&c);
  CHECK_ERROR(rind_sph_density(NULL, density), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_sph_loss(NULL, &loss), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_sph_gradient(NULL, gradient, &loss), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_sph_set_points(NULL, &points), RIND_ERROR_INVALID, NULL);
}

/* Places so far away that no cell number is in reach. */
static void check_far(void) {
  double x[4] = {1e308, -1e308, 1e18, 0.5}, y[4] = {0.5, 0.5, -1e300, 0.5}, density[4];
  for (int periodic = 0; periodic < 2; ++periodic) {
    rind_sph *sph = NULL;
    const rind_sph_model model = {.h = 0.01};
    const rind_sph_box box = {.dim = 2, .upper = {1, 1}, .periodic = {periodic, periodic}};
    CHECK_OK(rind_sph_create_box(context, &model, &box, NULL, &sph), context);
    CHECK_OK(rind_sph_set_points(sph, &(rind_sph_points){4, {x, y, NULL}}), context);
    CHECK_OK(rind_sph_density(sph, density), context);
    for (int i = 0; i < 4; ++i)
      CHECK(density[i] > 0 && isfinite(density[i]), "density %g", density[i]);
    rind_sph_destroy(&sph);
  }
}

/* The same bits with any number of threads. */
static void check_threads(void) {
  sph_case c = sph_case_golden(20000);
  sph_answer one = sph_case_ask(context, &c);
  for (int threads = 2; threads <= 5; ++threads) {
    rind_context *many = NULL;
    CHECK_OK(
        rind_context_create(MPI_COMM_WORLD, &(rind_context_options){.threads = threads}, &many),
        many);
    sph_answer other = sph_case_ask(many, &c);
    sph_answer_compare("threads", &c, &one, &other);
    sph_answer_free(&other);
    rind_context_destroy(&many);
  }
  sph_answer_free(&one);
  sph_case_free(&c);
}

/* Floats are sums in double of the rounded positions, rounded once. */
static void check_floats(void) {
  sph_case c = sph_case_golden(3000);
  for (int i = 0; i < c.count; ++i)
    for (int a = 0; a < 2; ++a)
      c.at[a][i] = (double)(float)c.at[a][i];
  sph_answer doubles = sph_case_ask(context, &c);
  sph_answer floats = sph_case_ask_in(context, &c, RIND_FLOAT32, RIND_HOST);
  CHECK(doubles.loss == floats.loss, "losses %.17g and %.17g", doubles.loss, floats.loss);
  for (int i = 0; i < c.count; ++i) {
    CHECK(floats.density[i] == (double)(float)doubles.density[i], "density of %d: %.17g", i,
          floats.density[i]);
    for (int a = 0; a < 2; ++a)
      CHECK(floats.gradient[a][i] == (double)(float)doubles.gradient[a][i], "gradient of %d", i);
  }
  sph_answer_free(&doubles);
  sph_answer_free(&floats);
  sph_case_free(&c);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  check_boxes();
  check_calls();
  check_far();
  check_threads();
  check_floats();
  rind_context_destroy(&context);
  return check_end();
}
