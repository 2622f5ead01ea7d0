/* oracle_polynomial.c - what each row family reproduces, in physical coordinates, and what not.
 *
 *     oracle_polynomial [self]     self: the oracle's own rows, without a fill
 *
 * Monomials x^a y^b z^c, one a component. Copy: all. Quadratic and coarse-only: a, b, c <= 2, no
 * cube. Average: a, b, c <= 1, no square. Injection: constants only.
 * Bound for "reproduced", with K terms of value s and weight w: a row rounds each term at most
 * twice in its weight, once in its product and K - 1 times in the sum, and a sample of a monomial
 * of degree <= 6 carries at most 12 roundings more, so that |got - exact| <= (K + 16) 2^-53 (sum |w
 * s| + |exact|) (1 + tiny), taken with 2^-52. "Not reproduced": the interpolation error of x^3 is
 * |product of the distances| to the three points of an axis, at least 5/32 H^3 (H the coarse cell);
 * a mean of x^2 is off by H^2/16. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "oracle_scene.h"

enum { MAX_MONOMIALS = 30 };

typedef struct monomials {
  const oracle *judge;
  double lower[3];
  double side[3]; /* of a tree */
  int count;
  int power[MAX_MONOMIALS][3];
} monomials;

typedef struct tally {
  long reproduced[RIND_NUM_FAMILIES];
  long missed[RIND_NUM_FAMILIES];
  long wrong;
} tally;

/* All with powers <= 2, then the cubes. */
static void list_monomials(monomials *m) {
  const int dim = m->judge->dim;
  for (int i = 0; i < (dim == 2 ? 9 : 27); ++i) {
    const int power[3] = {i % 3, i / 3 % 3, i / 9};
    memcpy(m->power[m->count++], power, sizeof power);
  }
  for (int a = 0; a < dim; ++a)
    m->power[m->count++][a] = 3;
}

static double cell_side(const monomials *m, int leaf, int axis) {
  return ldexp(m->side[axis], -m->judge->leaf[leaf].level) / m->judge->cells;
}

/* Of a cell, also of a ghost. */
static double monomial_at(const void *user, int leaf, const int cell[3], int component) {
  const monomials *m = user;
  double value = 1;
  for (int a = 0; a < m->judge->dim; ++a) {
    const double place = (double)m->judge->leaf[leaf].at[a] * m->judge->cells + cell[a] + 0.5;
    const double x = m->lower[a] + place * cell_side(m, leaf, a);
    for (int p = 0; p < m->power[component][a]; ++p)
      value *= x;
  }
  return value;
}

/* The highest power, and the axis of it; the sum of powers. */
static void describe(const int power[3], int *highest, int *axis, int *total) {
  *highest = *axis = *total = 0;
  for (int a = 0; a < 3; ++a) {
    *total += power[a];
    if (power[a] > *highest) {
      *highest = power[a];
      *axis = a;
    }
  }
}

/* The least error that the family must make, 0 if it must make none, -1 if nothing is claimed. */
static double least_error(const monomials *m, rind_family family, int leaf, int component) {
  int highest = 0, axis = 0, total = 0;
  describe(m->power[component], &highest, &axis, &total);
  const double h = cell_side(m, leaf, axis);
  const bool alone = total == highest;
  switch (family) {
  case RIND_FAMILY_QUADRATIC:
  case RIND_FAMILY_COARSE_ONLY:
    if (highest <= 2) return 0;
    return alone ? 0.99 * 5.0 / 32.0 * pow(2 * h, 3) : -1;
  case RIND_FAMILY_AVERAGE:
    if (highest <= 1) return 0;
    return alone && highest == 2 ? 0.99 * h * h / 16 : -1;
  case RIND_FAMILY_INJECTION:
    if (highest == 0) return 0;
    return alone && highest == 1 ? 0.99 * h / 2 : -1;
  default:
    return 0;
  }
}

static void check_ghost(const monomials *m, const oracle_row *row, int leaf, const int cell[3],
                        int component, double got, tally *t) {
  const double exact = monomial_at(m, leaf, cell, component);
  const double size = oracle_sum_abs(row, RIND_FLOAT64, monomial_at, m, component);
  const double bound = (row->num_terms + 16) * DBL_EPSILON * (size + fabs(exact));
  const double least = least_error(m, row->family, leaf, component);
  const double error = fabs(got - exact);
  if (least < 0) return;
  const bool right = least > 0 ? error >= least : error <= bound;
  if (!right && t->wrong++ == 0) {
    const int *p = m->power[component];
    fprintf(stderr,
            "%s: x^%d y^%d z^%d at leaf %d cell %d %d %d: %.17g, exact %.17g, error %g, %s %g\n",
            rind_family_name(row->family), p[0], p[1], p[2], leaf, cell[0], cell[1], cell[2], got,
            exact, error, least > 0 ? "at least" : "bound", least > 0 ? least : bound);
  }
  if (least > 0) {
    ++t->missed[row->family];
  } else {
    ++t->reproduced[row->family];
  }
}

/* rows.md: rows of one family have the same width, their weights sum to 1, sources are interiors.
 */
static void check_row(const oracle *judge, const oracle_row *row, tally *t) {
  static const int width[2][RIND_NUM_FAMILIES] = {{1, 7, 9, 1, 4}, {1, 19, 27, 1, 8}};
  double sum = 0;
  bool inside = true;
  for (int k = 0; k < row->num_terms; ++k) {
    sum += row->term[k].weight;
    for (int a = 0; a < 3; ++a) {
      const int c = row->term[k].cell[a];
      inside = inside && c >= 0 && c < (a < judge->dim ? judge->cells : 1);
    }
  }
  const bool right =
      row->num_terms == width[judge->dim - 2][row->family] && fabs(sum - 1) < 1e-14 && inside;
  if (!right && t->wrong++ == 0) {
    fprintf(stderr, "%s row: %d terms, sum %.17g, %s\n", rind_family_name(row->family),
            row->num_terms, sum, inside ? "all inside" : "reads outside interiors");
  }
}

/* memory NULL: judge the oracle itself. */
static void check_blocks(const scene *s, const scene_memory *memory, const rind_forest *forest,
                         const monomials *m, tally *t) {
  const scene_memory shape = {
      .layout = {.dim = s->brick.dim, .cells = s->cells, .ghosts = s->ghosts}};
  const int num_blocks = rind_forest_num_blocks(forest);
  for (int b = 0; b < num_blocks; ++b) {
    const int leaf = (int)rind_forest_block(forest, b)->global;
    int cell[3];
    scene_first_cell(&shape, cell);
    do {
      oracle_row row;
      if (!oracle_find_row(m->judge, &s->rules, leaf, cell, &row)) continue;
      check_row(m->judge, &row, t);
      for (int c = 0; c < m->count; ++c) {
        const double got = memory != NULL ? scene_value(memory, b, cell, c)
                                          : oracle_sum(&row, RIND_FLOAT64, monomial_at, m, c);
        check_ghost(m, &row, leaf, cell, c, got, t);
      }
    } while (scene_next_cell(&shape, cell));
  }
}

static void fill_and_check(const scene *s, const rind_forest *forest, const monomials *m,
                           tally *t) {
  rind_context *context = rind_forest_context(forest);
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_field *field = NULL;
  scene_memory memory = {.num_blocks = 0};
  rind_error error = rind_schedule_create(forest, s->cells, s->ghosts, &s->rules, &schedule);
  if (!error) error = scene_create_field(forest, s, &memory, &field);
  if (!error) error = rind_exchange_create(schedule, &memory.layout, NULL, &exchange);
  if (!error) {
    scene_poison(&memory, forest, monomial_at, m);
    error = rind_fill(exchange, field);
    check_blocks(s, &memory, forest, m, t);
  }
  CHECK(error == RIND_OK, "%s: %s", rind_error_name(error), rind_last_error(context));
  rind_exchange_destroy(&exchange);
  rind_field_destroy(&field);
  scene_free_memory(&memory);
  rind_schedule_destroy(&schedule);
}

static void run_case(scene *s, bool self, tally *t) {
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  char text[256];
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  CHECK_OK(scene_create_forest(context, s, &forest), context);
  if (forest != NULL) {
    oracle *judge = oracle_create(MPI_COMM_WORLD, forest, &s->brick, s->cells, text);
    CHECK(judge != NULL, "%s", text);
    if (judge != NULL) {
      monomials m = {.judge = judge};
      for (int a = 0; a < s->brick.dim; ++a) {
        m.lower[a] = s->brick.lower[a];
        m.side[a] = (s->brick.upper[a] - s->brick.lower[a]) / judge->trees[a];
      }
      list_monomials(&m);
      s->components = m.count;
      if (self) {
        check_blocks(s, NULL, forest, &m, t);
      } else {
        fill_and_check(s, forest, &m, t);
      }
    }
    oracle_destroy(judge);
  }
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const bool self = argc > 1 && strcmp(argv[1], "self") == 0;
  tally t = {.wrong = 0};
  for (int i = 0; i < 18; ++i) {
    const int dim = 2 + i % 2, ghosts = 1 + i / 6;
    scene s = {.seed = scene_mix(100 + (uint64_t)i) | 1,
               .brick = {.dim = dim,
                         .trees = {2, 1, dim == 3 ? 1 : 0},
                         .level = 1,
                         .lower = {-0.7, 0.2, dim == 3 ? -1.1 : 0},
                         .upper = {1.1, 1.5, dim == 3 ? 0.3 : 0}},
               .max_level = dim == 2 ? 3 : 2,
               .percent = 25,
               .ghosts = ghosts,
               .cells = ghosts == 1   ? 4
                        : ghosts == 2 ? 4
                                      : 6,
               .rules = {.interpolation = (rind_interpolation)(i / 2 % 3)}};
    run_case(&s, self, &t);
  }
  CHECK(t.wrong == 0, "%ld wrong", t.wrong);
  tally all;
  MPI_Allreduce(t.reproduced, all.reproduced, RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(t.missed, all.missed, RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (int f = 0; f <= RIND_FAMILY_AVERAGE; ++f) { /* the others: oracle_exact.c */
    CHECK(all.reproduced[f] > 0 && (all.missed[f] > 0 || f == RIND_FAMILY_COPY),
          "%s: %ld reproduced, %ld not", rind_family_name((rind_family)f), all.reproduced[f],
          all.missed[f]);
  }
  return check_end();
}
