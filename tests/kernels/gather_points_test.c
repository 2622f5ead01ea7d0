/* gather_points_test.c - rows of one cell give the same bits packed and one by one. */
#include <check.h>
#include <random_rows.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 12, APART = 9, CASES = 400 };

static random_row made[MOST];
static double source[ROW_SPAN];
static double block[ROW_SPAN], before[ROW_SPAN], expected[ROW_SPAN];
static double sums[ROW_SPAN];

static void put_random(void *data, rind_type type) {
  for (ptrdiff_t at = 0; at < ROW_SPAN; ++at)
    if (type == RIND_FLOAT64)
      ((double *)data)[at] = random_value();
    else
      ((float *)data)[at] = (float)random_value();
}

/* Rows of few lengths and few weights, each with cells of its own; all of as many values. */
static void make_points(int count, int values) {
  static const int num_terms[] = {3, 5, 5, 9, 20};
  const bool apart = random_int(2), source_apart = random_int(2);
  for (int p = 0; p < count; ++p) {
    random_row *row = &made[p];
    make_row_in_place(row, 1 + random_int(2), num_terms[random_int(5)], SHAPE_POINT, false);
    for (int lane = 0; lane < row->finished.num_lanes; ++lane)
      row->finished.to_offset[lane] += p * APART;
    row->offset[0] += p * APART;
    for (int w = row->finished.num_lanes; w < row->finished.num_terms * row->finished.num_lanes;
         ++w)
      if (random_int(2)) row->weight[w] = random_int(3) - 1.5;
    if (values > 1) give_values(row, values, apart, source_apart);
  }
}

/* All rows, in order, to a block of doubles or, through sums, of floats. */
static void run(const rind_gather_row *rows, int count, rind_type source_type, bool floats) {
  rind_gather_fill fill[MOST];
  for (int f = 0; f < count; ++f)
    fill[f] = (rind_gather_fill){f, 0, 0};
  const rind_gather gather = {RIND_FLOAT64, source_type, rows, fill, count, NULL, NULL};
  const rind_gather_scratch scratch = {sums, ROW_SPAN, 0, NULL, NULL, RIND_GATHER_BLOCKS};
  const int first[2] = {0, count};
  void *const to[1] = {block};
  const void *const from[1] = {source};
  memcpy(block, before, sizeof block);
  rind_gather_host_batches(&gather, first, 1, to, from, 1, floats ? &scratch : NULL);
}

/* True if each listed term leads to its ghost and its weights, and no ghost is listed twice. */
static bool lists_terms(const rind_gather_row *packed) {
  const rind_gather_points *points = packed->points;
  for (int g = 1; g < points->num_ghosts; ++g)
    for (int h = 0; h < g; ++h)
      if (points->ghost[g] == points->ghost[h]) return false;
  for (int t = 0; t < packed->num_terms - 1; ++t) {
    const rind_gather_listed_term listed = points->listed[t];
    const double *weight = points->weight_of_four + listed.weight;
    if (listed.ghost % 4 != 0 || listed.ghost / 4 >= points->num_ghosts ||
        points->ghost[listed.ghost / 4] != points->term[t].offset)
      return false;
    for (int w = 0; w < 8; ++w)
      if (memcmp(weight + w, packed->weight + points->term[t].weight + w / 4, sizeof *weight) != 0)
        return false;
  }
  return (uintptr_t)points->weight_of_four % 64 == 0;
}

/* 33 points of 256 ghosts each, of whose weights no two are alike: more than fit where they are
 * listed, unless the last points are left out. */
static void check_many_weights(void) {
  enum { POINTS = 33, TERMS = RIND_GATHER_GHOSTS + 1 };
  static double weight[POINTS][2 * TERMS];
  static ptrdiff_t offset[TERMS];
  rind_gather_row rows[POINTS];
  const rind_gather_row *point[POINTS];
  for (int t = 1; t < TERMS; ++t)
    offset[t] = t;
  for (int p = 0; p < POINTS; ++p) {
    for (int w = 0; w < 2 * TERMS; ++w)
      weight[p][w] = w < 2 ? 1 : p * TERMS + w;
    rows[p] = (rind_gather_row){.body = RIND_GATHER_SUM,
                                .num_lanes = 2,
                                .num_terms = TERMS,
                                .num_own_first = 1,
                                .extent = {1, 1, 1, 1},
                                .to_offset = {2 * p, 2 * p + 1},
                                .own_offset = {2 * p, 2 * p + 1},
                                .weight = weight[p],
                                .offset = offset};
    point[p] = &rows[p];
  }
  for (int count = POINTS - 2; count <= POINTS; ++count) {
    rind_gather_row packed;
    size_t bytes = 0;
    bool done = false;
    CHECK(rind_gather_points_create(point, count, &packed, &bytes, &done) && done,
          "%d points are not packed", count);
    const int pairs = count * RIND_GATHER_GHOSTS;
    CHECK(packed.points->num_ghosts == (8 * pairs > UINT16_MAX ? 0 : RIND_GATHER_GHOSTS),
          "%d ghosts are listed with %d pairs of weights", packed.points->num_ghosts, pairs);
    CHECK(packed.points->num_ghosts == 0 || lists_terms(&packed), "%d points: other terms", count);
    free((void *)packed.weight);
  }
}

/* 16 points of 16 ghosts each, of which the last may be new. */
static void check_many_ghosts(void) {
  enum { POINTS = 16, TERMS = 17 };
  static double weight[TERMS];
  for (int w = 0; w < TERMS; ++w)
    weight[w] = 1;
  for (int more = 0; more < 2; ++more) {
    rind_gather_row rows[POINTS + 1], packed;
    ptrdiff_t offset[POINTS + 1][TERMS];
    const rind_gather_row *point[POINTS + 1];
    for (int p = 0; p <= POINTS; ++p) {
      for (int t = 0; t < TERMS; ++t)
        offset[p][t] = t == 0 ? p : (p * (TERMS - 1) + t) % (RIND_GATHER_GHOSTS + more);
      rows[p] = (rind_gather_row){.body = RIND_GATHER_SUM,
                                  .num_lanes = 1,
                                  .num_terms = TERMS,
                                  .num_own_first = 1,
                                  .extent = {1, 1, 1, 1},
                                  .to_offset = {p},
                                  .weight = weight,
                                  .offset = offset[p]};
      point[p] = &rows[p];
    }
    size_t bytes = 0;
    bool done = false;
    CHECK(rind_gather_points_create(point, POINTS + 1, &packed, &bytes, &done) && done,
          "%d points are not packed", POINTS + 1);
    CHECK(packed.points->num_ghosts == (more ? 0 : RIND_GATHER_GHOSTS),
          "%d of %d ghosts are listed", packed.points->num_ghosts, RIND_GATHER_GHOSTS + more);
    CHECK(more || lists_terms(&packed), "other ghosts");
    free((void *)packed.weight);
  }
}

static void check_case(int number) {
  const bool floats = number % 2;
  const rind_type type = number / 2 % 2 ? RIND_FLOAT32 : RIND_FLOAT64;
  const int count = 2 + random_int(MOST - 1);
  rind_gather_row rows[MOST], packed;
  const rind_gather_row *point[MOST];
  size_t bytes = 0;
  bool done = false;
  make_points(count, 1 + random_int(ROW_VALUES));
  put_random(source, type);
  put_random(before, floats ? RIND_FLOAT32 : RIND_FLOAT64);
  for (int p = 0; p < count; ++p) {
    rows[p] = made[p].finished;
    point[p] = &rows[p];
    CHECK(rind_gather_row_is_point(&rows[p]), "case %d: row %d is no point", number, p);
  }
  run(rows, count, type, floats);
  memcpy(expected, block, sizeof block);
  const bool fine = rind_gather_points_create(point, count, &packed, &bytes, &done);
  CHECK(fine && done, "case %d: %d points are not packed", number, count);
  if (!done) return;
  CHECK(lists_terms(&packed), "case %d: other terms are listed", number);
  run(&packed, 1, type, floats);
  CHECK(memcmp(block, expected, sizeof block) == 0, "case %d: %d packed points give other bits",
        number, count);
  CHECK(memcmp(block, before, sizeof block) != 0, "case %d: nothing was added", number);
  free((void *)packed.weight);
}

/* What cannot be packed is left as it is. */
static void check_refusals(void) {
  rind_gather_row packed;
  size_t bytes = 0;
  bool done = true;
  make_points(2, 1);
  const rind_gather_row *const point[2] = {&made[0].finished, &made[1].finished};
  made[1].finished.to_offset[0] = made[0].finished.to_offset[0];
  CHECK(rind_gather_points_create(point, 2, &packed, &bytes, &done) && !done,
        "rows that share a cell are packed");
  make_points(2, 1);
  made[1].offset[2] = (ptrdiff_t)INT32_MAX + 1;
  CHECK(rind_gather_points_create(point, 2, &packed, &bytes, &done) && !done,
        "an offset of more than 31 bits is packed");
  make_points(1, 1);
  made[0].weight[0] = 2;
  CHECK(!rind_gather_row_is_point(&made[0].finished), "a row that doubles its cell is a point");
  make_points(2, 3);
  CHECK(rind_gather_row_is_point(point[0]) && rind_gather_points_alike(point[0], point[1]),
        "rows of three values are no points alike");
  made[1].finished.source_stride[0] += 1;
  CHECK(!rind_gather_points_alike(point[0], point[1]), "other strides of the source are alike");
  made[1].finished.source_stride[0] -= 1;
  made[1].finished.to_stride[0] += 1;
  CHECK(!rind_gather_points_alike(point[0], point[1]), "other strides are alike");
  CHECK(!rind_gather_row_is_point(point[1]), "a row that does not add in place is a point");
  made[1].finished.to_stride[0] -= 1;
  made[1].finished.extent[0] = 2;
  CHECK(!rind_gather_points_alike(point[0], point[1]), "two and three values are alike");
  made[0].finished.extent[1] = 2;
  CHECK(!rind_gather_row_is_point(point[0]), "a row of two cells is a point");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < CASES; ++number)
    check_case(number);
  check_refusals();
  check_many_ghosts();
  check_many_weights();
  return check_end();
}
