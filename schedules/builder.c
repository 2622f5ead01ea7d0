/* builder.c - makes a schedule: templates per kind of link, then one fill per
 * pattern and link. */
#include <core.h>
#include <rows.h>
#include <template.h>

#include <limits.h>
#include <stdlib.h>

static bool wanted(const rind_rules *rules, int region) {
  return rules->regions == RIND_REGIONS_ALL || rind_region_is_face(region);
}

static rind_error check_rules(rind_context *context, const rind_rules *rules, int ghosts) {
  RIND_REQUIRE(context, (unsigned)rules->interpolation <= RIND_INTERPOLATION_INJECTION,
               RIND_ERROR_INVALID,
               "rules have interpolation %d: quadratic (0), coarse-only (1) or "
               "injection (2) it "
               "must be",
               (int)rules->interpolation);
  RIND_REQUIRE(context, rules->restriction == RIND_RESTRICTION_AVERAGE, RIND_ERROR_INVALID,
               "rules have restriction %d: average (0) it must be", (int)rules->restriction);
  RIND_REQUIRE(context, (unsigned)rules->regions <= RIND_REGIONS_FACES, RIND_ERROR_INVALID,
               "rules have regions %d: all (0) or faces (1) it must be", (int)rules->regions);
  RIND_REQUIRE(context, rules->layers >= 0 && rules->layers <= ghosts, RIND_ERROR_INVALID,
               "rules ask for %d ghost layers of %d: 0 (all) to %d it must be", rules->layers,
               ghosts, ghosts);
  return RIND_OK;
}

static rind_error check_sizes(rind_context *context, int cells, int ghosts) {
  RIND_REQUIRE(context, ghosts >= 1, RIND_ERROR_INVALID, "%d ghost layers: at least 1 it must be",
               ghosts);
  RIND_REQUIRE(context, ghosts <= INT_MAX / 8, RIND_ERROR_OVERFLOW,
               "%d ghost layers: at most %d it must be", ghosts, INT_MAX / 8);
  RIND_REQUIRE(context, cells >= 2 * ghosts, RIND_ERROR_INVALID,
               "%d cells a block for %d ghost layers: an even number of at "
               "least %d it must be",
               cells, ghosts, 2 * ghosts);
  RIND_REQUIRE(context, cells % 2 == 0, RIND_ERROR_INVALID,
               "%d cells a block: even it must be, %d or %d would do", cells, cells - 1, cells + 1);
  RIND_REQUIRE(context, cells <= INT_MAX / 8, RIND_ERROR_OVERFLOW,
               "%d cells a block: at most %d it must be", cells, INT_MAX / 8);
  return RIND_OK;
}

/* What depends on the rank's own blocks. */
static rind_error check_links(rind_context *context, const rind_forest_arrays *arrays, int cells,
                              const rind_rules *rules) {
  RIND_REQUIRE(context,
               rules->regions == RIND_REGIONS_FACES || arrays->balance == RIND_BALANCE_FULL,
               RIND_ERROR_UNBALANCED,
               "all regions are asked of a forest that is balanced across "
               "faces only: balance it "
               "fully, or ask for faces");
  if (cells >= 4 || rules->interpolation == RIND_INTERPOLATION_INJECTION) return RIND_OK;
  for (int l = 0; l < arrays->first_link[arrays->num_local]; ++l)
    RIND_REQUIRE(context, arrays->link[l].relation >= 0 || !wanted(rules, arrays->link[l].region),
                 RIND_ERROR_INVALID,
                 "%d cells a block at a coarse-fine interface with three-point "
                 "rows: at least 4 it "
                 "must be (or interpolation by injection)",
                 cells);
  return RIND_OK;
}

/* Patterns of all links of the rank, in place of every link; counts the fills.
 */
static rind_error count_fills(rind_context *context, const rind_forest_arrays *arrays,
                              rind_template_set *set, int64_t *num_fills) {
  int64_t count = 0;
  for (int l = 0; l < arrays->first_link[arrays->num_local]; ++l) {
    if (!wanted(&set->rules, arrays->link[l].region)) continue;
    const rind_template *found;
    RIND_REQUIRE(context, rind_template_find(set, &arrays->link[l], &found), RIND_ERROR_MEMORY,
                 "no memory for the rows of a schedule");
    count += found->count;
  }
  RIND_REQUIRE(context, count <= INT_MAX, RIND_ERROR_OVERFLOW,
               "this rank has %lld fills: at most %d they can be, use more ranks", (long long)count,
               INT_MAX);
  *num_fills = count;
  return RIND_OK;
}

/* Fills in canonical order: by block, region and, links being sorted by
 * position, by number. */
static void emit_fills(const rind_forest_arrays *arrays, rind_template_set *set,
                       rind_schedule_fill_data *fill) {
  for (int b = 0; b < arrays->num_local; ++b)
    for (int l = arrays->first_link[b]; l < arrays->first_link[b + 1]; ++l) {
      const rind_link *link = &arrays->link[l];
      const rind_template *found;
      if (!wanted(&set->rules, link->region) || !rind_template_find(set, link, &found)) continue;
      for (int p = found->first; p < found->first + found->count; ++p)
        *fill++ = (rind_schedule_fill_data){p, b, link->neighbour};
    }
}

static rind_error build(const rind_forest *forest, rind_schedule *schedule) {
  rind_context *context = schedule->context;
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  rind_template_set set = {.dim = arrays->dim, .cells = schedule->cells, .rules = schedule->rules};
  int64_t num_fills = 0;
  rind_error error = count_fills(context, arrays, &set, &num_fills);
  schedule->fill = rind_allocate((size_t)num_fills, sizeof *schedule->fill);
  schedule->first_fill = rind_allocate(2, sizeof *schedule->first_fill);
  if (error == RIND_OK && (!schedule->fill || !schedule->first_fill))
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for %lld fills",
                              (long long)num_fills);
  if (error == RIND_OK) {
    emit_fills(arrays, &set, schedule->fill);
    schedule->num_phases = 1;
    schedule->num_fills = schedule->first_fill[1] = (int)num_fills;
    schedule->num_patterns = set.num_patterns;
    schedule->pattern = set.pattern;
    schedule->num_terms = set.num_terms;
    schedule->term = set.term;
    set.pattern = NULL;
    set.term = NULL;
  }
  rind_template_set_free(&set);
  return error;
}

static rind_error create(const rind_forest *forest, int cells, int ghosts, const rind_rules *rules,
                         rind_schedule **made) {
  rind_context *context = rind_forest_context(forest);
  const rind_rules asked = rules ? *rules : (rind_rules){0};
  RIND_TRY(rind_forest_check(forest));
  RIND_TRY(check_sizes(context, cells, ghosts));
  RIND_TRY(check_rules(context, &asked, ghosts));
  RIND_TRY(check_links(context, rind_forest_get_arrays(forest), cells, &asked));
  rind_schedule *schedule = rind_allocate(1, sizeof *schedule);
  RIND_REQUIRE(context, schedule, RIND_ERROR_MEMORY, "no memory for a schedule");
  *made = schedule;
  schedule->forest = forest;
  schedule->context = context;
  schedule->revision = rind_forest_revision(forest);
  schedule->dim = rind_forest_dim(forest);
  schedule->cells = cells;
  schedule->ghosts = ghosts;
  schedule->num_local = rind_forest_num_blocks(forest);
  schedule->rules = asked;
  if (schedule->rules.layers == 0) schedule->rules.layers = ghosts;
  return build(forest, schedule);
}

rind_error rind_schedule_create(const rind_forest *forest, int cells, int ghosts,
                                const rind_rules *rules, rind_schedule **schedule) {
  if (!forest || !schedule) return RIND_ERROR_INVALID;
  rind_schedule *made = NULL;
  rind_error error = create(forest, cells, ghosts, rules, &made);
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
