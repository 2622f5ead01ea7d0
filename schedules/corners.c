/* corners.c - fills of irregular corners and edges: regions that no block, or several, lie across.
 */
#include <core.h>
#include <phases.h>

rind_error rind_corners_emit(const rind_forest_arrays *arrays, rind_template_set *set, int phase,
                             rind_fill_list *list) {
  (void)arrays, (void)set, (void)phase, (void)list;
  return RIND_OK;
}
