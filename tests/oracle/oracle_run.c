/* oracle_run.c - from a scene to a field with an exchange, and back. */
#include <stdio.h>
#include <string.h>

#include "oracle_scene.h"

static bool failed(scene_run *run) {
  snprintf(run->text, sizeof run->text, "%.250s", rind_last_error(run->context));
  return false;
}

bool scene_open_forest(scene *s, const scene_source *source, scene_run *run) {
  memset(run, 0, sizeof *run);
  const rind_context_options options = {.threads = s->threads > 0 ? s->threads : 1};
  if (rind_context_create(MPI_COMM_WORLD, &options, &run->context) != RIND_OK) {
    snprintf(run->text, sizeof run->text, "no context");
    return false;
  }
  rind_error error = RIND_OK;
  if (source->elements != NULL) {
    error = scene_create_elements(run->context, s, source->elements, source->path, &run->mesh,
                                  &run->forest);
  } else if (source->name == NULL) {
    error = scene_create_forest(run->context, s, &run->forest);
  } else {
    error = (s->brick.dim == 2 ? scene_wrap_trees_2d : scene_wrap_trees_3d)(
        run->context, s, source->name, source->numbers, &run->mesh, &run->forest);
  }
  if (error != RIND_OK) return failed(run);
  run->judge =
      run->mesh.trees != NULL
          ? oracle_create_glued(MPI_COMM_WORLD, run->forest, run->mesh.trees, s->cells, run->text)
          : oracle_create(MPI_COMM_WORLD, run->forest, &s->brick, s->cells, run->text);
  return run->judge != NULL;
}

bool scene_open_exchange(const scene *s, const rind_rules *rules,
                         const rind_exchange_options *options, scene_run *run) {
  rind_error error = scene_create_field(run->forest, s, &run->memory, &run->field);
  if (!error) {
    error = rind_schedule_create(run->forest, s->cells, s->ghosts, rules, &run->schedule);
  }
  if (!error) {
    error = rind_exchange_create(run->schedule, &run->memory.layout, options, &run->exchange);
  }
  return error ? failed(run) : true;
}

void scene_close(scene_run *run) {
  oracle_destroy(run->judge);
  rind_exchange_destroy(&run->exchange);
  rind_schedule_destroy(&run->schedule);
  rind_field_destroy(&run->field);
  scene_free_memory(&run->memory);
  rind_forest_destroy(&run->forest);
  scene_free_mesh(&run->mesh);
  rind_context_destroy(&run->context);
}
