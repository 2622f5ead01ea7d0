/* oracle_trees.c - how trees are glued, and what lies where beyond their faces. */
#include "oracle_trees.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, size_t bytes) {
  void *data = calloc(count > 0 ? count : 1, bytes);
  if (data == NULL) abort();
  return data;
}

oracle_frame oracle_frame_straight(void) {
  return (oracle_frame){{0, 1, 2}, {1, 1, 1}};
}

oracle_trees *oracle_trees_create(int dim, int num_trees) {
  oracle_trees *trees = allocate(1, sizeof *trees);
  trees->dim = dim;
  trees->num_trees = num_trees;
  trees->joint = allocate((size_t)num_trees, sizeof *trees->joint);
  trees->corner = allocate((size_t)num_trees, sizeof *trees->corner);
  for (int t = 0; t < num_trees; ++t) {
    for (int f = 0; f < 6; ++f)
      trees->joint[t][f].tree = -1;
  }
  return trees;
}

void oracle_trees_destroy(oracle_trees *trees) {
  if (trees == NULL) return;
  free(trees->edge_contact);
  free(trees->corner_contact);
  free(trees->joint);
  free(trees->corner);
  free(trees);
}

/* The axes of a face, ascending; in 2D the second is 2. */
static void face_axes(int face, int tangent[2]) {
  int num = 0;
  for (int a = 0; a < 3; ++a) {
    if (a != face / 2) tangent[num++] = a;
  }
}

static int determinant(const oracle_frame *turn) {
  const int *p = turn->axis;
  const int inversions = (p[0] > p[1]) + (p[0] > p[2]) + (p[1] > p[2]);
  return (inversions % 2 == 0 ? 1 : -1) * turn->sign[0] * turn->sign[1] * turn->sign[2];
}

static oracle_frame inverse(const oracle_frame *turn) {
  oracle_frame back;
  for (int a = 0; a < 3; ++a) {
    back.axis[turn->axis[a]] = a;
    back.sign[turn->axis[a]] = turn->sign[a];
  }
  return back;
}

/* The turn number variant of 8 that takes a face to another one: outwards becomes inwards. */
static oracle_frame turn_between(int face, int other_face, int variant) {
  oracle_frame turn = oracle_frame_straight();
  int from[2], to[2];
  face_axes(face, from);
  face_axes(other_face, to);
  turn.axis[face / 2] = other_face / 2;
  turn.sign[face / 2] = face % 2 != other_face % 2 ? 1 : -1;
  for (int i = 0; i < 2; ++i) {
    turn.axis[from[i]] = to[variant & 1 ? 1 - i : i];
    turn.sign[from[i]] = variant >> (1 + i) & 1 ? -1 : 1;
  }
  return turn;
}

/* The corner of the other face that the face's corner 0 is at. */
static int first_corner(const oracle_frame *turn, int face, int other_face) {
  int from[2], to[2], corner = 0;
  face_axes(face, from);
  face_axes(other_face, to);
  for (int i = 0; i < 2; ++i) {
    if (turn->sign[from[i]] < 0) corner |= 1 << (turn->axis[from[i]] == to[1]);
  }
  return corner;
}

static oracle_frame turn_of(int dim, int face, int other_face, int orientation) {
  for (int variant = 0; variant < 8; ++variant) {
    const oracle_frame turn = turn_between(face, other_face, variant);
    if (dim == 2) {
      const int along = face / 2 == 0 ? 1 : 0;
      if (turn.axis[2] == 2 && turn.sign[2] == 1 && turn.sign[along] == (orientation ? -1 : 1)) {
        return turn;
      }
      continue;
    }
    const oracle_frame back = inverse(&turn);
    const int corner = face <= other_face ? first_corner(&turn, face, other_face)
                                          : first_corner(&back, other_face, face);
    if (determinant(&turn) == 1 && corner == orientation) return turn;
  }
  abort();
}

void oracle_trees_glue(oracle_trees *trees, int tree, int face, int other, int other_face,
                       int orientation) {
  oracle_joint *joint = &trees->joint[tree][face];
  joint->tree = other;
  joint->face = other_face;
  joint->turn = turn_of(trees->dim, face, other_face, orientation);
}

/* Whether the turn takes the nodes of one element's face to those of the other's. */
static bool turn_fits(int dim, const int *element, int face, const int *other, int other_face,
                      const oracle_frame *turn) {
  for (int k = 0; k < 1 << dim; ++k) {
    if ((k >> face / 2 & 1) != face % 2) continue;
    int image = other_face % 2 << other_face / 2;
    for (int a = 0; a < dim; ++a) {
      if (a == face / 2) continue;
      if ((k >> a & 1) != (turn->sign[a] < 0)) image |= 1 << turn->axis[a];
    }
    if (element[k] != other[image]) return false;
  }
  return true;
}

static void glue_elements(oracle_trees *trees, const int (*element)[8], int t, int face, int u,
                          int other_face) {
  for (int variant = 0; variant < 8; ++variant) {
    const oracle_frame turn = turn_between(face, other_face, variant);
    if (trees->dim == 2 && (turn.axis[2] != 2 || turn.sign[2] != 1)) continue;
    if (!turn_fits(trees->dim, element[t], face, element[u], other_face, &turn)) continue;
    trees->joint[t][face] = (oracle_joint){u, other_face, turn};
  }
}

oracle_trees *oracle_trees_from_elements(int dim, int num_elements, const int (*element)[8],
                                         const double (*node)[3]) {
  oracle_trees *trees = oracle_trees_create(dim, num_elements);
  for (int t = 0; t < num_elements; ++t) {
    for (int k = 0; k < 1 << dim; ++k)
      memcpy(trees->corner[t][k], node[element[t][k]], sizeof trees->corner[t][k]);
    for (int u = 0; u < num_elements; ++u) {
      for (int pair = 0; t != u && pair < 4 * dim * dim; ++pair) {
        glue_elements(trees, element, t, pair / (2 * dim), u, pair % (2 * dim));
      }
    }
  }
  return trees;
}

/* False at a wall. Counts the trees that are left. */
static bool step(const oracle_trees *trees, int64_t side, oracle_place *place, int axis, int way,
                 int *crossings) {
  const int p = place->frame.axis[axis];
  const int sign = place->frame.sign[axis] * way;
  place->at[p] += sign;
  if (place->at[p] >= 0 && place->at[p] < side) return true;
  const oracle_joint *joint = &trees->joint[place->tree][2 * p + (sign > 0)];
  if (joint->tree < 0) return false;
  ++*crossings;
  oracle_place next = {.tree = joint->tree};
  for (int a = 0; a < trees->dim; ++a) {
    const int q = joint->turn.axis[a];
    next.at[q] = joint->turn.sign[a] > 0 ? place->at[a] : side - 1 - place->at[a];
  }
  next.at[joint->face / 2] = joint->face % 2 == 0 ? 0 : side - 1;
  for (int a = 0; a < 3; ++a) {
    const int b = place->frame.axis[a];
    next.frame.axis[a] = joint->turn.axis[b];
    next.frame.sign[a] = place->frame.sign[a] * joint->turn.sign[b];
  }
  *place = next;
  return true;
}

static bool same_place(const oracle_place *a, const oracle_place *b) {
  bool same = a->tree == b->tree;
  for (int i = 0; i < 3; ++i) {
    same = same && a->at[i] == b->at[i] && a->frame.axis[i] == b->frame.axis[i] &&
           a->frame.sign[i] == b->frame.sign[i];
  }
  return same;
}

/* Bit a of *crossed: the way along axis a leaves a tree. False if it ends at a wall. */
static bool walk_in_order(const oracle_trees *trees, int64_t side, const int order[3],
                          const int away[3], oracle_place *place, int *crossed) {
  *crossed = 0;
  for (int i = 0; i < 3; ++i) {
    const int a = order[i];
    int crossings = 0;
    for (int s = 0; s < abs(away[a]); ++s) {
      if (!step(trees, side, place, a, away[a] > 0 ? 1 : -1, &crossings)) return false;
    }
    if (crossings > 0) *crossed |= 1 << a;
  }
  return true;
}

/* Where all orders lead that end at no wall; false if they do not agree, or if there is none. */
static bool walk_all_orders(const oracle_trees *trees, int64_t side, const oracle_place *start,
                            const int away[3], oracle_place *end, int *crossed) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  bool arrived = false;
  for (int i = 0; i < 6; ++i) {
    oracle_place place = *start;
    int axes = 0;
    if (!walk_in_order(trees, side, orders[i], away, &place, &axes)) continue;
    if (arrived && (!same_place(&place, end) || axes != *crossed)) return false;
    *end = place;
    *crossed = axes;
    arrived = true;
  }
  return arrived;
}

/* The contact of a tree's edge or corner in direction o, its own axes; -1: none. */
static int contact(const oracle_trees *trees, int tree, const int o[3]) {
  int corner = 0, across = 0, num = 0, along = 0;
  for (int a = 0; a < trees->dim; ++a) {
    if (o[a] == 0) {
      along = a;
      continue;
    }
    corner |= (o[a] > 0) << a;
    across |= (o[a] > 0) << num++;
  }
  if (num == trees->dim) return trees->corner_contact[tree][corner];
  return trees->edge_contact[tree][4 * along + across];
}

/* Whether the trees at both ends know that they touch, if the way crosses more than a face. */
static bool is_recorded(const oracle_trees *trees, const oracle_place *start,
                        const oracle_place *end, const int away[3], int crossed) {
  if ((crossed & (crossed - 1)) == 0 || trees->corner_contact == NULL) return true;
  int from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
  for (int a = 0; a < 3; ++a) {
    if ((crossed >> a & 1) == 0) continue;
    const int way = away[a] > 0 ? 1 : -1;
    from[start->frame.axis[a]] = way * start->frame.sign[a];
    to[end->frame.axis[a]] = -way * end->frame.sign[a];
  }
  const int known = contact(trees, start->tree, from);
  return known >= 0 && known == contact(trees, end->tree, to);
}

bool oracle_trees_walk(const oracle_trees *trees, int64_t side, const oracle_place *start,
                       const int away[3], oracle_place *end) {
  const int back[3] = {-away[0], -away[1], -away[2]};
  oracle_place origin;
  int crossed = 0, crossed_back = 0;
  return walk_all_orders(trees, side, start, away, end, &crossed) &&
         walk_all_orders(trees, side, end, back, &origin, &crossed_back) &&
         same_place(&origin, start) && is_recorded(trees, start, end, away, crossed);
}
