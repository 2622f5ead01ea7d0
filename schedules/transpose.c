/* transpose.c - the adjoint of a schedule: phases in reverse, and in each the runs of its links.
 *
 * The fills of one destination, region and source follow each other in the canonical order. So a
 * block's contributions of one link come before or after all of another's, and the adjoint runs
 * link by link: row sets are made once for each distinct list of patterns. */
#include <transpose.h>

#include <core.h>
#include <limits.h>
#include <phases.h>
#include <preconditions.h>
#include <stdlib.h>
#include <transpose_sets.h>

typedef struct transposer {
  const rind_schedule *forward;
  uint32_t families;
  rind_row_sets sets;
  int num_runs, max_runs;
  rind_run_data *run;
  int32_t *pattern; /* [forward fills of a phase], scratch */
} transposer;

static rind_error add_run(transposer *t, rind_set_kind kind, bool takes, const int32_t *pattern,
                          int count, int32_t block, int32_t source) {
  int32_t set;
  RIND_TRY(rind_row_sets_find(&t->sets, kind, takes, pattern, count, &set));
  if (t->sets.set[set].count == 0) return RIND_OK;
  void *runs = t->run;
  RIND_TRY(rind_transpose_grow(&runs, (int64_t)t->num_runs + 1, &t->max_runs, sizeof *t->run));
  t->run = runs;
  t->run[t->num_runs++] = (rind_run_data){.set = set, .block = block, .source = source};
  return RIND_OK;
}

/* Fills of one destination, region and source, and of families that are asked for. */
typedef struct link_fills {
  int first, end;         /* forward fills */
  const int32_t *pattern; /* [count] */
  int count;
  bool reads_own;
  bool reads_source;
  bool copies; /* all of them */
} link_fills;

static bool has_slot(const rind_schedule *forward, const rind_pattern *pattern, int slot) {
  for (int t = 0; t < pattern->num_terms; ++t)
    if (forward->term[pattern->first_term + t].slot == slot) return true;
  return false;
}

/* The link that ends with fill end - 1. Fills of the caller's function are on their own. */
static link_fills link_before(transposer *t, int begin, int end) {
  const rind_schedule *forward = t->forward;
  const rind_schedule_fill_data *fill = forward->fill, *last = &fill[end - 1];
  const rind_pattern *like = &forward->pattern[last->pattern];
  link_fills link = {.first = end - 1, .end = end, .pattern = t->pattern, .copies = true};
  while (link.first > begin && like->family != RIND_FAMILY_FUNCTION) {
    const rind_schedule_fill_data *before = &fill[link.first - 1];
    const rind_pattern *pattern = &forward->pattern[before->pattern];
    if (before->block != last->block || before->source != last->source ||
        pattern->region != like->region || pattern->family == RIND_FAMILY_FUNCTION)
      break;
    --link.first;
  }
  for (int f = link.first; f < end; ++f) {
    const rind_pattern *pattern = &forward->pattern[fill[f].pattern];
    if (!(t->families >> pattern->family & 1u)) continue;
    t->pattern[link.count++] = fill[f].pattern;
    link.reads_own = link.reads_own || has_slot(forward, pattern, RIND_SLOT_OWN);
    link.reads_source = link.reads_source || has_slot(forward, pattern, RIND_SLOT_SOURCE);
    link.copies = link.copies && pattern->family == RIND_FAMILY_COPY;
  }
  return link;
}

/* True if the link's only run takes its ghosts itself. */
static bool takes_ghosts(const transposer *t, const link_fills *link) {
  return link->copies && t->forward->fill[link->first].source < t->forward->num_local;
}

static rind_error add_link(transposer *t, const link_fills *link) {
  const rind_schedule_fill_data *fill = &t->forward->fill[link->first];
  const int32_t *pattern = link->pattern;
  if (link->count == 0) return RIND_OK;
  if (t->forward->pattern[pattern[0]].family == RIND_FAMILY_FUNCTION)
    return add_run(t, RIND_SET_FUNCTION, false, pattern, link->count, fill->block, fill->block);
  if (link->reads_source && fill->source == fill->block)
    return add_run(t, RIND_SET_SELF, takes_ghosts(t, link), pattern, link->count, fill->block,
                   fill->block);
  if (link->reads_source)
    RIND_TRY(add_run(t, RIND_SET_SOURCE, takes_ghosts(t, link), pattern, link->count, fill->source,
                     fill->block));
  if (link->reads_own)
    RIND_TRY(add_run(t, RIND_SET_OWN, false, pattern, link->count, fill->block, fill->block));
  return RIND_OK;
}

/* Sorts the runs from first on by block; those of a block stay in their order. */
static rind_error sort_runs(transposer *t, int first) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(t->forward->forest);
  const int num_blocks = arrays->num_local + arrays->num_remote, count = t->num_runs - first;
  int32_t *block = rind_allocate((size_t)count, sizeof *block);
  for (int r = 0; block && r < count; ++r)
    block[r] = t->run[first + r].block;
  const bool sorted =
      block && rind_sort_by_place(t->run + first, count, sizeof *t->run, block, num_blocks, NULL);
  free(block);
  return sorted ? RIND_OK : RIND_ERROR_MEMORY;
}

/* The runs of a phase, last link first. */
static rind_error add_phase(transposer *t, int phase) {
  const rind_schedule *forward = t->forward;
  const int begin = forward->first_fill[phase], first = t->num_runs;
  for (int end = forward->first_fill[phase + 1]; end > begin;) {
    const link_fills link = link_before(t, begin, end);
    RIND_TRY(add_link(t, &link));
    end = link.first;
  }
  return t->num_runs > first ? sort_runs(t, first) : RIND_OK;
}

/* The ghosts of a phase that no run has taken, block by block. */
static rind_error add_clear(transposer *t, int phase, int32_t *pattern) {
  const rind_schedule *forward = t->forward;
  const int begin = forward->first_fill[phase], first = t->num_runs;
  int count = 0;
  for (int end = forward->first_fill[phase + 1]; end > begin;) {
    const link_fills link = link_before(t, begin, end);
    const int32_t block = forward->fill[link.first].block;
    if (!takes_ghosts(t, &link))
      for (int p = 0; p < link.count; ++p)
        pattern[count++] = link.pattern[p];
    end = link.first;
    const bool done = end == begin || forward->fill[end - 1].block != block;
    if (!done || count == 0) continue;
    RIND_TRY(add_run(t, RIND_SET_CLEAR, false, pattern, count, block, -1));
    count = 0;
  }
  return t->num_runs > first ? sort_runs(t, first) : RIND_OK;
}

/* Counts the patterns of the runs of a phase, from first_run on. */
static rind_error count_fills(transposer *t, rind_schedule *adjoint) {
  int64_t fills = adjoint->first_fill[t->sets.phase];
  for (int r = adjoint->first_run[t->sets.phase]; r < t->num_runs; ++r) {
    t->run[r].first_fill = (int32_t)fills;
    fills += t->sets.set[t->run[r].set].count;
    if (fills > INT_MAX) return RIND_ERROR_OVERFLOW;
  }
  adjoint->first_fill[t->sets.phase + 1] = (int)fills;
  adjoint->first_run[t->sets.phase + 1] = t->num_runs;
  return RIND_OK;
}

static rind_error add_phases(transposer *t, rind_schedule *adjoint) {
  const rind_schedule *forward = t->forward;
  int most = 0;
  for (int p = 0; p < forward->num_phases; ++p) {
    const int fills = forward->first_fill[p + 1] - forward->first_fill[p];
    if (fills > most) most = fills;
  }
  int32_t *scratch = rind_allocate(2 * (size_t)most, sizeof *scratch);
  t->pattern = scratch;
  rind_error error = scratch ? RIND_OK : RIND_ERROR_MEMORY;
  for (int p = forward->num_phases - 1; p >= 0 && error == RIND_OK; --p) {
    adjoint->phase[t->sets.phase] = forward->phase[p];
    error = add_phase(t, p);
    if (error == RIND_OK) error = count_fills(t, adjoint);
    adjoint->phase[++t->sets.phase] = (rind_phase){RIND_PHASE_CLEAR, -1};
    if (error == RIND_OK) error = add_clear(t, p, scratch + most);
    if (error == RIND_OK) error = count_fills(t, adjoint);
    ++t->sets.phase;
  }
  adjoint->num_phases = t->sets.phase;
  free(scratch);
  return error;
}

/* Gives back what growing took too much; the old array serves if that fails. */
static void *trim(void *array, int count, size_t bytes) {
  void *smaller = count > 0 ? realloc(array, (size_t)count * bytes) : NULL;
  return smaller ? smaller : array;
}

/* The arrays become the adjoint's. */
static void hand_over(transposer *t, rind_schedule *adjoint) {
  adjoint->num_patterns = t->sets.rows.num_patterns;
  adjoint->pattern =
      trim(t->sets.rows.pattern, t->sets.rows.num_patterns, sizeof *adjoint->pattern);
  adjoint->num_terms = t->sets.rows.num_terms;
  adjoint->term = trim(t->sets.rows.term, t->sets.rows.num_terms, sizeof *adjoint->term);
  adjoint->num_sets = t->sets.num_sets;
  adjoint->set = trim(t->sets.set, t->sets.num_sets, sizeof *adjoint->set);
  adjoint->num_runs = t->num_runs;
  adjoint->run = trim(t->run, t->num_runs, sizeof *adjoint->run);
  adjoint->num_fills = adjoint->first_fill[adjoint->num_phases];
  t->sets.rows.pattern = NULL;
  t->sets.rows.term = NULL;
  t->sets.set = NULL;
  t->run = NULL;
}

static rind_error transpose(transposer *t, rind_transpose_form form, rind_schedule *adjoint) {
  rind_error error = rind_row_sets_begin(t->forward, form, &t->sets);
  if (error == RIND_OK) error = add_phases(t, adjoint);
  if (error == RIND_OK) hand_over(t, adjoint);
  rind_row_sets_free(&t->sets);
  free(t->run);
  return error;
}

rind_error rind_schedule_transpose(const rind_schedule *schedule, uint32_t families,
                                   rind_transpose_form form, rind_schedule **adjoint) {
  rind_context *context = schedule->context;
  RIND_TRY(rind_schedule_check_fresh(schedule));
  RIND_REQUIRE(context, !schedule->is_adjoint, RIND_ERROR_INVALID,
               "the schedule is an adjoint: its adjoint is the schedule that it was made of");
  rind_schedule *made = rind_allocate(1, sizeof *made);
  RIND_REQUIRE(context, made, RIND_ERROR_MEMORY, "no memory for a schedule");
  *made = (rind_schedule){.forest = schedule->forest,
                          .context = context,
                          .revision = schedule->revision,
                          .dim = schedule->dim,
                          .cells = schedule->cells,
                          .ghosts = schedule->ghosts,
                          .num_local = schedule->num_local,
                          .is_adjoint = true};
  rind_error error = rind_schedule_copy_rules(context, &schedule->rules, &made->rules);
  transposer t = {.forward = schedule, .families = families ? families : UINT32_MAX};
  if (error == RIND_OK) {
    error = transpose(&t, form, made);
    if (error != RIND_OK)
      rind_context_fail(context, error, "the adjoint of %d fills: %s", schedule->num_fills,
                        rind_error_text(error));
  }
  if (error != RIND_OK)
    rind_schedule_destroy(&made);
  else
    *adjoint = made;
  return error;
}

rind_error rind_schedule_adjoint(const rind_schedule *schedule, rind_schedule **adjoint) {
  if (!schedule) return RIND_ERROR_INVALID;
  rind_schedule *made = NULL;
  rind_error error = RIND_CHECK_RESULT(schedule->context, adjoint);
  if (error == RIND_OK) error = rind_schedule_transpose(schedule, 0, RIND_TRANSPOSE_MERGED, &made);
  error = rind_context_agree(schedule->context, error);
  if (error != RIND_OK)
    rind_schedule_destroy(&made);
  else
    *adjoint = made;
  return error;
}

int rind_schedule_is_adjoint(const rind_schedule *schedule) {
  return schedule && schedule->is_adjoint;
}

const rind_run_data *rind_run_of_fill(const rind_schedule *adjoint, int fill) {
  int low = 0, high = adjoint->num_runs - 1;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (adjoint->run[middle].first_fill <= fill)
      low = middle;
    else
      high = middle - 1;
  }
  return &adjoint->run[low];
}
