/* builder.c - makes a schedule: a template per kind of link, then a fill per pattern and link. */
#include <core.h>
#include <phases.h>
#include <preconditions.h>
#include <ranges.h>
#include <template.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The template of each link, -1 for links that the rules leave out; counts the fills. */
static rind_error find_templates(const rind_forest_arrays *arrays, rind_template_set *set,
                                 int32_t *template_of, int64_t *num_fills) {
  int64_t count = 0;
  for (int l = 0; l < arrays->first_link[arrays->num_local]; ++l) {
    template_of[l] = -1;
    if (!rind_rules_want(&set->rules, arrays->link[l].region)) continue;
    RIND_TRY(rind_template_find(set, &arrays->link[l], &template_of[l]));
    count += set->made[template_of[l]].count;
  }
  *num_fills = count;
  return RIND_OK;
}

rind_error rind_fill_list_reserve(rind_fill_list *list, int64_t more) {
  if (more > INT_MAX - list->num) return RIND_ERROR_OVERFLOW;
  if (list->num + more <= list->max) return RIND_OK;
  const int64_t twice = 2 * (int64_t)list->max, least = list->num + more;
  const int64_t max = least > twice ? least : twice < INT_MAX ? twice : INT_MAX;
  rind_schedule_fill_data *fill = realloc(list->fill, (size_t)max * sizeof *fill);
  if (!fill) return RIND_ERROR_MEMORY;
  list->fill = fill;
  list->max = (int)max;
  return RIND_OK;
}

/* The phase's fills between blocks in canonical order: by block, then by region and, links being
 * sorted by their neighbour's place, by number. There is room for them. */
static void emit_links(const rind_forest_arrays *arrays, const rind_template_set *set,
                       const int32_t *template_of, int phase, rind_fill_list *list) {
  for (int b = 0; b < arrays->num_local; ++b)
    for (int l = arrays->first_link[b]; l < arrays->first_link[b + 1]; ++l) {
      if (template_of[l] < 0) continue;
      const rind_template *of_link = &set->made[template_of[l]];
      for (int p = of_link->first; p < of_link->first + of_link->count; ++p)
        if (set->pattern[p].phase == phase)
          list->fill[list->num++] = (rind_schedule_fill_data){p, b, arrays->link[l].neighbour};
    }
}

/* The phases that the rules ask for, alike on all ranks. */
static void list_phases(rind_schedule *schedule) {
  const rind_rules *rules = &schedule->rules;
  rind_phase *phase = schedule->phase;
  int count = 0;
  phase[count++] = (rind_phase){RIND_PHASE_BLOCKS, -1};
  if (rules->restriction == RIND_RESTRICTION_FLUX_MATCHED)
    phase[count++] = (rind_phase){RIND_PHASE_FLUX, -1};
  if (rules->regions == RIND_REGIONS_ALL) phase[count++] = (rind_phase){RIND_PHASE_CORNERS, -1};
  for (int axis = 0; axis < schedule->dim && rind_rules_have_walls(rules); ++axis)
    phase[count++] = (rind_phase){RIND_PHASE_WALLS, axis};
  schedule->num_phases = count;
}

/* The fills of all phases, one phase after the other. */
static rind_error emit_phases(rind_schedule *schedule, rind_template_set *set,
                              const int32_t *template_of, int64_t num_link_fills,
                              rind_fill_list *list) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  RIND_TRY(rind_fill_list_reserve(list, num_link_fills));
  for (int phase = 0; phase < schedule->num_phases; ++phase) {
    schedule->first_fill[phase] = list->num;
    switch (schedule->phase[phase].kind) {
    case RIND_PHASE_CORNERS:
      RIND_TRY(rind_corners_emit(arrays, set, phase, list));
      break;
    case RIND_PHASE_WALLS:
      RIND_TRY(rind_walls_emit(arrays, set, phase, schedule->phase[phase].axis, list));
      break;
    default:
      emit_links(arrays, set, template_of, phase, list);
    }
  }
  schedule->first_fill[schedule->num_phases] = list->num;
  return RIND_OK;
}

/* Gives back what growing took too much; the old array serves if that fails. */
static void *trim(void *array, int count, size_t bytes) {
  void *smaller = count > 0 ? realloc(array, (size_t)count * bytes) : NULL;
  return smaller ? smaller : array;
}

/* Patterns and fills; what is made so far stays in set and schedule on errors. */
static rind_error build(rind_schedule *schedule, rind_template_set *set, int32_t *template_of) {
  rind_context *context = schedule->context;
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  rind_fill_list list = {0};
  int64_t num_link_fills = 0;
  list_phases(schedule);
  rind_error error = find_templates(arrays, set, template_of, &num_link_fills);
  if (error == RIND_OK) error = emit_phases(schedule, set, template_of, num_link_fills, &list);
  schedule->fill = trim(list.fill, list.num, sizeof *list.fill);
  schedule->num_fills = list.num;
  RIND_REQUIRE(context, error == RIND_OK, error,
               "the rows of a schedule: %s, after %d of them and %d fills", rind_error_text(error),
               set->num_patterns, list.num);
  schedule->num_patterns = set->num_patterns;
  schedule->pattern = trim(set->pattern, set->num_patterns, sizeof *set->pattern);
  schedule->num_terms = set->num_terms;
  schedule->term = trim(set->term, set->num_terms, sizeof *set->term);
  set->pattern = NULL;
  set->term = NULL;
  return RIND_OK;
}

/* The schedule's own copies of what the rules point at. */
rind_error rind_schedule_copy_rules(rind_context *context, const rind_rules *from, rind_rules *to) {
  *to = *from;
  to->component_wall = NULL;
  to->taps = NULL;
  if (from->component_wall) {
    const size_t bytes = (size_t)from->num_components * sizeof *from->component_wall;
    rind_wall(*copy)[6] = rind_allocate((size_t)from->num_components, sizeof *copy);
    RIND_REQUIRE(context, copy, RIND_ERROR_MEMORY, "no memory for the walls of %d components",
                 from->num_components);
    memcpy(copy, from->component_wall, bytes);
    to->component_wall = (const rind_wall(*)[6])copy;
  }
  if (from->interpolation == RIND_INTERPOLATION_USER) {
    rind_taps *copy = rind_allocate(1, sizeof *copy);
    RIND_REQUIRE(context, copy, RIND_ERROR_MEMORY, "no memory for the user's taps");
    *copy = *from->taps;
    to->taps = copy;
  }
  return RIND_OK;
}

static rind_error create(const rind_forest *forest, int cells, int ghosts, const rind_rules *rules,
                         rind_schedule **made) {
  rind_context *context = rind_forest_context(forest);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  RIND_TRY(rind_forest_check(forest));
  RIND_TRY(rind_schedule_check_sizes(forest, cells, ghosts));
  RIND_TRY(rind_schedule_check_rules(forest, rules, cells, ghosts));
  RIND_TRY(rind_schedule_check_links(forest, cells, ghosts, rules));
  rind_schedule *schedule = *made = rind_allocate(1, sizeof *schedule);
  int32_t *template_of =
      rind_allocate((size_t)arrays->first_link[arrays->num_local], sizeof *template_of);
  if (!schedule || !template_of) {
    free(template_of);
    return rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a schedule of %d links",
                             arrays->first_link[arrays->num_local]);
  }
  *schedule = (rind_schedule){.forest = forest,
                              .context = context,
                              .revision = rind_forest_revision(forest),
                              .dim = arrays->dim,
                              .cells = cells,
                              .ghosts = ghosts,
                              .num_local = arrays->num_local};
  rind_error error = rind_schedule_copy_rules(context, rules, &schedule->rules);
  if (rules->layers == 0) schedule->rules.layers = ghosts;
  rind_template_set set = {.dim = arrays->dim, .cells = cells, .rules = schedule->rules};
  if (error == RIND_OK) error = build(schedule, &set, template_of);
  rind_template_set_free(&set);
  free(template_of);
  return error;
}

rind_error rind_schedule_create(const rind_forest *forest, int cells, int ghosts,
                                const rind_rules *rules, rind_schedule **schedule) {
  if (!forest) return RIND_ERROR_INVALID;
  rind_context *context = rind_forest_context(forest);
  const rind_rules recommended = {0};
  rind_schedule *made = NULL;
  rind_range_begin("rind schedule create");
  rind_error error = RIND_CHECK_RESULT(context, schedule);
  if (error == RIND_OK) error = create(forest, cells, ghosts, rules ? rules : &recommended, &made);
  rind_range_end();
  error = rind_context_agree(context, error);
  if (error != RIND_OK)
    rind_schedule_destroy(&made);
  else
    *schedule = made;
  return error;
}

void rind_schedule_destroy(rind_schedule **schedule) {
  if (!schedule || !*schedule) return;
  free((*schedule)->pattern);
  free((*schedule)->term);
  free((*schedule)->fill);
  free((*schedule)->set);
  free((*schedule)->run);
  free((void *)(*schedule)->rules.component_wall);
  free((void *)(*schedule)->rules.taps);
  free(*schedule);
  *schedule = NULL;
}
