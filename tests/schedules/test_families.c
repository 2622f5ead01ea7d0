/* test_families.c - rows of the conservative, user, flux-matched and irregular families against
 * their definitions: cells, weights, order of terms. */
#include <check.h>
#include <rows.h>

#include <math.h>
#include <string.h>

#include "row_reader.h"

/* Where a ghost lies in the cells of the coarse block that its row reads. Lengths as in row.away;
 * axes and directions are the destination's. */
typedef struct place {
  int dim, cells;
  long h;       /* side of a coarse cell */
  int index[3]; /* of the coarse cell that holds the ghost */
  int upper[3]; /* which half of it */
  int o[3], layer[3];
  int outside; /* axes along which the ghost lies outside */
} place;

/* A row as it should be. */
typedef struct right_row {
  int num_terms;
  long away[ROW_TERMS][3];
  double weight[ROW_TERMS];
  int own[ROW_TERMS];
} right_row;

/* Rows seen, so that no family is missed. */
static long seen[4][RIND_NUM_FAMILIES];

static rind_taps taps;

static place locate(const row *r, const hand_forest *forest, int cells) {
  const int last = r->fill.num_terms - 1;
  const hand_block *to = &forest->block[forest->global_of[r->fill.block]];
  const hand_block *from = &forest->block[r->block[last]];
  place p = {.dim = forest->dim, .cells = cells, .h = 2L * from->side};
  for (int a = 0; a < forest->dim; ++a) {
    int along = 0;
    while (from->along[along] != to->along[a])
      ++along;
    const int flip = to->backwards[a] != from->backwards[along];
    const int index = flip ? cells - 1 - r->source[last][along] : r->source[last][along];
    const long away = r->away[last][a];
    p.upper[a] = (4 * away + p.h) % (4 * p.h) == 0;
    p.index[a] = index - (int)((4 * away + (p.upper[a] ? p.h : -p.h)) / (4 * p.h));
    p.o[a] = r->cell[a] < 0 ? -1 : r->cell[a] >= cells ? 1 : 0;
    p.layer[a] = p.o[a] < 0 ? -r->cell[a] : p.o[a] > 0 ? r->cell[a] - cells + 1 : 0;
    p.outside += p.o[a] != 0;
  }
  return p;
}

/* The centre of the coarse cell steps cells along an axis from the ghost's. */
static void centre(const place *p, int axis, int steps, long away[3]) {
  for (int a = 0; a < 3; ++a)
    away[a] = a >= p->dim ? 0 : (p->upper[a] ? -p->h : p->h) / 4 + (a == axis ? steps * p->h : 0);
}

static void add(right_row *right, const place *p, double weight, int axis, int steps) {
  right->weight[right->num_terms] = weight;
  centre(p, axis, steps, right->away[right->num_terms++]);
}

/* Cells that the mirror image of the ghost's coarse cell would hold, over the interface. */
static void add_own(right_row *right, const place *p, int normal, double weight) {
  const long side = p->h / 2;
  for (int child = 0; child < 1 << p->dim; ++child) {
    long *away = right->away[right->num_terms];
    for (int a = 0; a < 3; ++a) {
      const int bit = child >> a & 1;
      away[a] = a >= p->dim ? 0 : (bit - p->upper[a]) * side;
      if (a == normal)
        away[a] = p->o[a] > 0 ? -(p->layer[a] + 1 - bit) * side : (p->layer[a] + bit) * side;
    }
    right->own[right->num_terms] = 1;
    right->weight[right->num_terms++] = weight / (1 << p->dim);
  }
}

static void conservative(const place *p, right_row *right) {
  int normal = -1;
  double self = 1.0;
  memset(right, 0, sizeof *right);
  for (int a = 0; a < p->dim; ++a)
    if (p->outside == 1 && p->o[a] != 0 && p->layer[a] <= 2) normal = a;
  for (int a = 0; a < p->dim; ++a) {
    const double sign = p->upper[a] ? 1.0 : -1.0;
    if (a == normal)
      add_own(right, p, a, sign * (p->o[a] > 0 ? -1.0 : 1.0) / 8.0);
    else if (p->index[a] == 0)
      self += sign * -3.0 / 8.0;
    else if (p->index[a] == p->cells - 1)
      self -= sign * -3.0 / 8.0;
  }
  add(right, p, self, 0, 0);
  for (int a = 0; a < p->dim; ++a) {
    const double sign = p->upper[a] ? 1.0 : -1.0;
    const int inward = p->index[a] == 0 ? 1 : p->index[a] == p->cells - 1 ? -1 : 0;
    if (a == normal) {
      add(right, p, sign * p->o[a] / 8.0, a, p->o[a]);
    } else if (inward != 0) {
      add(right, p, sign * inward * 4.0 / 8.0, a, inward);
      add(right, p, sign * inward * -1.0 / 8.0, a, 2 * inward);
    } else {
      add(right, p, -sign / 8.0, a, -1);
      add(right, p, sign / 8.0, a, 1);
    }
  }
}

static void user(const place *p, right_row *right) {
  int entry[3] = {0, 0, 0};
  const int t = taps.num_taps;
  memset(right, 0, sizeof *right);
  for (int a = 0; a < p->dim; ++a) {
    const int first = p->index[a] + taps.first[p->upper[a]][1];
    entry[a] = first < 0 ? 0 : first > p->cells - t ? 2 : 1;
  }
  right->num_terms = p->dim == 3 ? t * t * t : t * t;
  for (int k = 0; k < right->num_terms; ++k) {
    const int tap[3] = {k % t, k / t % t, k / t / t};
    centre(p, 0, 0, right->away[k]);
    for (int a = 0; a < p->dim; ++a) {
      const double w = taps.weight[p->upper[a]][entry[a]][tap[a]];
      right->weight[k] = a == 0 ? w : right->weight[k] * w;
      right->away[k][a] += (taps.first[p->upper[a]][entry[a]] + tap[a]) * p->h;
    }
  }
}

/* The row ends in an own cell, so h is the ghost's own side; fine cells have half of it. */
static void flux_matched(const place *p, right_row *right) {
  int normal = 0;
  while (p->o[normal] == 0)
    ++normal;
  const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
  const int columns = p->dim == 3 ? 4 : 2;
  const long half = p->h / 4;
  memset(right, 0, sizeof *right);
  for (int t = 0; t < 2 * columns; ++t) {
    long *away = right->away[t];
    away[first] = t / 2 & 1 ? half : -half;
    away[second] = p->dim == 2 ? 0 : t / 4 ? half : -half;
    away[normal] = -p->o[normal] * (t % 2 ? 3 : 1) * half;
    right->weight[t] = (t % 2 ? -2.0 : 2.0) / columns;
  }
  right->own[2 * columns] = 1;
  right->weight[2 * columns] = 1.0;
  right->away[2 * columns][normal] = -p->o[normal] * 4 * half;
  right->num_terms = 2 * columns + 1;
}

static void compare(const row *r, const right_row *right, int own) {
  const char *family = rind_family_name(r->fill.family);
  CHECK(r->fill.num_terms == right->num_terms, "%s: %d terms, not %d", family, r->fill.num_terms,
        right->num_terms);
  for (int t = 0; t < right->num_terms && t < r->fill.num_terms; ++t) {
    const long *a = r->away[t], *b = right->away[t];
    CHECK(r->weight[t] == right->weight[t], "%s, term %d: %.17g, not %.17g", family, t,
          r->weight[t], right->weight[t]);
    CHECK(a[0] == b[0] && a[1] == b[1] && a[2] == b[2],
          "%s, region %d, term %d: (%ld, %ld, %ld) away, not (%ld, %ld, %ld)", family,
          r->fill.region, t, a[0], a[1], a[2], b[0], b[1], b[2]);
    CHECK((r->block[t] == own) == right->own[t], "%s, term %d reads block %d", family, t,
          r->block[t]);
  }
}

/* The box's number: layers that ascend along every axis outside, axis 0 fastest. */
static int number_of_corner(const place *p, int layers) {
  int number = 0;
  for (int a = p->dim - 1; a >= 0; --a)
    if (p->o[a] != 0)
      number = number * layers + (p->o[a] < 0 ? layers - p->layer[a] : p->layer[a] - 1);
  return number;
}

/* The place of the fine neighbour, and behind it that of layer 1 among its own and the others. */
static int number_of_flux(const row *r, const place *p, int layers) {
  int number = 0, places = 1, up = 0;
  for (int a = 0; a < p->dim; ++a) {
    up = up || p->o[a] > 0;
    if (p->o[a] != 0) continue;
    number += places * (r->cell[a] >= p->cells / 2);
    places *= 2;
  }
  return up || layers == 1 ? number : number + places;
}

/* Means of the ghosts of own faces, each along one of the axes outside. */
static void check_mean(const row *r, const place *p) {
  CHECK(r->fill.num_terms == p->outside &&
            (r->fill.family == RIND_FAMILY_EDGE_MEAN) == (p->outside == 2),
        "%s of %d terms", rind_family_name(r->fill.family), r->fill.num_terms);
  for (int a = 0, t = 0; a < p->dim; ++a) {
    if (p->o[a] == 0) continue;
    for (int b = 0; b < p->dim; ++b) {
      const int clamped = p->o[b] < 0 ? 0 : p->o[b] > 0 ? p->cells - 1 : r->cell[b];
      CHECK(r->source[t][b] == (a == b ? r->cell[b] : clamped), "mean, term %d, axis %d: cell %d",
            t, b, r->source[t][b]);
    }
    CHECK(r->weight[t] == 1.0 / p->outside, "mean, term %d: %.17g", t, r->weight[t]);
    ++t;
  }
}

/* Moments up to a total degree: 1, 0, 0, .. */
static void check_moments(const row *r, int dim, long h, int degree) {
  for (int m = 0; m < 27; ++m) {
    const int power[3] = {m % 3, m / 3 % 3, m / 9};
    if (power[0] + power[1] + power[2] > degree || (dim == 2 && power[2] > 0)) continue;
    double sum = 0.0;
    for (int t = 0; t < r->fill.num_terms; ++t) {
      double term = r->weight[t];
      for (int a = 0; a < 3; ++a)
        for (int k = 0; k < power[a]; ++k)
          term *= (double)r->away[t][a] / (double)h;
      sum += term;
    }
    CHECK(fabs(sum - (m == 0)) < 1e-12, "%s, region %d: moment %d%d%d is %g",
          rind_family_name(r->fill.family), r->fill.region, power[0], power[1], power[2], sum);
  }
}

static void check_row(const row *r, const hand_forest *forest, int cells, int layers) {
  const int own = forest->global_of[r->fill.block];
  right_row right;
  place p = locate(r, forest, cells);
  switch (r->fill.family) {
  case RIND_FAMILY_CONSERVATIVE:
  case RIND_FAMILY_CONSERVATIVE_FACING:
    conservative(&p, &right);
    CHECK((r->fill.family == RIND_FAMILY_CONSERVATIVE_FACING) == right.own[0], "%s",
          rind_family_name(r->fill.family));
    compare(r, &right, own);
    check_moments(r, p.dim, p.h, 1);
    break;
  case RIND_FAMILY_USER:
    user(&p, &right);
    compare(r, &right, own);
    break;
  case RIND_FAMILY_FLUX_MATCHED:
    flux_matched(&p, &right);
    compare(r, &right, own);
    check_moments(r, p.dim, p.h, 2);
    CHECK(r->fill.phase == 1 && r->fill.number == number_of_flux(r, &p, layers), "phase %d, box %d",
          r->fill.phase, r->fill.number);
    break;
  case RIND_FAMILY_EDGE_MEAN:
  case RIND_FAMILY_CORNER_MEAN:
    CHECK(hand_forest_lacks(forest, own, r->fill.region), "region %d is regular", r->fill.region);
    CHECK(r->fill.number == number_of_corner(&p, layers), "box %d instead of %d", r->fill.number,
          number_of_corner(&p, layers));
    check_mean(r, &p);
    break;
  default:
    return;
  }
  ++seen[forest->dim][r->fill.family];
}

static void check_schedule(const rind_schedule *schedule, const hand_forest *forest) {
  row r;
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f) {
    rind_fill_view view;
    if (rind_schedule_fill(schedule, f, &view) != RIND_OK) return;
    if (view.family <= RIND_FAMILY_AVERAGE) continue;
    for (int k = 0; k < view.extent[2]; ++k)
      for (int j = 0; j < view.extent[1]; ++j)
        for (int i = 0; i < view.extent[0]; ++i) {
          const int index[3] = {i, j, k};
          if (row_read(schedule, forest, f, index, &r) != RIND_OK) return;
          check_row(&r, forest, rind_schedule_cells(schedule),
                    rind_schedule_rules(schedule)->layers);
        }
  }
}

/* Any weights that sum to 1 and windows that stay in blocks of at least 6 cells. */
static void draw_taps(int num_taps, unsigned seed) {
  taps = (rind_taps){.num_taps = num_taps};
  for (int parity = 0; parity < 2; ++parity)
    for (int shift = 0; shift < 3; ++shift) {
      double sum = 0.0;
      for (int tap = 1; tap < num_taps; ++tap) {
        seed = seed * 1664525u + 1013904223u;
        taps.weight[parity][shift][tap] = (int)(seed >> 20) / 1024.0 - 2.0;
        sum += taps.weight[parity][shift][tap];
      }
      taps.weight[parity][shift][0] = 1.0 - sum;
    }
  for (int parity = 0; parity < 2; ++parity) {
    taps.first[parity][1] = -(num_taps / 2) + (parity && num_taps % 2 == 0);
    taps.first[parity][0] = 0;
    taps.first[parity][2] = 1 - num_taps;
  }
}

static void test_forest(rind_context *context, int dim, unsigned seed) {
  static const int blocks[2][3] = {{3, 3, 1}, {3, 2, 2}};
  static const int sizes[][2] = {{6, 3}, {8, 4}, {8, 1}};
  const int periodic[3] = {seed & 1, seed >> 1 & 1, 0};
  hand_forest forest;
  rind_forest *made = NULL;
  const unsigned refined = (seed * 2654435761u >> 9) & 0x421u << seed % 4;
  hand_forest_grid(&forest, dim, blocks[dim - 2], periodic, refined);
  if (seed % 4 != 0) hand_forest_turn(&forest, seed);
  forest.irregular = seed % 2 ? seed : 0;
  CHECK_OK(hand_forest_create(context, &forest, &made), context);
  if (!made) return;
  for (int size = 0; size < (dim == 3 ? 1 : 3); ++size)
    for (int kind = 0; kind < 3; ++kind) {
      static const rind_interpolation interpolation[] = {
          RIND_INTERPOLATION_CONSERVATIVE, RIND_INTERPOLATION_USER, RIND_INTERPOLATION_QUADRATIC};
      draw_taps(1 + (int)(seed + (unsigned)size) % 5, seed);
      const rind_rules rules = {.interpolation = interpolation[kind],
                                .restriction = RIND_RESTRICTION_FLUX_MATCHED,
                                .regions = seed % 3 ? RIND_REGIONS_ALL : RIND_REGIONS_FACES,
                                .layers = seed % 5 == 1 ? 1 : 0,
                                .taps = &taps};
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
  for (unsigned seed = 0; seed < 12; ++seed) {
    test_forest(context, 2, seed);
    if (seed < 6) test_forest(context, 3, seed);
  }
  MPI_Allreduce(MPI_IN_PLACE, seen, 4 * RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (int dim = 2; dim <= 3; ++dim)
    for (int f = RIND_FAMILY_CONSERVATIVE_FACING; f <= RIND_FAMILY_CORNER_MEAN; ++f)
      CHECK(seen[dim][f] > 200 || (dim == 2 && f == RIND_FAMILY_CORNER_MEAN), "%dD, %s: %ld rows",
            dim, rind_family_name((rind_family)f), seen[dim][f]);
  rind_context_destroy(&context);
  return check_end();
}
