/* walls.c - fills behind the walls of one axis. */
#include <core.h>
#include <phases.h>

rind_error rind_walls_emit(const rind_forest_arrays *arrays, rind_template_set *set, int phase,
                           int axis, rind_fill_list *list) {
  (void)arrays, (void)set, (void)phase, (void)axis, (void)list;
  return RIND_OK;
}
