/* components.c - splits a field's components into runs that one row can serve. */
#include <components.h>

static bool is_turned(const rind_slot *source) {
  for (int a = 0; a < 3; ++a)
    if (source->axis[a] != a || source->step[a] < 0) return true;
  return false;
}

static rind_component_run run_from(const rind_components *components, const rind_slot *source,
                                   int first) {
  const int8_t *axis = components->vector_axis;
  rind_component_run run = {
      .first = first, .count = components->count - first, .source_first = first, .sign = 1.0};
  if (!axis || !is_turned(source)) return run;
  if (axis[first] >= 0) {
    run.count = 1;
    run.source_first = first - axis[first] + source->axis[axis[first]];
    run.sign = source->step[axis[first]] < 0 ? -1.0 : 1.0;
    return run;
  }
  run.count = 1;
  while (first + run.count < components->count && axis[first + run.count] < 0)
    ++run.count;
  return run;
}

bool rind_components_next(const rind_components *components, int component, const rind_slot *source,
                          rind_component_run *run) {
  const bool alone = component >= 0;
  const int first = alone ? component - components->first : run->first + run->count;
  if (first < 0 || first >= components->count || (alone && run->count > 0)) return false;
  *run = run_from(components, source, first);
  if (alone) run->count = 1;
  return true;
}
