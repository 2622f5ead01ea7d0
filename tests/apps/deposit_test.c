/* deposit_test.c - the deposit benchmark against golden values, plain loops over all steps, finite
 * differences; --device: the device against the host, skipped where there is none. */
#include "deposit_loops.h"
#include <check.h>
#include <deposit_device.h>
#include <string.h>

static answer answer_create(int64_t count) {
  return (answer){.gradient = calloc((size_t)count + 1, sizeof(double))};
}

static answer run_host(const deposit_input *input, int threads, bool plain) {
  answer a = answer_create(input->count);
  deposit_host *host = deposit_host_create(input, threads);
  if (plain) deposit_host_use_plain(host);
  deposit_host_loss(host, &a.summary);
  deposit_host_gradient(host, a.gradient);
  memcpy(a.bins, deposit_host_bins(host), sizeof a.bins);
  deposit_host_destroy(&host);
  return a;
}

static void check_same(const char *what, int64_t count, const answer *a, const answer *b) {
  CHECK(memcmp(&a->summary, &b->summary, sizeof a->summary) == 0,
        "%s: losses %.17g and %.17g, %lld and %lld deposits", what, a->summary.loss,
        b->summary.loss, (long long)a->summary.deposits, (long long)b->summary.deposits);
  for (int i = 0; i < BINS; ++i)
    CHECK(a->bins[i] == b->bins[i], "%s: bin %d is %a and %a", what, i, a->bins[i], b->bins[i]);
  for (int64_t i = 0; i < count; ++i)
    CHECK(a->gradient[i] == b->gradient[i] || a->gradient[i] != a->gradient[i],
          "%s: gradient of particle %lld is %a and %a", what, (long long)i, a->gradient[i],
          b->gradient[i]);
}

static void check_text(const char *what, const char *format, double value, const char *expected) {
  char text[64];
  snprintf(text, sizeof text, format, value);
  CHECK(strcmp(text, expected) == 0, "%s is %s instead of %s", what, text, expected);
}

static void check_golden(const answer *a, int64_t count) {
  double squares = 0.0, sum = 0.0;
  int64_t nonzero = 0;
  for (int64_t i = 0; i < count; ++i) {
    squares += a->gradient[i] * a->gradient[i];
    nonzero += a->gradient[i] != 0.0;
  }
  for (int b = 0; b < BINS; ++b)
    sum += a->bins[b];
  check_text("the loss", "%.10f", a->summary.loss, "559.5605712700");
  check_text("the gradient's norm", "%.6f", sqrt(squares), "52854.055962");
  check_text("the sum of the bins", "%.12f", sum, "354.614603566795");
  CHECK(nonzero == 983 && a->summary.selected == 983, "%lld entries of the gradient, %lld selected",
        (long long)nonzero, (long long)a->summary.selected);
  CHECK(a->summary.largest == 30, "%lld in one step", (long long)a->summary.largest);
  CHECK(a->summary.deposits == 1018, "%lld deposits", (long long)a->summary.deposits);
}

enum { NUM_MADE = 20001 };

/* The steps that the search finds are those of the loop. */
static void check_search(const char *what, double x, double v) {
  double centre[T + 1];
  for (int t = 0; t <= T; ++t)
    centre[t] = deposit_centre(t);
  const int quick = deposit_quick_steps(x, v);
  int next = deposit_next_step(x, v, 1, centre);
  for (int t = 1; t <= T; ++t) {
    const bool selected = plain_selects(x, v, t);
    CHECK(selected == (next == t), "%s: x %a, v %a, step %d: %s", what, x, v, t,
          selected ? "missed" : "found");
    CHECK(!selected || quick < 0 || (quick & 63) == t || quick >> 6 == t,
          "%s: x %a, v %a, step %d: quick %d", what, x, v, t, quick);
    if (next == t) next = deposit_next_step(x, v, t + 1, centre);
  }
}

typedef answer (*runner)(const deposit_input *input);

/* Numbers of particles around batches and tiles, everyday and awkward. */
static void check_cases(runner run) {
  static const int counts[] = {0, 1, 2, 3, 511, 512, 513, 4097, 100000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    deposit_arrays arrays;
    char what[64];
    snprintf(what, sizeof what, "%d particles", counts[c]);
    deposit_arrays_create(counts[c], c, &arrays);
    const deposit_input input = {counts[c], arrays.x, arrays.v, arrays.target};
    answer a = run(&input);
    check_against_loops(what, &input, &a);
    free(a.gradient);
    deposit_arrays_destroy(&arrays);
  }
  for (int k = 0; k < NUM_AWKWARD; ++k) {
    deposit_arrays arrays = make_awkward(k, NUM_MADE, 5);
    const deposit_input input = {NUM_MADE, arrays.x, arrays.v, arrays.target};
    for (int i = 0; i < NUM_MADE; ++i)
      check_search(awkward_names[k], arrays.x[i], arrays.v[i]);
    answer a = run(&input);
    check_against_loops(awkward_names[k], &input, &a);
    free(a.gradient);
    deposit_arrays_destroy(&arrays);
  }
}

/* Some particles that are not finite; the others count. */
static void check_bad(runner run) {
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 6; ++k) {
    deposit_arrays arrays;
    deposit_arrays_create(3000, 1, &arrays);
    const deposit_input input = {3000, arrays.x, arrays.v, arrays.target};
    (k < 3 ? arrays.x : arrays.v)[1234] = bad[k % 3];
    (k < 3 ? arrays.v : arrays.x)[2999] = bad[k % 3];
    answer a = run(&input);
    CHECK(a.summary.first_bad == 1234, "first bad %lld", (long long)a.summary.first_bad);
    CHECK(isfinite(a.summary.loss), "the loss is %g", a.summary.loss);
    free(a.gradient);
    deposit_arrays_destroy(&arrays);
  }
}

/* All at one place: a million deposits in two bins, exactly. */
static void check_one_bin(runner run) {
  enum { COUNT = 1000000 };
  deposit_arrays arrays;
  deposit_arrays_create(COUNT, 1, &arrays);
  for (int i = 0; i < COUNT; ++i) {
    arrays.x[i] = 0.1 + 0x1p-12;
    arrays.v[i] = 0.0;
  }
  const deposit_input input = {COUNT, arrays.x, arrays.v, arrays.target};
  answer a = run(&input);
  const deposit_hit hit = deposit_hit_of(arrays.x[0], 0.1, true);
  const double taper = hit.rest * hit.rest;
  const double one = (double)deposit_quanta(taper * (1.0 - hit.fraction)) * 0x1p-51;
  const double other = (double)deposit_quanta(taper * hit.fraction) * 0x1p-51;
  CHECK(a.summary.deposits == COUNT && a.summary.largest == COUNT, "%lld deposits",
        (long long)a.summary.deposits);
  CHECK(fabs(a.bins[hit.bin] / (COUNT * one) - 1.0) < 2e-16, "%.17g", a.bins[hit.bin]);
  CHECK(fabs(a.bins[hit.next] / (COUNT * other) - 1.0) < 2e-16, "%.17g", a.bins[hit.next]);
  free(a.gradient);
  deposit_arrays_destroy(&arrays);
}

static answer run_one(const deposit_input *input) {
  return run_host(input, 1, false);
}

static answer run_device(const deposit_input *input) {
  answer a = answer_create(input->count);
  deposit_device *device = NULL;
  int code = deposit_device_create(input, &device);
  if (code == 0) code = deposit_device_run(device, true, true);
  if (code == 0) code = deposit_device_fetch(device, &a.summary, a.bins, a.gradient);
  CHECK(code == 0, "%s", deposit_device_error_text(code));
  if (device) deposit_device_destroy(&device);
  return a;
}

/* Threads and wide registers change nothing. */
static void check_threads(void) {
  deposit_arrays arrays;
  deposit_arrays_create(100003, 9, &arrays);
  const deposit_input input = {100003, arrays.x, arrays.v, arrays.target};
  answer one = run_host(&input, 1, true);
  for (int threads = 1; threads < 6; ++threads) {
    answer several = run_host(&input, threads, false);
    check_same("threads", input.count, &one, &several);
    free(several.gradient);
  }
  free(one.gradient);
  deposit_arrays_destroy(&arrays);
}

/* Central differences of the loss, where the step changes no selection and no bin. */
static void check_differences(void) {
  enum { COUNT = 500 };
  const double h = 1e-8;
  deposit_arrays arrays;
  deposit_arrays_create(COUNT, 3, &arrays);
  const deposit_input input = {COUNT, arrays.x, arrays.v, arrays.target};
  answer a = run_host(&input, 1, false);
  int compared = 0;
  for (int i = 0; i < COUNT; ++i) {
    double loss[2], bins[BINS];
    const double x = arrays.x[i];
    for (int side = 0; side < 2; ++side) {
      arrays.x[i] = side ? x + h : x - h;
      loss[side] = plain_loss(&input, bins, NULL);
    }
    arrays.x[i] = x;
    const double slope = (loss[1] - loss[0]) / (2.0 * h);
    CHECK(fabs(slope - a.gradient[i]) < 1e-3 + 1e-4 * fabs(slope), "particle %d: %.12g, not %.12g",
          i, a.gradient[i], slope);
    compared += a.gradient[i] != 0.0;
  }
  CHECK(compared > COUNT / 4, "%d compared", compared);
  free(a.gradient);
  deposit_arrays_destroy(&arrays);
}

static int check_device(void) {
  deposit_arrays arrays;
  deposit_arrays_create(2000, 42, &arrays);
  const deposit_input golden = {2000, arrays.x, arrays.v, arrays.target};
  deposit_device *device = NULL;
  if (deposit_device_create(&golden, &device) != 0) {
    deposit_arrays_destroy(&arrays);
    return CHECK_SKIPPED;
  }
  deposit_device_destroy(&device);
  answer a = run_device(&golden);
  check_golden(&a, golden.count);
  check_against_loops("golden", &golden, &a);
  check_cases(run_device);
  check_bad(run_device);
  check_one_bin(run_device);
  for (int k = 0; k <= NUM_AWKWARD; ++k) {
    const int64_t count = k < NUM_AWKWARD ? NUM_MADE : 1000003;
    deposit_arrays made;
    if (k < NUM_AWKWARD)
      made = make_awkward(k, count, 6);
    else
      deposit_arrays_create(count, 6, &made);
    const deposit_input input = {count, made.x, made.v, made.target};
    answer host = run_host(&input, 2, false), there = run_device(&input),
           again = run_device(&input);
    check_same("host and device", count, &host, &there);
    check_same("device twice", count, &there, &again);
    free(host.gradient);
    free(there.gradient);
    free(again.gradient);
    deposit_arrays_destroy(&made);
  }
  free(a.gradient);
  deposit_arrays_destroy(&arrays);
  return 0;
}

static void check_host(void) {
  deposit_arrays arrays;
  deposit_arrays_create(2000, 42, &arrays);
  const deposit_input golden = {2000, arrays.x, arrays.v, arrays.target};
  answer a = run_one(&golden);
  check_golden(&a, golden.count);
  check_against_loops("golden", &golden, &a);
  check_cases(run_one);
  check_bad(run_one);
  check_one_bin(run_one);
  check_threads();
  check_differences();
  free(a.gradient);
  deposit_arrays_destroy(&arrays);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  int skipped = 0;
  if (argc > 1 && strcmp(argv[1], "--device") == 0)
    skipped = check_device();
  else
    check_host();
  if (skipped) {
    MPI_Finalize();
    return skipped;
  }
  return check_end();
}
