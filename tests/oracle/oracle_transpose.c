/* oracle_transpose.c - what every ghost contributes to which cell, sorted and added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_adjoint.h"

static void *allocate(size_t count, size_t bytes) {
  void *data = calloc(count > 0 ? count : 1, bytes);
  if (data == NULL) abort();
  return data;
}

static int padded(const oracle_adjoint *adjoint) {
  return adjoint->by->judge->cells + 2 * adjoint->ghosts;
}

int64_t oracle_adjoint_index(const oracle_adjoint *adjoint, int leaf, const int cell[3],
                             int component) {
  int64_t index = (int64_t)leaf * adjoint->by->components + component;
  for (int a = adjoint->by->judge->dim - 1; a >= 0; --a)
    index = index * padded(adjoint) + cell[a] + adjoint->ghosts;
  return index;
}

static uint64_t pack_number(const oracle_number *number) {
  uint64_t fill = (uint64_t)number->leaf * RIND_NUM_REGIONS + (uint64_t)number->region;
  for (int a = 2; a >= 0; --a)
    fill = fill << 8 | (uint64_t)number->number[a];
  return fill;
}

static void add_contribution(oracle_contributions *list, const oracle_contribution *one) {
  if (list->num == list->max) {
    list->max = 2 * list->max + 1024;
    list->item = realloc(list->item, (size_t)list->max * sizeof *list->item);
    if (list->item == NULL) abort();
  }
  list->item[list->num++] = *one;
}

static void add_ghost(oracle_adjoint *adjoint, const oracle_row *row, int leaf, const int cell[3],
                      int component) {
  const oracle_fill *by = adjoint->by;
  const oracle_number number =
      oracle_number_of(by->judge, by->rules, adjoint->ghosts, leaf, cell, row);
  const int64_t ghost = oracle_adjoint_index(adjoint, leaf, cell, component);
  adjoint->written[ghost] = (uint8_t)(1 + number.phase);
  oracle_contribution one = {.ghost = ghost, .fill = pack_number(&number)};
  for (int k = 0; k < row->num_terms; ++k) {
    const oracle_term *term = &row->term[k];
    one.term = k;
    if (row->family == RIND_FAMILY_FUNCTION) {
      int front[3];
      one.by_function = true;
      one.weight = by->wall_front(by, cell, term->cell[0], front);
      one.cell = oracle_adjoint_index(adjoint, leaf, front, component);
    } else if (term->leaf == ORACLE_WALL_VALUE) {
      continue;
    } else {
      double sign = 1;
      const int turned = oracle_turn_component(by, &term->frame, component, &sign);
      one.weight = sign * term->weight;
      one.cell = oracle_adjoint_index(adjoint, term->leaf, term->cell, turned);
    }
    adjoint->read[one.cell] = 1;
    add_contribution(&adjoint->of[number.phase], &one);
  }
}

static void add_leaf(oracle_adjoint *adjoint, int leaf) {
  const oracle_fill *by = adjoint->by;
  int64_t num_cells = 1;
  for (int a = 0; a < by->judge->dim; ++a)
    num_cells *= padded(adjoint);
  for (int64_t i = 0; i < num_cells; ++i) {
    int cell[3] = {0, 0, 0};
    int64_t rest = i;
    for (int a = 0; a < by->judge->dim; ++a) {
      cell[a] = (int)(rest % padded(adjoint)) - adjoint->ghosts;
      rest /= padded(adjoint);
    }
    oracle_row row;
    bool covered = false;
    for (int c = 0; c < by->components; ++c) {
      if (c == 0 || by->rules->component_wall != NULL) {
        covered = oracle_find_component_row(by->judge, by->rules, c, leaf, cell, &row);
      }
      if (covered) add_ghost(adjoint, &row, leaf, cell, c);
    }
  }
}

/* The caller's functions come before the rows of their phase. */
static int compare(const oracle_contribution *a, const oracle_contribution *b) {
  if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
  return (int)b->by_function - (int)a->by_function;
}

static int canonical(const void *left, const void *right) {
  const oracle_contribution *a = left, *b = right;
  const int order = compare(a, b);
  if (order != 0) return order;
  if (a->fill != b->fill) return a->fill > b->fill ? -1 : 1;
  return a->term - b->term;
}

static int ascending(const void *left, const void *right) {
  const oracle_contribution *a = left, *b = right;
  const int order = compare(a, b);
  if (order != 0) return order;
  if (a->fill != b->fill) return a->fill < b->fill ? -1 : 1;
  return a->term - b->term;
}

static int by_ghost(const void *left, const void *right) {
  const oracle_contribution *a = left, *b = right;
  const int order = compare(a, b);
  if (order != 0) return order;
  if (a->ghost != b->ghost) return a->ghost < b->ghost ? -1 : 1;
  return a->term - b->term;
}

oracle_adjoint *oracle_adjoint_create(const oracle_fill *by, int ghosts) {
  oracle_adjoint *adjoint = allocate(1, sizeof *adjoint);
  int64_t num = (int64_t)by->judge->num_leaves * by->components;
  adjoint->by = by;
  adjoint->ghosts = ghosts;
  for (int a = 0; a < by->judge->dim; ++a)
    num *= padded(adjoint);
  adjoint->num_values = num;
  adjoint->written = allocate((size_t)num, 1);
  adjoint->read = allocate((size_t)num, 1);
  for (int leaf = 0; leaf < by->judge->num_leaves; ++leaf)
    add_leaf(adjoint, leaf);
  return adjoint;
}

void oracle_adjoint_destroy(oracle_adjoint *adjoint) {
  if (adjoint == NULL) return;
  for (int p = 0; p < ORACLE_NUM_PHASES; ++p)
    free(adjoint->of[p].item);
  free(adjoint->written);
  free(adjoint->read);
  free(adjoint);
}

static double stored(rind_type type, double value) {
  return type == RIND_FLOAT32 ? (double)(float)value : value;
}

/* A call of the caller's function begins or ends between two contributions: it stores. */
static bool is_call_apart(const oracle_contribution *a, const oracle_contribution *b) {
  if (!a->by_function && !b->by_function) return false;
  return a->by_function != b->by_function || a->fill >> 24 != b->fill >> 24;
}

/* Of one cell: contributions first to last - 1. */
static double add_up(const oracle_contributions *list, long first, long last, rind_type type,
                     oracle_order order, const double *value) {
  double sum = value[list->item[first].cell];
  for (long i = first; i < last; ++i) {
    const oracle_contribution *one = &list->item[i];
    if (i > first && is_call_apart(one - 1, one)) sum = stored(type, sum);
    const double product = one->weight * value[one->ghost];
    sum = sum + (order == ORACLE_ABSOLUTE ? fabs(product) : product);
    if (order == ORACLE_ROUND_OFTEN) sum = stored(type, sum);
  }
  return order == ORACLE_ABSOLUTE ? sum : stored(type, sum);
}

static void sort_all(oracle_adjoint *adjoint, oracle_order order) {
  const bool other = order == ORACLE_ASCENDING || order == ORACLE_BY_GHOST;
  if (adjoint->sorted && !other) return;
  adjoint->sorted = !other;
  for (int phase = 0; phase < ORACLE_NUM_PHASES; ++phase) {
    const oracle_contributions *list = &adjoint->of[phase];
    if (list->num == 0) continue;
    qsort(list->item, (size_t)list->num, sizeof *list->item,
          order == ORACLE_ASCENDING  ? ascending
          : order == ORACLE_BY_GHOST ? by_ghost
                                     : canonical);
  }
}

void oracle_adjoint_apply(oracle_adjoint *adjoint, oracle_order order, double *value) {
  const rind_type type = adjoint->by->type;
  sort_all(adjoint, order);
  for (int phase = ORACLE_NUM_PHASES - 1; phase >= 0; --phase) {
    const oracle_contributions *list = &adjoint->of[phase];
    for (long first = 0, last = 0; first < list->num; first = last) {
      while (last < list->num && list->item[last].cell == list->item[first].cell)
        ++last;
      value[list->item[first].cell] = add_up(list, first, last, type, order, value);
    }
    for (int64_t i = 0; i < adjoint->num_values; ++i) {
      if (adjoint->written[i] == 1 + phase) value[i] = 0;
    }
  }
}
