/* components.h - which components of a field a row runs over, and where it reads them: vectors turn
 * with the axes of the blocks. */
#pragma once
#include <schedule_data.h>
#include <stdbool.h>

/* A field's components. */
typedef struct rind_components {
  int first; /* number of component 0 among all fields' of the exchange */
  int count;
  int8_t *vector_axis; /* [count], axis along which the component points, -1: a scalar; NULL: all
                          are scalars */
} rind_components;

/* Components first to first + count - 1, read from source_first on and times sign. */
typedef struct rind_component_run {
  int first;
  int count;
  int source_first;
  double sign;
} rind_component_run;

/* The run after *run, {0} before the first; false after the last. component: of the pattern, -1 for
 * all. Along axis a of the destination runs axis[a] of the source, backwards where step[a] < 0. */
bool rind_components_next(const rind_components *components, int component, const rind_slot *source,
                          rind_component_run *run);
