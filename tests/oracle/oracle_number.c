/* oracle_number.c - the canonical number of the fill that writes a ghost, by docs/rows.md. */
#include "oracle_adjoint.h"
#include "oracle_view.h"

static int region_of(const int o[3]) {
  return o[0] + 1 + 3 * (o[1] + 1) + 9 * (o[2] + 1);
}

/* Which of the taps an interpolated ghost gets along an axis: parity and shift. */
static int tap_class(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                     int axis) {
  const int n = judge->cells;
  oracle_view view;
  if (!oracle_view_coarser(judge, leaf, cell, &view)) return -1;
  const int parity = view.upper[axis], c = view.cell[axis];
  int shift = 1;
  if (rules->interpolation == RIND_INTERPOLATION_USER) {
    const rind_taps *taps = rules->taps;
    if (c + taps->first[parity][1] < 0) {
      shift = 0;
    } else if (c + taps->first[parity][1] + taps->num_taps > n) {
      shift = 2;
    }
  } else if (rules->interpolation != RIND_INTERPOLATION_INJECTION) {
    shift = c == 0 ? 0 : c == n - 1 ? 2 : 1;
  }
  return 2 * shift + parity;
}

/* The first cell along an axis, of those beside the block's side, with the same taps; so of the
 * same parity. */
static int first_of_class(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                          int axis) {
  const int mine = tap_class(judge, rules, leaf, cell, axis);
  int other[3] = {cell[0], cell[1], cell[2]};
  for (other[axis] = cell[axis] % 2; other[axis] < cell[axis]; other[axis] += 2) {
    if (tap_class(judge, rules, leaf, other, axis) == mine) break;
  }
  return other[axis];
}

static int highest_wall_axis(const oracle *judge, int leaf, const int o[3]) {
  int highest = -1;
  for (int a = 0; a < judge->dim; ++a) {
    int face[3] = {0, 0, 0};
    face[a] = o[a];
    if (o[a] != 0 && oracle_kind_of(judge, leaf, face) == ORACLE_WALL) highest = a;
  }
  return highest;
}

oracle_number oracle_number_of(const oracle *judge, const rind_rules *rules, int ghosts, int leaf,
                               const int cell[3], const oracle_row *row) {
  int o[3], layer = 0, wall_axis = -1;
  oracle_region(judge, cell, o, &layer);
  oracle_number number = {
      .phase = ORACLE_PHASE_BLOCKS, .leaf = leaf, .region = region_of(o), .number = {0, 0, 0}};
  if (row->family == RIND_FAMILY_FLUX_MATCHED) number.phase = ORACLE_PHASE_FLUX;
  if (row->family == RIND_FAMILY_EDGE_MEAN || row->family == RIND_FAMILY_CORNER_MEAN)
    number.phase = ORACLE_PHASE_CORNERS;
  if (row->family >= RIND_FAMILY_MIRROR) {
    wall_axis = highest_wall_axis(judge, leaf, o);
    number.phase = ORACLE_PHASE_WALLS + wall_axis;
  }
  for (int a = 0; a < judge->dim; ++a) {
    const int layer_class = cell[a] + ghosts;
    switch (row->family) {
    case RIND_FAMILY_COPY:
      break;
    case RIND_FAMILY_AVERAGE:
    case RIND_FAMILY_FLUX_MATCHED: /* one box a fine neighbour */
      if (o[a] == 0) number.number[a] = cell[a] >= judge->cells / 2;
      break;
    case RIND_FAMILY_EDGE_MEAN:
    case RIND_FAMILY_CORNER_MEAN:
      if (o[a] != 0) number.number[a] = layer_class;
      break;
    default:
      if (number.phase >= ORACLE_PHASE_WALLS) {
        if (a == wall_axis) number.number[a] = layer_class;
      } else {
        number.number[a] = o[a] != 0 ? layer_class : first_of_class(judge, rules, leaf, cell, a);
      }
    }
  }
  return number;
}
