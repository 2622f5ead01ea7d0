/* tree_chart.c - charts over faces, edges and corners of a tree, composed of charts over faces. */
#include <tree_chart.h>

#include <string.h>

static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};

typedef enum outcome { AT_WALL, AGREED, DISAGREED } outcome;

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

/* Crosses one face an axis, in the given order; false at a wall. */
static bool walk(const rind_tree_mesh *mesh, int32_t tree, const int o[3], const int *axes,
                 int num_axes, rind_tree_chart *chart) {
  rind_tree_chart here = identity(tree);
  for (int i = 0; i < num_axes; ++i) {
    const int a = axes[i];
    const int face = 2 * here.axis[a] + (here.sign[a] * o[a] > 0);
    rind_tree_chart step;
    if (!mesh->cross_face(mesh->self, here.tree, face, &step)) return false;
    here = compose(&here, &step);
  }
  *chart = here;
  return true;
}

/* All orders of the axes that o crosses. */
static outcome walk_all(const rind_tree_mesh *mesh, int32_t tree, const int o[3],
                        rind_tree_chart *chart) {
  int crossed[3], num_axes = 0;
  for (int a = 0; a < mesh->dim; ++a)
    if (o[a] != 0) crossed[num_axes++] = a;
  const int num_orders = num_axes == 3 ? 6 : num_axes;
  outcome result = AT_WALL;
  for (int order = 0; order < num_orders; ++order) {
    int axes[3] = {0, 0, 0};
    for (int i = 0; i < num_axes; ++i)
      axes[i] = crossed[orders[order][i]];
    rind_tree_chart found;
    if (!walk(mesh, tree, o, axes, num_axes, &found)) continue;
    if (result == AGREED && !is_same(chart, &found)) return DISAGREED;
    *chart = found;
    result = AGREED;
  }
  return result;
}

/* The direction of the contact as the other tree sees it. */
static void turn_back(const rind_tree_chart *chart, const int o[3], int other_o[3]) {
  for (int a = 0; a < 3; ++a)
    other_o[chart->axis[a]] = -o[a] * chart->sign[a];
}

static outcome find_chart(const rind_tree_mesh *mesh, int32_t tree, const int o[3],
                          rind_tree_chart *chart) {
  const outcome result = walk_all(mesh, tree, o, chart);
  if (result != AGREED) return result;
  int other_o[3];
  turn_back(chart, o, other_o);
  rind_tree_chart back;
  if (walk_all(mesh, chart->tree, other_o, &back) != AGREED || !is_inverse(tree, chart, &back))
    return DISAGREED;
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
