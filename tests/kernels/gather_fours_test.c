/* gather_fours_test.c - links of the same rows for four blocks run side by side, with the same bits
 * as one by one. */
#include <check.h>
#include <gather_ways.h>
#include <random_rows.h>

#include <stdlib.h>
#include <string.h>

enum { FOUR = 4, MOST_ROWS = 5, MOST_LINKS = 9, BLOCKS = 6, APART = 12, CASES = 400 };
enum { MOST_FILLS = MOST_ROWS * MOST_LINKS };

static random_row made[MOST_ROWS];
/* Doubles, so that either type fits. */
static double source[BLOCKS][ROW_SPAN], sums[RIND_GATHER_BLOCKS * ROW_SPAN];
static double before[BLOCKS][ROW_SPAN], alone[BLOCKS][ROW_SPAN], fours[BLOCKS][ROW_SPAN];

/* Rows of cells of their own: of points, of four lanes, of two terms; some of several values. */
static void make_rows(rind_gather_row *row, int count) {
  static const int num_terms[] = {2, 3, 5, 9, 20};
  for (int r = 0; r < count; ++r) {
    const int terms = num_terms[random_int(5)], lanes = 1 << random_int(3);
    make_row_in_place(&made[r], lanes, terms, SHAPE_POINT, false);
    for (int lane = 0; lane < lanes; ++lane)
      made[r].finished.to_offset[lane] += r * APART;
    made[r].offset[0] += r * APART;
    if (random_int(2))
      give_values(&made[r], 1 + random_int(ROW_VALUES), random_int(2), random_int(2));
    row[r] = made[r].finished;
    const rind_gather_row *const point = &row[r];
    rind_gather_row packed;
    size_t bytes = 0;
    bool done = false;
    if (!rind_gather_row_is_point(point) || !random_int(4)) continue;
    CHECK(rind_gather_points_create(&point, 1, &packed, &bytes, &done) && done,
          "a row of %d terms and %d lanes is not packed", terms, lanes);
    if (!done) continue;
    row[r] = packed;
    /* As if it had too many ghosts to list. */
    if (random_int(2)) ((rind_gather_points *)(void *)row[r].points)->num_ghosts = 0;
  }
}

static void free_rows(const rind_gather_row *row, int count) {
  for (int r = 0; r < count; ++r)
    if (row[r].points) free((void *)row[r].weight);
}

static bool can_run_in_fours(const rind_gather_row *row) {
  return row->points || (row->num_lanes == 4 && row->num_terms > 2 && row->extent[0] == 1);
}

/* How many fours there are among links of count rows each, if they are taken from the first on. */
static int count_fours(const rind_gather_row *row, int count, const int *to, int num_links) {
  int able = 0, found = 0;
  for (int r = 0; r < count; ++r)
    able += can_run_in_fours(&row[r]);
  for (int k = 0; able > 0 && k + FOUR <= num_links;) {
    bool distinct = true;
    for (int i = 0; i < FOUR; ++i)
      for (int j = 0; j < i; ++j)
        distinct = distinct && to[k + i] != to[k + j];
    found += distinct ? able : 0;
    k += distinct ? FOUR : 1;
  }
  return found;
}

static void run(const rind_gather *gather, double data[BLOCKS][ROW_SPAN], bool plain) {
  void *to[BLOCKS];
  const void *from[BLOCKS];
  const int first[2] = {0, gather->num_fills};
  for (int b = 0; b < BLOCKS; ++b) {
    to[b] = data[b];
    from[b] = source[b];
  }
  const rind_gather_scratch scratch = {
      .memory = sums, .elements = ROW_SPAN, .blocks = RIND_GATHER_BLOCKS};
  const rind_gather_scratch *used = gather->source_type == RIND_FLOAT32 ? &scratch : NULL;
  memcpy(data, before, sizeof before);
  if (plain)
    rind_gather_batches_plain(gather, first, 0, 1, to, from, used, used ? sums : NULL);
  else
    rind_gather_host_batches(gather, first, 1, to, from, 1, used);
}

static void set_value(double *data, rind_type type, ptrdiff_t at) {
  if (type == RIND_FLOAT64)
    data[at] = random_value();
  else
    ((float *)data)[at] = (float)random_value();
}

/* Floats are summed in double, those of four blocks at most. */
static void check_case(int number, rind_type type) {
  rind_gather_row row[MOST_ROWS];
  rind_gather_fill fill[MOST_FILLS];
  uint8_t pair[MOST_FILLS] = {0};
  int to[MOST_LINKS];
  const int count = 1 + random_int(MOST_ROWS), num_links = 1 + random_int(MOST_LINKS);
  const int step = random_int(3) ? 1 : random_int(BLOCKS);
  make_rows(row, count);
  for (int k = 0; k < num_links; ++k) {
    to[k] = k * step % (type == RIND_FLOAT64 ? BLOCKS : RIND_GATHER_BLOCKS);
    const int from = random_int(BLOCKS);
    for (int r = 0; r < count; ++r)
      fill[k * count + r] = (rind_gather_fill){r, to[k], from};
  }
  for (int b = 0; b < BLOCKS; ++b)
    for (ptrdiff_t at = 0; at < ROW_SPAN; ++at) {
      set_value(source[b], type, at);
      set_value(before[b], type, at);
    }
  rind_gather gather = {RIND_FLOAT64, type, row, fill, count * num_links, NULL, NULL};
  run(&gather, alone, false);
  rind_gather_find_fours(&gather, 0, gather.num_fills, fill, pair);
  gather.pair = pair;
  int found = 0;
  for (int f = 0; f < gather.num_fills; ++f)
    found += pair[f] == RIND_GATHER_FOUR;
  const int wanted = count_fours(row, count, to, num_links);
  CHECK(found == wanted, "case %d: %d fours in %d links of %d rows, not %d", number, found,
        num_links, count, wanted);
  for (int plain = 0; plain < 2; ++plain) {
    run(&gather, fours, plain);
    CHECK(memcmp(fours, alone, sizeof fours) == 0, "case %d: other bits in %d fours, plain %d",
          number, found, plain);
  }
  CHECK(memcmp(fours, before, sizeof fours) != 0, "case %d: nothing was added", number);
  free_rows(row, count);
}

/* Links that are nearly four stay where they are. */
static void check_nearly(void) {
  enum { WAYS = 5 };
  for (int way = 0; way < WAYS; ++way) {
    rind_gather_row row[2];
    rind_gather_fill fill[2 * FOUR], kept[2 * FOUR];
    uint8_t pair[2 * FOUR] = {0};
    if (way == 4) pair[3] = RIND_GATHER_TAKEN;
    for (int r = 0; r < 2; ++r) {
      make_row_in_place(&made[r], 4, 9, SHAPE_POINT, false);
      row[r] = made[r].finished;
    }
    for (int f = 0; f < 2 * FOUR; ++f)
      fill[f] = (rind_gather_fill){f % 2, f / 2, f / 2};
    if (way == 0) fill[4].to = fill[5].to = 0;
    if (way == 1) fill[7].source = 0;
    if (way == 2) fill[6].row = 1;
    rind_gather gather = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 2 * FOUR - (way == 3), NULL, NULL};
    memcpy(kept, fill, sizeof fill);
    rind_gather_find_fours(&gather, 0, gather.num_fills, fill, pair);
    CHECK(memcmp(kept, fill, sizeof fill) == 0, "way %d: fills have moved", way);
    for (int f = 0; f < 2 * FOUR; ++f)
      CHECK(pair[f] == (way == 4 && f == 3 ? RIND_GATHER_TAKEN : RIND_GATHER_ALONE),
            "way %d: fill %d is not alone", way, f);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < CASES; ++number)
    check_case(number, number % 2 ? RIND_FLOAT32 : RIND_FLOAT64);
  check_nearly();
  return check_end();
}
