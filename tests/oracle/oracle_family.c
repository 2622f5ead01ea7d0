/* oracle_family.c - views of leaves; conservative, user's and flux-matched rows. */
#include "oracle_view.h"

#include <stdlib.h>

void oracle_add_term(const oracle_view *view, const int c[3], double weight, oracle_row *row) {
  if (row->num_terms == ORACLE_MAX_TERMS) abort();
  oracle_term *term = &row->term[row->num_terms++];
  *term = (oracle_term){.leaf = view->leaf, .weight = weight, .frame = view->frame};
  for (int a = 0; a < 3; ++a) {
    const int p = view->frame.axis[a];
    term->cell[p] = view->frame.sign[a] > 0 ? c[a] : view->cells - 1 - c[a];
  }
}

oracle_view oracle_view_self(const oracle *judge, int leaf, const int cell[3]) {
  return (oracle_view){.cells = judge->cells,
                       .leaf = leaf,
                       .frame = oracle_frame_straight(),
                       .cell = {cell[0], cell[1], cell[2]}};
}

bool oracle_view_find(const oracle *judge, int level, const oracle_place *place,
                      oracle_view *view) {
  int cell[3];
  *view = (oracle_view){.cells = judge->cells, .frame = place->frame};
  if (!oracle_find(judge, level, place->tree, place->at, &view->leaf, cell)) return false;
  for (int a = 0; a < judge->dim; ++a) {
    const int c = cell[place->frame.axis[a]];
    view->cell[a] = place->frame.sign[a] > 0 ? c : judge->cells - 1 - c;
  }
  return true;
}

typedef struct slope {
  int num;
  int cell[2];      /* along the axis */
  double weight[2]; /* of the slope, s = (own weight) c + .. */
  double own;
} slope;

/* (c_{+1} - c_{-1}) / 8, or one-sided inwards at the ends of the block. */
static slope slope_about(int cells, int c) {
  if (c == 0) return (slope){2, {c + 1, c + 2}, {4.0 / 8.0, -1.0 / 8.0}, -3.0 / 8.0};
  if (c == cells - 1) return (slope){2, {c - 1, c - 2}, {-4.0 / 8.0, 1.0 / 8.0}, 3.0 / 8.0};
  return (slope){2, {c - 1, c + 1}, {-1.0 / 8.0, 1.0 / 8.0}, 0};
}

/* Towards a coarse neighbour above: the lower neighbour is the mean of own cells, which are terms
 * of their own. */
static slope slope_facing(int c, int way) {
  return (slope){1, {c + way, 0}, {way * (1.0 / 8.0), 0}, 0};
}

/* The 2^d own cells next to the coarse cell over the interface, with equal weights. */
static void own_cells(const oracle *judge, int leaf, const int ghost[3], const int o[3],
                      double weight, oracle_row *row) {
  const int num_cells = 1 << judge->dim;
  for (int child = 0; child < num_cells; ++child) {
    oracle_view own = oracle_view_self(judge, leaf, ghost);
    for (int a = 0; a < judge->dim; ++a) {
      const int bit = child >> a & 1;
      own.cell[a] = ghost[a] - ghost[a] % 2 + bit;
      if (o[a] < 0) own.cell[a] = bit;
      if (o[a] > 0) own.cell[a] = judge->cells - 2 + bit;
    }
    oracle_add_term(&own, own.cell, weight / num_cells, row);
  }
}

void oracle_conservative_row(const oracle *judge, int leaf, const int ghost[3], const int o[3],
                             int layer, const oracle_view *view, oracle_row *row) {
  const bool facing = layer == 1 || layer == 2;
  row->family = facing ? RIND_FAMILY_CONSERVATIVE_FACING : RIND_FAMILY_CONSERVATIVE;
  slope along[3];
  double half[3] = {0, 0, 0}, own = 1.0;
  for (int a = 0; a < judge->dim; ++a) {
    half[a] = view->upper[a] ? 1.0 : -1.0;
    along[a] = facing && o[a] != 0 ? slope_facing(view->cell[a], o[a])
                                   : slope_about(judge->cells, view->cell[a]);
    own += half[a] * along[a].own;
    /* The own cells lie on the side -o of the coarse cell. */
    if (facing && o[a] != 0) own_cells(judge, leaf, ghost, o, half[a] * -o[a] / 8.0, row);
  }
  oracle_add_term(view, view->cell, own, row);
  for (int a = 0; a < judge->dim; ++a) {
    for (int i = 0; i < along[a].num; ++i) {
      int c[3] = {view->cell[0], view->cell[1], view->cell[2]};
      c[a] = along[a].cell[i];
      oracle_add_term(view, c, half[a] * along[a].weight[i], row);
    }
  }
}

void oracle_user_row(const oracle *judge, const rind_taps *taps, const oracle_view *view,
                     oracle_row *row) {
  const int num = taps->num_taps;
  int first[3] = {0, 0, 0};
  const double *weight[3] = {NULL, NULL, NULL};
  row->family = RIND_FAMILY_USER;
  for (int a = 0; a < judge->dim; ++a) {
    const int parity = view->upper[a], c = view->cell[a];
    int shift = 1;
    if (c + taps->first[parity][1] < 0) {
      shift = 0;
    } else if (c + taps->first[parity][1] + num > judge->cells) {
      shift = 2;
    }
    first[a] = c + taps->first[parity][shift];
    weight[a] = taps->weight[parity][shift];
  }
  for (int k = 0; k < (judge->dim == 3 ? num : 1); ++k) {
    for (int j = 0; j < num; ++j) {
      for (int i = 0; i < num; ++i) {
        const int c[3] = {first[0] + i, first[1] + j, first[2] + k};
        double w = weight[0][i] * weight[1][j];
        if (judge->dim == 3) w = w * weight[2][k];
        oracle_add_term(view, c, w, row);
      }
    }
  }
}

/* +w u_f - w g_f over the fine columns, the first axis of the face fastest; the own cell last. */
bool oracle_flux_row(const oracle *judge, int leaf, const int ghost[3], const int o[3],
                     const oracle_place *place, oracle_row *row) {
  const int num_columns = 1 << (judge->dim - 1);
  int tangent[2], num = 0, normal = 0;
  for (int a = 0; a < judge->dim; ++a) {
    if (o[a] != 0) {
      normal = a;
    } else {
      tangent[num++] = a;
    }
  }
  for (int column = 0; column < num_columns; ++column) {
    oracle_place fine = *place;
    for (int a = 0; a < judge->dim; ++a) {
      const int p = place->frame.axis[a];
      int upper = o[a] < 0; /* next to the face */
      for (int t = 0; t < num; ++t) {
        if (tangent[t] == a) upper = column >> t & 1;
      }
      fine.at[p] = 2 * place->at[p] + (place->frame.sign[a] > 0 ? upper : 1 - upper);
    }
    oracle_view view;
    if (!oracle_view_find(judge, judge->leaf[leaf].level + 1, &fine, &view)) return false;
    oracle_add_term(&view, view.cell, 2.0 / num_columns, row);
    view.cell[normal] -= o[normal];
    oracle_add_term(&view, view.cell, -2.0 / num_columns, row);
  }
  oracle_view own = oracle_view_self(judge, leaf, ghost);
  own.cell[normal] -= o[normal];
  oracle_add_term(&own, own.cell, 1.0, row);
  return true;
}
