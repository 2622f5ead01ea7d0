/* gather_shells_test.c - blocks of floats that take the ghosts of their faces' neighbours: the bits
 * of sums in double, in any order of faces. */
#include <check.h>
#include <gather_ways.h>
#include <random_rows.h>
#include <rind/error.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 3, BLOCKS = SIDE * SIDE * SIDE, FACES = RIND_GATHER_FACES, MOST_FILLS = FACES + 1 };
enum { MOST_ELEMENTS = 2 * 16 * 17 * 18, NUM_CASES = 240 };

typedef struct blocks {
  float value[BLOCKS][MOST_ELEMENTS];
} blocks;

/* Blocks of a periodic lattice; some faces are missing, and fills come in any order. */
typedef struct lattice {
  rind_gather_frame frame;
  ptrdiff_t origin;
  double weight[2][2];
  ptrdiff_t offset[FACES + 1][2];
  rind_gather_row row[FACES + 1]; /* the last one like the first, but of another weight */
  rind_gather_fill fill[BLOCKS * MOST_FILLS];
  int first[BLOCKS + 1];
  bool is_shell[BLOCKS];
} lattice;

static lattice work;
static blocks before, expected, got, other;
static double scratch_memory[3 * RIND_GATHER_BLOCKS * MOST_ELEMENTS];

static void make_row(int number) {
  lattice *w = &work;
  const int face = number % FACES, axis = face / 2, cells = w->frame.cells;
  rind_gather_row *row = &w->row[number];
  *row = (rind_gather_row){.num_lanes = 1,
                           .num_terms = 2,
                           .num_own_first = 1,
                           .extent = {cells, cells, cells, w->frame.components},
                           .weight = w->weight[number / FACES],
                           .offset = w->offset[number]};
  row->extent[axis] = 1;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    row->to_stride[d] = row->own_stride[d] = row->source_stride[d] = w->frame.stride[d];
  const ptrdiff_t cell = face % 2 ? (cells - 1) * w->frame.stride[axis] : 0;
  w->offset[number][0] = row->to_offset[0] = cell;
  w->offset[number][1] = cell + (face % 2 ? -cells : cells) * w->frame.stride[axis];
  rind_gather_row_finish(row, w->offset[number], false);
  row->takes = 1;
}

static int neighbour(int block, int face) {
  int at[3] = {block % SIDE, block / SIDE % SIDE, block / SIDE / SIDE};
  at[face / 2] = (at[face / 2] + (face % 2 ? 1 : SIDE - 1)) % SIDE;
  return at[0] + SIDE * (at[1] + SIDE * at[2]);
}

/* A fill of another weight, or of a face once more, makes a block one of other rows. */
static int make_fills(int block, rind_gather_fill *fill) {
  int count = 0;
  for (int face = 0; face < FACES; ++face)
    if (random_int(8)) fill[count++] = (rind_gather_fill){face, block, neighbour(block, face)};
  work.is_shell[block] = count > 0;
  if (random_int(5) == 0) {
    fill[count++] = (rind_gather_fill){FACES, block, neighbour(block, 0)};
    work.is_shell[block] = false;
  }
  for (int i = count - 1; i > 0; --i) {
    const int j = random_int(i + 1);
    const rind_gather_fill moved = fill[i];
    fill[i] = fill[j];
    fill[j] = moved;
  }
  return count;
}

static void make_lattice(int cells, int padded, int components) {
  lattice *w = &work;
  const ptrdiff_t y = padded, z = y * (padded + random_int(2));
  w->frame = (rind_gather_frame){cells, components, {1, y, z, z * padded}};
  w->origin = 1 + y + z;
  w->weight[0][0] = w->weight[0][1] = w->weight[1][0] = 1;
  w->weight[1][1] = -0.3;
  for (int number = 0; number <= FACES; ++number)
    make_row(number);
  w->first[0] = 0;
  for (int b = 0; b < BLOCKS; ++b)
    w->first[b + 1] = w->first[b] + make_fills(b, &w->fill[w->first[b]]);
}

/* 1 and -1 leave nothing of small numbers that are added in between, so that orders differ. */
static float make_value(void) {
  switch (random_int(5)) {
  case 0:
    return -0.0F;
  case 1:
    return 1;
  case 2:
    return -1;
  case 3:
    return (float)ldexp(random_value(), -60);
  default:
    return (float)random_value();
  }
}

static void make_values(void) {
  for (int b = 0; b < BLOCKS; ++b)
    for (int at = 0; at < MOST_ELEMENTS; ++at)
      before.value[b][at] = make_value();
}

/* Adds a row to doubles at a block's interior, and takes. */
static void add_naively(const rind_gather_row *row, double *to, float *source) {
  int i[4];
  for (i[3] = 0; i[3] < row->extent[3]; ++i[3])
    for (i[2] = 0; i[2] < row->extent[2]; ++i[2])
      for (i[1] = 0; i[1] < row->extent[1]; ++i[1])
        for (i[0] = 0; i[0] < row->extent[0]; ++i[0]) {
          ptrdiff_t at = row->to_offset[0], from = row->offset[1];
          for (int d = 0; d < 4; ++d) {
            at += i[d] * row->to_stride[d];
            from += i[d] * row->source_stride[d];
          }
          to[at] = to[at] + row->weight[1] * (double)source[from];
          source[from] = 0;
        }
}

/* The fills of each batch first to last, or backward. */
static void run_naively(blocks *result, bool backward) {
  static double sums[MOST_ELEMENTS];
  static blocks ghosts;
  memcpy(&ghosts, &before, sizeof ghosts);
  memcpy(result, &before, sizeof *result);
  for (int b = 0; b < BLOCKS; ++b) {
    const int first = work.first[b], last = work.first[b + 1];
    for (int at = 0; at < MOST_ELEMENTS; ++at)
      sums[at] = (double)before.value[b][at];
    for (int f = first; f < last; ++f) {
      const rind_gather_fill fill = work.fill[backward ? last - 1 - (f - first) : f];
      add_naively(&work.row[fill.row], sums + work.origin, ghosts.value[fill.source] + work.origin);
    }
    for (int at = 0; at < MOST_ELEMENTS; ++at)
      result->value[b][at] = (float)sums[at];
  }
  for (int b = 0; b < BLOCKS; ++b)
    for (int at = 0; at < MOST_ELEMENTS; ++at)
      if (memcmp(&ghosts.value[b][at], &before.value[b][at], sizeof(float)) != 0)
        result->value[b][at] = 0;
}

static rind_gather_scratch make_scratch(const rind_gather_shells *shells) {
  return (rind_gather_scratch){.memory = scratch_memory,
                               .elements = MOST_ELEMENTS,
                               .origin = work.origin,
                               .shells = shells,
                               .blocks = RIND_GATHER_BLOCKS};
}

/* way 0: for any processor; 1: the one chosen, on threads. */
static void run_library(const rind_gather *gather, const rind_gather_shells *shells, int way,
                        int threads) {
  void *base[BLOCKS];
  const rind_gather_scratch scratch = make_scratch(shells);
  memcpy(&got, &before, sizeof got);
  for (int b = 0; b < BLOCKS; ++b)
    base[b] = got.value[b] + work.origin;
  if (way == 0)
    rind_gather_batches_plain(gather, work.first, 0, BLOCKS, base, (const void *const *)base,
                              &scratch, scratch.memory + scratch.origin);
  else
    rind_gather_host_batches(gather, work.first, BLOCKS, base, (const void *const *)base, threads,
                             &scratch);
}

static long differences(const blocks *a, const blocks *b) {
  long differ = 0;
  for (int i = 0; i < BLOCKS; ++i)
    for (int at = 0; at < MOST_ELEMENTS; ++at)
      differ += memcmp(&a->value[i][at], &b->value[i][at], sizeof(float)) != 0;
  return differ;
}

static void check_case(int number, int *order_differs) {
  static const int cells[4] = {4, 8, 12, 4};
  const int n = cells[number % 4], padded = n + 2 + 2 * random_int(2);
  make_lattice(n, padded, 1 + random_int(2));
  make_values();
  const rind_gather gather = {.to_type = RIND_FLOAT64,
                              .source_type = RIND_FLOAT32,
                              .row = work.row,
                              .fill = work.fill,
                              .num_fills = work.first[BLOCKS]};
  rind_gather_shells *shells = NULL;
  CHECK(rind_gather_shells_create(&gather, work.first, BLOCKS, &work.frame, &shells) && shells,
        "case %d: no shells", number);
  if (!shells) return;
  for (int b = 0; b < BLOCKS; ++b)
    CHECK((shells->shell[b].to == b) == work.is_shell[b], "case %d: block %d is %d", number, b,
          shells->shell[b].to);
  run_naively(&expected, false);
  run_naively(&other, true);
  *order_differs += differences(&expected, &other) > 0;
  for (int way = 0; way < 4; ++way) {
    run_library(&gather, shells, way, way);
    const long differ = differences(&got, &expected);
    CHECK(differ == 0, "case %d, %d^3 cells, way %d: %ld values differ", number, n, way, differ);
  }
  rind_gather_shells_destroy(shells);
}

/* Where there are none: rows of other lengths than a multiple of 4, and cells that lie apart. */
static void check_none(int cells, int stride) {
  make_lattice(cells, cells + 2, 1);
  work.frame.stride[0] = stride;
  rind_gather_shells *shells = NULL;
  const rind_gather gather = {.row = work.row, .fill = work.fill};
  CHECK(rind_gather_shells_create(&gather, work.first, BLOCKS, &work.frame, &shells) && !shells,
        "%d^3 cells, %d apart: shells", cells, stride);
  rind_gather_shells_destroy(shells);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  int order_differs = 0;
  for (int number = 0; number < NUM_CASES; ++number)
    check_case(number, &order_differs);
  CHECK(order_differs > NUM_CASES / 2, "the other order differs %d times", order_differs);
  check_none(6, 1);
  check_none(2, 1);
  check_none(8, 2);
  return check_end();
}
