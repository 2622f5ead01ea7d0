/* builder.c - makes a schedule: a template per kind of link, then a fill per pattern and link. */
#include <core.h>
#include <preconditions.h>
#include <template.h>

#include <limits.h>
#include <stdlib.h>

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

/* Fills in canonical order: by block, then by region and, links being sorted by their neighbour's
 * place, by number. */
static void emit_fills(const rind_forest_arrays *arrays, const rind_template_set *set,
                       const int32_t *template_of, rind_schedule_fill_data *fill) {
  for (int b = 0; b < arrays->num_local; ++b)
    for (int l = arrays->first_link[b]; l < arrays->first_link[b + 1]; ++l) {
      if (template_of[l] < 0) continue;
      const rind_template *of_link = &set->made[template_of[l]];
      for (int p = of_link->first; p < of_link->first + of_link->count; ++p)
        *fill++ = (rind_schedule_fill_data){p, b, arrays->link[l].neighbour};
    }
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
  int64_t num_fills = 0;
  const rind_error error = find_templates(arrays, set, template_of, &num_fills);
  RIND_REQUIRE(context, error == RIND_OK, error, "the rows of a schedule: %s, after %d of them",
               rind_error_text(error), set->num_patterns);
  RIND_REQUIRE(context, num_fills <= INT_MAX, RIND_ERROR_OVERFLOW,
               "a rank has %lld fills: at most %d they may be, use more ranks",
               (long long)num_fills, INT_MAX);
  schedule->fill = rind_allocate((size_t)num_fills, sizeof *schedule->fill);
  schedule->first_fill = rind_allocate(2, sizeof *schedule->first_fill);
  RIND_REQUIRE(context, schedule->fill && schedule->first_fill, RIND_ERROR_MEMORY,
               "no memory for %lld fills", (long long)num_fills);
  emit_fills(arrays, set, template_of, schedule->fill);
  schedule->num_phases = 1;
  schedule->num_fills = schedule->first_fill[1] = (int)num_fills;
  schedule->num_patterns = set->num_patterns;
  schedule->pattern = trim(set->pattern, set->num_patterns, sizeof *set->pattern);
  schedule->num_terms = set->num_terms;
  schedule->term = trim(set->term, set->num_terms, sizeof *set->term);
  set->pattern = NULL;
  set->term = NULL;
  return RIND_OK;
}

static rind_error create(const rind_forest *forest, int cells, int ghosts, const rind_rules *rules,
                         rind_schedule **made) {
  rind_context *context = rind_forest_context(forest);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  RIND_TRY(rind_forest_check(forest));
  RIND_TRY(rind_schedule_check_sizes(forest, cells, ghosts));
  RIND_TRY(rind_schedule_check_rules(forest, rules, ghosts));
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
                              .num_local = arrays->num_local,
                              .rules = *rules};
  if (rules->layers == 0) schedule->rules.layers = ghosts;
  rind_template_set set = {.dim = arrays->dim, .cells = cells, .rules = schedule->rules};
  const rind_error error = build(schedule, &set, template_of);
  rind_template_set_free(&set);
  free(template_of);
  return error;
}

rind_error rind_schedule_create(const rind_forest *forest, int cells, int ghosts,
                                const rind_rules *rules, rind_schedule **schedule) {
  if (!forest || !schedule) return RIND_ERROR_INVALID;
  const rind_rules recommended = {0};
  rind_schedule *made = NULL;
  rind_error error = create(forest, cells, ghosts, rules ? rules : &recommended, &made);
  error = rind_context_agree(rind_forest_context(forest), error);
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
  free((*schedule)->first_fill);
  free(*schedule);
  *schedule = NULL;
}
