/* gather_pairs_test.c - fills there and back between two blocks, together, against a naive loop. */
#include <check.h>
#include <gather_ways.h>
#include <random_rows.h>
#include <rind/error.h>

#include <string.h>

enum { SIDE = 14, GHOSTS = 2, NUM_CASES = 2000 };

/* Two blocks that lie alike in memory, and what joins them: ghosts behind the low end of an axis
 * of block 0 and behind the high end of block 1, or the other way round. */
typedef struct joint {
  int extent[4];
  ptrdiff_t stride[4];
  ptrdiff_t ghost[2]; /* where the box of ghosts of each block begins */
  ptrdiff_t cell[2];  /* where the box of cells begins that the other's ghosts copy */
  double weight[2][2];
  ptrdiff_t offset[2][2];
  bool neighbours; /* each ghost lies beside the cell in memory */
} joint;

static double block[2][ROW_ELEMENTS], expected[2][ROW_ELEMENTS];
static double alone[2][ROW_ELEMENTS], narrow[2][ROW_ELEMENTS];

static void put(void *data, rind_type type, ptrdiff_t at, double value) {
  if (type == RIND_FLOAT64)
    ((double *)data)[at] = value;
  else
    ((float *)data)[at] = (float)value;
}

static void make_joint(joint *l) {
  const int axis = random_int(3), layers = 1 + random_int(GHOSTS), components = 1 + random_int(5);
  const ptrdiff_t cells = (ptrdiff_t)ROW_SIDE * ROW_SIDE * ROW_SIDE;
  const bool innermost = components > 3 || random_int(2), turned = random_int(2);
  const int count = innermost ? 1 : components;
  *l = (joint){.extent = {SIDE, SIDE, SIDE, count},
               .stride = {1, ROW_SIDE, ROW_SIDE * ROW_SIDE, cells}};
  for (int a = 0; a < 3; ++a)
    l->extent[a] = a == axis ? layers : random_int(2) ? 1 << random_int(4) : 1 + random_int(SIDE);
  if (innermost && random_int(2)) { /* all values of a cell, on a smaller block */
    l->extent[3] = components;
    l->stride[3] = 1;
    for (int a = 0; a < 3; ++a) {
      l->extent[a] = a == axis ? layers : 1 + random_int(4);
      l->stride[a] = components * (a == 0 ? 1 : a == 1 ? 8 : 64);
    }
  }
  const int side = l->stride[3] == 1 ? 8 : ROW_SIDE;
  const ptrdiff_t step = l->stride[axis], low = (GHOSTS - layers) * step;
  l->ghost[turned] = low;
  l->cell[turned] = low + layers * step;
  l->ghost[!turned] = (side - GHOSTS) * step;
  l->cell[!turned] = l->ghost[!turned] - layers * step;
  l->neighbours = layers == 1 && step == 1;
}

static ptrdiff_t position(const joint *l, const int i[4]) {
  return i[0] * l->stride[0] + i[1] * l->stride[1] + i[2] * l->stride[2] + i[3] * l->stride[3];
}

/* Row r is of block r: its ghosts copy, or its cells add what the other's ghosts hold. */
static void make_rows(joint *l, bool adds, rind_gather_row row[2]) {
  for (int r = 0; r < 2; ++r) {
    const double weight[2][2] = {{1, 0}, {1, random_int(8) ? 1 : -1}};
    memcpy(l->weight[r], weight[adds], sizeof weight[adds]);
    l->offset[r][0] = adds ? l->cell[r] : l->cell[1 - r];
    l->offset[r][1] = l->ghost[1 - r];
    row[r] = (rind_gather_row){.num_lanes = 1,
                               .num_terms = adds ? 2 : 1,
                               .num_own_first = adds,
                               .to_offset = {adds ? l->cell[r] : l->ghost[r]},
                               .weight = l->weight[r],
                               .offset = l->offset[r]};
    for (int d = 0; d < 4; ++d) {
      row[r].extent[d] = l->extent[d];
      row[r].to_stride[d] = row[r].own_stride[d] = row[r].source_stride[d] = l->stride[d];
    }
    rind_gather_row_finish(&row[r], l->offset[r], true);
    row[r].takes = adds;
  }
}

static void run_naively(const joint *l, bool adds, rind_type type) {
  int i[4];
  for (int r = 0; r < 2; ++r)
    for (i[3] = 0; i[3] < l->extent[3]; ++i[3])
      for (i[2] = 0; i[2] < l->extent[2]; ++i[2])
        for (i[1] = 0; i[1] < l->extent[1]; ++i[1])
          for (i[0] = 0; i[0] < l->extent[0]; ++i[0]) {
            const ptrdiff_t at = position(l, i), cell = l->cell[r] + at;
            const ptrdiff_t ghost = l->ghost[r] + at, from = l->ghost[1 - r] + at;
            if (!adds) {
              const ptrdiff_t copied = l->cell[1 - r] + at;
              put(expected[r], type, ghost, element(block[1 - r], type, copied));
              continue;
            }
            put(expected[r], type, cell,
                element(expected[r], type, cell) +
                    l->weight[r][1] * element(expected[1 - r], type, from));
            put(expected[1 - r], type, from, 0);
          }
}

/* plain: without wide vectors, on any processor. */
static void run_library(const rind_gather *gather, bool adds, bool plain,
                        double data[2][ROW_ELEMENTS]) {
  void *const to[2] = {data[0], data[1]};
  const void *const from[2] = {data[0], data[1]};
  const int first[2] = {0, 2};
  if (adds && plain)
    rind_gather_batches_plain(gather, first, 0, 1, to, from, NULL, NULL);
  else if (adds)
    rind_gather_host_batches(gather, first, 1, to, from, 1, NULL);
  else if (plain)
    rind_gather_fills_plain(gather, 0, 2, to, from, from);
  else
    rind_gather_host(gather, 0, 2, to, from, from, 1);
}

static void check_pair(int number, bool adds, rind_type type) {
  joint l;
  rind_gather_row row[2];
  make_joint(&l);
  make_rows(&l, adds, row);
  const bool zeros = random_int(4) == 0; /* whose sums have signs too */
  for (int b = 0; b < 2; ++b)
    for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
      put(block[b], type, at, random_entry(zeros));
  memcpy(expected, block, sizeof block);
  memcpy(alone, block, sizeof block);
  memcpy(narrow, block, sizeof block);
  run_naively(&l, adds, type);
  const rind_gather_fill fill[2] = {{0, 0, 1}, {1, 1, 0}};
  uint8_t pair[2] = {99, 99};
  rind_gather gather = {type, type, row, fill, 2, NULL, NULL};
  run_library(&gather, adds, false, alone);
  rind_gather_swap swap[2];
  rind_gather_find_pairs(&gather, 0, gather.num_fills, row, swap, pair);
  gather.pair = pair;
  run_library(&gather, adds, false, block);
  run_library(&gather, adds, true, narrow);
  const bool runs = row[0].to_stride[0] == 1 && row[0].extent[0] >= 4;
  const bool ones = l.weight[0][1] == 1 && l.weight[1][1] == 1;
  const rind_gather_pair wanted = !adds          ? RIND_GATHER_BOTH
                                  : !ones        ? RIND_GATHER_ALONE
                                  : l.neighbours ? RIND_GATHER_NEIGHBOURS
                                  : runs         ? RIND_GATHER_RUNS
                                                 : RIND_GATHER_ALONE;
  CHECK(pair[0] == wanted && pair[1] == RIND_GATHER_ALONE, "case %d: pairs %d and %d, not %d",
        number, pair[0], pair[1], wanted);
  CHECK(memcmp(alone, expected, sizeof alone) == 0, "case %d: other values one by one", number);
  CHECK(memcmp(narrow, block, sizeof narrow) == 0, "case %d, pair %d: other values without AVX2",
        number, wanted);
  CHECK(memcmp(block, expected, sizeof block) == 0,
        "case %d, pair %d: other values, %d x %d x %d x %d", number, wanted, l.extent[0],
        l.extent[1], l.extent[2], l.extent[3]);
}

/* Fills that are nearly a pair run alone. */
static void check_alone(void) {
  enum { WAYS = 10 };
  for (int way = 0; way < WAYS; ++way) {
    joint l;
    rind_gather_row row[2];
    rind_gather_fill fill[3] = {{0, 0, 1}, {1, 1, 0}, {0, 0, 1}};
    uint8_t pair[3] = {99, 99, 99};
    make_joint(&l);
    const bool adds = way % 2 || way == 8;
    make_rows(&l, adds, row);
    if (adds) l.weight[0][1] = way == 8 ? 2 : 1;
    if (adds) l.weight[1][1] = way == 9 ? -1 : 1;
    rind_gather gather = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 2, NULL, NULL};
    if (way == 0) fill[1].source = 2;
    if (way == 1) fill[1].to = 2;
    if (way == 2) fill[0].source = fill[1].to = 0;
    if (way == 3) row[1].takes = 0;
    if (way == 4) row[1].extent[2] += 1;
    if (way == 5) row[1].source_stride[0] += 1;
    if (way == 6) row[1].body = RIND_GATHER_SUM;
    if (way == 7) row[0].takes = row[1].takes = 0;
    rind_gather_swap swap[2];
    rind_gather_find_pairs(&gather, 0, gather.num_fills, row, swap, pair);
    CHECK(pair[0] == RIND_GATHER_ALONE && pair[1] == RIND_GATHER_ALONE, "way %d: pairs %d and %d",
          way, pair[0], pair[1]);
  }
}

/* A block's own row that adds ghosts, and zeros in the same ghosts: together and one by one. */
static void check_taken(int number) {
  joint l;
  rind_gather_row row[2];
  make_joint(&l);
  make_rows(&l, true, row);
  rind_gather_row *own = &row[0], *zeros = &row[1];
  own->takes = 0;
  l.offset[0][1] = l.ghost[0];
  l.weight[0][1] = random_value();
  *zeros = (rind_gather_row){.body = RIND_GATHER_CLEAR, .num_lanes = 1, .to_offset = {l.ghost[0]}};
  memcpy(zeros->extent, own->extent, sizeof zeros->extent);
  memcpy(zeros->to_stride, own->to_stride, sizeof zeros->to_stride);
  const int way = random_int(8), axis = random_int(4);
  if (way == 0) zeros->to_offset[0] += 1;
  if (way == 1) zeros->extent[axis] -= 1;
  if (way == 2) zeros->to_stride[axis] += 1;
  if (way == 3) zeros->body = RIND_GATHER_ADD;
  const rind_gather_fill fill[2] = {{0, 0, way == 4}, {1, way == 5, way == 5}};
  const rind_gather loose = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 2, NULL, NULL};
  rind_gather paired = loose;
  uint8_t pair[2] = {99, 99};
  rind_gather_swap swap[2];
  rind_gather_find_pairs(&loose, 0, 2, row, swap, pair);
  const rind_gather_pair wanted = way <= 5 ? RIND_GATHER_ALONE : RIND_GATHER_TAKEN;
  CHECK(pair[0] == wanted && pair[1] == RIND_GATHER_ALONE, "case %d, way %d: pairs %d and %d",
        number, way, pair[0], pair[1]);
  if (wanted == RIND_GATHER_ALONE) return;
  paired.pair = pair;
  for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
    block[0][at] = random_value();
  memcpy(alone, block, sizeof block);
  memcpy(narrow, block, sizeof block);
  run_library(&loose, true, false, alone);
  run_library(&paired, true, false, block);
  run_library(&paired, true, true, narrow);
  CHECK(memcmp(block, alone, sizeof block) == 0 && memcmp(narrow, alone, sizeof block) == 0,
        "case %d: ghosts that are taken give other values", number);
}

/* A row that goes there with two others that go back: with the first of them alone. */
static void check_two_ways_back(void) {
  joint l;
  rind_gather_row row[3];
  rind_gather_swap swap[3];
  const rind_gather_fill fill[6] = {{0, 0, 1}, {1, 1, 0}, {0, 2, 3},
                                    {2, 3, 2}, {0, 4, 5}, {1, 5, 4}};
  uint8_t pair[6];
  do {
    make_joint(&l);
    make_rows(&l, true, row);
  } while (!l.neighbours);
  row[2] = row[1];
  const rind_gather gather = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 6, NULL, NULL};
  rind_gather_find_pairs(&gather, 0, gather.num_fills, row, swap, pair);
  CHECK(pair[0] != RIND_GATHER_ALONE && pair[4] == pair[0], "pairs %d and %d", pair[0], pair[4]);
  CHECK(pair[2] == RIND_GATHER_ALONE && pair[3] == RIND_GATHER_ALONE,
        "pairs %d and %d with another", pair[2], pair[3]);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < NUM_CASES; ++number) {
    check_pair(number, false, number % 2 ? RIND_FLOAT64 : RIND_FLOAT32);
    check_pair(number, true, RIND_FLOAT64);
    check_taken(number);
  }
  check_alone();
  check_two_ways_back();
  return check_end();
}
