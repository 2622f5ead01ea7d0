/* segment.c - segments from lists and offsets, checks, and calls of host or device. */
#include <core.h>
#include <device_memory.h>
#include <device_segment.h>
#include <rind/segment.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Scratch of a call; more rows take turns. */
enum { MOST_SCRATCH = 1 << 17 };

struct rind_segment {
  rind_context *context; /* borrowed */
  rind_space space;
  rind_segment_plan plan;
  int64_t *begin;       /* [num_segments + 1] */
  int64_t *permutation; /* [num_values] or NULL */
  int64_t rows_at_once;
  double *scratch; /* host */
  rind_device_segment *device;
};

static rind_error check_numbers(rind_context *context, rind_space space, int64_t num_segments,
                                int64_t num_values) {
  RIND_REQUIRE(context, space == RIND_HOST || space == RIND_DEVICE, RIND_ERROR_INVALID,
               "the space is %d, should be RIND_HOST or RIND_DEVICE", (int)space);
  RIND_REQUIRE(context, num_segments >= 0, RIND_ERROR_INVALID,
               "the number of segments is %" PRId64 ", should be 0 or more", num_segments);
  RIND_REQUIRE(context, num_values >= 0, RIND_ERROR_INVALID,
               "the number of values is %" PRId64 ", should be 0 or more", num_values);
  const uint64_t most = SIZE_MAX / sizeof(int64_t) - 1;
  RIND_REQUIRE(context, (uint64_t)num_segments < most && (uint64_t)num_values < most,
               RIND_ERROR_OVERFLOW, "%" PRId64 " segments of %" PRId64 " values exceed the memory",
               num_segments, num_values);
  RIND_REQUIRE(context, space == RIND_HOST || rind_device_count() > 0, RIND_ERROR_UNSUPPORTED,
               "there is no CUDA device here, or no CUDA in this build: use RIND_HOST");
  return RIND_OK;
}

static rind_error no_memory(rind_context *context, int64_t num_segments, int64_t num_values) {
  return rind_context_fail(context, RIND_ERROR_MEMORY,
                           "no memory for %" PRId64 " segments of %" PRId64 " values", num_segments,
                           num_values);
}

/* Pieces, scratch and the device's copy, of an object that has its begin. */
static rind_error complete(rind_segment *made) {
  rind_context *context = made->context;
  const int64_t segments = made->plan.num_segments;
  const int64_t values = made->begin[segments];
  if (!rind_segment_plan_create(segments, made->begin, &made->plan))
    return no_memory(context, segments, values);
  const int64_t scratch = made->plan.num_scratch;
  made->rows_at_once = scratch == 0             ? INT64_MAX
                       : scratch > MOST_SCRATCH ? 1
                                                : MOST_SCRATCH / scratch;
  const int64_t rows = scratch == 0 ? 1 : made->rows_at_once;
  if (made->space == RIND_HOST) {
    made->scratch = malloc((size_t)(rows * scratch) * sizeof *made->scratch + 1);
    return made->scratch ? RIND_OK : no_memory(context, segments, values);
  }
  const int code = rind_device_segment_create(&made->plan, rows, &made->device);
  RIND_REQUIRE(context, code == 0, RIND_ERROR_DEVICE, "copying segments to the device: %s",
               rind_device_error_text(code));
  return RIND_OK;
}

static rind_segment *allocate(rind_context *context, rind_space space, int64_t num_segments) {
  rind_segment *made = rind_allocate(1, sizeof *made);
  if (!made) return NULL;
  made->context = context;
  made->space = space;
  made->plan.num_segments = num_segments;
  made->begin = rind_allocate((size_t)num_segments + 1, sizeof *made->begin);
  if (!made->begin) rind_segment_destroy(&made);
  return made;
}

/* Where each value goes, by counting: stable. begin is complete. */
static bool permute(rind_segment *made, const int64_t *index, int64_t num_values) {
  bool sorted = true;
  for (int64_t k = 1; k < num_values && sorted; ++k)
    sorted = index[k - 1] <= index[k];
  if (sorted) return true;
  const size_t segments = (size_t)made->plan.num_segments;
  int64_t *next = malloc(segments * sizeof *next + 1);
  made->permutation = malloc((size_t)num_values * sizeof *made->permutation);
  if (next && made->permutation) {
    memcpy(next, made->begin, segments * sizeof *next);
    for (int64_t k = 0; k < num_values; ++k)
      made->permutation[next[index[k]]++] = k;
  }
  free(next);
  return next && made->permutation;
}

static rind_error finish(rind_error error, rind_segment *made, rind_segment **segment) {
  if (error == RIND_OK)
    *segment = made;
  else
    rind_segment_destroy(&made);
  return error;
}

rind_error rind_segment_create(rind_context *context, rind_space space, int64_t num_segments,
                               const int64_t *index, int64_t num_values, rind_segment **segment) {
  if (!context) return RIND_ERROR_INVALID;
  RIND_TRY(check_numbers(context, space, num_segments, num_values));
  RIND_REQUIRE(context, segment && (index || num_values == 0), RIND_ERROR_INVALID,
               "the index list or the result is NULL");
  for (int64_t k = 0; k < num_values; ++k)
    RIND_REQUIRE(context, index[k] >= 0 && index[k] < num_segments, RIND_ERROR_INVALID,
                 "index %" PRId64 " is %" PRId64 ", should be from 0 to %" PRId64, k, index[k],
                 num_segments - 1);
  rind_segment *made = allocate(context, space, num_segments);
  if (!made) return no_memory(context, num_segments, num_values);
  for (int64_t k = 0; k < num_values; ++k)
    ++made->begin[index[k] + 1];
  for (int64_t s = 0; s < num_segments; ++s)
    made->begin[s + 1] += made->begin[s];
  const rind_error error = permute(made, index, num_values)
                               ? complete(made)
                               : no_memory(context, num_segments, num_values);
  return finish(error, made, segment);
}

rind_error rind_segment_create_offsets(rind_context *context, rind_space space,
                                       int64_t num_segments, const int64_t *begin,
                                       rind_segment **segment) {
  if (!context) return RIND_ERROR_INVALID;
  RIND_TRY(check_numbers(context, space, num_segments, 0));
  RIND_REQUIRE(context, segment && begin, RIND_ERROR_INVALID, "the offsets or the result is NULL");
  RIND_REQUIRE(context, begin[0] == 0, RIND_ERROR_INVALID, "offset 0 is %" PRId64 ", should be 0",
               begin[0]);
  for (int64_t s = 0; s < num_segments; ++s)
    RIND_REQUIRE(context, begin[s + 1] >= begin[s], RIND_ERROR_INVALID,
                 "offset %" PRId64 " is %" PRId64
                 ", should be at least the one before it, %" PRId64,
                 s + 1, begin[s + 1], begin[s]);
  RIND_TRY(check_numbers(context, space, num_segments, begin[num_segments]));
  rind_segment *made = allocate(context, space, num_segments);
  if (!made) return no_memory(context, num_segments, begin[num_segments]);
  memcpy(made->begin, begin, ((size_t)num_segments + 1) * sizeof *begin);
  return finish(complete(made), made, segment);
}

void rind_segment_destroy(rind_segment **segment) {
  if (!segment || !*segment) return;
  rind_segment *old = *segment;
  rind_device_segment_destroy(&old->device);
  rind_segment_plan_destroy(&old->plan);
  free(old->scratch);
  free(old->permutation);
  free(old->begin);
  free(old);
  *segment = NULL;
}

int64_t rind_segment_num_segments(const rind_segment *segment) {
  return segment ? segment->plan.num_segments : 0;
}

int64_t rind_segment_num_values(const rind_segment *segment) {
  return segment ? segment->plan.num_values : 0;
}

const int64_t *rind_segment_begin(const rind_segment *segment) {
  return segment ? segment->begin : NULL;
}

const int64_t *rind_segment_permutation(const rind_segment *segment) {
  return segment ? segment->permutation : NULL;
}

/* Rows of so many elements, so far apart, are in the address space. */
static rind_error check_rows(rind_context *context, const char *what, int64_t rows, int64_t count,
                             ptrdiff_t stride, size_t type_bytes) {
  RIND_REQUIRE(context, stride >= count, RIND_ERROR_INVALID,
               "the stride of %s is %td, should be at least %" PRId64, what, stride, count);
  size_t elements, bytes;
  RIND_REQUIRE(context,
               rind_size_multiply((size_t)rows, (size_t)stride, &elements) &&
                   rind_size_multiply(elements, type_bytes, &bytes) && bytes <= PTRDIFF_MAX,
               RIND_ERROR_OVERFLOW, "%" PRId64 " rows of %s, %td apart, exceed the address space",
               rows, what, stride);
  return RIND_OK;
}

static rind_error check_array(const rind_segment *segment, const char *what, const void *data,
                              int64_t elements) {
  if (elements == 0) return RIND_OK;
  RIND_REQUIRE(segment->context, data, RIND_ERROR_INVALID, "the array of %s is NULL", what);
  RIND_REQUIRE(segment->context, segment->space == RIND_HOST || rind_device_reaches(data),
               RIND_ERROR_MISMATCH,
               "the array of %s is out of the device's reach: make segments of "
               "RIND_HOST, or allocate it on the device",
               what);
  return RIND_OK;
}

/* What a call asks for, complete. */
static rind_error check_call(const rind_segment *segment, const rind_segment_rows *rows,
                             const void *values, const void *sums, rind_segment_call *call) {
  const rind_segment_plan *plan = &segment->plan;
  rind_context *context = segment->context;
  const rind_segment_rows one = {.num_rows = 1};
  if (!rows) rows = &one;
  RIND_REQUIRE(context, rows->num_rows >= 0, RIND_ERROR_INVALID,
               "the number of rows is %" PRId64 ", should be 0 or more", rows->num_rows);
  RIND_REQUIRE(context, rows->type == RIND_FLOAT64 || rows->type == RIND_FLOAT32,
               RIND_ERROR_INVALID, "the type is %d, should be RIND_FLOAT64 or RIND_FLOAT32",
               (int)rows->type);
  *call = (rind_segment_call){
      .type = rows->type,
      .num_rows = rows->num_rows,
      .value_stride = rows->value_stride ? rows->value_stride : (ptrdiff_t)plan->num_values,
      .sum_stride = rows->sum_stride ? rows->sum_stride : (ptrdiff_t)plan->num_segments,
      .accumulate = rows->accumulate != 0};
  const size_t bytes = rind_type_bytes(rows->type);
  RIND_TRY(
      check_rows(context, "values", call->num_rows, plan->num_values, call->value_stride, bytes));
  RIND_TRY(
      check_rows(context, "sums", call->num_rows, plan->num_segments, call->sum_stride, bytes));
  RIND_TRY(check_array(segment, "values", values, call->num_rows * plan->num_values));
  return check_array(segment, "sums", sums, call->num_rows * plan->num_segments);
}

static rind_error check_device(rind_context *context, int code) {
  RIND_REQUIRE(context, code == 0, RIND_ERROR_DEVICE, "segments failed on the device: %s",
               rind_device_error_text(code));
  return RIND_OK;
}

rind_error rind_segment_sum(rind_segment *segment, const rind_segment_rows *rows,
                            const void *values, void *sums) {
  rind_segment_call call;
  if (!segment) return RIND_ERROR_INVALID;
  rind_context *context = segment->context;
  RIND_TRY(check_call(segment, rows, values, sums, &call));
  const int64_t all = segment->plan.num_pieces > 0 ? call.num_rows : 0;
  const ptrdiff_t bytes = (ptrdiff_t)rind_type_bytes(call.type);
  const char *from = values;
  char *to = sums;
  for (int64_t row = 0; row < all; row += call.num_rows) {
    call.num_rows = all - row < segment->rows_at_once ? all - row : segment->rows_at_once;
    const void *some = from + row * call.value_stride * bytes;
    void *into = to + row * call.sum_stride * bytes;
    if (segment->space == RIND_HOST)
      rind_segment_sum_host(&segment->plan, &call, some, into, segment->scratch, context->threads);
    else
      RIND_TRY(check_device(
          context, rind_device_segment_sum(segment->device, &call, some, into, context->stream)));
  }
  return RIND_OK;
}

rind_error rind_segment_gather(rind_segment *segment, const rind_segment_rows *rows,
                               const void *sums, void *values) {
  rind_segment_call call;
  if (!segment) return RIND_ERROR_INVALID;
  rind_context *context = segment->context;
  RIND_TRY(check_call(segment, rows, values, sums, &call));
  if (call.num_rows == 0 || segment->plan.num_values == 0) return RIND_OK;
  if (segment->space == RIND_DEVICE)
    return check_device(
        context, rind_device_segment_gather(segment->device, &call, sums, values, context->stream));
  rind_segment_gather_host(&segment->plan, &call, sums, values, context->threads);
  return RIND_OK;
}
