/* tree_chart.c - charts over faces, edges and corners of a tree, composed of charts over faces. */
#include <tree_chart.h>

#include <string.h>

typedef enum outcome { AT_WALL, AGREED, DISAGREED } outcome;

/* Over all orders in which the axes can be crossed. */
typedef struct search {
  const rind_tree_mesh *mesh;
  int o[3];
  outcome result;
  bool meets_wall;       /* in some order */
  rind_tree_chart chart; /* of the first order that meets none */
} search;

static rind_tree_chart compose(const rind_tree_chart *first, const rind_tree_chart *second) {
  rind_tree_chart both = {.tree = second->tree};
  for (int a = 0; a < 3; ++a) {
    const int b = first->axis[a];
    both.axis[a] = second->axis[b];
    both.sign[a] = (int8_t)(first->sign[a] * second->sign[b]);
    both.shift[a] = (int8_t)(second->sign[b] * first->shift[a] + second->shift[b]);
  }
  return both;
}

static bool is_same(const rind_tree_chart *one, const rind_tree_chart *other) {
  bool same = one->tree == other->tree;
  for (int a = 0; a < 3; ++a)
    same = same && one->axis[a] == other->axis[a] && one->sign[a] == other->sign[a] &&
           one->shift[a] == other->shift[a];
  return same;
}

static rind_tree_chart identity(int32_t tree) {
  return (rind_tree_chart){.tree = tree, .axis = {0, 1, 2}, .sign = {1, 1, 1}};
}

/* back undoes forth, which starts in tree. */
static bool is_inverse(int32_t tree, const rind_tree_chart *forth, const rind_tree_chart *back) {
  const rind_tree_chart around = compose(forth, back), stay = identity(tree);
  return is_same(&around, &stay);
}

/* Goes on from here over the remaining axes, bit a: axis a. */
static void walk(search *all, const rind_tree_chart *here, unsigned axes) {
  if (axes == 0) {
    if (all->result == AT_WALL) {
      all->chart = *here;
      all->result = AGREED;
    } else if (!is_same(here, &all->chart)) {
      all->result = DISAGREED;
    }
    return;
  }
  for (int a = 0; a < 3 && all->result != DISAGREED; ++a) {
    if (!(axes >> a & 1)) continue;
    const int face = 2 * here->axis[a] + (here->sign[a] * all->o[a] > 0);
    rind_tree_chart step;
    if (!all->mesh->cross_face(all->mesh->self, here->tree, face, &step)) {
      all->meets_wall = true;
      continue;
    }
    const rind_tree_chart next = compose(here, &step);
    walk(all, &next, axes & ~(1u << a));
  }
}

static search walk_all(const rind_tree_mesh *mesh, int32_t tree, const int o[3]) {
  search all = {.mesh = mesh, .o = {o[0], o[1], o[2]}, .result = AT_WALL};
  const rind_tree_chart here = identity(tree);
  const unsigned axes = (o[0] != 0) | (o[1] != 0) << 1 | (o[2] != 0) << 2;
  walk(&all, &here, axes);
  return all;
}

/* The direction of the contact as the other tree sees it. */
static void turn_back(const rind_tree_chart *chart, const int o[3], int other_o[3]) {
  for (int a = 0; a < 3; ++a)
    other_o[chart->axis[a]] = -o[a] * chart->sign[a];
}

/* From the other tree the same way must be found. It is if no order meets a wall: each order is
 * one of the other tree's backwards. */
static outcome find_chart(const rind_tree_mesh *mesh, int32_t tree, const int o[3],
                          rind_tree_chart *chart) {
  const search forth = walk_all(mesh, tree, o);
  if (forth.result != AGREED) return forth.result;
  *chart = forth.chart;
  int other_o[3];
  turn_back(chart, o, other_o);
  if (forth.meets_wall) {
    const search back = walk_all(mesh, chart->tree, other_o);
    if (back.result != AGREED || !is_inverse(tree, chart, &back.chart)) return DISAGREED;
  }
  const bool is_face = o[0] * o[0] + o[1] * o[1] + o[2] * o[2] == 1;
  if (!is_face && !mesh->is_joined(mesh->self, tree, o, chart->tree, other_o)) return DISAGREED;
  return AGREED;
}

void rind_tree_charts_find(const rind_tree_mesh *mesh, int32_t tree, rind_tree_charts *charts) {
  memset(charts, 0, sizeof *charts);
  charts->tree = tree;
  for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
    const int o[3] = {region % 3 - 1, region / 3 % 3 - 1, region / 9 - 1};
    if (region == RIND_REGION_SELF || (mesh->dim == 2 && o[2] != 0)) continue;
    const outcome result = find_chart(mesh, tree, o, &charts->chart[region]);
    charts->exists[region] = result == AGREED;
    charts->irregular = charts->irregular || result == DISAGREED;
  }
}
