/* rows.c - turns a link into the destination's frame, and the families' boxes into the neighbour's
 * axes. */
#include <core.h>
#include <family.h>

int rind_family_width(rind_family family, int dim) {
  static const int width[RIND_NUM_FAMILIES][2] = {
#define RIND_WIDTH(upper, lower, k2, k3) {k2, k3},
      RIND_FAMILY_LIST(RIND_WIDTH)
#undef RIND_WIDTH
  };
  const bool known = (unsigned)family < RIND_NUM_FAMILIES && (dim == 2 || dim == 3);
  return known ? width[family][dim - 2] : -1;
}

int rind_row_width(const rind_rules *rules, rind_family family, int dim) {
  if (family != RIND_FAMILY_USER) return rind_family_width(family, dim);
  const int taps = rules->taps ? rules->taps->num_taps : 0;
  return dim == 3 ? taps * taps * taps : taps * taps;
}

static rind_frame frame_of(rind_template_set *set, const rind_template_key *key, int group) {
  rind_frame f = {.set = set, .key = key, .group = group, .dim = set->dim, .cells = set->cells};
  rind_region_direction(key->region, f.direction);
  for (int a = 0; a < 3; ++a) {
    const int n = a < f.dim ? f.cells : 1, layers = set->rules.layers;
    f.low[a] = f.direction[a] < 0 ? -layers : f.direction[a] > 0 ? n : 0;
    f.high[a] = f.direction[a] < 0 ? 0 : f.direction[a] > 0 ? n + layers : n;
    f.start[a] = key->origin[a] * (f.cells / 2);
  }
  return f;
}

rind_error rind_frame_begin(const rind_frame *frame, rind_family family, int number,
                            const int low[3], const int extent[3], int step, int source_step) {
  rind_pattern *pattern;
  RIND_TRY(rind_template_add_pattern(frame->set, &pattern));
  pattern->family = (int32_t)family;
  pattern->region = frame->key->region;
  pattern->number = number;
  pattern->group = frame->group;
  rind_slot *own = &pattern->slot[RIND_SLOT_OWN], *source = &pattern->slot[RIND_SLOT_SOURCE];
  for (int a = 0; a < 3; ++a) {
    const bool used = a < frame->dim;
    pattern->extent[a] = extent[a];
    pattern->origin[a] = low[a];
    pattern->step[a] = used ? step : 1;
    own->axis[a] = a;
    own->step[a] = pattern->step[a];
    source->axis[a] = frame->key->axis[a];
    source->step[a] = !used ? 1 : frame->key->flip[a] ? -source_step : source_step;
  }
  return RIND_OK;
}

rind_error rind_frame_add(const rind_frame *frame, double weight, const int at[3]) {
  rind_pattern_term term = {.weight = weight, .slot = RIND_SLOT_SOURCE};
  for (int a = 0; a < 3; ++a) {
    const bool backwards = a < frame->dim && frame->key->flip[a];
    term.origin[frame->key->axis[a]] = backwards ? frame->cells - 1 - at[a] : at[a];
  }
  return rind_template_add_term(frame->set, &term);
}

rind_error rind_frame_add_own(const rind_frame *frame, double weight, const int at[3]) {
  const rind_pattern_term term = {
      .weight = weight, .slot = RIND_SLOT_OWN, .origin = {at[0], at[1], at[2]}};
  rind_pattern *pattern = &frame->set->pattern[frame->set->num_patterns - 1];
  const bool first = pattern->num_terms == pattern->num_own_first;
  ++*(first ? &pattern->num_own_first : &pattern->num_own_last);
  return rind_template_add_term(frame->set, &term);
}

rind_error rind_rows_make(rind_template_set *set, const rind_template_key *key, int group) {
  const rind_frame frame = frame_of(set, key, group);
  const int first = set->num_patterns;
  if (key->relation == 0)
    RIND_TRY(rind_family_copy(&frame));
  else if (key->relation > 0)
    RIND_TRY(rind_family_restrict(&frame));
  else
    RIND_TRY(rind_family_interpolate(&frame));
  for (int p = first; p < set->num_patterns; ++p) {
    const rind_pattern *made = &set->pattern[p];
    if (made->num_terms != rind_row_width(&set->rules, (rind_family)made->family, set->dim))
      return RIND_ERROR_INTERNAL;
  }
  return RIND_OK;
}
