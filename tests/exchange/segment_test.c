/* segment_test.c - sums over segments against a tree written down again, exact sums, the adjoint,
 * errors;
 * --device: the device against the host, skipped where there is none. */
#include <check.h>
#include <device_memory.h>
#include <rind/segment.h>
#include <stdbool.h>
#include <string.h>

#include "segment_plain.h"

/* An array of the type in a space, shift elements into its memory. */
typedef struct array {
  void *memory;
  char *data;
  rind_space space;
} array;

static array make_array(rind_space space, rind_type type, const double *from, int64_t count,
                        int shift) {
  const size_t each = rind_type_bytes(type), bytes = (size_t)(count + shift) * each;
  array a = {.space = space};
  char *host = malloc(bytes + 1);
  for (int64_t i = 0; i < count; ++i) {
    const float single = (float)from[i];
    memcpy(host + (size_t)(i + shift) * each,
           type == RIND_FLOAT32 ? (const void *)&single : from + i, each);
  }
  a.memory = host;
  if (space == RIND_DEVICE) {
    CHECK(rind_device_allocate(bytes, &a.memory) == 0, "no device memory");
    CHECK(rind_device_copy(a.memory, host, bytes) == 0, "no copy");
    free(host);
  }
  a.data = (char *)a.memory + (size_t)shift * each;
  return a;
}

/* Back as doubles; the array is gone. */
static void take_array(array *a, rind_type type, double *to, int64_t count) {
  const size_t each = rind_type_bytes(type);
  char *host = malloc((size_t)count * each + 1);
  if (a->space == RIND_DEVICE) {
    CHECK(rind_device_copy(host, a->data, (size_t)count * each) == 0, "no copy");
    rind_device_free(a->memory);
  } else {
    memcpy(host, a->data, (size_t)count * each);
    free(a->memory);
  }
  for (int64_t i = 0; i < count; ++i) {
    float single;
    memcpy(&single, host + (size_t)i * each, sizeof single);
    if (type == RIND_FLOAT32)
      to[i] = single;
    else
      memcpy(to + i, host + (size_t)i * each, sizeof *to);
  }
  free(host);
}

static void check_call(rind_context *context, rind_segment *segment, rind_space space,
                       const rows *r, bool gather, int shift, const double *expected,
                       const char *what) {
  const rind_type type = r->what.type;
  const int64_t count = gather ? r->values : r->sums;
  array values = make_array(space, type, r->value, r->values, shift);
  array sums = make_array(space, type, r->sum, r->sums, shift);
  double *got = malloc((size_t)(r->values > r->sums ? r->values : r->sums) * sizeof *got + 1);
  if (gather)
    CHECK_OK(rind_segment_gather(segment, &r->what, sums.data, values.data), context);
  else
    CHECK_OK(rind_segment_sum(segment, &r->what, values.data, sums.data), context);
  CHECK_OK(rind_context_wait(context), context);
  take_array(gather ? &sums : &values, type, got, gather ? r->sums : r->values);
  CHECK(memcmp(got, gather ? r->sum : r->value,
               (size_t)(gather ? r->sums : r->values) * sizeof *got) == 0,
        "%s: the input has changed", what);
  take_array(gather ? &values : &sums, type, got, count);
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < count; ++i)
    if (memcmp(got + i, expected + i, sizeof *got) != 0) {
      ++wrong;
      if (first < 0) first = i;
    }
  CHECK(wrong == 0, "%s: %lld of %lld wrong, element %lld is %a instead of %a", what,
        (long long)wrong, (long long)count, (long long)first, got[first < 0 ? 0 : first],
        expected[first < 0 ? 0 : first]);
  free(got);
}

static void check_shapes(rind_context *context, rind_space space) {
  for (shape kind = 0; kind < NUM_SHAPES; ++kind) {
    int64_t *begin = make_begin(kind);
    const int64_t segments = shape_counts[kind];
    rind_segment *segment = NULL;
    CHECK_OK(rind_segment_create_offsets(context, space, segments, begin, &segment), context);
    for (int variant = 0; variant < (kind == LONG ? 4 : 8); ++variant) {
      const rind_type type = variant & 1 ? RIND_FLOAT32 : RIND_FLOAT64;
      const int64_t num_rows = kind == LONG ? 1 + (variant & 1) : 3;
      char what[80];
      rows r = make_rows(begin, segments, type, num_rows, variant & 2, variant & 4);
      double *expected = malloc((size_t)(r.values + r.sums) * sizeof *expected + 1);
      for (int gather = 0; gather < 2; ++gather) {
        snprintf(what, sizeof what, "%s, shape %d, variant %d", gather ? "gather" : "sum", kind,
                 variant);
        plain_call(begin, segments, &r, gather, expected);
        check_call(context, segment, space, &r, gather, variant % 5, expected, what);
      }
      free(expected);
      destroy_rows(&r);
    }
    rind_segment_destroy(&segment);
    free(begin);
  }
}

/* More rows than scratch holds at once. */
static void check_many_rows(rind_context *context, rind_space space) {
  const int64_t begin[3] = {0, 3, 100003};
  rind_segment *segment = NULL;
  CHECK_OK(rind_segment_create_offsets(context, space, 2, begin, &segment), context);
  rows r = make_rows(begin, 2, RIND_FLOAT32, 200, true, false);
  double *expected = malloc((size_t)r.sums * sizeof *expected);
  plain_call(begin, 2, &r, false, expected);
  check_call(context, segment, space, &r, false, 1, expected, "many rows");
  free(expected);
  destroy_rows(&r);
  rind_segment_destroy(&segment);
}

/* Calls that follow each other without a wait, each with the results of the one before. */
static void check_chain(rind_context *context, rind_space space) {
  enum { ROUNDS = 4 };
  int64_t *begin = make_begin(HALF);
  rind_segment *segment = NULL;
  CHECK_OK(rind_segment_create_offsets(context, space, shape_counts[HALF], begin, &segment),
           context);
  for (int variant = 0; variant < 4; ++variant) {
    const rind_type type = variant & 1 ? RIND_FLOAT32 : RIND_FLOAT64;
    rows r = make_rows(begin, shape_counts[HALF], type, 2, variant & 2, false);
    double *got = malloc((size_t)r.values * sizeof *got);
    double *expected = malloc((size_t)r.values * sizeof *expected);
    array values = make_array(space, type, r.value, r.values, 1);
    array sums = make_array(space, type, r.sum, r.sums, 1);
    for (int call = 0; call < 2 * ROUNDS; ++call) {
      const bool gather = call % 2;
      if (gather)
        CHECK_OK(rind_segment_gather(segment, &r.what, sums.data, values.data), context);
      else
        CHECK_OK(rind_segment_sum(segment, &r.what, values.data, sums.data), context);
    }
    for (int call = 0; call < 2 * ROUNDS; ++call) {
      const bool gather = call % 2;
      plain_call(begin, shape_counts[HALF], &r, gather, expected);
      memcpy(gather ? r.value : r.sum, expected,
             (size_t)(gather ? r.values : r.sums) * sizeof *expected);
    }
    CHECK_OK(rind_context_wait(context), context);
    take_array(&values, type, got, r.values);
    CHECK(memcmp(got, r.value, (size_t)r.values * sizeof *got) == 0, "values, variant %d", variant);
    take_array(&sums, type, got, r.sums);
    CHECK(memcmp(got, r.sum, (size_t)r.sums * sizeof *got) == 0, "sums, variant %d", variant);
    free(expected);
    free(got);
    destroy_rows(&r);
  }
  rind_segment_destroy(&segment);
  free(begin);
}

/* From a list in any order: values of a segment in the list's order; sums of whole numbers are
 * those of a scatter. */
static void check_lists(rind_context *context) {
  enum { SEGMENTS = 1000, VALUES = 50000 };
  static int64_t index[VALUES];
  static double value[VALUES], ordered[VALUES], sums[SEGMENTS], scatter[SEGMENTS], back[VALUES];
  for (int sorted = 0; sorted < 2; ++sorted) {
    memset(scatter, 0, sizeof scatter);
    for (int k = 0; k < VALUES; ++k) {
      index[k] = sorted ? k / 77 : (int64_t)(next_random() % SEGMENTS);
      value[k] = (double)(next_random() % 1000);
      scatter[index[k]] += value[k];
    }
    rind_segment *segment = NULL;
    CHECK_OK(rind_segment_create(context, RIND_HOST, SEGMENTS, index, VALUES, &segment), context);
    const int64_t *permutation = rind_segment_permutation(segment);
    const int64_t *begin = rind_segment_begin(segment);
    CHECK((permutation == NULL) == sorted, "sorted %d, permutation %p", sorted,
          (const void *)permutation);
    CHECK(rind_segment_num_segments(segment) == SEGMENTS &&
              rind_segment_num_values(segment) == VALUES,
          "sizes");
    for (int s = 0; s < SEGMENTS; ++s)
      for (int64_t k = begin[s]; k < begin[s + 1]; ++k) {
        const int64_t from = permutation ? permutation[k] : k;
        ordered[k] = value[from];
        CHECK(index[from] == s, "value %lld is of segment %lld, not %d", (long long)from,
              (long long)index[from], s);
        CHECK(k == begin[s] || !permutation || permutation[k - 1] < permutation[k],
              "segment %d is out of order", s);
      }
    CHECK_OK(rind_segment_sum(segment, NULL, ordered, sums), context);
    CHECK(memcmp(sums, scatter, sizeof sums) == 0, "sums differ from the scatter");
    /* <sum v, w> = <v, gather w>, exactly. */
    double forward = 0.0, backward = 0.0;
    for (int s = 0; s < SEGMENTS; ++s)
      forward += sums[s] * (s % 17);
    for (int s = 0; s < SEGMENTS; ++s)
      scatter[s] = s % 17;
    CHECK_OK(rind_segment_gather(segment, NULL, scatter, back), context);
    for (int k = 0; k < VALUES; ++k)
      backward += back[k] * ordered[k];
    CHECK(forward == backward, "%.17g and %.17g", forward, backward);
    rind_segment_destroy(&segment);
  }
}

static void check_creation_errors(rind_context *context) {
  static const int64_t below[] = {0, 4, 3}, late[] = {1, 2, 3}, negative[] = {0, -1, 3};
  static const int64_t outside[] = {0, 1, 2}, small[] = {0, -1};
  rind_segment *segment = NULL;
  CHECK_ERROR(rind_segment_create_offsets(context, RIND_HOST, 2, below, &segment),
              RIND_ERROR_INVALID, context);
  CHECK(strstr(rind_last_error(context), "offset 2 is 3") != NULL, "%s", rind_last_error(context));
  CHECK_ERROR(rind_segment_create_offsets(context, RIND_HOST, 2, late, &segment),
              RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_segment_create_offsets(context, RIND_HOST, 2, negative, &segment),
              RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_segment_create_offsets(context, RIND_HOST, -1, below, &segment),
              RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_segment_create_offsets(context, RIND_HOST, 2, NULL, &segment),
              RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_segment_create_offsets(context, (rind_space)7, 2, below, &segment),
              RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_segment_create_offsets(context, RIND_HOST, INT64_MAX, below, &segment),
              RIND_ERROR_OVERFLOW, context);
  CHECK_ERROR(rind_segment_create(context, RIND_HOST, 2, outside, 3, &segment), RIND_ERROR_INVALID,
              context);
  CHECK(strstr(rind_last_error(context), "index 2 is 2, should be from 0 to 1") != NULL, "%s",
        rind_last_error(context));
  CHECK_ERROR(rind_segment_create(context, RIND_HOST, 2, small, 2, &segment), RIND_ERROR_INVALID,
              context);
  CHECK_ERROR(rind_segment_create(context, RIND_HOST, 2, small, -2, &segment), RIND_ERROR_INVALID,
              context);
  CHECK_ERROR(rind_segment_create(context, RIND_HOST, 2, NULL, 2, &segment), RIND_ERROR_INVALID,
              context);
  CHECK_ERROR(rind_segment_create(NULL, RIND_HOST, 2, outside, 2, &segment), RIND_ERROR_INVALID,
              NULL);
  if (rind_device_count() == 0)
    CHECK_ERROR(rind_segment_create(context, RIND_DEVICE, 2, outside, 2, &segment),
                RIND_ERROR_UNSUPPORTED, context);
  CHECK(segment == NULL, "a failed call made something");
}

static void check_call_errors(rind_context *context) {
  static const int64_t begin[] = {0, 2, 4};
  double values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sums[4] = {0};
  rind_segment *segment = NULL;
  CHECK_OK(rind_segment_create_offsets(context, RIND_HOST, 2, begin, &segment), context);
  const struct {
    rind_segment_rows rows;
    rind_error expected;
  } bad[] = {{{.num_rows = -1}, RIND_ERROR_INVALID},
             {{.num_rows = 2, .value_stride = 3}, RIND_ERROR_INVALID},
             {{.num_rows = 2, .sum_stride = -2}, RIND_ERROR_INVALID},
             {{.num_rows = 1, .type = (rind_type)5}, RIND_ERROR_INVALID},
             {{.num_rows = INT64_MAX / 4}, RIND_ERROR_OVERFLOW}};
  for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
    CHECK_ERROR(rind_segment_sum(segment, &bad[b].rows, values, sums), bad[b].expected, context);
    CHECK_ERROR(rind_segment_gather(segment, &bad[b].rows, sums, values), bad[b].expected, context);
  }
  CHECK_ERROR(rind_segment_sum(segment, NULL, NULL, sums), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_segment_sum(segment, NULL, values, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_segment_sum(NULL, NULL, values, sums), RIND_ERROR_INVALID, context);
  CHECK(sums[0] == 0 && values[3] == 4, "a failed call wrote");
  CHECK_OK(rind_segment_sum(segment, &(rind_segment_rows){0}, NULL, NULL), context);
  CHECK_OK(rind_segment_sum(segment, &(rind_segment_rows){.num_rows = 2}, values, sums), context);
  CHECK(sums[0] == 3 && sums[3] == 15, "%g %g", sums[0], sums[3]);
  rind_segment_destroy(&segment);
  rind_segment_destroy(&segment);
  rind_segment_destroy(NULL);
}

/* Host memory is out of the device's reach. */
static void check_reach(rind_context *context) {
  static const int64_t begin[] = {0, 2};
  static double values[2], sums[1];
  rind_segment *segment = NULL;
  CHECK_OK(rind_segment_create_offsets(context, RIND_DEVICE, 1, begin, &segment), context);
  const rind_error error = rind_segment_sum(segment, NULL, values, sums);
  CHECK(error == RIND_ERROR_MISMATCH || error == RIND_OK, "%s", rind_error_name(error));
  rind_segment_destroy(&segment);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const bool device = argc > 1 && strcmp(argv[1], "--device") == 0;
  if (device && rind_device_count() == 0) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  for (int threads = 1; threads <= (device ? 1 : 3); threads += 2) {
    rind_context *context = NULL;
    CHECK_OK(
        rind_context_create(MPI_COMM_WORLD, &(rind_context_options){.threads = threads}, &context),
        context);
    restart_random();
    check_shapes(context, device ? RIND_DEVICE : RIND_HOST);
    check_many_rows(context, device ? RIND_DEVICE : RIND_HOST);
    check_chain(context, device ? RIND_DEVICE : RIND_HOST);
    if (device) check_reach(context);
    if (threads == 1) {
      check_lists(context);
      check_creation_errors(context);
      check_call_errors(context);
    }
    rind_context_destroy(&context);
  }
  return check_end();
}
