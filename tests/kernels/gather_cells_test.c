/* gather_cells_test.c - rows of four lanes give the same bits as one list of cells and one by one.
 */
#include <check.h>
#include <gather_ways.h>
#include <random_rows.h>
#include <rind/error.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 5, TERMS = 20, NUM_CASES = 3000 };

/* How the cells of a block lie: components behind each other, or next to each other in a smaller
 * one. */
typedef struct lattice {
  int side;
  int values; /* of a cell next to each other, or 1 */
  ptrdiff_t step[RIND_GATHER_DIMS];
} lattice;

static const rind_type types[4][2] = {{RIND_FLOAT64, RIND_FLOAT64},
                                      {RIND_FLOAT32, RIND_FLOAT32},
                                      {RIND_FLOAT32, RIND_FLOAT64},
                                      {RIND_FLOAT64, RIND_FLOAT32}};

static rind_gather_row row[MOST];
static rind_gather_fill fill[MOST];
static double weight[MOST][TERMS * RIND_GATHER_LANES];
static ptrdiff_t offset[MOST][TERMS];
/* Doubles, so that either type fits. */
static double own[ROW_ELEMENTS], source[ROW_ELEMENTS];
static double before[ROW_ELEMENTS], expected[ROW_ELEMENTS], to[ROW_ELEMENTS];

/* Or zeros, whose sums have signs too. */
static void put_random(double *data, rind_type type) {
  const bool zeros = random_int(4) == 0;
  for (ptrdiff_t at = 0; at < ROW_ELEMENTS; ++at)
    if (type == RIND_FLOAT64)
      data[at] = random_entry(zeros);
    else
      ((float *)data)[at] = (float)random_entry(zeros);
}

static lattice make_lattice(bool innermost) {
  enum { SMALL = 12, MOST_VALUES = ROW_ELEMENTS / (SMALL * SMALL * SMALL) };
  const int side = innermost ? SMALL : ROW_SIDE;
  const int values = innermost ? 2 + random_int(MOST_VALUES - 1) : 1;
  const ptrdiff_t x = values, y = x * side, z = y * side;
  return (lattice){side, values, {x, y, z, innermost ? 1 : z * side}};
}

static ptrdiff_t random_cell(const lattice *of, int most) {
  const ptrdiff_t x = random_int(most), y = random_int(most), z = random_int(most);
  return x * of->step[0] + y * of->step[1] + z * of->step[2];
}

/* Row r writes an eighth of the box, as no two rows write one cell; some have the weights of
 * another. */
static void make_row(const lattice *of, int r, int num_terms, int owns, const ptrdiff_t *window,
                     ptrdiff_t own_shift, bool one_cell) {
  const ptrdiff_t *step = of->step;
  const ptrdiff_t lane[RIND_GATHER_LANES] = {0, step[0], step[1], step[0] + step[1]};
  const bool innermost = of->values > 1;
  const ptrdiff_t corner = (r & 1) * step[0] + (r >> 1 & 1) * step[1] + (r >> 2) * step[2];
  const ptrdiff_t begin = of->side / 2 * corner + random_cell(of, 2);
  const ptrdiff_t read = random_cell(of, innermost ? 4 : 8);
  const int like = random_int(2) ? r : random_int(r + 1);
  for (int w = 0; w < num_terms * RIND_GATHER_LANES; ++w)
    weight[r][w] = like < r ? weight[like][w] : random_value();
  for (int t = 0; t < num_terms; ++t)
    offset[r][t] = t < owns ? begin + own_shift : read + window[t];
  row[r] = (rind_gather_row){.num_lanes = RIND_GATHER_LANES,
                             .num_terms = num_terms,
                             .num_own_first = owns,
                             .weight = weight[r],
                             .offset = offset[r]};
  for (int l = 0; l < RIND_GATHER_LANES; ++l) {
    row[r].to_offset[l] = begin + lane[l];
    row[r].own_offset[l] = owns ? lane[l] : 0;
  }
  for (int d = 0; d < RIND_GATHER_DIMS; ++d) {
    row[r].extent[d] = one_cell ? 1 : d < 3 ? 1 + random_int(innermost ? 2 : 4) : 1 + random_int(3);
    row[r].to_stride[d] = row[r].own_stride[d] = d < 3 ? 2 * step[d] : step[d];
    row[r].source_stride[d] = step[d];
  }
  if (innermost) row[r].extent[3] = of->values;
  rind_gather_row_finish(&row[r], offset[r], true);
  fill[r] = (rind_gather_fill){r, 0, 0};
}

static void make_rows(const lattice *of, int count, int num_terms, int owns) {
  ptrdiff_t window[TERMS];
  const ptrdiff_t own_shift = random_int(3);
  const bool one_cell = random_int(2);
  for (int t = 0; t < TERMS; ++t)
    window[t] = random_cell(of, 3);
  for (int r = 0; r < count; ++r)
    make_row(of, r, num_terms, owns, window, own_shift, one_cell);
}

static const void *run(rind_gather_fills_way *way, const rind_gather *gather, int first) {
  void *const to_base[1] = {to};
  const void *const own_base[1] = {own}, *const source_base[1] = {source};
  memcpy(to, before, sizeof to);
  way(gather, first, gather->num_fills, to_base, own_base, source_base);
  return to;
}

static void check_case(int number) {
  const rind_type *type = types[number % 4];
  const int count = 1 + random_int(MOST), owns = random_int(2);
  const int num_terms = 1 + owns + random_int(TERMS - 1);
  uint8_t how[MOST] = {RIND_GATHER_CELLS};
  size_t bytes = 0;
  rind_gather_cells *cells = NULL;
  const lattice of = make_lattice(random_int(2));
  make_rows(&of, count, num_terms, owns);
  put_random(before, type[0]);
  put_random(own, type[0]);
  put_random(source, type[1]);
  const rind_gather loose = {type[0], type[1], row, fill, count, NULL, NULL};
  const rind_gather listed = {type[0], type[1], row, fill, count, how, NULL};
  CHECK(rind_gather_count_alike(&loose, 0) == count, "case %d: %d of %d rows are alike", number,
        rind_gather_count_alike(&loose, 0), count);
  CHECK(rind_gather_cells_create(row, count, &cells, &bytes) && cells, "case %d: no list", number);
  if (!cells) return;
  CHECK(cells->num_values == of.values, "case %d: a cell has %d values, not %d", number,
        cells->num_values, of.values);
  row[0].cells = cells;
  memcpy(expected, run(rind_gather_fills_plain, &loose, 0), sizeof expected);
  CHECK(memcmp(expected, before, sizeof expected) != 0, "case %d: nothing was written", number);
  CHECK(memcmp(expected, run(rind_gather_fills_plain, &listed, 0), sizeof expected) == 0,
        "case %d: a list of %d cells gives other bits", number, cells->num_cells);
  if (rind_gather_is_wide())
    CHECK(memcmp(expected, run(rind_gather_fills_wide, &listed, 0), sizeof expected) == 0,
          "case %d: a list of %d cells gives other bits when wide", number, cells->num_cells);
  memcpy(expected, run(rind_gather_fills_plain, &loose, 1), sizeof expected);
  CHECK(memcmp(expected, run(rind_gather_fills_plain, &listed, 1), sizeof expected) == 0,
        "case %d: the fills but the first give other bits", number);
  free(cells);
}

/* A thread may end between fills that would run together. */
static void check_part(void) {
  uint8_t how[3] = {RIND_GATHER_CELLS};
  void *const to_base[1] = {to};
  const void *const own_base[1] = {own}, *const source_base[1] = {source};
  size_t bytes = 0;
  rind_gather_cells *cells = NULL;
  const lattice of = make_lattice(false);
  make_rows(&of, 3, 9, 1);
  const rind_gather loose = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 3, NULL, NULL};
  const rind_gather listed = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 3, how, NULL};
  CHECK(rind_gather_cells_create(row, 3, &cells, &bytes) && cells, "no list");
  row[0].cells = cells;
  memcpy(to, before, sizeof to);
  rind_gather_fills_plain(&loose, 0, 2, to_base, own_base, source_base);
  memcpy(expected, to, sizeof to);
  memcpy(to, before, sizeof to);
  rind_gather_fills_plain(&listed, 0, 2, to_base, own_base, source_base);
  CHECK(memcmp(expected, to, sizeof to) == 0, "two of three fills give other bits");
  free(cells);
}

static int count_after(int f) {
  const rind_gather gather = {RIND_FLOAT64, RIND_FLOAT64, row, fill, 3, NULL, NULL};
  return rind_gather_count_alike(&gather, f);
}

/* Rows that are alike but for how many values lie next to each other, or whose values do so in one
 * block alone, have a cell for each. */
static void check_lengths(void) {
  size_t bytes = 0;
  lattice of;
  do
    of = make_lattice(true);
  while (of.values < 3);
  for (int way = 0; way < 3; ++way) {
    rind_gather_cells *cells = NULL;
    make_rows(&of, 2, 9, 1);
    if (way == 1) row[1].extent[0] -= 1;
    if (way == 2) row[0].source_stride[0] = row[1].source_stride[0] = 2;
    CHECK(rind_gather_cells_create(row, 2, &cells, &bytes) && cells, "no list");
    CHECK(cells->num_values == (way > 0 ? 1 : of.values), "%d values a cell", cells->num_values);
    free(cells);
  }
}

static void check_refusals(void) {
  const lattice of = make_lattice(false);
  size_t bytes = 0;
  rind_gather_cells *cells = NULL;
  make_rows(&of, 3, 9, 1);
  offset[1][4] += 1;
  CHECK(count_after(0) == 1 && count_after(1) == 1, "rows of two windows are alike");
  make_rows(&of, 3, 9, 1);
  offset[1][0] += 1;
  CHECK(count_after(0) == 1, "rows whose own cells lie elsewhere are alike");
  make_rows(&of, 3, 9, 1);
  row[2].to_offset[3] += 1;
  CHECK(count_after(0) == 2, "rows whose lanes lie elsewhere are alike");
  make_rows(&of, 3, 9, 1);
  row[1].num_terms = 8;
  CHECK(count_after(0) == 1, "rows of 9 and 8 terms are alike");
  make_rows(&of, 3, 9, 1);
  fill[1].source = 1;
  CHECK(count_after(0) == 1, "fills of two sources run together");
  make_rows(&of, 3, 9, 1);
  fill[2].row = 0;
  CHECK(count_after(0) == 2, "fills whose rows do not follow each other run together");
  make_rows(&of, 3, 9, 1);
  row[0].own_stride[0] += 1;
  CHECK(count_after(0) == 0, "a row whose own cells do not go along is listed");
  make_rows(&of, 3, 9, 0);
  for (int t = 0; t < 9; ++t)
    offset[2][t] += 2 * (ptrdiff_t)INT32_MAX;
  CHECK(count_after(0) == 3, "rows that are alike are not");
  CHECK(rind_gather_cells_create(row, 3, &cells, &bytes) && !cells,
        "cells that 32 bits do not reach are listed");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < NUM_CASES; ++number)
    check_case(number);
  check_part();
  check_lengths();
  check_refusals();
  return check_end();
}
