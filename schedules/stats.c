/* stats.c - counts of a schedule. */
#include <core.h>
#include <preconditions.h>
#include <request.h>

static int64_t pattern_cells(const rind_pattern *pattern) {
  return (int64_t)pattern->extent[0] * pattern->extent[1] * pattern->extent[2];
}

static void count_fills(const rind_schedule *schedule, rind_schedule_stats *stats) {
  for (int f = 0; f < schedule->num_fills; ++f) {
    const rind_schedule_fill_data *fill = &schedule->fill[f];
    const rind_pattern *pattern = &schedule->pattern[fill->pattern];
    const int64_t cells = pattern_cells(pattern);
    stats->terms += pattern->num_terms;
    stats->remote_fills += fill->source >= schedule->num_local;
    stats->family_fills[pattern->family] += 1;
    if (pattern->component > 0) continue;
    stats->ghost_cells += cells;
    stats->adds += cells * pattern->num_terms;
    stats->family_cells[pattern->family] += cells;
  }
}

rind_error rind_schedule_get_stats(const rind_schedule *schedule, rind_schedule_stats *stats) {
  if (!schedule) return RIND_ERROR_INVALID;
  RIND_REQUIRE(schedule->context, stats, RIND_ERROR_INVALID, "stats is NULL");
  RIND_TRY(rind_schedule_check_fresh(schedule));
  rind_schedule_stats made = {.fills = schedule->num_fills, .patterns = schedule->num_patterns};
  count_fills(schedule, &made);
  for (int phase = 0; phase < schedule->num_phases; ++phase) {
    rind_request_plan plan;
    const rind_error error = rind_request_plan_create(schedule, phase, 0, &plan);
    RIND_REQUIRE(schedule->context, error == RIND_OK, error,
                 "no memory for the requests of a schedule");
    int peers = 0;
    for (int peer = 0; peer < plan.num_peers; ++peer) {
      made.receive_cells += plan.num_cells[peer];
      peers += plan.num_cells[peer] > 0;
    }
    if (peers > made.peers) made.peers = peers;
    rind_request_plan_destroy(&plan);
  }
  const rind_rules *rules = &schedule->rules;
  if (rules->component_wall)
    made.metadata_bytes += rules->num_components * (int64_t)sizeof *rules->component_wall;
  if (rules->taps) made.metadata_bytes += (int64_t)sizeof *rules->taps;
  made.metadata_bytes += (int64_t)sizeof *schedule +
                         (int64_t)schedule->num_patterns * (int64_t)sizeof *schedule->pattern +
                         (int64_t)schedule->num_terms * (int64_t)sizeof *schedule->term +
                         (int64_t)schedule->num_fills * (int64_t)sizeof *schedule->fill;
  *stats = made;
  return RIND_OK;
}
