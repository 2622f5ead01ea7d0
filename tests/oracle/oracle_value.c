/* oracle_value.c - what rows give, by the bit contract of docs/rows.md. */
#include <math.h>

#include "oracle.h"

static double stored(rind_type type, double value) {
  return type == RIND_FLOAT32 ? (double)(float)value : value;
}

int oracle_turn_component(const oracle_fill *fill, const oracle_frame *frame, int component,
                          double *sign) {
  *sign = 1;
  for (int v = 0; v < fill->num_vectors; ++v) {
    const int a = component - fill->vector[v];
    if (a < 0 || a >= fill->judge->dim) continue;
    *sign = frame->sign[a];
    return fill->vector[v] + frame->axis[a];
  }
  return component;
}

static double term_value(const oracle_fill *fill, const oracle_term *term, int component) {
  if (term->leaf == ORACLE_WALL_VALUE) {
    if (fill->wall_values == NULL) return 0;
    return fill->wall_values[term->cell[0] * fill->components + component];
  }
  double sign = 1;
  const int turned = oracle_turn_component(fill, &term->frame, component, &sign);
  return sign * oracle_value_after(fill, term->leaf, term->cell, turned);
}

double oracle_row_value(const oracle_fill *fill, const oracle_row *row, int leaf, const int cell[3],
                        int component) {
  if (row->family == RIND_FAMILY_FUNCTION) {
    return stored(fill->type, fill->at_wall(fill, leaf, cell, component, row->term[0].cell[0]));
  }
  double sum = 0;
  for (int k = 0; k < row->num_terms; ++k) {
    const double product = row->term[k].weight * term_value(fill, &row->term[k], component);
    sum = k == 0 ? product : sum + product;
  }
  return stored(fill->type, sum);
}

double oracle_value_after(const oracle_fill *fill, int leaf, const int cell[3], int component) {
  if (oracle_is_interior(fill->judge, cell)) {
    return stored(fill->type, fill->value(fill->user, leaf, cell, component));
  }
  oracle_row row;
  if (!oracle_find_component_row(fill->judge, fill->rules, component, leaf, cell, &row)) {
    return NAN;
  }
  return oracle_row_value(fill, &row, leaf, cell, component);
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
