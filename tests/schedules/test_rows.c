/* test_rows.c - every row against its definition: weights, order of terms, polynomials, geometry.
 */
#include <check.h>
#include <rows.h>

#include <math.h>

#include "row_reader.h"

/* docs/rows.md, as fractions: [parity][shift + 1][tap]. */
typedef struct fraction {
  long above, below;
} fraction;
static const fraction quadratic[2][3][3] = {
    {{{-3, 32}, {7, 16}, {21, 32}}, {{5, 32}, {15, 16}, {-3, 32}}, {{45, 32}, {-9, 16}, {5, 32}}},
    {{{5, 32}, {-9, 16}, {45, 32}}, {{-3, 32}, {15, 16}, {5, 32}}, {{21, 32}, {7, 16}, {-3, 32}}}};
static const fraction facing[2][3] = {{{5, 21}, {5, 6}, {-1, 14}}, {{-1, 7}, {1, 1}, {1, 7}}};

/* Rows seen, so that no family is missed; turned: with a source whose axes run otherwise. */
static long seen[4][RIND_NUM_FAMILIES], seen_turned[4][RIND_NUM_FAMILIES];

static double value(fraction f) {
  return (double)f.above / (double)f.below;
}

/* sum w x^power == at^power for power 0, 1, 2, in integers: w is over 672, positions are in
 * quarters of a coarse cell. */
static void check_exact(const fraction w[3], const long x[3], long at, const char *what) {
  for (int power = 0; power < 3; ++power) {
    long sum = 0, right = 672;
    for (int tap = 0; tap < 3; ++tap) {
      long term = w[tap].above * (672 / w[tap].below);
      for (int k = 0; k < power; ++k)
        term *= x[tap];
      sum += term;
    }
    for (int k = 0; k < power; ++k)
      right *= at;
    CHECK(sum == right, "%s, power %d: %ld instead of %ld", what, power, sum, right);
  }
}

static void test_tables(void) {
  for (int parity = 0; parity < 2; ++parity)
    for (int shift = -1; shift <= 1; ++shift) {
      const long x[3] = {4 * (shift - 1), 4 * shift, 4 * (shift + 1)};
      check_exact(quadratic[parity][shift + 1], x, parity ? 1 : -1, "quadratic");
      for (int tap = 0; tap < 3; ++tap)
        CHECK(rind_weights_quadratic(parity, shift)[tap] ==
                  value(quadratic[parity][shift + 1][tap]),
              "parity %d, shift %d, tap %d", parity, shift, tap);
    }
  for (int layer = 1; layer <= 2; ++layer) {
    const long x[3] = {-1, 2, 6};
    check_exact(facing[layer - 1], x, 2 * layer - 1, "facing");
    for (int tap = 0; tap < 3; ++tap)
      CHECK(rind_weights_facing(layer)[tap] == value(facing[layer - 1][tap]), "layer %d, tap %d",
            layer, tap);
  }
  CHECK(rind_family_width(RIND_FAMILY_QUADRATIC, 2) == 7 &&
            rind_family_width(RIND_FAMILY_QUADRATIC, 3) == 19 &&
            rind_family_width(RIND_FAMILY_COARSE_ONLY, 2) == 9 &&
            rind_family_width(RIND_FAMILY_COARSE_ONLY, 3) == 27 &&
            rind_family_width(RIND_FAMILY_AVERAGE, 2) == 4 &&
            rind_family_width(RIND_FAMILY_AVERAGE, 3) == 8 &&
            rind_family_width(RIND_FAMILY_COPY, 3) == 1 &&
            rind_family_width(RIND_FAMILY_INJECTION, 2) == 1 &&
            rind_family_width(RIND_NUM_FAMILIES, 2) == -1 &&
            rind_family_width(RIND_FAMILY_COPY, 1) == -1,
        "the widths of docs/rows.md");
}

/* The weights of a coarse axis from where its first tap lies: -1 + shift -+ 1/4 coarse cells away.
 */
static const fraction *axis_weights(long away, long coarse_cell) {
  for (int parity = 0; parity < 2; ++parity)
    for (int shift = -1; shift <= 1; ++shift)
      if (4 * away == (4 * (shift - 1) + (parity ? -1 : 1)) * coarse_cell)
        return quadratic[parity][shift + 1];
  return NULL;
}

/* The three taps begin at first, in steps of stride terms; NULL if they are not where they should
 * be.
 */
static const fraction *find_weights(const row *r, int first, int stride, int axis, long h) {
  const fraction *w = axis_weights(r->away[first][axis], h);
  for (int tap = 1; tap < 3; ++tap)
    if (r->away[first + tap * stride][axis] != r->away[first][axis] + tap * h) w = NULL;
  CHECK(w, "fill of block %d, region %d, box %d: taps of axis %d begin %ld/%ld away", r->fill.block,
        r->fill.region, r->fill.number, axis, r->away[first][axis], h);
  return w;
}

static void check_coarse_only(const row *r, int dim, long h) {
  const fraction *w[3] = {NULL, NULL, NULL};
  for (int a = 0, stride = 1; a < dim; ++a, stride *= 3) {
    w[a] = find_weights(r, 0, stride, a, h);
    if (!w[a]) return;
  }
  for (int t = 0; t < r->fill.num_terms; ++t) {
    double right = value(w[0][t % 3]) * value(w[1][t / 3 % 3]);
    if (dim == 3) right = right * value(w[2][t / 9]);
    CHECK(r->weight[t] == right, "coarse-only term %d: %.17g instead of %.17g", t, r->weight[t],
          right);
  }
}

static void check_quadratic(const row *r, int dim, long h) {
  const int o[3] = {r->fill.region % 3 - 1, r->fill.region / 3 % 3 - 1, r->fill.region / 9 - 1};
  const int normal = o[0] ? 0 : o[1] ? 1 : 2, sign = o[normal];
  const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2, count = dim == 3 ? 9 : 3;
  const long out = -sign * r->away[0][normal]; /* from the own cell to the ghost, outwards */
  const int layer = 2 * out == h ? 1 : 2;
  CHECK(out == layer * h / 2 && r->away[0][first] == 0 && r->away[0][second] == 0,
        "own cell %ld, %ld, %ld away", r->away[0][0], r->away[0][1], r->away[0][2]);
  CHECK(r->weight[0] == value(facing[layer - 1][0]), "own weight %.17g", r->weight[0]);
  for (int depth = 1; depth <= 2; ++depth) {
    const int begin = 1 + (depth - 1) * count;
    const fraction *w1 = find_weights(r, begin, 1, first, h);
    const fraction *w2 = dim == 3 ? find_weights(r, begin, 3, second, h) : NULL;
    if (!w1 || (dim == 3 && !w2)) return;
    for (int t = 0; t < count; ++t) {
      double right = value(facing[layer - 1][depth]) * value(w1[t % 3]);
      if (w2) right = right * value(w2[t / 3]);
      CHECK(r->weight[begin + t] == right, "quadratic term %d: %.17g instead of %.17g", begin + t,
            r->weight[begin + t], right);
      const long at = sign * r->away[begin + t][normal]; /* coarse cells lie at 1/2, 3/2 */
      CHECK(4 * at == (4 * depth - 2 - (2 * layer - 1)) * h, "coarse layer %d, %ld away", depth,
            at);
    }
  }
}

/* The moments of a row: 1 for power 0, else 0, up to the family's degree in each variable. */
static void check_moments(const row *r, int dim, long h) {
  const rind_family family = r->fill.family;
  const int degree = family == RIND_FAMILY_INJECTION ? 0 : family == RIND_FAMILY_AVERAGE ? 1 : 2;
  for (int p = 0; p < 27; ++p) {
    const int power[3] = {p % 3, p / 3 % 3, p / 9};
    if (power[0] > degree || power[1] > degree || power[2] > (dim == 3 ? degree : 0)) continue;
    double sum = 0.0;
    for (int t = 0; t < r->fill.num_terms; ++t) {
      double term = r->weight[t];
      for (int a = 0; a < 3; ++a)
        for (int k = 0; k < power[a]; ++k)
          term *= (double)r->away[t][a] / (double)h;
      sum += term;
    }
    CHECK(fabs(sum - (p == 0)) < 1e-13, "%s, block %d, region %d, box %d: moment %d%d%d is %g",
          rind_family_name(family), r->fill.block, r->fill.region, r->fill.number, power[0],
          power[1], power[2], sum);
  }
}

static void check_average(const row *r, int dim, long h) {
  for (int t = 0; t < r->fill.num_terms; ++t) {
    CHECK(r->weight[t] == 1.0 / (1 << dim), "average term %d: %.17g", t, r->weight[t]);
    for (int a = 0; a < dim; ++a)
      CHECK(2 * r->away[t][a] == (t >> a & 1 ? h : -h), "fine cell %d, axis %d: %ld away", t, a,
            r->away[t][a]);
  }
}

static void check_single(const row *r, int dim, long h) {
  CHECK(r->weight[0] == 1.0, "weight %.17g", r->weight[0]);
  for (int a = 0; a < dim; ++a)
    CHECK(r->fill.family == RIND_FAMILY_COPY ? r->away[0][a] == 0 : labs(4 * r->away[0][a]) == h,
          "source %ld away along axis %d", r->away[0][a], a);
}

/* The family that a ghost must have, from the levels, the region and the layer alone. */
static rind_family expected_family(const row *r, const rind_rules *rules, int relation, int cells) {
  int outside = 0, layer = 0;
  if (relation != 0) {
    if (relation > 0) return RIND_FAMILY_AVERAGE;
    for (int a = 0; a < 3; ++a) {
      const int out = r->cell[a] < 0 ? -r->cell[a] : r->cell[a] - cells + 1;
      if (out <= 0) continue;
      ++outside;
      layer = out;
    }
    if (rules->interpolation == RIND_INTERPOLATION_INJECTION) return RIND_FAMILY_INJECTION;
    return rules->interpolation == RIND_INTERPOLATION_QUADRATIC && outside == 1 && layer <= 2
               ? RIND_FAMILY_QUADRATIC
               : RIND_FAMILY_COARSE_ONLY;
  }
  return RIND_FAMILY_COPY;
}

static void check_row(const rind_schedule *schedule, const hand_forest *forest, const row *r) {
  const rind_rules *rules = rind_schedule_rules(schedule);
  const hand_block *to = &forest->block[forest->global_of[r->fill.block]];
  const hand_block *from = &forest->block[r->block[r->fill.num_terms - 1]];
  const int dim = forest->dim;
  ++seen[dim][r->fill.family];
  for (int a = 0; a < dim; ++a)
    if (from->along[a] != to->along[a]) {
      ++seen_turned[dim][r->fill.family];
      break;
    }
  const rind_family right =
      expected_family(r, rules, from->level - to->level, rind_schedule_cells(schedule));
  CHECK(r->fill.family == right, "%s instead of %s", rind_family_name(r->fill.family),
        rind_family_name(right));
  /* Lengths are in coarse cells for interpolation, in fine ones for averages. */
  const long h = 2L * from->side;
  check_moments(r, dim, h);
  switch (r->fill.family) {
  case RIND_FAMILY_QUADRATIC:
    CHECK(r->block[0] == forest->global_of[r->fill.block], "the own cell is the first term");
    check_quadratic(r, dim, h);
    break;
  case RIND_FAMILY_COARSE_ONLY:
    check_coarse_only(r, dim, h);
    break;
  case RIND_FAMILY_AVERAGE:
    check_average(r, dim, h);
    break;
  default:
    check_single(r, dim, h);
  }
}

static void check_schedule(const rind_schedule *schedule, const hand_forest *forest) {
  row r;
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f) {
    rind_fill_view view;
    if (rind_schedule_fill(schedule, f, &view) != RIND_OK) return;
    for (int k = 0; k < view.extent[2]; ++k)
      for (int j = 0; j < view.extent[1]; ++j)
        for (int i = 0; i < view.extent[0]; ++i) {
          const int index[3] = {i, j, k};
          if (row_read(schedule, forest, f, index, &r) != RIND_OK) return;
          check_row(schedule, forest, &r);
        }
  }
}

static void test_forest(rind_context *context, int dim, unsigned seed) {
  static const int blocks[2][3] = {{3, 3, 1}, {3, 2, 2}};
  static const int sizes[][2] = {{4, 1}, {8, 3}, {6, 3}, {8, 4}};
  const int periodic[3] = {seed & 1, seed >> 1 & 1, 0};
  hand_forest forest;
  rind_forest *made = NULL;
  const unsigned refined = (seed * 2654435761u >> 9) & 0x421u << seed % 4;
  hand_forest_grid(&forest, dim, blocks[dim - 2], periodic, refined);
  if (seed % 4 != 0) hand_forest_turn(&forest, seed);
  CHECK_OK(hand_forest_create(context, &forest, &made), context);
  if (!made) return;
  for (int size = 0; size < (dim == 3 ? 2 : 4); ++size)
    for (int interpolation = 0; interpolation < 3; ++interpolation) {
      const rind_rules rules = {.interpolation = (rind_interpolation)interpolation,
                                .regions = seed % 3 ? RIND_REGIONS_ALL : RIND_REGIONS_FACES,
                                .layers = seed % 2 ? 0 : 1};
      rind_schedule *schedule = NULL;
      CHECK_OK(rind_schedule_create(made, sizes[size][0], sizes[size][1], &rules, &schedule),
               context);
      if (!schedule) continue;
      CHECK_OK(rind_schedule_verify(schedule), context);
      check_schedule(schedule, &forest);
      rind_schedule_destroy(&schedule);
    }
  rind_forest_destroy(&made);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  test_tables();
  for (unsigned seed = 0; seed < 12; ++seed) {
    test_forest(context, 2, seed);
    if (seed < 6) test_forest(context, 3, seed);
  }
  MPI_Allreduce(MPI_IN_PLACE, seen, 4 * RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, seen_turned, 4 * RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM,
                MPI_COMM_WORLD);
  for (int dim = 2; dim <= 3; ++dim)
    for (int f = 0; f <= RIND_FAMILY_AVERAGE; ++f) /* test_families.c: the others */
      CHECK(seen[dim][f] > 1000 && seen_turned[dim][f] > 500, "%dD, %s: %ld rows, %ld turned", dim,
            rind_family_name((rind_family)f), seen[dim][f], seen_turned[dim][f]);
  rind_context_destroy(&context);
  return check_end();
}
