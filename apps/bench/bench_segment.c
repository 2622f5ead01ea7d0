/* bench_segment.c - times sums over segments and their adjoint: two shapes, lengths alike and one
 * segment with half of all values. */
#include <bench_case.h>
#include <bench_device.h>
#include <random.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUM, SUM_WAITED, GATHER, NUM_VARIANTS };

static const struct {
  int64_t rows, values, segments;
} shapes[] = {{1, 1 << 24, 1 << 20}, {256, 1 << 16, 1 << 12}};

enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };

typedef struct arrays {
  rind_context *context; /* borrowed */
  rind_segment *segment;
  rind_segment_rows rows;
  rind_space space;
  void *values, *sums;
} arrays;

/* Each value in a random segment; skewed: half of them in one. */
static rind_error make_segments(int64_t values, int64_t segments, bool skewed, arrays *a) {
  int64_t *begin = calloc((size_t)segments + 1, sizeof *begin);
  if (!begin) return rind_context_fail(a->context, RIND_ERROR_MEMORY, "no memory for offsets");
  app_random random;
  app_random_seed(&random, 3);
  for (int64_t k = 0; k < values; ++k) {
    const bool at_one = skewed && k % 2 == 0;
    const int64_t any = (int64_t)(app_random_double(&random) * (double)segments);
    ++begin[1 + (at_one ? segments / 3 : any)];
  }
  for (int64_t s = 0; s < segments; ++s)
    begin[s + 1] += begin[s];
  const rind_error error =
      rind_segment_create_offsets(a->context, a->space, segments, begin, &a->segment);
  free(begin);
  return error;
}

/* Random numbers, the same ones again and again: what they are does not matter. */
static void *make_array(const arrays *a, int64_t count, app_random *random) {
  enum { PERIOD = 1 << 16 };
  const size_t each = rind_type_bytes(a->rows.type), bytes = (size_t)count * each;
  char *host = malloc(bytes);
  for (int64_t i = 0; host && i < count && i < PERIOD; ++i) {
    const double value = app_random_double(random);
    if (a->rows.type == RIND_FLOAT64)
      ((double *)host)[i] = value;
    else
      ((float *)host)[i] = (float)value;
  }
  for (size_t at = PERIOD * each; host && at < bytes; at += PERIOD * each)
    memcpy(host + at, host, bytes - at < PERIOD * each ? bytes - at : PERIOD * each);
  if (!host || a->space == RIND_HOST) return host;
  void *there = bench_device_keep(host, bytes);
  free(host);
  return there;
}

static void destroy(arrays *a) {
  rind_segment_destroy(&a->segment);
  if (a->space == RIND_HOST) {
    free(a->values);
    free(a->sums);
  } else {
    bench_device_drop(a->values);
    bench_device_drop(a->sums);
  }
}

static rind_error call_sum(void *what) {
  const arrays *a = what;
  return rind_segment_sum(a->segment, &a->rows, a->values, a->sums);
}

static rind_error call_sum_waited(void *what) {
  const arrays *a = what;
  const rind_error error = call_sum(what);
  return error == RIND_OK ? rind_context_wait(a->context) : error;
}

static rind_error call_gather(void *what) {
  const arrays *a = what;
  return rind_segment_gather(a->segment, &a->rows, a->sums, a->values);
}

static void print(const bench_options *options, int shape, bool skewed, const bench_variant *v,
                  double bandwidth) {
  const double bytes = (double)shapes[shape].rows *
                       (double)(shapes[shape].values + shapes[shape].segments) *
                       (double)rind_type_bytes(options->layout.type);
  const double rate = bytes / v[SUM].timing.median * 1e-3;
  printf(
      options->json
          ? "{\"bench\": \"segments\", \"space\": \"%s\", \"type\": \"%s\", \"rows\": %lld, "
            "\"values\": %lld, \"segments\": %lld, \"skewed\": %d, \"us_sum\": %.2f, "
            "\"us_sum_min\": %.2f, \"us_sum_waited\": %.2f, \"us_gather\": %.2f, "
            "\"gb_per_s\": %.0f, \"copy_gb_per_s\": %.0f, \"fraction\": %.3f}\n"
          : "%s %s, %lld x %lld values in %lld segments, skewed %d: sum %.2f us (least %.2f), with "
            "a wait %.2f, gather %.2f; %.0f GB/s, copy %.0f GB/s, fraction %.3f\n",
      options->layout.space == RIND_DEVICE ? "device" : "host",
      options->layout.type == RIND_FLOAT64 ? "f64" : "f32", (long long)shapes[shape].rows,
      (long long)shapes[shape].values, (long long)shapes[shape].segments, skewed,
      v[SUM].timing.median, v[SUM].timing.min, v[SUM_WAITED].timing.median, v[GATHER].timing.median,
      rate, bandwidth * 1e-9, rate / (bandwidth * 1e-9));
}

static rind_error measure(rind_context *context, const bench_options *options, int shape,
                          bool skewed, double bandwidth) {
  arrays a = {.context = context,
              .space = options->layout.space,
              .rows = {.num_rows = shapes[shape].rows, .type = options->layout.type}};
  app_random random;
  app_random_seed(&random, 5);
  rind_error error = make_segments(shapes[shape].values, shapes[shape].segments, skewed, &a);
  if (error == RIND_OK) {
    a.values = make_array(&a, a.rows.num_rows * shapes[shape].values, &random);
    a.sums = make_array(&a, a.rows.num_rows * shapes[shape].segments, &random);
    if (!a.values || !a.sums)
      error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for values and sums");
  }
  bench_variant variants[NUM_VARIANTS] = {
      [SUM] = {.call = call_sum, .what = &a},
      [SUM_WAITED] = {.call = call_sum_waited, .what = &a},
      [GATHER] = {.call = call_gather, .what = &a},
  };
  error = rind_context_agree(context, error);
  if (error == RIND_OK)
    error = bench_time(context, variants, NUM_VARIANTS, options->repeats, options->sample_us);
  if (error == RIND_OK && rind_context_rank(context) == 0)
    print(options, shape, skewed, variants, bandwidth);
  destroy(&a);
  return error;
}

rind_error bench_segment(rind_context *context, bench_options *options) {
  enum { COPY_BYTES = 1 << 28 };
  const double bandwidth = options->layout.space == RIND_DEVICE
                               ? bench_device_bandwidth(COPY_BYTES)
                               : bench_copy_bandwidth(context, COPY_BYTES);
  rind_error error = RIND_OK;
  for (int shape = 0; shape < NUM_SHAPES; ++shape)
    for (int skewed = 0; skewed < 2 && error == RIND_OK; ++skewed)
      error = measure(context, options, shape, skewed, bandwidth);
  return error;
}
