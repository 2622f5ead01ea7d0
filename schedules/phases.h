/* phases.h - the builder's list of fills, and the phases that are not rows between blocks. */
#pragma once
#include <template.h>

/* Fills under construction. */
typedef struct rind_fill_list {
  rind_schedule_fill_data *fill; /* [num], room for max */
  int num, max;
} rind_fill_list;

/* Room for more fills. RIND_ERROR_MEMORY, RIND_ERROR_OVERFLOW beyond INT_MAX fills; without text.
 */
rind_error rind_fill_list_reserve(rind_fill_list *list, int64_t more);

/* Adds the fills of irregular corners: regions that have no link and touch no wall. Errors as
 * above. */
rind_error rind_corners_emit(const rind_forest_arrays *arrays, rind_template_set *set, int phase,
                             rind_fill_list *list);

/* Whether any local block has an irregular corner. */
bool rind_corners_any(const rind_forest_arrays *arrays);

/* Adds the fills behind the walls of an axis. Errors as above. */
rind_error rind_walls_emit(const rind_forest_arrays *arrays, rind_template_set *set, int phase,
                           int axis, rind_fill_list *list);

/* A schedule's own copy of rules; what they point at is freed by rind_schedule_destroy. */
rind_error rind_schedule_copy_rules(rind_context *context, const rind_rules *from, rind_rules *to);
