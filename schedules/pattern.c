/* pattern.c - a schedule's fills and terms as the caller sees them, expanded from the patterns. */
#include <core.h>
#include <transpose.h>

#include <string.h>

const char *rind_family_name(rind_family family) {
  static const char *const names[RIND_NUM_FAMILIES] = {
#define NAME(upper, lower, k2, k3) #lower,
      RIND_FAMILY_LIST(NAME)
#undef NAME
  };
  return (unsigned)family < RIND_NUM_FAMILIES ? names[family] : "unknown";
}

const rind_forest *rind_schedule_forest(const rind_schedule *schedule) {
  return schedule ? schedule->forest : NULL;
}

int rind_schedule_cells(const rind_schedule *schedule) {
  return schedule ? schedule->cells : 0;
}

int rind_schedule_ghosts(const rind_schedule *schedule) {
  return schedule ? schedule->ghosts : 0;
}

const rind_rules *rind_schedule_rules(const rind_schedule *schedule) {
  return schedule ? &schedule->rules : NULL;
}

int rind_schedule_num_fills(const rind_schedule *schedule) {
  return schedule ? schedule->num_fills : 0;
}

static rind_error check_fill(const rind_schedule *schedule, int fill) {
  RIND_REQUIRE(schedule->context, fill >= 0 && fill < schedule->num_fills, RIND_ERROR_INVALID,
               "fill %d of a schedule of %d: 0 to %d it must be", fill, schedule->num_fills,
               schedule->num_fills - 1);
  return RIND_OK;
}

rind_schedule_fill_data rind_fill_data(const rind_schedule *schedule, int fill) {
  if (!schedule->is_adjoint) return schedule->fill[fill];
  const rind_run_data *run = rind_run_of_fill(schedule, fill);
  return (rind_schedule_fill_data){schedule->set[run->set].first + fill - run->first_fill,
                                   run->block, run->source};
}

rind_error rind_schedule_fill(const rind_schedule *schedule, int fill, rind_fill_view *view) {
  if (!schedule) return RIND_ERROR_INVALID;
  RIND_REQUIRE(schedule->context, view, RIND_ERROR_INVALID, "view is NULL");
  RIND_TRY(check_fill(schedule, fill));
  const rind_schedule_fill_data data = rind_fill_data(schedule, fill);
  const rind_pattern *pattern = &schedule->pattern[data.pattern];
  *view = (rind_fill_view){.family = (rind_family)pattern->family,
                           .phase = pattern->phase,
                           .block = data.block,
                           .region = pattern->region,
                           .number = pattern->number,
                           .component = pattern->component,
                           .box = {.axis = {0, 1, 2}},
                           .num_terms = pattern->num_terms};
  memcpy(view->extent, pattern->extent, sizeof view->extent);
  memcpy(view->box.origin, pattern->origin, sizeof view->box.origin);
  memcpy(view->box.step, pattern->step, sizeof view->box.step);
  return RIND_OK;
}

rind_error rind_schedule_term(const rind_schedule *schedule, int fill, int term,
                              rind_term_view *view) {
  if (!schedule) return RIND_ERROR_INVALID;
  RIND_REQUIRE(schedule->context, view, RIND_ERROR_INVALID, "view is NULL");
  RIND_TRY(check_fill(schedule, fill));
  const rind_schedule_fill_data data = rind_fill_data(schedule, fill);
  const rind_pattern *pattern = &schedule->pattern[data.pattern];
  RIND_REQUIRE(schedule->context, term >= 0 && term < pattern->num_terms, RIND_ERROR_INVALID,
               "term %d of a fill of %d: 0 to %d it must be", term, pattern->num_terms,
               pattern->num_terms - 1);
  const rind_pattern_term *t = &schedule->term[pattern->first_term + term];
  if (t->slot == RIND_SLOT_VALUE) {
    *view = (rind_term_view){.block = -1, .weight = t->weight, .box = {.axis = {0, 1, 2}}};
    return RIND_OK;
  }
  const rind_slot *slot = &pattern->slot[t->slot];
  *view = (rind_term_view){.block = t->slot == RIND_SLOT_OWN ? data.block : data.source,
                           .weight = t->weight};
  memcpy(view->box.origin, t->origin, sizeof view->box.origin);
  memcpy(view->box.axis, slot->axis, sizeof view->box.axis);
  memcpy(view->box.step, slot->step, sizeof view->box.step);
  return RIND_OK;
}
