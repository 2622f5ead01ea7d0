/* wall_calls.c - the caller's functions of walls, and their adjoints. */
#include <exchange_data.h>

/* One box of the caller's for component (-1: all) of field f. */
static void call_function(const rind_exchange *exchange, const rind_schedule_fill_data *fill, int f,
                          int component, rind_field *field, rind_wall_function function) {
  const rind_schedule *schedule = exchange->schedule;
  const rind_pattern *pattern = &schedule->pattern[fill->pattern];
  const rind_block *block = &rind_forest_get_arrays(schedule->forest)->block[fill->block];
  rind_wall_call call = {.field = f,
                         .component = component,
                         .block = fill->block,
                         .wall = pattern->wall,
                         .region = pattern->region,
                         .cells = schedule->cells,
                         .pointer = field->pointer[fill->block],
                         .layout = &field->layout};
  for (int a = 0; a < 3; ++a) {
    call.origin[a] = pattern->origin[a];
    call.extent[a] = pattern->extent[a];
    call.lower[a] = block->lower[a];
    call.side[a] = block->side[a];
  }
  function(exchange->options.wall_user, &call);
}

void rind_exchange_call_functions(const rind_exchange *exchange, int phase, int f,
                                  rind_field *field, bool backwards) {
  const rind_schedule *schedule = exchange->schedule;
  const rind_exchange_phase *here = &exchange->phase[phase];
  const rind_components *components = &exchange->field[f].components;
  const rind_wall_function function =
      backwards ? exchange->options.wall_adjoint : exchange->options.wall_function;
  for (int i = 0; i < here->num_functions; ++i) {
    const int number = here->function[backwards ? here->num_functions - 1 - i : i];
    const rind_schedule_fill_data *fill = &schedule->fill[number];
    const int of_all = schedule->pattern[fill->pattern].component;
    const int component = of_all < 0 ? -1 : of_all - components->first;
    if (of_all >= 0 && (component < 0 || component >= components->count)) continue;
    call_function(exchange, fill, f, component, field, function);
  }
}
