/* oracle_exact.c - what the families reproduce in physical coordinates, on flat glued trees too.
 *
 *     oracle_exact PATH     PATH: for .inp files
 *
 * Monomials, one a component, as point values and as averages over cells. Fine cells have the side
 * h, coarse ones H. Not reproduced, by at least: three points miss x^3 by 5/32 H^3; slopes without
 * a cross term miss xy by (H/4)^2, and x^2 in points by as much, an 8th less where own cells are in
 * the row; a mean misses x^2 by (H/4)^2; two points miss it by 3/16 H^2; matched fluxes miss x^p
 * y^2, x across the face, by (H/4)^2 times the difference of x^p over the face. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "oracle_scene.h"

enum { MAX_MONOMIALS = 30 };
static const double rounding = 1e-11; /* coordinates are at most 4, sums of weights 10 */

typedef struct monomials {
  const oracle *judge;
  bool averages;
  int count;
  int power[MAX_MONOMIALS][3];
} monomials;

typedef struct tally {
  int cases; /* that are flat */
  long reproduced[RIND_NUM_FAMILIES];
  long missed[RIND_NUM_FAMILIES];
  long wrong;
} tally;

static const rind_taps linear_taps = {
    .num_taps = 2,
    .first = {{0, -1, -1}, {0, 0, -1}},
    .weight = {{{1.25, -0.25}, {0.25, 0.75}, {0.25, 0.75}},
               {{0.75, 0.25}, {0.75, 0.25}, {-0.25, 1.25}}},
};

static double cell_side(const oracle *judge, int leaf) {
  return ldexp(1.0, -judge->leaf[leaf].level) / judge->cells;
}

static double power_at(double x, double h, int power, bool average) {
  switch (power) {
  case 0:
    return 1;
  case 1:
    return x;
  case 2:
    return x * x + (average ? h * h / 12 : 0);
  default:
    return x * x * x + (average ? x * h * h / 4 : 0);
  }
}

static double monomial_at(const void *user, int leaf, const int cell[3], int component) {
  const monomials *m = user;
  double at[3], value = 1;
  scene_position(m->judge, leaf, cell, at);
  for (int i = 0; i < m->judge->dim; ++i) {
    const int power = m->power[component][i];
    value *= power_at(at[i], cell_side(m->judge, leaf), power, m->averages);
  }
  return value;
}

static void list_monomials(monomials *m, int dim) {
  for (int i = 0; i < (dim == 2 ? 9 : 27); ++i) {
    const int power[3] = {i % 3, i / 3 % 3, i / 9};
    memcpy(m->power[m->count++], power, sizeof power);
  }
  for (int a = 0; a < dim; ++a)
    m->power[m->count++][a] = 3;
}

/* The axis of space that is across the face of a ghost in direction o. */
static int normal_in_space(const oracle *judge, int leaf, const int o[3]) {
  for (int a = 0; a < judge->dim; ++a) {
    double unit[3];
    if (o[a] == 0) continue;
    scene_tree_axis(judge, judge->leaf[leaf].tree, a, unit);
    for (int i = 0; i < 3; ++i) {
      if (fabs(unit[i]) > 0.5) return i;
    }
  }
  return 0;
}

/* The least error of matched fluxes after exact interpolation; 0: exact; -1: nothing is claimed. */
static double flux_error(const monomials *m, int leaf, const int cell[3], const int o[3],
                         const int *power, int total) {
  if (total <= 2) return 0;
  const int normal = normal_in_space(m->judge, leaf, o);
  int twos = 0;
  for (int i = 0; i < 3; ++i) {
    if (i == normal) continue;
    if (power[i] == 1 || power[i] == 3) return -1;
    twos += power[i] == 2;
  }
  if (twos != 1 || power[normal] < 1 || power[normal] > 2) return -1;
  int own[3];
  double ghost_at[3], own_at[3];
  for (int a = 0; a < 3; ++a)
    own[a] = cell[a] - o[a];
  scene_position(m->judge, leaf, cell, ghost_at);
  scene_position(m->judge, leaf, own, own_at);
  const double step = fabs(power_at(ghost_at[normal], 0, power[normal], false) -
                           power_at(own_at[normal], 0, power[normal], false));
  const double least = 0.99 * step * pow(cell_side(m->judge, leaf) / 4, 2);
  return least > 10 * rounding ? least : -1;
}

/* The least error that the family must make, 0 if it must make none, -1 if nothing is claimed. */
static double least_error(const monomials *m, const rind_rules *rules, rind_family family, int leaf,
                          const int cell[3], int component) {
  const int *power = m->power[component];
  const double h = cell_side(m->judge, leaf);
  int highest = 0, total = 0, o[3], layer = 0;
  oracle_region(m->judge, cell, o, &layer);
  for (int i = 0; i < 3; ++i) {
    total += power[i];
    if (power[i] > highest) highest = power[i];
  }
  const bool alone = total == highest;
  if (family == RIND_FAMILY_COPY || total == 0) return 0;
  switch (family) {
  case RIND_FAMILY_QUADRATIC:
  case RIND_FAMILY_COARSE_ONLY:
    if (m->averages) return highest <= 1 ? 0 : -1;
    if (highest <= 2) return 0;
    return alone ? 0.99 * 5.0 / 32.0 * pow(2 * h, 3) : -1;
  case RIND_FAMILY_CONSERVATIVE:
  case RIND_FAMILY_CONSERVATIVE_FACING:
    if (total == 1 || (m->averages && alone && total == 2)) return 0;
    if (alone && total == 2) return 0.87 * h * h / 4;
    return total == 2 ? 0.99 * h * h / 4 : -1;
  case RIND_FAMILY_USER:
    if (highest <= 1) return 0;
    return alone && total == 2 && !m->averages ? 0.99 * 0.75 * h * h : -1;
  case RIND_FAMILY_AVERAGE:
    if (m->averages || highest <= 1) return 0;
    return alone && total == 2 ? 0.99 * h * h / 16 : -1;
  case RIND_FAMILY_FLUX_MATCHED:
    if (rules->interpolation == RIND_INTERPOLATION_CONSERVATIVE) {
      return total <= 1 || (m->averages && alone && total == 2) ? 0 : -1;
    }
    if (rules->interpolation == RIND_INTERPOLATION_USER) return highest <= 1 && total <= 2 ? 0 : -1;
    return m->averages ? (total <= 1 ? 0 : -1) : flux_error(m, leaf, cell, o, power, total);
  case RIND_FAMILY_LINEAR:
    return total <= 1 ? 0 : -1;
  default:
    return -1;
  }
}

static void check_ghost(const monomials *m, const rind_rules *rules, rind_family family, int leaf,
                        const int cell[3], int component, double got, tally *t) {
  const double least = least_error(m, rules, family, leaf, cell, component);
  const double exact = monomial_at(m, leaf, cell, component);
  const double error = fabs(got - exact);
  if (least < 0) return;
  const bool right = least > 0 ? error >= least : error <= rounding;
  if (!right && t->wrong++ == 0) {
    const int *p = m->power[component];
    fprintf(stderr, "%s%s: x^%d y^%d z^%d at leaf %d cell %d %d %d: %.17g, exact %.17g, least %g\n",
            rind_family_name(family), m->averages ? ", averages" : "", p[0], p[1], p[2], leaf,
            cell[0], cell[1], cell[2], got, exact, least);
  }
  ++(least > 0 ? t->missed : t->reproduced)[family];
}

static void run_case(scene *s, const scene_source *source, bool averages, tally *t) {
  scene_run run;
  monomials m = {.averages = averages};
  list_monomials(&m, s->brick.dim);
  s->components = m.count;
  for (int w = 0; w < 6; ++w)
    s->rules.wall[w] = RIND_WALL_LINEAR;
  s->rules.taps = &linear_taps;
  const bool open =
      scene_open_forest(s, source, &run) && scene_open_exchange(s, &s->rules, NULL, &run);
  CHECK(open, "%s", run.text);
  if (open && scene_is_flat(run.judge)) { /* some pairs of faces make two trees overlap */
    m.judge = run.judge;
    ++t->cases;
    scene_poison(&run.memory, run.forest, monomial_at, &m);
    CHECK_OK(rind_fill(run.exchange, run.field), run.context);
    for (int b = 0; b < run.memory.num_blocks; ++b) {
      const int leaf = (int)rind_forest_block(run.forest, b)->global;
      int cell[3];
      scene_first_cell(&run.memory, cell);
      do {
        oracle_row row;
        if (!oracle_find_row(run.judge, &s->rules, leaf, cell, &row)) continue;
        for (int c = 0; c < m.count; ++c) {
          check_ghost(&m, &s->rules, row.family, leaf, cell, c,
                      scene_value(&run.memory, b, cell, c), t);
        }
      } while (scene_next_cell(&run.memory, cell));
    }
  }
  scene_close(&run);
}

static void run_cases(const char *path, int interpolation, tally *t) {
  for (int i = 0; i < 6; ++i) {
    const int dim = 2 + i % 2, ghosts = 1 + (i + interpolation) % 3;
    scene_source source = {.path = path};
    scene_elements all;
    scene s = {.seed = scene_mix(500 + (uint64_t)(6 * interpolation + i)) | 1,
               .brick = {.dim = dim, .trees = {2, 1, dim == 3}, .level = dim == 2},
               .max_level = dim == 2 ? 3 : 1,
               .percent = 25,
               .ghosts = ghosts,
               .cells = ghosts == 3 ? 6 : 4,
               .rules = {.interpolation = (rind_interpolation)interpolation,
                         .restriction = (rind_restriction)(i / 2 % 2 || interpolation % 2)}};
    if (i / 2 == 1) {
      source.name = "twotrees";
      uint64_t state = s.seed;
      for (int k = 0; k < 2; ++k)
        source.numbers[k] = scene_draw(&state, 2 * dim);
      source.numbers[2] = scene_draw(&state, dim == 2 ? 2 : 4);
    } else if (i / 2 == 2) {
      const int size[3] = {2, 2, 1 + interpolation % 2};
      all = scene_grid(dim, size, 0, s.seed);
      scene_turn(&all, s.seed);
      source.elements = &all;
    }
    run_case(&s, &source, false, t);
    run_case(&s, &source, true, t);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  tally t = {.wrong = 0}, all;
  const int interpolations[] = {RIND_INTERPOLATION_QUADRATIC, RIND_INTERPOLATION_COARSE_ONLY,
                                RIND_INTERPOLATION_CONSERVATIVE, RIND_INTERPOLATION_USER};
  for (int i = 0; i < 4; ++i)
    run_cases(argc > 1 ? argv[1] : "exact.inp", interpolations[i], &t);
  CHECK(t.wrong == 0, "%ld wrong", t.wrong);
  CHECK(t.cases >= 42, "only %d cases of 48 are flat", t.cases);
  MPI_Allreduce(t.reproduced, all.reproduced, RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(t.missed, all.missed, RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const rind_family exact[] = {
      RIND_FAMILY_COPY,    RIND_FAMILY_QUADRATIC,    RIND_FAMILY_COARSE_ONLY,
      RIND_FAMILY_AVERAGE, RIND_FAMILY_CONSERVATIVE, RIND_FAMILY_CONSERVATIVE_FACING,
      RIND_FAMILY_USER,    RIND_FAMILY_FLUX_MATCHED, RIND_FAMILY_LINEAR};
  for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
    const rind_family f = exact[i];
    const bool misses = f != RIND_FAMILY_COPY && f != RIND_FAMILY_LINEAR;
    CHECK(all.reproduced[f] > 0 && (all.missed[f] > 0 || !misses), "%s: %ld reproduced, %ld not",
          rind_family_name(f), all.reproduced[f], all.missed[f]);
  }
  return check_end();
}
