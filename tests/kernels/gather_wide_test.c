/* gather_wide_test.c - the gather with vectors of 32 bytes gives the bits of the one without. */
#include <check.h>
#include <gather_ways.h>
#include <random_rows.h>
#include <rind/error.h>

#include <string.h>

enum { NUM_ROWS = 4000 };

typedef struct pair_of_types {
  rind_type to, source;
} pair_of_types;

static const pair_of_types pairs[] = {{RIND_FLOAT64, RIND_FLOAT64},
                                      {RIND_FLOAT32, RIND_FLOAT32},
                                      {RIND_FLOAT32, RIND_FLOAT64},
                                      {RIND_FLOAT64, RIND_FLOAT32}};
enum { NUM_PAIRS = sizeof pairs / sizeof *pairs };

/* Doubles, so that either type fits. */
static double plain[ROW_ELEMENTS], wide[ROW_ELEMENTS], own[ROW_ELEMENTS], source[ROW_ELEMENTS];
static double plain_source[ROW_ELEMENTS], wide_source[ROW_ELEMENTS];

/* Or with zeros, whose sums have signs too. */
static void fill_random(double *data, rind_type type) {
  const bool zeros = random_int(4) == 0;
  for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
    if (type == RIND_FLOAT64)
      data[at] = random_entry(zeros);
    else
      ((float *)data)[at] = (float)random_entry(zeros);
}

static void check_fill(int number) {
  static random_row row;
  const pair_of_types *types = &pairs[number % NUM_PAIRS];
  const rind_gather_fill fill = {0, 0, 0};
  make_random_row(&row, types->to == types->source);
  const rind_gather gather = {types->to, types->source, &row.finished, &fill, 1, NULL, NULL};
  void *const to_plain[1] = {plain}, *const to_wide[1] = {wide};
  const void *const owns[1] = {own}, *const sources[1] = {source};
  fill_random(plain, types->to);
  fill_random(own, types->to);
  fill_random(source, types->source);
  memcpy(wide, plain, sizeof wide);
  rind_gather_fills_plain(&gather, 0, 1, to_plain, owns, sources);
  rind_gather_fills_wide(&gather, 0, 1, to_wide, owns, sources);
  CHECK(memcmp(plain, wide, sizeof plain) == 0, "row %d, %d lanes, %d terms: other bits", number,
        row.finished.num_lanes, row.finished.num_terms);
}

/* Rows that add, take or clear. */
static void check_batch(int number) {
  static random_row row;
  static const int num_terms[] = {0, 2, 2, 3, 9, 37};
  const rind_type source_type = number % 3 ? RIND_FLOAT64 : RIND_FLOAT32;
  const int terms = num_terms[random_int(6)], lanes = terms == 0 ? 1 : 1 << random_int(3);
  const bool takes = terms == 2 && lanes == 1 && random_int(2);
  const row_shape shape = lanes == 1 ? (row_shape)random_int(3) : SHAPE_BOX;
  const rind_gather_fill fill = {0, 0, 0};
  const int first[2] = {0, 1};
  make_row_in_place(&row, lanes, terms, takes && shape == SHAPE_POINT ? SHAPE_PLAIN : shape, takes);
  const rind_gather gather = {RIND_FLOAT64, source_type, &row.finished, &fill, 1, NULL, NULL};
  void *const to_plain[1] = {plain}, *const to_wide[1] = {wide};
  const void *const sources_plain[1] = {plain_source}, *const sources_wide[1] = {wide_source};
  fill_random(plain, RIND_FLOAT64);
  fill_random(plain_source, source_type);
  memcpy(wide, plain, sizeof wide);
  memcpy(wide_source, plain_source, sizeof wide_source);
  rind_gather_batches_plain(&gather, first, 0, 1, to_plain, sources_plain, NULL, NULL);
  rind_gather_batches_wide(&gather, first, 0, 1, to_wide, sources_wide, NULL, NULL);
  CHECK(memcmp(plain, wide, sizeof plain) == 0 &&
            memcmp(plain_source, wide_source, sizeof plain_source) == 0,
        "row %d that adds, %d lanes, %d terms: other bits", number, lanes, terms);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  if (!rind_gather_is_wide()) {
    printf("skipped: no AVX2 in this compiler or processor\n");
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  for (int number = 0; number < NUM_ROWS; ++number) {
    check_fill(number);
    check_batch(number);
  }
  return check_end();
}
