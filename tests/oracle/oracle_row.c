/* oracle_row.c - the row of one ghost cell, by the tables of docs/rows.md, and its value. */
#include <math.h>
#include <string.h>

#include "oracle.h"

/* Three points of an axis and their weights: of one coarse block, about the cell that holds the
 * ghost. */
typedef struct triple {
  int first; /* cell of the coarse block */
  double weight[3];
} triple;

/* [shift: centred, first cell, last cell][xi: -1/4, +1/4] */
static const double tap_weights[3][2][3] = {
    {{5.0 / 32.0, 15.0 / 16.0, -3.0 / 32.0}, {-3.0 / 32.0, 15.0 / 16.0, 5.0 / 32.0}},
    {{45.0 / 32.0, -9.0 / 16.0, 5.0 / 32.0}, {21.0 / 32.0, 7.0 / 16.0, -3.0 / 32.0}},
    {{-3.0 / 32.0, 7.0 / 16.0, 21.0 / 32.0}, {5.0 / 32.0, -9.0 / 16.0, 45.0 / 32.0}},
};
static const int tap_first[3] = {-1, 0, -2};

/* [ghost layer - 1]: own cell, coarse layers U1, U2 */
static const double layer_weights[2][3] = {
    {5.0 / 21.0, 5.0 / 6.0, -1.0 / 14.0},
    {-1.0 / 7.0, 1.0, 1.0 / 7.0},
};

static triple triple_about(int cells, int coarse_cell, int upper_half) {
  int shift = 0;
  if (coarse_cell == 0) {
    shift = 1;
  } else if (coarse_cell == cells - 1) {
    shift = 2;
  }
  triple t;
  t.first = coarse_cell + tap_first[shift];
  memcpy(t.weight, tap_weights[shift][upper_half], sizeof t.weight);
  return t;
}

static void add_term(oracle_row *row, int leaf, int i, int j, int k, double weight) {
  const oracle_term term = {leaf, {i, j, k}, weight};
  row->term[row->num_terms++] = term;
}

/* Axis 0 fastest over the 3^d taps. */
static void coarse_only_row(const oracle *judge, int leaf, const int coarse[3], const int upper[3],
                            oracle_row *row) {
  triple t[3];
  for (int a = 0; a < judge->dim; ++a)
    t[a] = triple_about(judge->cells, coarse[a], upper[a]);
  if (judge->dim == 2) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        add_term(row, leaf, t[0].first + i, t[1].first + j, 0, t[0].weight[i] * t[1].weight[j]);
      }
    }
    return;
  }
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        add_term(row, leaf, t[0].first + i, t[1].first + j, t[2].first + k,
                 t[0].weight[i] * t[1].weight[j] * t[2].weight[k]);
      }
    }
  }
}

/* Own cell, then U1, then U2; inside a layer the first tangential axis fastest. */
static void quadratic_row(const oracle *judge, int own_leaf, const int ghost[3], const int o[3],
                          int layer, int leaf, const int coarse[3], const int upper[3],
                          oracle_row *row) {
  const int n = judge->cells;
  int normal = 0;
  while (o[normal] == 0)
    ++normal;
  int tangent[2], num_tangents = 0;
  for (int a = 0; a < judge->dim; ++a) {
    if (a != normal) tangent[num_tangents++] = a;
  }
  int own[3] = {ghost[0], ghost[1], ghost[2]};
  own[normal] = o[normal] > 0 ? n - 1 : 0;
  const double *w = layer_weights[layer - 1];
  add_term(row, own_leaf, own[0], own[1], own[2], w[0]);

  triple t[2];
  for (int s = 0; s < num_tangents; ++s) {
    t[s] = triple_about(n, coarse[tangent[s]], upper[tangent[s]]);
  }
  for (int u = 0; u < 2; ++u) {
    int c[3] = {0, 0, 0};
    c[normal] = o[normal] > 0 ? u : n - 1 - u;
    for (int j = 0; j < (num_tangents > 1 ? 3 : 1); ++j) {
      for (int i = 0; i < 3; ++i) {
        double weight = w[1 + u] * t[0].weight[i];
        c[tangent[0]] = t[0].first + i;
        if (num_tangents > 1) {
          weight = weight * t[1].weight[j];
          c[tangent[1]] = t[1].first + j;
        }
        add_term(row, leaf, c[0], c[1], c[2], weight);
      }
    }
  }
}

/* False unless 2^d cells of the next finer level lie there. */
static bool average_row(const oracle *judge, int level, const int64_t global[3], oracle_row *row) {
  const int num_cells = 1 << judge->dim;
  for (int child = 0; child < num_cells; ++child) {
    int64_t fine[3] = {0, 0, 0};
    for (int a = 0; a < judge->dim; ++a)
      fine[a] = 2 * global[a] + ((child >> a) & 1);
    int leaf = 0, c[3];
    if (!oracle_find(judge, level + 1, fine, &leaf, c)) return false;
    add_term(row, leaf, c[0], c[1], c[2], 1.0 / num_cells);
  }
  return true;
}

/* Where the ghost lies: the global grid of its level, the coarse cell around it, which half. */
static void place_ghost(const oracle *judge, int leaf, const int cell[3], int64_t global[3],
                        int64_t coarse[3], int upper[3]) {
  for (int a = 0; a < 3; ++a) {
    global[a] = coarse[a] = upper[a] = 0;
    if (a >= judge->dim) continue;
    global[a] = (int64_t)judge->leaf[leaf].at[a] * judge->cells + cell[a];
    upper[a] = (int)(((global[a] % 2) + 2) % 2);
    coarse[a] = (global[a] - upper[a]) / 2;
  }
}

bool oracle_find_row(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                     oracle_row *row) {
  int o[3], layer = 0;
  const int directions = oracle_region(judge, cell, o, &layer);
  if (directions == 0) return false;
  if (rules->layers > 0 && layer > rules->layers) return false;
  if (rules->regions == RIND_REGIONS_FACES && directions > 1) return false;

  const int level = judge->leaf[leaf].level;
  int64_t global[3], coarse_global[3];
  int upper[3];
  place_ghost(judge, leaf, cell, global, coarse_global, upper);

  int found = 0, c[3];
  row->num_terms = 0;
  if (oracle_find(judge, level, global, &found, c)) {
    row->family = RIND_FAMILY_COPY;
    add_term(row, found, c[0], c[1], c[2], 1.0);
    return true;
  }
  if (!oracle_find(judge, level - 1, coarse_global, &found, c)) {
    row->family = RIND_FAMILY_AVERAGE;
    return average_row(judge, level, global, row);
  }
  if (rules->interpolation == RIND_INTERPOLATION_INJECTION) {
    row->family = RIND_FAMILY_INJECTION;
    add_term(row, found, c[0], c[1], c[2], 1.0);
  } else if (rules->interpolation == RIND_INTERPOLATION_QUADRATIC && directions == 1 &&
             layer <= 2) {
    row->family = RIND_FAMILY_QUADRATIC;
    quadratic_row(judge, leaf, cell, o, layer, found, c, upper, row);
  } else {
    row->family = RIND_FAMILY_COARSE_ONLY;
    coarse_only_row(judge, found, c, upper, row);
  }
  return true;
}

static double stored(rind_type type, double value) {
  return type == RIND_FLOAT32 ? (double)(float)value : value;
}

double oracle_sum(const oracle_row *row, rind_type type, oracle_value value, const void *user,
                  int component) {
  double sum = 0;
  for (int k = 0; k < row->num_terms; ++k) {
    const oracle_term *t = &row->term[k];
    const double product = t->weight * stored(type, value(user, t->leaf, t->cell, component));
    sum = k == 0 ? product : sum + product;
  }
  return stored(type, sum);
}

double oracle_sum_abs(const oracle_row *row, rind_type type, oracle_value value, const void *user,
                      int component) {
  double sum = 0;
  for (int k = 0; k < row->num_terms; ++k) {
    const oracle_term *t = &row->term[k];
    sum += fabs(t->weight * stored(type, value(user, t->leaf, t->cell, component)));
  }
  return sum;
}
