/* gather_batches_test.c - ordered batches of rows that add, take and clear against a naive loop. */
#include <check.h>
#include <random_rows.h>
#include <rind/error.h>

#include <math.h>
#include <string.h>

enum { BATCHES = 7, FILLS = 12, SOURCES = BATCHES + 1, MAX_THREADS = 3 };

/* Blocks are double or float, sources too. Floats are summed in scratch. */
typedef struct kind_of_block {
  rind_type block, source;
  const char *name;
} kind_of_block;

static const kind_of_block kinds[] = {{RIND_FLOAT64, RIND_FLOAT64, "f64 of f64"},
                                      {RIND_FLOAT64, RIND_FLOAT32, "f64 of f32"},
                                      {RIND_FLOAT32, RIND_FLOAT32, "f32 of f32"},
                                      {RIND_FLOAT32, RIND_FLOAT64, "f32 of f64"}};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

/* Blocks of one run and their sources: doubles, so that either type fits. Source b is batch b's
 * own, which it may take from; the last one is read by all. */
typedef struct memory {
  double block[BATCHES][ROW_ELEMENTS], source[SOURCES][ROW_ELEMENTS];
} memory;

static memory before, expected, got;
static double sums[ROW_ELEMENTS], scratch_memory[MAX_THREADS * RIND_GATHER_BLOCKS * ROW_ELEMENTS];

typedef struct batches {
  random_row made[BATCHES * FILLS];
  rind_gather_row row[BATCHES * FILLS];
  rind_gather_fill fill[BATCHES * FILLS];
  int first[BATCHES + 1];
} batches;

static batches work;

static void put(void *data, rind_type type, ptrdiff_t at, double value) {
  if (type == RIND_FLOAT64)
    ((double *)data)[at] = value;
  else
    ((float *)data)[at] = (float)value;
}

static void make_before(const kind_of_block *kind) {
  for (int b = 0; b < BATCHES; ++b)
    for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
      put(before.block[b], kind->block, at, random_value());
  for (int s = 0; s < SOURCES; ++s)
    for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
      put(before.source[s], kind->source, at, random_value());
}

static void make_fill(int f, int batch, bool clears) {
  static const int num_terms[] = {2, 2, 3, 5, 9, 10, 37, 51};
  random_row *row = &work.made[f];
  const int terms = num_terms[random_int(8)], lanes = 1 << random_int(3);
  bool takes = false;
  switch (random_int(clears ? 5 : 4)) {
  case 0: /* points come in groups, some with one number of lanes */
  case 1:
    make_row_in_place(row, random_int(3) ? 1 + random_int(2) : 4, terms, SHAPE_POINT, false);
    break;
  case 2:
    make_row_in_place(row, lanes, terms, SHAPE_BOX, false);
    break;
  case 3:
    takes = random_int(2);
    make_row_in_place(row, 1, 2, random_int(3) ? SHAPE_PLAIN : SHAPE_BOX, takes);
    break;
  default:
    make_row_in_place(row, 1, 0, random_int(2) ? SHAPE_PLAIN : SHAPE_BOX, false);
  }
  const int source = takes || random_int(2) ? batch : BATCHES;
  work.row[f] = row->finished;
  work.fill[f] = (rind_gather_fill){f, batch, row->raw.num_terms == 0 ? -1 : source};
}

/* Some batches are empty. */
static void make_batches(bool clears) {
  int f = 0;
  for (int b = 0; b < BATCHES; ++b) {
    work.first[b] = f;
    for (int count = random_int(FILLS + 1); count > 0; --count)
      make_fill(f++, b, clears);
  }
  work.first[BATCHES] = f;
}

static ptrdiff_t position(const int i[4], const ptrdiff_t stride[4]) {
  return i[0] * stride[0] + i[1] * stride[1] + i[2] * stride[2] + i[3] * stride[3];
}

/* One fill in double: to is of the type of the gather, which is RIND_FLOAT64. */
static void run_naively(const rind_gather *gather, const rind_gather_row *raw, double *to,
                        void *source) {
  int i[4];
  double magnitude = 0;
  for (i[3] = 0; i[3] < raw->extent[3]; ++i[3])
    for (i[2] = 0; i[2] < raw->extent[2]; ++i[2])
      for (i[1] = 0; i[1] < raw->extent[1]; ++i[1])
        for (i[0] = 0; i[0] < raw->extent[0]; ++i[0]) {
          for (int lane = 0; lane < raw->num_lanes; ++lane)
            to[raw->to_offset[lane] + position(i, raw->to_stride)] =
                raw->num_terms == 0 ? 0 : naive_value(gather, raw, lane, i, to, source, &magnitude);
          if (raw->takes)
            put(source, gather->source_type, raw->offset[1] + position(i, raw->source_stride), 0);
        }
}

/* Batch b from before to result; backward: the other order of fills; rounds: after each fill. */
static void run_batch_naively(const kind_of_block *kind, int b, memory *result, bool backward,
                              bool rounds) {
  const rind_gather gather = {RIND_FLOAT64, kind->source, work.row, work.fill, 0, NULL, NULL};
  const int first = work.first[b], last = work.first[b + 1];
  for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
    sums[at] = element(before.block[b], kind->block, at);
  for (int f = first; f < last; ++f) {
    const int number = backward ? last - 1 - (f - first) : f, source = work.fill[number].source;
    run_naively(&gather, &work.made[number].raw, sums, source < 0 ? NULL : result->source[source]);
    for (ptrdiff_t at = 0; rounds && at < ROW_ELEMENTS; ++at)
      sums[at] = (float)sums[at];
  }
  for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
    put(result->block[b], kind->block, at, sums[at]);
}

/* whole: floats are summed in a box of all that a block has. */
static void run_library(const kind_of_block *kind, int num_batches, int threads, bool whole) {
  const rind_gather_row box = {
      .num_lanes = 1, .extent = {ROW_ELEMENTS, 1, 1, 1}, .to_stride = {1, 0, 0, 0}};
  void *to_base[BATCHES];
  const void *source_base[SOURCES];
  for (int b = 0; b < BATCHES; ++b)
    to_base[b] = got.block[b];
  for (int s = 0; s < SOURCES; ++s)
    source_base[s] = got.source[s];
  memcpy(&got, &before, sizeof got);
  memset(scratch_memory, 0xff, sizeof scratch_memory); /* not a number */
  /* Bases are the lowest addresses here, so scratch begins where its interior does. */
  const rind_gather_scratch scratch = {scratch_memory,      ROW_ELEMENTS, 0,
                                       whole ? &box : NULL, NULL,         RIND_GATHER_BLOCKS};
  const rind_gather gather = {
      RIND_FLOAT64, kind->source, work.row, work.fill, work.first[num_batches], NULL, NULL};
  rind_gather_host_batches(&gather, work.first, num_batches, to_base, source_base, threads,
                           kind->block == RIND_FLOAT32 ? &scratch : NULL);
}

/* The bits of the naive loop, for any number of threads; other orders and roundings give others. */
static void check_batches(void) {
  for (int k = 0; k < NUM_KINDS; ++k) {
    const kind_of_block *kind = &kinds[k];
    static memory other;
    int order_differs = 0, rounding_differs = 0;
    for (int number = 0; number < 12; ++number) {
      make_before(kind);
      make_batches(kind->block == RIND_FLOAT64);
      memcpy(&expected, &before, sizeof expected);
      for (int b = 0; b < BATCHES; ++b)
        run_batch_naively(kind, b, &expected, false, false);
      for (int threads = 1; threads <= MAX_THREADS; ++threads) {
        run_library(kind, BATCHES, threads, number % 2);
        CHECK(memcmp(&got, &expected, sizeof got) == 0, "%s, number %d: other bits on %d threads",
              kind->name, number, threads);
      }
      memcpy(&other, &before, sizeof other);
      for (int b = 0; b < BATCHES; ++b)
        run_batch_naively(kind, b, &other, true, false);
      order_differs += memcmp(&other, &expected, sizeof other) != 0;
      memcpy(&other, &before, sizeof other);
      for (int b = 0; b < BATCHES; ++b)
        run_batch_naively(kind, b, &other, false, true);
      rounding_differs += memcmp(&other, &expected, sizeof other) != 0;
    }
    CHECK(order_differs >= 6, "%s: the other order differs %d times", kind->name, order_differs);
    CHECK(rounding_differs == 12, "%s: roundings differ %d times", kind->name, rounding_differs);
    run_library(kind, 0, 2, false);
    CHECK(memcmp(&got, &before, sizeof got) == 0, "%s: no batches write something", kind->name);
  }
}

/* Points of one cell are never side by side: three that add 1, 2^-53 and 2^-53 to 1. */
static void check_same_cell(void) {
  static const double added[3] = {0x1p-53, 0x1p-53, 1};
  double weight[3][6], block[2] = {1, 1}, ghost[2] = {1, 0};
  ptrdiff_t offset[3] = {0, 0, 1};
  rind_gather_row row[3];
  rind_gather_fill fill[3];
  for (int r = 0; r < 3; ++r) {
    const double w[6] = {1, 1, added[r], added[r], 0, 0};
    memcpy(weight[r], w, sizeof w);
    row[r] = (rind_gather_row){.num_lanes = 2,
                               .num_terms = 3,
                               .num_own_first = 1,
                               .extent = {1, 1, 1, 1},
                               .to_offset = {0, 1},
                               .own_offset = {0, 1},
                               .weight = weight[r],
                               .offset = offset};
    rind_gather_row_finish(&row[r], offset, true);
    fill[r] = (rind_gather_fill){r, 0, 0};
  }
  const rind_gather gather = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 3, NULL, NULL};
  const int first[2] = {0, 3};
  void *const to_base[1] = {block};
  const void *const source_base[1] = {ghost};
  rind_gather_host_batches(&gather, first, 1, to_base, source_base, 1, NULL);
  CHECK(block[0] == 2 && block[1] == 2, "2^-53 twice, then 1, is added in order: %a, %a", block[0],
        block[1]);
}

/* Floats become 0 without scratch. */
static void check_clear(void) {
  enum { NUMBER = 60 };
  static float cells[ROW_ELEMENTS], cleared[ROW_ELEMENTS];
  for (int number = 0; number < NUMBER; ++number) {
    random_row *row = &work.made[0];
    make_row_in_place(row, 1, 0, number % 2 ? SHAPE_PLAIN : SHAPE_BOX, false);
    const rind_gather_fill fill = {0, 0, -1};
    const rind_gather gather = {RIND_FLOAT32, RIND_FLOAT32, &row->finished, &fill, 1, NULL, NULL};
    const int first[2] = {0, 1};
    void *const to_base[1] = {cells};
    for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
      cells[at] = cleared[at] = NAN;
    int i[4];
    for (i[3] = 0; i[3] < row->raw.extent[3]; ++i[3])
      for (i[2] = 0; i[2] < row->raw.extent[2]; ++i[2])
        for (i[1] = 0; i[1] < row->raw.extent[1]; ++i[1])
          for (i[0] = 0; i[0] < row->raw.extent[0]; ++i[0])
            cleared[row->raw.to_offset[0] + position(i, row->raw.to_stride)] = 0;
    rind_gather_host_batches(&gather, first, 1, to_base, NULL, 1, NULL);
    CHECK(memcmp(cells, cleared, sizeof cells) == 0, "row %d clears other cells than its own",
          number);
  }
}

/* The body of a face that adds, and of rows that are nearly that. */
static void check_bodies(void) {
  double weight[6] = {1, -1, 0.5, 0, 0, 0};
  ptrdiff_t offset[3] = {7, 9, 9};
  const rind_gather_row adds = {.num_lanes = 1,
                                .num_terms = 2,
                                .num_own_first = 1,
                                .takes = 1,
                                .extent = {1, 8, 8, 2},
                                .to_stride = {1, -10, 100, 1000},
                                .own_stride = {1, -10, 100, 1000},
                                .source_stride = {1, 10, 100, 1000},
                                .to_offset = {6},
                                .own_offset = {-1},
                                .weight = weight,
                                .offset = offset};
  rind_gather_row row = adds;
  rind_gather_row_finish(&row, offset, false);
  CHECK(row.body == RIND_GATHER_ADD && row.takes && row.to_offset[0] == 6 - 70 &&
            offset[0] == 7 - 70 && offset[1] == 9 + 70 && row.source_stride[0] == -10,
        "body %d from %td, own %td", row.body, row.to_offset[0], offset[0]);
  for (int wrong = 0; wrong < 6; ++wrong) {
    offset[0] = 7;
    offset[1] = 9;
    weight[0] = wrong == 0 ? 2 : 1;
    row = adds;
    row.takes = 0;
    if (wrong == 1) row.own_offset[0] = 0;
    if (wrong == 2) row.own_stride[3] = 999;
    if (wrong == 3) row.num_terms = 3;
    if (wrong == 4) row.num_own_last = 1;
    if (wrong == 5) row.num_lanes = 2;
    rind_gather_row_finish(&row, offset, true);
    CHECK(row.body == RIND_GATHER_SUM, "nearly a row that adds, %d, has body %d", wrong, row.body);
  }
  row = adds;
  row.num_terms = row.num_own_first = row.takes = 0;
  rind_gather_row_finish(&row, offset, true);
  CHECK(row.body == RIND_GATHER_CLEAR, "no terms: body %d", row.body);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  check_bodies();
  check_same_cell();
  check_clear();
  check_batches();
  return check_end();
}
