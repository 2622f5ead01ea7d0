/* preconditions.h - what a caller may ask of a schedule, with a line of text for what he may not.
 */
#pragma once
#include <rind/schedule.h>

#include <stdbool.h>

/* Not collective. rules->layers may still be 0. */
rind_error rind_schedule_check_sizes(const rind_forest *forest, int cells, int ghosts);
rind_error rind_schedule_check_rules(const rind_forest *forest, const rind_rules *rules, int cells,
                                     int ghosts);
/* What depends on this rank's blocks. */
rind_error rind_schedule_check_links(const rind_forest *forest, int cells, int ghosts,
                                     const rind_rules *rules);

/* RIND_ERROR_STALE if the forest has changed since the schedule was made. */
rind_error rind_schedule_check_fresh(const rind_schedule *schedule);

/* Whether the rules ask for a region, and for anything behind a wall. */
bool rind_rules_want(const rind_rules *rules, int region);
bool rind_rules_have_walls(const rind_rules *rules);
