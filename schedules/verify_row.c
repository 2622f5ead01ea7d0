/* verify_row.c - the invariants of docs/rows.md that a fill's terms must meet: width, weights and
 * the cells that each kind of phase may read. */
#include <core.h>
#include <inspection.h>
#include <rows.h>

#include <math.h>

/* A kind of wall: the family of its rows, what their own weights sum to, and the value's. */
typedef struct wall_law {
  rind_family family;
  double own_sum;
  bool has_value;
} wall_law;

static const wall_law wall_laws[RIND_NUM_WALLS] = {
    [RIND_WALL_EVEN] = {RIND_FAMILY_MIRROR, 1.0, false},
    [RIND_WALL_ODD] = {RIND_FAMILY_MIRROR, -1.0, false},
    [RIND_WALL_CONSTANT] = {RIND_FAMILY_CONSTANT, 1.0, false},
    [RIND_WALL_LINEAR] = {RIND_FAMILY_LINEAR, 1.0, false},
    [RIND_WALL_DIRICHLET] = {RIND_FAMILY_MIRROR_VALUE, -1.0, true},
    [RIND_WALL_NEUMANN] = {RIND_FAMILY_MIRROR_VALUE, 1.0, true},
    [RIND_WALL_FUNCTION] = {RIND_FAMILY_FUNCTION, 0.0, false},
};

static bool is_interior(const rind_schedule *schedule, const int64_t low[3],
                        const int64_t high[3]) {
  for (int a = 0; a < 3; ++a)
    if (low[a] < 0 || high[a] >= (a < schedule->dim ? schedule->cells : 1)) return false;
  return true;
}

/* Whether the cells are ghosts of the source's layer 1 in the face that looks at the destination,
 * across a link by which the source is finer. */
static bool faces_destination(const rind_inspection *at, const int64_t low[3],
                              const int64_t high[3]) {
  const int n = at->schedule->cells, dim = at->schedule->dim;
  const rind_schedule_fill_data *fill = &at->schedule->fill[at->fill];
  int o[3], normal = 0;
  rind_region_direction(at->view.region, o);
  while (normal < dim - 1 && o[normal] == 0)
    ++normal;
  for (int l = at->arrays->first_link[fill->block]; l < at->arrays->first_link[fill->block + 1];
       ++l) {
    const rind_link *link = &at->arrays->link[l];
    if (link->region != at->view.region || link->neighbour != fill->source || link->relation <= 0)
      continue;
    const bool lower_side = (o[normal] > 0) != (link->flip[normal] != 0);
    bool faces = true;
    for (int a = 0; a < dim; ++a) {
      const bool outwards = a == link->axis[normal];
      const int64_t first = !outwards ? 0 : lower_side ? -1 : n;
      const int64_t last = !outwards ? n - 1 : first;
      faces = faces && low[a] >= first && high[a] <= last;
    }
    if (faces) return true;
  }
  return false;
}

/* Own cells of corners and walls: interior, or written by an earlier phase. */
static rind_error check_written(const rind_inspection *at, const rind_cover *cover, int term,
                                const rind_box *box) {
  const int32_t *extent = at->view.extent;
  const int n = at->schedule->cells;
  int i[3];
  for (i[2] = 0; i[2] < extent[2]; ++i[2])
    for (i[1] = 0; i[1] < extent[1]; ++i[1])
      for (i[0] = 0; i[0] < extent[0]; ++i[0]) {
        int cell[3];
        bool inside = true;
        for (int a = 0; a < 3; ++a)
          cell[box->axis[a]] = box->origin[box->axis[a]] + i[a] * box->step[a];
        for (int a = 0; a < at->schedule->dim; ++a)
          inside = inside && cell[a] >= 0 && cell[a] < n;
        const int writer = *rind_cover_writer(cover, cell) - 1;
        if (inside || (writer >= 0 && writer < at->phase)) continue;
        return rind_inspection_fault(at, 6,
                                     "term %d reads cell (%d, %d, %d), which is neither interior "
                                     "nor written by an earlier phase",
                                     term, cell[0], cell[1], cell[2]);
      }
  return RIND_OK;
}

/* Invariants 2 and 6: the box inside the padded block, and in what the phase may read. With 4
 * (fills write ghosts alone) that keeps all that a phase reads apart from all that it writes. */
static rind_error check_source(const rind_inspection *at, const rind_cover *cover, int term,
                               int slot, const rind_box *box) {
  const rind_schedule *schedule = at->schedule;
  const rind_phase_kind kind = rind_inspection_kind(at);
  int64_t low[3], high[3];
  char what[32];
  snprintf(what, sizeof what, "term %d", term);
  RIND_TRY(rind_inspection_shape(at, box, what));
  for (int a = 0; a < 3; ++a) {
    const int axis = box->axis[a], used = axis < schedule->dim;
    const int pad = used ? schedule->ghosts : 0, n = used ? schedule->cells : 1;
    rind_inspection_span(box, at->view.extent, a, &low[axis], &high[axis]);
    if (low[axis] < -pad || high[axis] >= n + pad)
      return rind_inspection_fault(
          at, 2,
          "%s reads cells %lld to %lld along axis %d, %d to %d are the block with its ghosts", what,
          (long long)low[axis], (long long)high[axis], axis, -pad, n + pad - 1);
  }
  if (is_interior(schedule, low, high)) return RIND_OK;
  if (kind == RIND_PHASE_CORNERS || kind == RIND_PHASE_WALLS)
    return check_written(at, cover, term, box);
  if (kind == RIND_PHASE_FLUX && slot == RIND_SLOT_SOURCE && faces_destination(at, low, high))
    return RIND_OK;
  return rind_inspection_fault(
      at, 6, "%s reads cells (%lld, %lld, %lld) to (%lld, %lld, %lld), %s they must be", what,
      (long long)low[0], (long long)low[1], (long long)low[2], (long long)high[0],
      (long long)high[1], (long long)high[2],
      kind == RIND_PHASE_FLUX ? "interior or ghosts that face the fill's block" : "interior");
}

static rind_error check_sum(const rind_inspection *at, double sum, double size, double right) {
  const double rounding = 4e-16 * at->view.num_terms * size;
  if (fabs(sum - right) <= rounding) return RIND_OK;
  return rind_inspection_fault(at, 5, "the weights sum to %.17g, %g it must be", sum, right);
}

/* Layer of a wall fill's box, 1 the first. */
static int layer_of(const rind_inspection *at, int wall) {
  const int first = at->view.box.origin[wall / 2];
  return wall % 2 ? first - at->schedule->cells + 1 : -first;
}

/* Rows behind walls: family and weights of the wall's kind. */
static rind_error check_wall(const rind_inspection *at, double own, double size, double value) {
  const rind_schedule *schedule = at->schedule;
  const rind_rules *rules = &schedule->rules;
  const int wall = schedule->pattern[schedule->fill[at->fill].pattern].wall;
  const rind_wall kind =
      rules->component_wall ? rules->component_wall[at->view.component][wall] : rules->wall[wall];
  const wall_law *law = &wall_laws[kind];
  if (kind == RIND_WALL_NONE || at->view.family != law->family)
    return rind_inspection_fault(at, 3, "wall %d is of kind %d, whose rows are others", wall,
                                 (int)kind);
  RIND_TRY(check_sum(at, own, size, law->own_sum));
  if (!law->has_value) return RIND_OK;
  const double spacing = at->arrays->block[at->view.block].side[wall / 2] / schedule->cells;
  const double right =
      kind == RIND_WALL_DIRICHLET ? 2.0 : (2.0 * layer_of(at, wall) - 1.0) * spacing;
  if (fabs(value - right) <= 4e-16 * right) return RIND_OK;
  return rind_inspection_fault(at, 5, "the wall's value has weight %.17g, %.17g it must be", value,
                               right);
}

rind_error rind_inspection_row(const rind_inspection *at, const rind_cover *cover) {
  const rind_schedule *schedule = at->schedule;
  const rind_pattern *pattern = &schedule->pattern[schedule->fill[at->fill].pattern];
  const int width = rind_row_width(&schedule->rules, at->view.family, schedule->dim);
  if (at->view.num_terms != width)
    return rind_inspection_fault(at, 3, "%d terms, %d it must be", at->view.num_terms, width);
  double sum = 0.0, size = 0.0, value = 0.0;
  for (int t = 0; t < at->view.num_terms; ++t) {
    const int slot = schedule->term[pattern->first_term + t].slot;
    rind_term_view term;
    RIND_TRY(rind_schedule_term(schedule, at->fill, t, &term));
    if (slot == RIND_SLOT_VALUE) {
      value = term.weight;
      continue;
    }
    RIND_TRY(check_source(at, cover, t, slot, &term.box));
    sum += term.weight;
    size += fabs(term.weight);
  }
  if (rind_inspection_kind(at) == RIND_PHASE_WALLS) return check_wall(at, sum, size, value);
  return check_sum(at, sum, size, 1.0);
}
