/* verify.c - the invariants of docs/rows.md: order and destinations of fills, block by block. */
#include <core.h>
#include <inspection.h>
#include <preconditions.h>
#include <template.h>
#include <verify_adjoint.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rind_error rind_inspection_fault(const rind_inspection *at, int invariant, const char *format,
                                 ...) {
  char what[320], law[32] = "the canonical order";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  if (invariant != RIND_CANONICAL_ORDER) snprintf(law, sizeof law, "invariant %d", invariant);
  int o[3];
  rind_region_direction(at->view.region, o);
  return rind_context_fail(at->schedule->context, RIND_ERROR_INTERNAL,
                           "fill %d (%s, block %lld, region (%d, %d, %d), box %d) breaks %s: %s",
                           at->fill, rind_family_name(at->view.family),
                           (long long)at->arrays->block[at->view.block].global, o[0], o[1], o[2],
                           at->view.number, law, what);
}

void rind_inspection_span(const rind_box *box, const int32_t extent[3], int a, int64_t *low,
                          int64_t *high) {
  const int64_t first = box->origin[box->axis[a]];
  const int64_t last = first + (int64_t)box->step[a] * (extent[a] - 1);
  *low = first < last ? first : last;
  *high = first < last ? last : first;
}

rind_error rind_inspection_shape(const rind_inspection *at, const rind_box *box, const char *what) {
  unsigned axes = 0;
  for (int a = 0; a < 3; ++a) {
    if (at->view.extent[a] < 1)
      return rind_inspection_fault(at, 1, "extent %d along axis %d, at least 1 it must be",
                                   at->view.extent[a], a);
    if (box->axis[a] >= 0 && box->axis[a] < 3) axes |= 1u << box->axis[a];
  }
  if (axes != 7)
    return rind_inspection_fault(at, 1, "%s runs along axes %d %d %d, a permutation they must be",
                                 what, box->axis[0], box->axis[1], box->axis[2]);
  for (int a = 0; a < 3; ++a)
    if (box->step[a] == 0) return rind_inspection_fault(at, 7, "%s has step 0 in loop %d", what, a);
  return RIND_OK;
}

/* The slot that a term must have: own terms, the source's, own terms again, the wall's value. */
static int slot_of(const rind_pattern *pattern, rind_phase_kind kind, int term) {
  const bool has_value = kind == RIND_PHASE_WALLS && pattern->family == RIND_FAMILY_MIRROR_VALUE;
  const int end = pattern->num_terms - has_value;
  if (term >= end) return RIND_SLOT_VALUE;
  return term < pattern->num_own_first || term >= end - pattern->num_own_last ? RIND_SLOT_OWN
                                                                              : RIND_SLOT_SOURCE;
}

/* Before a fill's view can be made at all. */
static rind_error check_indices(const rind_schedule *schedule, const rind_forest_arrays *arrays,
                                int fill) {
  const rind_schedule_fill_data *data = &schedule->fill[fill];
  rind_context *context = schedule->context;
  RIND_REQUIRE(context, data->pattern >= 0 && data->pattern < schedule->num_patterns,
               RIND_ERROR_INTERNAL, "fill %d has pattern %d of %d", fill, data->pattern,
               schedule->num_patterns);
  RIND_REQUIRE(context, data->block >= 0 && data->block < arrays->num_local, RIND_ERROR_INTERNAL,
               "fill %d writes block %d: 0 to %d are local", fill, data->block,
               arrays->num_local - 1);
  const rind_pattern *pattern = &schedule->pattern[data->pattern];
  RIND_REQUIRE(context,
               pattern->first_term >= 0 && pattern->num_terms >= 0 &&
                   pattern->num_terms <= schedule->num_terms - pattern->first_term,
               RIND_ERROR_INTERNAL, "fill %d has terms %d to %lld of %d", fill, pattern->first_term,
               pattern->first_term + (long long)pattern->num_terms - 1, schedule->num_terms);
  return RIND_OK;
}

/* Where the terms read: slots in their order, and a source block if one of them reads it. */
static rind_error check_slots(const rind_schedule *schedule, const rind_forest_arrays *arrays,
                              int fill, rind_phase_kind kind) {
  const rind_schedule_fill_data *data = &schedule->fill[fill];
  const rind_pattern *pattern = &schedule->pattern[data->pattern];
  const int num_blocks = arrays->num_local + arrays->num_remote;
  bool reads = false;
  for (int t = 0; t < pattern->num_terms; ++t) {
    const int slot = schedule->term[pattern->first_term + t].slot,
              right = slot_of(pattern, kind, t);
    RIND_REQUIRE(schedule->context, slot == right, RIND_ERROR_INTERNAL,
                 "fill %d has slot %d in term %d: %d it must be", fill, slot, t, right);
    reads = reads || slot == RIND_SLOT_SOURCE;
  }
  const bool exists = reads ? data->source >= 0 && data->source < num_blocks : data->source == -1;
  RIND_REQUIRE(schedule->context, exists, RIND_ERROR_INTERNAL,
               "fill %d breaks invariant 2: it reads block %d of %d", fill, data->source,
               num_blocks);
  const bool local = kind == RIND_PHASE_CORNERS || kind == RIND_PHASE_WALLS;
  RIND_REQUIRE(schedule->context, !(local && reads), RIND_ERROR_INTERNAL,
               "fill %d breaks invariant 6: it reads another block, and its phase the own alone",
               fill);
  return RIND_OK;
}

/* Phase, wall and component of a fill are those of its place. */
static rind_error check_labels(const rind_inspection *at) {
  const rind_schedule *schedule = at->schedule;
  const rind_pattern *pattern = &schedule->pattern[schedule->fill[at->fill].pattern];
  const rind_phase *phase = &schedule->phase[at->phase];
  const bool behind = phase->kind == RIND_PHASE_WALLS;
  const int wall = behind ? pattern->wall / 2 : pattern->wall;
  int o[3];
  rind_region_direction(at->view.region, o);
  if (at->view.phase != at->phase)
    return rind_inspection_fault(at, RIND_CANONICAL_ORDER, "it is of phase %d and lies in phase %d",
                                 at->view.phase, at->phase);
  if (wall != phase->axis || (behind && o[phase->axis] != (pattern->wall % 2 ? 1 : -1)))
    return rind_inspection_fault(at, RIND_CANONICAL_ORDER, "it is of wall %d, in phase %d",
                                 pattern->wall, at->phase);
  const bool own = behind && schedule->rules.component_wall;
  if (own ? at->view.component < 0 || at->view.component >= schedule->rules.num_components
          : at->view.component != -1)
    return rind_inspection_fault(at, 4, "it is of component %d, %s it must be", at->view.component,
                                 own ? "one of the rules'" : "all");
  return RIND_OK;
}

/* Fills ascend by block, region and number, and a region is one that exists and is asked for. */
static rind_error check_place(const rind_inspection *at) {
  const rind_fill_view *view = &at->view;
  const int region = view->region, flat = at->schedule->dim == 2;
  if (region < 0 || region >= RIND_NUM_REGIONS || region == RIND_REGION_SELF ||
      (flat && region / 9 != 1))
    return rind_inspection_fault(at, 4, "region %d is no region of ghosts", region);
  if (rind_inspection_kind(at) != RIND_PHASE_WALLS &&
      !rind_rules_want(&at->schedule->rules, region))
    return rind_inspection_fault(at, 4, "region %d is not asked for", region);
  if (at->fill == at->schedule->first_fill[at->phase]) return RIND_OK;
  rind_fill_view before;
  RIND_TRY(rind_schedule_fill(at->schedule, at->fill - 1, &before));
  const int block = view->block - before.block, step = region - before.region;
  if (block < 0 || (block == 0 && (step < 0 || (step == 0 && view->number <= before.number))))
    return rind_inspection_fault(
        at, RIND_CANONICAL_ORDER, "it comes after block %lld, region %d, box %d",
        (long long)at->arrays->block[before.block].global, before.region, before.number);
  return RIND_OK;
}

/* Invariant 4 for one fill: its box lies in its region, on cells that none wrote before. */
static rind_error check_destination(const rind_inspection *at) {
  const rind_box *box = &at->view.box;
  int low[3], high[3];
  rind_cover_region(at->schedule, at->view.region, low, high);
  RIND_TRY(rind_inspection_shape(at, box, "the destination"));
  for (int a = 0; a < 3; ++a) {
    int64_t first, last;
    rind_inspection_span(box, at->view.extent, a, &first, &last);
    if (first < low[a] || last >= high[a])
      return rind_inspection_fault(
          at, 4, "it writes cells %lld to %lld along axis %d, %d to %d are the region's",
          (long long)first, (long long)last, a, low[a], high[a] - 1);
  }
  return RIND_OK;
}

static rind_error note_destination(const rind_inspection *at, rind_cover *cover) {
  const rind_box *box = &at->view.box;
  const int32_t *extent = at->view.extent;
  int cell[3];
  for (int k = 0; k < extent[2]; ++k)
    for (int j = 0; j < extent[1]; ++j)
      for (int i = 0; i < extent[0]; ++i) {
        cell[0] = box->origin[0] + i * box->step[0];
        cell[1] = box->origin[1] + j * box->step[1];
        cell[2] = box->origin[2] + k * box->step[2];
        unsigned char *writer = rind_cover_writer(cover, cell);
        if (*writer)
          return rind_inspection_fault(at, 4,
                                       "cell (%d, %d, %d) is written by a fill before it, too",
                                       cell[0], cell[1], cell[2]);
        *writer = (unsigned char)(at->phase + 1);
      }
  return RIND_OK;
}

/* One fill, in the view of a component. */
static rind_error check_fill(rind_inspection *at, int component, rind_cover *cover) {
  RIND_TRY(check_indices(at->schedule, at->arrays, at->fill));
  RIND_TRY(rind_schedule_fill(at->schedule, at->fill, &at->view));
  RIND_TRY(check_place(at));
  RIND_TRY(check_labels(at));
  RIND_TRY(check_slots(at->schedule, at->arrays, at->fill, rind_inspection_kind(at)));
  if (at->view.component >= 0 && at->view.component != component) return RIND_OK;
  RIND_TRY(check_destination(at));
  RIND_TRY(rind_inspection_row(at, cover));
  return note_destination(at, cover);
}

/* All phases of one block before the next block: the fills of a phase are sorted by block. */
static rind_error check_component(const rind_schedule *schedule, int component, rind_cover *cover) {
  rind_inspection at = {.schedule = schedule, .arrays = rind_forest_get_arrays(schedule->forest)};
  int next[RIND_MAX_PHASES];
  memcpy(next, schedule->first_fill, sizeof next);
  for (int block = 0; block < schedule->num_local; ++block) {
    for (at.phase = 0; at.phase < schedule->num_phases; ++at.phase)
      for (int *f = &next[at.phase];
           *f < schedule->first_fill[at.phase + 1] && schedule->fill[*f].block <= block; ++*f) {
        at.fill = *f;
        RIND_TRY(check_fill(&at, component, cover));
      }
    RIND_TRY(rind_cover_finish(cover, schedule, block, component));
  }
  for (at.phase = 0; at.phase < schedule->num_phases; ++at.phase)
    if (next[at.phase] < schedule->first_fill[at.phase + 1])
      return check_indices(schedule, at.arrays, next[at.phase]);
  return RIND_OK;
}

/* The phases hold the fills one after the other. */
static rind_error check_phases(const rind_schedule *schedule) {
  const int *first = schedule->first_fill, num = schedule->num_phases;
  bool sorted = num >= 1 && num <= RIND_MAX_PHASES && first[0] == 0;
  for (int p = 0; sorted && p < num; ++p)
    sorted = first[p] <= first[p + 1];
  RIND_REQUIRE(schedule->context, sorted && first[num] == schedule->num_fills, RIND_ERROR_INTERNAL,
               "the %d phases of a schedule do not hold its %d fills one after the other", num,
               schedule->num_fills);
  return RIND_OK;
}

static rind_error verify(const rind_schedule *schedule) {
  RIND_TRY(rind_schedule_check_fresh(schedule));
  RIND_TRY(check_phases(schedule));
  if (schedule->is_adjoint) return rind_verify_adjoint(schedule);
  rind_cover cover;
  RIND_TRY(rind_cover_create(schedule, &cover));
  const int components = schedule->rules.component_wall ? schedule->rules.num_components : 1;
  rind_error error = RIND_OK;
  for (int component = 0; component < components && error == RIND_OK; ++component)
    error = check_component(schedule, component, &cover);
  rind_cover_destroy(&cover);
  return error;
}

rind_error rind_schedule_verify(const rind_schedule *schedule) {
  if (!schedule) return RIND_ERROR_INVALID;
  return rind_context_agree(schedule->context, verify(schedule));
}
