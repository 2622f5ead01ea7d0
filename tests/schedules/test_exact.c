/* test_exact.c - schedules run on values, phase after phase: children keep their coarse cell's
 * mean, polynomials come out, and the user's taps give the bits of the same built-in rows. */
#include <check.h>
#include <rind/schedule.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "row_reader.h"

enum { SIDE = 16, CELLS = SIDE * SIDE * SIDE };

static rind_context *context;

/* A value for every padded cell of every block; one rank. */
typedef struct scene {
  hand_forest layout;
  rind_forest *forest;
  rind_schedule *schedule;
  int cells, ghosts;
  double (*value)[CELLS];
} scene;

/* Of the polynomial: powers and a factor a term. */
typedef struct monomial {
  double factor;
  int power[3];
} monomial;

static double *cell_at(const scene *s, int global, const int cell[3]) {
  const int g = s->ghosts, z = s->layout.dim == 3 ? cell[2] + g : 0;
  return &s->value[global][(z * SIDE + cell[1] + g) * SIDE + cell[0] + g];
}

static void scene_begin(scene *s, int dim, unsigned seed, int cells, int ghosts,
                        const rind_rules *rules) {
  static const int blocks[2][3] = {{3, 3, 1}, {3, 2, 2}}, periodic[3] = {0, 0, 0};
  static const unsigned refined[] = {0x010, 0x121, 0x048, 0x00b}; /* a bit a block */
  hand_forest_grid(&s->layout, dim, blocks[dim - 2], periodic, refined[seed % 4]);
  if (seed % 2) hand_forest_turn(&s->layout, seed);
  s->cells = cells;
  s->ghosts = ghosts;
  CHECK_OK(hand_forest_create(context, &s->layout, &s->forest), context);
  CHECK_OK(rind_schedule_create(s->forest, cells, ghosts, rules, &s->schedule), context);
  CHECK_OK(rind_schedule_verify(s->schedule), context);
  s->value = calloc(HAND_BLOCKS, sizeof *s->value);
  if (!s->value || !s->schedule) exit(1);
}

static void scene_end(scene *s) {
  rind_schedule_destroy(&s->schedule);
  rind_forest_destroy(&s->forest);
  free(s->value);
}

/* At a cell's centre, or the average over the cell: that of x^2 is x^2 + width^2 / 12. */
static double evaluate(const scene *s, const monomial *p, int count, bool average, int global,
                       const int cell[3]) {
  long centre[3];
  hand_forest_centre(&s->layout, global, s->cells, cell, centre);
  const double unit = 8.0 * s->cells, width = 2.0 * s->layout.block[global].side / unit;
  double sum = 0.0;
  for (int m = 0; m < count; ++m) {
    double term = p[m].factor;
    for (int a = 0; a < s->layout.dim; ++a) {
      const double x = (double)centre[a] / unit - 1.0;
      if (p[m].power[a] == 1) term *= x;
      if (p[m].power[a] == 2) term *= x * x + (average ? width * width / 12.0 : 0.0);
    }
    sum += term;
  }
  return sum;
}

/* The polynomial's values, or whole numbers by chance without one. */
static void set_interiors(const scene *s, const monomial *p, int count, bool average) {
  const int deep = s->layout.dim == 3 ? s->cells : 1;
  unsigned state = 7;
  for (int b = 0; b < s->layout.num_blocks; ++b)
    for (int k = 0; k < deep; ++k)
      for (int j = 0; j < s->cells; ++j)
        for (int i = 0; i < s->cells; ++i) {
          const int cell[3] = {i, j, k};
          state = state * 1664525u + 1013904223u;
          *cell_at(s, b, cell) =
              p ? evaluate(s, p, count, average, b, cell) : (double)(state >> 20);
        }
}

/* Runs the fills in their order; visit sees every ghost that was written. */
static void run(scene *s, void (*visit)(scene *s, const row *r, void *user), void *user) {
  row r;
  for (int f = 0; f < rind_schedule_num_fills(s->schedule); ++f) {
    rind_fill_view view;
    if (rind_schedule_fill(s->schedule, f, &view) != RIND_OK) return;
    for (int k = 0; k < view.extent[2]; ++k)
      for (int j = 0; j < view.extent[1]; ++j)
        for (int i = 0; i < view.extent[0]; ++i) {
          const int index[3] = {i, j, k};
          if (row_read(s->schedule, &s->layout, f, index, &r) != RIND_OK) return;
          double sum = 0.0;
          for (int t = 0; t < r.fill.num_terms; ++t)
            sum += r.weight[t] * *cell_at(s, r.block[t], r.source[t]);
          *cell_at(s, s->layout.global_of[r.fill.block], r.cell) = sum;
          visit(s, &r, user);
        }
  }
}

/* Sums of the ghosts that a coarse cell holds, all exact: whole values, dyadic weights. */
typedef struct family_sums {
  double sum[HAND_BLOCKS][RIND_NUM_REGIONS][SIDE / 2 * SIDE / 2 * SIDE / 2];
  int count[HAND_BLOCKS][RIND_NUM_REGIONS][SIDE / 2 * SIDE / 2 * SIDE / 2];
  double right[HAND_BLOCKS][RIND_NUM_REGIONS][SIDE / 2 * SIDE / 2 * SIDE / 2];
} family_sums;

static void add_child(scene *s, const row *r, void *user) {
  family_sums *sums = user;
  if (r->fill.family != RIND_FAMILY_CONSERVATIVE &&
      r->fill.family != RIND_FAMILY_CONSERVATIVE_FACING)
    return;
  const int to = s->layout.global_of[r->fill.block], half = SIDE / 2;
  int self = -1; /* the coarse cell itself: a quarter of it away along every axis */
  for (int t = 0; t < r->fill.num_terms; ++t) {
    const long quarter = s->layout.block[r->block[t]].side / 2;
    bool here = r->block[t] != to;
    for (int a = 0; a < s->layout.dim; ++a)
      here = here && labs(r->away[t][a]) == quarter;
    if (here) self = t;
  }
  CHECK(self >= 0, "the coarse cell that holds the ghost is not read");
  if (self < 0) return;
  const int *c = r->source[self], at = (c[2] * half + c[1]) * half + c[0];
  sums->sum[to][r->fill.region][at] += *cell_at(s, to, r->cell);
  sums->count[to][r->fill.region][at] += 1;
  sums->right[to][r->fill.region][at] = *cell_at(s, r->block[self], c);
}

static void test_children(int dim, unsigned seed, int ghosts) {
  const rind_rules rules = {.interpolation = RIND_INTERPOLATION_CONSERVATIVE};
  scene s = {0};
  family_sums *sums = calloc(1, sizeof *sums);
  if (!sums) exit(1);
  scene_begin(&s, dim, seed, dim == 3 ? 6 : 8, ghosts, &rules);
  set_interiors(&s, NULL, 0, false);
  run(&s, add_child, sums);
  long whole = 0;
  for (int b = 0; b < HAND_BLOCKS; ++b)
    for (int region = 0; region < RIND_NUM_REGIONS; ++region)
      for (int c = 0; c < SIDE / 2 * SIDE / 2 * SIDE / 2; ++c) {
        if (sums->count[b][region][c] != 1 << dim) continue; /* odd: the deepest cells are cut */
        ++whole;
        CHECK(sums->sum[b][region][c] == (1 << dim) * sums->right[b][region][c],
              "block %d, region %d: mean %g, not %g", b, region,
              sums->sum[b][region][c] / (1 << dim), sums->right[b][region][c]);
      }
  CHECK(whole > 30, "%ld whole coarse cells", whole);
  free(sums);
  scene_end(&s);
}

/* Which families must give the polynomial. */
typedef struct promise {
  const char *name;
  rind_rules rules;
  int degree; /* in total */
  bool average;
  uint32_t families;
  long seen;
} promise;

static const monomial polynomial[] = {
    {1.0, {0, 0, 0}},  {0.5, {1, 0, 0}}, {-0.75, {0, 1, 0}}, {0.25, {0, 0, 1}}, {1.5, {2, 0, 0}},
    {-0.5, {0, 2, 0}}, {1.0, {0, 0, 2}}, {-1.25, {1, 1, 0}}, {0.5, {1, 0, 1}},  {0.75, {0, 1, 1}}};

static void check_ghost(scene *s, const row *r, void *user) {
  promise *of = user;
  if (!(of->families >> r->fill.family & 1u)) return;
  const int to = s->layout.global_of[r->fill.block], count = of->degree == 2 ? 10 : 4;
  const double got = *cell_at(s, to, r->cell),
               right = evaluate(s, polynomial, count, of->average, to, r->cell);
  ++of->seen;
  CHECK(fabs(got - right) < 1e-12, "%s, %s, region %d: %.17g, not %.17g", of->name,
        rind_family_name(r->fill.family), r->fill.region, got, right);
}

#define BIT(family) (1u << RIND_FAMILY_##family)
static const promise promises[] = {
    {"flux after quadratic, point values",
     {.restriction = RIND_RESTRICTION_FLUX_MATCHED},
     2,
     false,
     BIT(QUADRATIC) | BIT(COARSE_ONLY) | BIT(FLUX_MATCHED),
     0},
    {"flux after coarse-only, point values",
     {.interpolation = RIND_INTERPOLATION_COARSE_ONLY,
      .restriction = RIND_RESTRICTION_FLUX_MATCHED},
     2,
     false,
     BIT(COARSE_ONLY) | BIT(FLUX_MATCHED),
     0},
    {"flux after conservative, point values",
     {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
      .restriction = RIND_RESTRICTION_FLUX_MATCHED},
     1,
     false,
     BIT(CONSERVATIVE) | BIT(CONSERVATIVE_FACING) | BIT(FLUX_MATCHED) | BIT(AVERAGE),
     0},
    {"flux after conservative, averages",
     {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
      .restriction = RIND_RESTRICTION_FLUX_MATCHED},
     2,
     true,
     BIT(FLUX_MATCHED) | BIT(AVERAGE),
     0},
};

static void test_promises(int dim, unsigned seed) {
  for (size_t p = 0; p < sizeof promises / sizeof *promises; ++p) {
    promise of = promises[p];
    scene s = {0};
    scene_begin(&s, dim, seed, 6, 3, &of.rules);
    set_interiors(&s, polynomial, of.degree == 2 ? 10 : 4, of.average);
    run(&s, check_ghost, &of);
    CHECK(of.seen > 50, "%s: %ld ghosts", of.name, of.seen);
    scene_end(&s);
  }
}

/* In averages, conservative rows give sums of quadratics of one variable. */
static const monomial squares[] = {{1.0, {0, 0, 0}}, {0.5, {1, 0, 0}},  {1.5, {2, 0, 0}},
                                   {0.5, {0, 1, 0}}, {-0.5, {0, 2, 0}}, {0.25, {0, 0, 2}}};

static void check_sum_of_squares(scene *s, const row *r, void *user) {
  if (r->fill.family != RIND_FAMILY_CONSERVATIVE &&
      r->fill.family != RIND_FAMILY_CONSERVATIVE_FACING)
    return;
  const int to = s->layout.global_of[r->fill.block];
  const double got = *cell_at(s, to, r->cell), right = evaluate(s, squares, 6, true, to, r->cell);
  ++*(long *)user;
  CHECK(fabs(got - right) < 1e-12, "%s, region %d: %.17g, not %.17g",
        rind_family_name(r->fill.family), r->fill.region, got, right);
}

static void test_squares(int dim, unsigned seed) {
  const rind_rules rules = {.interpolation = RIND_INTERPOLATION_CONSERVATIVE};
  scene s = {0};
  long seen = 0;
  scene_begin(&s, dim, seed, 6, 3, &rules);
  set_interiors(&s, squares, 6, true);
  run(&s, check_sum_of_squares, &seen);
  CHECK(seen > 50, "%ld ghosts", seen);
  scene_end(&s);
}

/* The three-point table, as a user would hand it over. */
static const rind_taps three_point = {
    .num_taps = 3,
    .first = {{0, -1, -2}, {0, -1, -2}},
    .weight = {
        {{1.40625, -0.5625, 0.15625}, {0.15625, 0.9375, -0.09375}, {-0.09375, 0.4375, 0.65625}},
        {{0.65625, 0.4375, -0.09375}, {-0.09375, 0.9375, 0.15625}, {0.15625, -0.5625, 1.40625}}}};

/* Fill by fill as coarse-only rules, but for the family's name. */
static void test_user_table(int dim, unsigned seed) {
  const rind_rules rules[2] = {{.interpolation = RIND_INTERPOLATION_COARSE_ONLY},
                               {.interpolation = RIND_INTERPOLATION_USER, .taps = &three_point}};
  scene s[2] = {{.cells = 0}, {.cells = 0}};
  for (int w = 0; w < 2; ++w)
    scene_begin(&s[w], dim, seed, 8, 4, &rules[w]);
  const int num = rind_schedule_num_fills(s[0].schedule);
  CHECK(num == rind_schedule_num_fills(s[1].schedule), "%d fills", num);
  for (int f = 0; f < num; ++f) {
    rind_fill_view a, b;
    rind_term_view x, y;
    CHECK_OK(rind_schedule_fill(s[0].schedule, f, &a), context);
    CHECK_OK(rind_schedule_fill(s[1].schedule, f, &b), context);
    CHECK(a.family == (b.family == RIND_FAMILY_USER ? RIND_FAMILY_COARSE_ONLY : b.family), "%s",
          rind_family_name(b.family));
    b.family = a.family;
    CHECK(memcmp(&a, &b, sizeof a) == 0, "fill %d is another", f);
    for (int t = 0; t < a.num_terms; ++t) {
      CHECK_OK(rind_schedule_term(s[0].schedule, f, t, &x), context);
      CHECK_OK(rind_schedule_term(s[1].schedule, f, t, &y), context);
      CHECK(x.weight == y.weight && x.block == y.block && memcmp(&x.box, &y.box, sizeof x.box) == 0,
            "fill %d, term %d is another", f, t);
    }
  }
  for (int w = 0; w < 2; ++w)
    scene_end(&s[w]);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_SELF, NULL, &context), NULL);
  for (int dim = 2; dim <= 3; ++dim)
    for (unsigned seed = 0; seed < 4; ++seed) {
      for (int ghosts = 2; ghosts <= (dim == 3 ? 3 : 4); ++ghosts)
        test_children(dim, seed, ghosts);
      test_promises(dim, seed);
      test_squares(dim, seed);
      test_user_table(dim, seed);
    }
  rind_context_destroy(&context);
  return check_end();
}
