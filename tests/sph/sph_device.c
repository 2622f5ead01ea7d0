/* sph_device.c - the device gives the host's bits, run after run; mistakes there. */
#include <sph_cases.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <device_memory.h>

static rind_context *context;

static void check_same(const char *name, const sph_case *c) {
  for (int type = RIND_FLOAT64; type <= RIND_FLOAT32; ++type) {
    sph_answer host = sph_case_ask_in(context, c, (rind_type)type, RIND_HOST);
    for (int run = 0; run < 2; ++run) {
      sph_answer device = sph_case_ask_in(context, c, (rind_type)type, RIND_DEVICE);
      sph_answer_compare(name, c, &host, &device);
      sph_answer_free(&device);
    }
    sph_answer_free(&host);
  }
}

/* One object, other points: what grew is kept, what shrank is not looked at. */
static void check_counts(void) {
  const int count[] = {100, 3000, 7, 0, 3000};
  sph_case c = sph_case_golden(3000);
  rind_sph *sph = NULL;
  CHECK_OK(rind_sph_create_box(context, &c.model, &c.box, &(rind_sph_options){.space = RIND_DEVICE},
                               &sph),
           context);
  void *at[2] = {NULL, NULL};
  for (int a = 0; a < 2; ++a) {
    CHECK(rind_device_allocate(3000 * sizeof(double), &at[a]) == 0, "no device memory");
    CHECK(rind_device_copy(at[a], c.at[a], 3000 * sizeof(double)) == 0, "no copy");
  }
  for (int k = 0; k < 5; ++k) {
    double loss = -1;
    c.count = count[k];
    CHECK_OK(rind_sph_set_points(sph, &(rind_sph_points){count[k], {at[0], at[1], NULL}}), context);
    CHECK_OK(rind_sph_loss(sph, &loss), context);
    sph_answer host = sph_case_ask(context, &c);
    CHECK(loss == host.loss, "%d points: loss %.17g, on the host %.17g", count[k], loss, host.loss);
    sph_answer_free(&host);
  }
  const double nan = NAN;
  double loss = -1;
  CHECK(rind_device_copy((double *)at[1] + 1234, &nan, sizeof nan) == 0, "no copy");
  CHECK_ERROR(rind_sph_loss(sph, &loss), RIND_ERROR_INVALID, context);
  CHECK(strstr(rind_last_error(context), "1234"), "%s", rind_last_error(context));
  CHECK(loss == -1, "the loss was written: %g", loss);
  rind_sph_destroy(&sph);
  for (int a = 0; a < 2; ++a)
    rind_device_free(at[a]);
  sph_case_free(&c);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  if (rind_device_count() == 0) {
    rind_sph *sph = NULL;
    const rind_sph_model model = {.h = 1};
    const rind_sph_box box = {.dim = 2, .upper = {1, 1}};
    CHECK_ERROR(
        rind_sph_create_box(context, &model, &box, &(rind_sph_options){.space = RIND_DEVICE}, &sph),
        RIND_ERROR_UNSUPPORTED, context);
    rind_context_destroy(&context);
    return check_end() ? 1 : CHECK_SKIPPED;
  }
  for (int k = 0; k < sph_num_known(); ++k) {
    sph_case c = sph_case_known(k);
    check_same(sph_known_name(k), &c);
    sph_case_free(&c);
  }
  for (int count = 1000; count <= 100000; count *= 10) {
    sph_case c = sph_case_golden(count);
    check_same("golden input", &c);
    sph_case_free(&c);
  }
  check_counts();
  rind_context_destroy(&context);
  return check_end();
}
