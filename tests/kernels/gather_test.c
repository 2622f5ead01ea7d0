/* gather_test.c - the gather engine against a naive evaluation of the same rows. */
#include <check.h>
#include <counting_gather.h>
#include <random_rows.h>
#include <rind/error.h>

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct pair_of_types {
  rind_type to, source;
  const char *name;
} pair_of_types;

static const pair_of_types pairs[] = {{RIND_FLOAT64, RIND_FLOAT64, "f64/f64"},
                                      {RIND_FLOAT32, RIND_FLOAT32, "f32/f32"},
                                      {RIND_FLOAT32, RIND_FLOAT64, "f32/f64"},
                                      {RIND_FLOAT64, RIND_FLOAT32, "f64/f32"}};
enum { NUM_PAIRS = sizeof pairs / sizeof *pairs };

/* The memory of one block; doubles, so that either type fits. */
static double to[ROW_ELEMENTS], expected[ROW_ELEMENTS], own[ROW_ELEMENTS], source[ROW_ELEMENTS];
static int counts[ROW_ELEMENTS], expected_counts[ROW_ELEMENTS];

static void put(void *data, rind_type type, ptrdiff_t at, double value) {
  if (type == RIND_FLOAT64)
    ((double *)data)[at] = value;
  else
    ((float *)data)[at] = (float)value;
}

/* Or with zeros, whose sums have signs too. */
static void fill_random(void *data, rind_type type) {
  const bool zeros = random_int(4) == 0;
  for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
    put(data, type, at, random_entry(zeros));
}

/* Writes what the row should: one rounding a ghost. Counts the ghosts. */
static void evaluate_naively(const rind_gather *gather, const rind_gather_row *raw, void *result,
                             double *largest_bound) {
  memset(expected_counts, 0, sizeof expected_counts);
  int i[4];
  *largest_bound = 0;
  for (i[3] = 0; i[3] < raw->extent[3]; ++i[3])
    for (i[2] = 0; i[2] < raw->extent[2]; ++i[2])
      for (i[1] = 0; i[1] < raw->extent[1]; ++i[1])
        for (i[0] = 0; i[0] < raw->extent[0]; ++i[0])
          for (int lane = 0; lane < raw->num_lanes; ++lane) {
            ptrdiff_t at = raw->to_offset[lane];
            for (int d = 0; d < 4; ++d)
              at += i[d] * raw->to_stride[d];
            double magnitude = 0;
            put(result, gather->to_type, at,
                naive_value(gather, raw, lane, i, own, source, &magnitude));
            ++expected_counts[at];
            const double bound = raw->num_terms * (double)FLT_EPSILON * magnitude;
            if (bound > *largest_bound) *largest_bound = bound;
          }
}

static double largest_difference(const void *a, const void *b, rind_type type) {
  double largest = 0;
  for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
    largest = fmax(largest, fabs(element(a, type, at) - element(b, type, at)));
  return largest;
}

/* One random row: the same bits as the naive evaluation, nothing else written, each ghost stored
 * once. Returns 1 if term by term gives other bits. */
static int check_row(const pair_of_types *types, int number) {
  static double before[ROW_ELEMENTS], sweeps[ROW_ELEMENTS];
  random_row row;
  make_random_row(&row, types->to == types->source);
  const rind_gather_fill fill = {0, 0, 0};
  const rind_gather gather = {types->to, types->source, &row.finished, &fill, 1, NULL, NULL};
  fill_random(before, types->to);
  fill_random(own, types->to);
  fill_random(source, types->source);
  void *const to_base[1] = {to}, *const sweep_base[1] = {sweeps};
  const void *const own_base[1] = {own}, *const source_base[1] = {source};
  double bound = 0;
  memcpy(expected, before, sizeof before);
  evaluate_naively(&gather, &row.raw, expected, &bound);
  memcpy(to, before, sizeof before);
  rind_gather_host(&gather, 0, 1, to_base, own_base, source_base, 1);
  CHECK(memcmp(to, expected, sizeof to) == 0, "%s row %d: %d terms, %d lanes: other bits",
        types->name, number, row.raw.num_terms, row.raw.num_lanes);
  memcpy(to, before, sizeof before);
  memset(counts, 0, sizeof counts);
  counting_gather(&gather, to_base, own_base, source_base, counts);
  CHECK(memcmp(counts, expected_counts, sizeof counts) == 0,
        "%s row %d: a ghost is not stored exactly once", types->name, number);
  CHECK(memcmp(to, expected, sizeof to) == 0, "%s row %d: the counted bodies give other bits",
        types->name, number);
  memcpy(sweeps, before, sizeof before);
  rind_gather_host_term_by_term(&gather, 0, 1, sweep_base, own_base, source_base, 1);
  const bool differs = memcmp(sweeps, expected, sizeof sweeps) != 0;
  CHECK(types->to == RIND_FLOAT32 || !differs, "%s row %d: term by term gives other bits",
        types->name, number);
  CHECK(types->to == RIND_FLOAT64 || largest_difference(sweeps, expected, types->to) <= bound,
        "%s row %d: term by term is %g off, at most %g", types->name, number,
        largest_difference(sweeps, expected, types->to), bound);
  return differs;
}

static void check_rows(void) {
  for (int p = 0; p < NUM_PAIRS; ++p) {
    int differ = 0;
    for (int number = 0; number < 600; ++number)
      differ += check_row(&pairs[p], number);
    /* If the library went back to one sweep a term, these would not differ. */
    CHECK((differ > 100) == (pairs[p].to == RIND_FLOAT32),
          "%s: term by term and fused differ in %d rows", pairs[p].name, differ);
  }
}

/* Loops come out sorted and merged. */
static void check_finish(void) {
  double weight = 1;
  ptrdiff_t offset = 0;
  rind_gather_row face = {.num_lanes = 1,
                          .num_terms = 1,
                          .extent = {1, 8, 8, 1},
                          .to_stride = {1, 10, 100, 1000},
                          .source_stride = {1, 10, 100, 1000},
                          .weight = &weight,
                          .offset = &offset};
  rind_gather_row cells = face, turned = face;
  rind_gather_row_finish(&face, &offset, true);
  CHECK(face.extent[0] == 8 && face.to_stride[0] == 10 && face.extent[1] == 8 &&
            face.to_stride[1] == 100 && face.extent[2] == 1 && face.body == RIND_GATHER_COPY,
        "an x-face should run along y, then z: extents %d %d %d", face.extent[0], face.extent[1],
        face.extent[2]);
  /* Components innermost, and a box that is as wide as the block: one loop. */
  cells = (rind_gather_row){.num_lanes = 1,
                            .num_terms = 1,
                            .extent = {10, 10, 2, 3},
                            .to_stride = {3, 30, 300, 1},
                            .source_stride = {3, 30, 300, 1},
                            .weight = &weight,
                            .offset = &offset};
  rind_gather_row_finish(&cells, &offset, true);
  CHECK(cells.extent[0] == 600 && cells.extent[1] == 1, "a contiguous box runs in one loop, not %d",
        cells.extent[0]);
  turned.to_stride[1] = -10;
  rind_gather_row_finish(&turned, &offset, false);
  CHECK(turned.to_stride[0] == 10 && turned.source_stride[0] == -10 && turned.to_offset[0] == -70 &&
            offset == 70 && turned.body == RIND_GATHER_SUM,
        "a backward loop turns: stride %td from %td", turned.to_stride[0], turned.to_offset[0]);
}

/* Many fills of several rows between several blocks, with 1 to 4 threads and in parts. */
static void check_threads(void) {
  enum { ROWS = 5, FILLS = 40, ELEMENTS = FILLS * ROW_ELEMENTS };
  static random_row random_rows[ROWS];
  rind_gather_row rows[ROWS];
  rind_gather_fill fills[FILLS];
  double *memory = calloc(2 * (size_t)ELEMENTS, sizeof *memory);
  void *bases[FILLS];
  const void *sources[1] = {source};
  CHECK(memory, "no memory");
  if (!memory) return;
  double *first = memory, *second = memory + ELEMENTS;
  for (int r = 0; r < ROWS; ++r) {
    make_random_row(&random_rows[r], true);
    rows[r] = random_rows[r].finished;
  }
  fill_random(own, RIND_FLOAT64);
  fill_random(source, RIND_FLOAT64);
  const void *own_base[FILLS];
  for (int f = 0; f < FILLS; ++f) {
    fills[f] = (rind_gather_fill){f % ROWS, f, 0};
    own_base[f] = own;
    bases[f] = first + (size_t)f * ROW_ELEMENTS;
  }
  const rind_gather gather = {RIND_FLOAT64, RIND_FLOAT64, rows, fills, FILLS, NULL, NULL};
  rind_gather_host(&gather, 0, FILLS, bases, own_base, sources, 1);
  for (int f = 0; f < FILLS; ++f)
    bases[f] = second + (size_t)f * ROW_ELEMENTS;
  for (int threads = 2; threads <= 4; ++threads) {
    memset(second, 0, ELEMENTS * sizeof *second);
    rind_gather_host(&gather, 0, 7, bases, own_base, sources, threads);
    rind_gather_host(&gather, 7, FILLS, bases, own_base, sources, threads);
    CHECK(memcmp(first, second, ELEMENTS * sizeof *first) == 0, "%d threads give other bits",
          threads);
    memset(second, 0, ELEMENTS * sizeof *second);
    rind_gather_host_term_by_term(&gather, 0, FILLS, bases, own_base, sources, threads);
    CHECK(memcmp(first, second, ELEMENTS * sizeof *first) == 0,
          "%d threads term by term give other bits", threads);
  }
  free(memory);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  check_finish();
  check_rows();
  check_threads();
  return check_end();
}
