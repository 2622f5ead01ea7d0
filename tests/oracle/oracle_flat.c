/* oracle_flat.c - glued trees that lie flat in space: unit squares or cubes, side by side. */
#include <math.h>
#include <string.h>

#include "oracle_scene.h"

void scene_tree_axis(const oracle *judge, int tree, int axis, double unit[3]) {
  for (int i = 0; i < 3; ++i) {
    unit[i] = i == axis;
    if (judge->glued == NULL) continue;
    const double(*corner)[3] = (const double(*)[3])judge->glued->corner[tree];
    unit[i] = corner[1 << axis][i] - corner[0][i];
  }
}

void scene_position(const oracle *judge, int leaf, const int cell[3], double at[3]) {
  const oracle_leaf *l = &judge->leaf[leaf];
  for (int i = 0; i < 3; ++i)
    at[i] = judge->glued != NULL ? judge->glued->corner[l->tree][0][i] : 0;
  for (int a = 0; a < judge->dim; ++a) {
    const double place = (double)l->at[a] * judge->cells + cell[a] + 0.5;
    double unit[3];
    scene_tree_axis(judge, l->tree, a, unit);
    for (int i = 0; i < 3; ++i)
      at[i] += unit[i] * ldexp(place, -l->level) / judge->cells;
  }
}

static double apart(const double a[3], const double b[3]) {
  return fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]);
}

/* The trees' axes go on over the face, and it is in the same place. */
static bool is_flat_joint(const oracle *judge, int tree, int face) {
  const oracle_joint *joint = &judge->glued->joint[tree][face];
  const double(*mine)[3] = (const double(*)[3])judge->glued->corner[tree];
  const double(*theirs)[3] = (const double(*)[3])judge->glued->corner[joint->tree];
  double middle[3] = {0, 0, 0}, other[3] = {0, 0, 0};
  for (int k = 0; k < 1 << judge->dim; ++k) {
    for (int i = 0; i < 3; ++i) {
      if ((k >> face / 2 & 1) == face % 2) middle[i] += mine[k][i];
      if ((k >> joint->face / 2 & 1) == joint->face % 2) other[i] += theirs[k][i];
    }
  }
  bool flat = apart(middle, other) < 1e-12;
  for (int a = 0; a < judge->dim; ++a) {
    double unit[3], next[3];
    scene_tree_axis(judge, tree, a, unit);
    scene_tree_axis(judge, joint->tree, joint->turn.axis[a], next);
    for (int i = 0; i < 3; ++i)
      next[i] *= joint->turn.sign[a];
    flat = flat && apart(unit, next) < 1e-12;
  }
  return flat;
}

/* Every corner of a tree is where its axes say, and these are of length 1. */
static bool is_unit_tree(const oracle *judge, int tree) {
  const double(*corner)[3] = (const double(*)[3])judge->glued->corner[tree];
  bool unit_sides = true;
  for (int k = 0; k < 1 << judge->dim; ++k) {
    double at[3];
    memcpy(at, corner[0], sizeof at);
    for (int a = 0; a < judge->dim; ++a) {
      double unit[3];
      scene_tree_axis(judge, tree, a, unit);
      const double length = unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2];
      unit_sides = unit_sides && fabs(length - 1) < 1e-12;
      for (int i = 0; i < 3; ++i)
        at[i] += (k >> a & 1) * unit[i];
    }
    unit_sides = unit_sides && apart(at, corner[k]) < 1e-12;
  }
  return unit_sides;
}

bool scene_is_flat(const oracle *judge) {
  if (judge->glued == NULL) return true;
  for (int t = 0; t < judge->glued->num_trees; ++t) {
    if (!is_unit_tree(judge, t)) return false;
    for (int f = 0; f < 2 * judge->dim; ++f) {
      if (judge->glued->joint[t][f].tree >= 0 && !is_flat_joint(judge, t, f)) return false;
    }
  }
  return true;
}
