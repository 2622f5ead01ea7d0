/* oracle_row.c - the row of one ghost cell next to blocks, by the tables of docs/rows.md. */
#include <string.h>

#include "oracle_view.h"

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

static void copy_term(const oracle_view *view, double weight, oracle_row *row) {
  oracle_add_term(view, view->cell, weight, row);
}

/* Axis 0 fastest over the 3^d taps. */
static void coarse_only_row(const oracle *judge, const oracle_view *view, oracle_row *row) {
  triple t[3];
  for (int a = 0; a < judge->dim; ++a)
    t[a] = triple_about(judge->cells, view->cell[a], view->upper[a]);
  for (int k = 0; k < (judge->dim == 2 ? 1 : 3); ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        int c[3] = {t[0].first + i, t[1].first + j, 0};
        double weight = t[0].weight[i] * t[1].weight[j];
        if (judge->dim == 3) {
          c[2] = t[2].first + k;
          weight = weight * t[2].weight[k];
        }
        oracle_add_term(view, c, weight, row);
      }
    }
  }
}

/* Own cell, then U1, then U2; inside a layer the first tangential axis fastest. */
static void quadratic_row(const oracle *judge, int own_leaf, const int ghost[3], const int o[3],
                          int layer, const oracle_view *view, oracle_row *row) {
  const int n = judge->cells;
  int normal = 0;
  while (o[normal] == 0)
    ++normal;
  int tangent[2], num_tangents = 0;
  for (int a = 0; a < judge->dim; ++a) {
    if (a != normal) tangent[num_tangents++] = a;
  }
  oracle_view own = oracle_view_self(judge, own_leaf, ghost);
  own.cell[normal] = o[normal] > 0 ? n - 1 : 0;
  const double *w = layer_weights[layer - 1];
  copy_term(&own, w[0], row);

  triple t[2];
  for (int s = 0; s < num_tangents; ++s) {
    t[s] = triple_about(n, view->cell[tangent[s]], view->upper[tangent[s]]);
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
        oracle_add_term(view, c, weight, row);
      }
    }
  }
}

/* The cell of the next finer level in a place, child bits along the axes of the row's block. */
static oracle_place finer_place(const oracle *judge, const oracle_place *place, int child) {
  oracle_place fine = *place;
  for (int a = 0; a < judge->dim; ++a) {
    const int p = place->frame.axis[a];
    const int upper = place->frame.sign[a] > 0 ? child >> a & 1 : 1 - (child >> a & 1);
    fine.at[p] = 2 * place->at[p] + upper;
  }
  return fine;
}

/* False unless 2^d cells of the next finer level lie there. */
static bool average_row(const oracle *judge, int level, const oracle_place *place,
                        oracle_row *row) {
  const int num_cells = 1 << judge->dim;
  for (int child = 0; child < num_cells; ++child) {
    const oracle_place fine = finer_place(judge, place, child);
    oracle_view view;
    if (!oracle_view_find(judge, level + 1, &fine, &view)) return false;
    copy_term(&view, 1.0 / num_cells, row);
  }
  return true;
}

/* The coarser leaf around a place. */
static bool find_coarser(const oracle *judge, int level, const oracle_place *place,
                         oracle_view *view) {
  oracle_place coarse = *place;
  int odd[3] = {0, 0, 0};
  for (int a = 0; a < judge->dim; ++a) {
    odd[a] = (int)(((place->at[a] % 2) + 2) % 2);
    coarse.at[a] = (place->at[a] - odd[a]) / 2;
  }
  if (!oracle_view_find(judge, level - 1, &coarse, view)) return false;
  for (int a = 0; a < judge->dim; ++a) {
    const int half = odd[place->frame.axis[a]];
    view->upper[a] = place->frame.sign[a] > 0 ? half : 1 - half;
  }
  return true;
}

bool oracle_view_coarser(const oracle *judge, int leaf, const int cell[3], oracle_view *view) {
  oracle_place place;
  return oracle_locate(judge, leaf, cell, &place) &&
         find_coarser(judge, judge->leaf[leaf].level, &place, view);
}

static void interpolated_row(const oracle *judge, const rind_rules *rules, int leaf,
                             const int cell[3], const oracle_view *view, oracle_row *row) {
  int o[3], layer = 0;
  if (oracle_region(judge, cell, o, &layer) > 1) layer = 0;
  switch (rules->interpolation) {
  case RIND_INTERPOLATION_INJECTION:
    row->family = RIND_FAMILY_INJECTION;
    copy_term(view, 1.0, row);
    break;
  case RIND_INTERPOLATION_CONSERVATIVE:
    oracle_conservative_row(judge, leaf, cell, o, layer, view, row);
    break;
  case RIND_INTERPOLATION_USER:
    oracle_user_row(judge, rules->taps, view, row);
    break;
  case RIND_INTERPOLATION_QUADRATIC:
    if (layer == 1 || layer == 2) {
      row->family = RIND_FAMILY_QUADRATIC;
      quadratic_row(judge, leaf, cell, o, layer, view, row);
      break;
    } /* fall through */
  default:
    row->family = RIND_FAMILY_COARSE_ONLY;
    coarse_only_row(judge, view, row);
  }
}

bool oracle_block_row(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                      oracle_row *row) {
  const int level = judge->leaf[leaf].level;
  oracle_place place;
  oracle_view view;
  row->num_terms = 0;
  if (!oracle_locate(judge, leaf, cell, &place)) return false;
  if (oracle_view_find(judge, level, &place, &view)) {
    row->family = RIND_FAMILY_COPY;
    copy_term(&view, 1.0, row);
    return true;
  }
  if (find_coarser(judge, level, &place, &view)) {
    interpolated_row(judge, rules, leaf, cell, &view, row);
    return true;
  }
  int o[3], layer = 0;
  const int directions = oracle_region(judge, cell, o, &layer);
  if (rules->restriction == RIND_RESTRICTION_FLUX_MATCHED && directions == 1 && layer == 1) {
    row->family = RIND_FAMILY_FLUX_MATCHED;
    return oracle_flux_row(judge, leaf, cell, o, &place, row);
  }
  row->family = RIND_FAMILY_AVERAGE;
  return average_row(judge, level, &place, row);
}

bool oracle_find_component_row(const oracle *judge, const rind_rules *rules, int component,
                               int leaf, const int cell[3], oracle_row *row) {
  int o[3], layer = 0;
  const int directions = oracle_region(judge, cell, o, &layer);
  if (directions == 0) return false;
  if (rules->layers > 0 && layer > rules->layers) return false;
  row->num_terms = 0;
  const oracle_region_kind kind = oracle_kind_of(judge, leaf, o);
  if (kind == ORACLE_WALL) {
    return oracle_wall_row(judge, rules, component, leaf, cell, o, row);
  }
  if (rules->regions == RIND_REGIONS_FACES && directions > 1) return false;
  if (kind == ORACLE_IRREGULAR) return oracle_corner_row(judge, leaf, cell, o, row);
  return oracle_block_row(judge, rules, leaf, cell, row);
}

bool oracle_find_row(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                     oracle_row *row) {
  return oracle_find_component_row(judge, rules, 0, leaf, cell, row);
}
