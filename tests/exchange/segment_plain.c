/* segment_plain.c - the tree of sums once more, by plain loops. */
#include "segment_plain.h"

#include <stdlib.h>
#include <string.h>

enum { CHILDREN = 128 };

static uint64_t random_state = 1;

void restart_random(void) {
  random_state = 1;
}

uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* Of either sign and very different sizes. */
static double next_value(void) {
  const int exponent = (int)(next_random() % 40) - 20;
  double value = (double)(next_random() >> 11) * 0x1p-53 - 0.5;
  for (int e = exponent; e > 0; --e)
    value *= 2.0;
  for (int e = exponent; e < 0; ++e)
    value *= 0.5;
  return value;
}

static int64_t length_of(shape kind, int64_t segment, int64_t num_segments) {
  static const int64_t medium[] = {127, 128, 129, 255, 256, 257, 1920, 1921, 2045, 2047, 2048};
  static const int64_t longs[] = {2049,      2050, 4096,          4097, 16384,          16385,
                                  16384 * 4, 5,    16384 * 4 + 1, 0,    128 * 16384 + 1};
  switch (kind) {
  case ALIKE:
    return 16;
  case EMPTY:
    return next_random() % 50 == 0;
  case MIXED:
    return (int64_t)(next_random() % 34);
  case MEDIUM:
    return medium[next_random() % (sizeof medium / sizeof *medium)];
  case LONG:
    return longs[segment % (int64_t)(sizeof longs / sizeof *longs)];
  case ONE:
    return segment == 0 ? 5000 : 0;
  case HALF:
    return segment == num_segments / 2 ? 16 * num_segments : (int64_t)(next_random() % 33);
  default:
    return 0;
  }
}

const int64_t shape_counts[NUM_SHAPES] = {3000, 20000, 10000, 300, 11, 1, 3000, 1300};

int64_t *make_begin(shape kind) {
  int64_t *begin = calloc((size_t)shape_counts[kind] + 1, sizeof *begin);
  for (int64_t s = 0; s < shape_counts[kind]; ++s)
    begin[s + 1] = begin[s] + length_of(kind, s, shape_counts[kind]);
  return begin;
}

/* The definition: nodes of up to 128 children, four lanes. */
static double plain_node(const double *child, int64_t count) {
  double lane[4] = {0.0, 0.0, 0.0, 0.0};
  for (int64_t i = 0; i < count; ++i)
    lane[i % 4] += child[i];
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

static double plain_sum(const double *value, int64_t count) {
  if (count <= CHILDREN) return plain_node(value, count);
  const int64_t nodes = (count + CHILDREN - 1) / CHILDREN;
  double *node = malloc((size_t)nodes * sizeof *node);
  for (int64_t n = 0; n < nodes; ++n) {
    const int64_t more = count - n * CHILDREN;
    node[n] = plain_node(value + n * CHILDREN, more < CHILDREN ? more : CHILDREN);
  }
  const double sum = plain_sum(node, nodes);
  free(node);
  return sum;
}

rows make_rows(const int64_t *begin, int64_t segments, rind_type type, int64_t num_rows,
               bool accumulate, bool wide) {
  rows r = {.what = {.num_rows = num_rows, .type = type, .accumulate = accumulate}};
  const int64_t values = begin[segments];
  if (wide) {
    r.what.value_stride = (ptrdiff_t)values + 7;
    r.what.sum_stride = (ptrdiff_t)segments + 3;
  }
  r.values = num_rows * (wide ? values + 7 : values);
  r.sums = num_rows * (wide ? segments + 3 : segments);
  r.value = malloc((size_t)r.values * sizeof *r.value + 1);
  r.sum = malloc((size_t)r.sums * sizeof *r.sum + 1);
  for (int64_t i = 0; i < r.values; ++i)
    r.value[i] = type == RIND_FLOAT32 ? (float)next_value() : next_value();
  for (int64_t i = 0; i < r.sums; ++i)
    r.sum[i] = type == RIND_FLOAT32 ? (float)next_value() : next_value();
  return r;
}

void destroy_rows(rows *r) {
  free(r->value);
  free(r->sum);
}

static double stored(rind_type type, bool accumulate, double before, double value) {
  const double sum = accumulate ? before + value : value;
  return type == RIND_FLOAT32 ? (float)sum : sum;
}

void plain_call(const int64_t *begin, int64_t segments, const rows *r, bool gather, double *to) {
  const int64_t value_stride = r->what.value_stride ? r->what.value_stride : begin[segments];
  const int64_t sum_stride = r->what.sum_stride ? r->what.sum_stride : segments;
  memcpy(to, gather ? r->value : r->sum, (size_t)(gather ? r->values : r->sums) * sizeof *to);
  for (int64_t row = 0; row < r->what.num_rows; ++row)
    for (int64_t s = 0; s < segments; ++s) {
      const double *value = r->value + row * value_stride;
      const double sum = r->sum[row * sum_stride + s];
      if (!gather)
        to[row * sum_stride + s] = stored(r->what.type, r->what.accumulate, sum,
                                          plain_sum(value + begin[s], begin[s + 1] - begin[s]));
      for (int64_t k = begin[s]; gather && k < begin[s + 1]; ++k)
        to[row * value_stride + k] = stored(r->what.type, r->what.accumulate, value[k], sum);
    }
}
