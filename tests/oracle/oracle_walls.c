/* oracle_walls.c - what lies in a region; ghosts of irregular corners and behind walls. */
#include "oracle_view.h"

static int region_number(const int o[3]) {
  return o[0] + 1 + 3 * (o[1] + 1) + 9 * (o[2] + 1);
}

/* How many levels finer the blocks are that hold a cell's place; false if they differ by more than
 * one level, or there is none. */
static bool find_relation(const oracle *judge, int leaf, const int cell[3], int *relation) {
  static const rind_rules injection = {.interpolation = RIND_INTERPOLATION_INJECTION};
  oracle_row row;
  if (!oracle_block_row(judge, &injection, leaf, cell, &row)) return false;
  *relation = judge->leaf[row.term[0].leaf].level - judge->leaf[leaf].level;
  return true;
}

/* All cells of the region's first layer lie in blocks of one level, and that can be known. */
static bool has_neighbour(const oracle *judge, int leaf, const int o[3]) {
  const int n = judge->cells;
  int first[3] = {0, 0, 0}, last[3] = {0, 0, 0}, cell[3], common = 0;
  bool any = false;
  if (judge->faces_only && o[0] * o[0] + o[1] * o[1] + o[2] * o[2] > 1) return false;
  for (int a = 0; a < judge->dim; ++a) {
    first[a] = o[a] < 0 ? -1 : o[a] > 0 ? n : 0;
    last[a] = o[a] == 0 ? n - 1 : first[a];
  }
  for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2]) {
    for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1]) {
      for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0]) {
        int relation = 0;
        if (!find_relation(judge, leaf, cell, &relation)) return false;
        if (any && relation != common) return false;
        common = relation;
        any = true;
      }
    }
  }
  return true;
}

/* The face of the block on the side of o along an axis is a wall. */
static bool is_wall(const oracle *judge, int leaf, const int o[3], int axis) {
  if (o[axis] == 0) return false;
  int face[3] = {0, 0, 0};
  face[axis] = o[axis];
  return oracle_kind_of(judge, leaf, face) == ORACLE_WALL;
}

oracle_region_kind oracle_kind_of(const oracle *judge, int leaf, const int o[3]) {
  uint8_t *kind = &judge->kind[leaf][region_number(o)];
  if (*kind != ORACLE_UNKNOWN) return (oracle_region_kind)*kind;
  if (has_neighbour(judge, leaf, o)) {
    *kind = ORACLE_NEIGHBOUR;
  } else if (o[0] * o[0] + o[1] * o[1] + o[2] * o[2] == 1) {
    *kind = ORACLE_WALL;
  } else {
    *kind = ORACLE_IRREGULAR;
    for (int a = 0; a < judge->dim; ++a) {
      if (is_wall(judge, leaf, o, a)) *kind = ORACLE_WALL;
    }
  }
  return (oracle_region_kind)*kind;
}

bool oracle_corner_row(const oracle *judge, int leaf, const int ghost[3], const int o[3],
                       oracle_row *row) {
  int num = 0;
  for (int a = 0; a < 3; ++a)
    num += o[a] != 0;
  row->family = num == 2 ? RIND_FAMILY_EDGE_MEAN : RIND_FAMILY_CORNER_MEAN;
  for (int i = 0; i < 3; ++i) {
    if (o[i] == 0) continue;
    oracle_view own = oracle_view_self(judge, leaf, ghost);
    for (int a = 0; a < 3; ++a) {
      /* Of two axes the i-th is brought back to the block, of three all but the i-th. */
      const bool back = num == 2 ? a == i : a != i;
      if (back && o[a] != 0) own.cell[a] = o[a] > 0 ? judge->cells - 1 : 0;
    }
    oracle_add_term(&own, own.cell, 1.0 / num, row);
  }
  return true;
}

static rind_wall wall_kind(const rind_rules *rules, int component, int wall) {
  if (rules->component_wall != NULL) return rules->component_wall[component][wall];
  return rules->wall[wall];
}

/* The highest axis of a region that leads behind a wall. */
static int highest_wall(const oracle *judge, int leaf, const int o[3]) {
  for (int a = judge->dim - 1; a >= 0; --a) {
    if (is_wall(judge, leaf, o, a)) return a;
  }
  return -1;
}

/* Whether the ghosts of a region have values before the walls of an axis, or are interior. */
static bool is_defined(const oracle *judge, const rind_rules *rules, int component, int leaf,
                       const int o[3]) {
  int directions = 0;
  for (int a = 0; a < 3; ++a)
    directions += o[a] != 0;
  if (directions == 0) return true;
  if (oracle_kind_of(judge, leaf, o) != ORACLE_WALL) {
    return directions == 1 || rules->regions == RIND_REGIONS_ALL;
  }
  const int axis = highest_wall(judge, leaf, o);
  int source[3] = {o[0], o[1], o[2]};
  source[axis] = 0;
  return wall_kind(rules, component, 2 * axis + (o[axis] > 0)) != RIND_WALL_NONE &&
         is_defined(judge, rules, component, leaf, source);
}

bool oracle_wall_row(const oracle *judge, const rind_rules *rules, int component, int leaf,
                     const int ghost[3], const int o[3], oracle_row *row) {
  if (!is_defined(judge, rules, component, leaf, o)) return false;
  const int n = judge->cells, axis = highest_wall(judge, leaf, o);
  const int wall = 2 * axis + (o[axis] > 0);
  const int layer = o[axis] > 0 ? ghost[axis] - n + 1 : -ghost[axis];
  oracle_view first = oracle_view_self(judge, leaf, ghost), second = first, mirrored = first;
  first.cell[axis] = o[axis] > 0 ? n - 1 : 0;
  second.cell[axis] = o[axis] > 0 ? n - 2 : 1;
  mirrored.cell[axis] = o[axis] > 0 ? n - layer : layer - 1;
  oracle_view value = {.cells = n, .leaf = ORACLE_WALL_VALUE, .frame = oracle_frame_straight()};
  value.cell[0] = wall;

  switch (wall_kind(rules, component, wall)) {
  case RIND_WALL_EVEN:
  case RIND_WALL_ODD:
    row->family = RIND_FAMILY_MIRROR;
    oracle_add_term(&mirrored, mirrored.cell,
                    wall_kind(rules, component, wall) == RIND_WALL_EVEN ? 1.0 : -1.0, row);
    break;
  case RIND_WALL_CONSTANT:
    row->family = RIND_FAMILY_CONSTANT;
    oracle_add_term(&first, first.cell, 1.0, row);
    break;
  case RIND_WALL_LINEAR:
    row->family = RIND_FAMILY_LINEAR;
    oracle_add_term(&first, first.cell, 1.0 + layer, row);
    oracle_add_term(&second, second.cell, -(double)layer, row);
    break;
  case RIND_WALL_DIRICHLET:
    row->family = RIND_FAMILY_MIRROR_VALUE;
    oracle_add_term(&mirrored, mirrored.cell, -1.0, row);
    oracle_add_term(&value, value.cell, 2.0, row);
    break;
  case RIND_WALL_NEUMANN:
    row->family = RIND_FAMILY_MIRROR_VALUE;
    oracle_add_term(&mirrored, mirrored.cell, 1.0, row);
    oracle_add_term(&value, value.cell, (2 * layer - 1) * (judge->leaf[leaf].side[axis] / n), row);
    break;
  default:
    row->family = RIND_FAMILY_FUNCTION;
    oracle_add_term(&value, value.cell, 0, row);
  }
  return true;
}
