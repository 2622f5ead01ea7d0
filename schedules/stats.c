/* stats.c - counts of a schedule. */
#include <core.h>
#include <preconditions.h>
#include <request.h>
#include <transpose.h>

#include <stdlib.h>

static int64_t pattern_cells(const rind_pattern *pattern) {
  return (int64_t)pattern->extent[0] * pattern->extent[1] * pattern->extent[2];
}

static void count_fills(const rind_schedule *schedule, rind_schedule_stats *stats) {
  for (int f = 0; f < schedule->num_fills; ++f) {
    const rind_schedule_fill_data fill = rind_fill_data(schedule, f);
    const rind_pattern *pattern = &schedule->pattern[fill.pattern];
    const int64_t cells = pattern_cells(pattern);
    stats->terms += pattern->num_terms;
    stats->remote_fills += (schedule->is_adjoint ? fill.block : fill.source) >= schedule->num_local;
    stats->family_fills[pattern->family] += 1;
    if (pattern->component > 0) continue;
    stats->ghost_cells += cells;
    stats->adds += cells * pattern->num_terms;
    stats->family_cells[pattern->family] += cells;
  }
}

/* What other ranks send for each phase. */
static rind_error count_receives(const rind_schedule *schedule, rind_schedule_stats *stats) {
  for (int phase = 0; phase < schedule->num_phases; ++phase) {
    rind_request_plan plan;
    const rind_error error = rind_request_plan_create(schedule, phase, 0, &plan);
    RIND_REQUIRE(schedule->context, error == RIND_OK, error,
                 "no memory for the requests of a schedule");
    int peers = 0;
    for (int peer = 0; peer < plan.num_peers; ++peer) {
      stats->receive_cells += plan.num_cells[peer];
      peers += plan.num_cells[peer] > 0;
    }
    if (peers > stats->peers) stats->peers = peers;
    rind_request_plan_destroy(&plan);
  }
  return RIND_OK;
}

static int compare_ranks(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* What an adjoint sends to the owners of other ranks' blocks. */
static rind_error count_sends(const rind_schedule *adjoint, rind_schedule_stats *stats) {
  const rind_block *block = rind_forest_get_arrays(adjoint->forest)->block;
  int32_t *owner = rind_allocate((size_t)adjoint->num_runs, sizeof *owner);
  RIND_REQUIRE(adjoint->context, owner, RIND_ERROR_MEMORY, "no memory for the owners of %d runs",
               adjoint->num_runs);
  int num_owners = 0;
  for (int r = 0; r < adjoint->num_runs; ++r) {
    const rind_run_data *run = &adjoint->run[r];
    if (run->block < adjoint->num_local) continue;
    const int32_t *extent = adjoint->set[run->set].extent;
    stats->receive_cells += (int64_t)extent[0] * extent[1] * extent[2];
    owner[num_owners++] = block[run->block].owner;
  }
  qsort(owner, (size_t)num_owners, sizeof *owner, compare_ranks);
  for (int i = 0; i < num_owners; ++i)
    stats->peers += i == 0 || owner[i] != owner[i - 1];
  free(owner);
  return RIND_OK;
}

static int64_t metadata_bytes(const rind_schedule *schedule) {
  const rind_rules *rules = &schedule->rules;
  size_t bytes = sizeof *schedule + (size_t)schedule->num_patterns * sizeof *schedule->pattern +
                 (size_t)schedule->num_terms * sizeof *schedule->term;
  if (rules->component_wall) bytes += (size_t)rules->num_components * sizeof *rules->component_wall;
  if (rules->taps) bytes += sizeof *rules->taps;
  if (schedule->is_adjoint)
    bytes += (size_t)schedule->num_sets * sizeof *schedule->set +
             (size_t)schedule->num_runs * sizeof *schedule->run;
  else
    bytes += (size_t)schedule->num_fills * sizeof *schedule->fill;
  return (int64_t)bytes;
}

rind_error rind_schedule_get_stats(const rind_schedule *schedule, rind_schedule_stats *stats) {
  if (!schedule) return RIND_ERROR_INVALID;
  RIND_REQUIRE(schedule->context, stats, RIND_ERROR_INVALID, "stats is NULL");
  RIND_TRY(rind_schedule_check_fresh(schedule));
  rind_schedule_stats made = {.fills = schedule->num_fills,
                              .patterns = schedule->num_patterns,
                              .metadata_bytes = metadata_bytes(schedule)};
  count_fills(schedule, &made);
  if (schedule->is_adjoint)
    RIND_TRY(count_sends(schedule, &made));
  else
    RIND_TRY(count_receives(schedule, &made));
  *stats = made;
  return RIND_OK;
}
