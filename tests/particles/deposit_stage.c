/* deposit_stage.c - a scene with a set on it and what deposits need. */
#include "deposit_stage.h"

#include <string.h>

#include <check.h>

void stage_create(MPI_Comm comm, int number, int threads, const rind_layout *layout, stage *made) {
  const rind_rules rules = {.interpolation = RIND_INTERPOLATION_INJECTION,
                            .wall = {RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN,
                                     RIND_WALL_CONSTANT, RIND_WALL_EVEN, RIND_WALL_EVEN}};
  const rind_particles_options options = {.cells = CELLS, .groups = RIND_GROUPS_CENTRES};
  cloud_given given;
  memset(made, 0, sizeof *made);
  cloud_scene_create(comm, number, threads, &made->scene);
  rind_context *context = made->scene.context;
  world_gather(made->scene.forest, &made->all);
  cloud_give(&made->scene, &made->all, TOTAL, &given);
  CHECK_OK(rind_particles_create(made->scene.forest, &given.arrays, &options, &made->set), context);
  cloud_given_free(&given);
  CHECK_OK(rind_schedule_create(made->scene.forest, CELLS, GHOSTS, &rules, &made->schedule),
           context);
  CHECK_OK(rind_exchange_create(made->schedule, layout, &(rind_exchange_options){.adjoint = true},
                                &made->exchange),
           context);
  CHECK_OK(rind_field_create(made->scene.forest, layout, &made->field), context);
}

void stage_destroy(stage *gone) {
  rind_field_destroy(&gone->field);
  rind_exchange_destroy(&gone->exchange);
  rind_schedule_destroy(&gone->schedule);
  rind_particles_destroy(&gone->set);
  world_free(&gone->all);
  cloud_scene_destroy(&gone->scene);
}

static ptrdiff_t offset_of(const rind_layout *layout, const int i[3], int component) {
  ptrdiff_t at = component * layout->component_stride;
  for (int a = 0; a < layout->dim; ++a)
    at += i[a] * layout->cell_stride[a];
  return at;
}

double get(const rind_field *field, int block, const int i[3], int component) {
  const rind_layout *layout = rind_field_layout(field);
  const ptrdiff_t at = offset_of(layout, i, component);
  const void *pointer = rind_field_pointer(field, block);
  return layout->type == RIND_FLOAT64 ? ((const double *)pointer)[at]
                                      : (double)((const float *)pointer)[at];
}

void put(rind_field *field, int block, const int i[3], int component, double value) {
  const rind_layout *layout = rind_field_layout(field);
  const ptrdiff_t at = offset_of(layout, i, component);
  void *pointer = rind_field_pointer(field, block);
  if (layout->type == RIND_FLOAT64)
    ((double *)pointer)[at] = value;
  else
    ((float *)pointer)[at] = (float)value;
}

int next_cell(int dim, int low, int high, int i[3]) {
  for (int a = 0; a < dim; ++a) {
    if (++i[a] < high) return 1;
    i[a] = low;
  }
  return 0;
}

double *interiors(const rind_field *field, int64_t *count) {
  const rind_layout *layout = rind_field_layout(field);
  const int64_t cells = layout->dim == 2 ? CELLS * CELLS : CELLS * CELLS * CELLS;
  *count = rind_field_num_blocks(field) * cells * layout->components;
  double *made = malloc((size_t)(*count + 1) * sizeof *made);
  int64_t n = 0;
  for (int b = 0; b < rind_field_num_blocks(field); ++b)
    for (int c = 0; c < layout->components; ++c) {
      int i[3] = {0, 0, 0};
      do {
        made[n++] = get(field, b, i, c);
      } while (next_cell(layout->dim, 0, CELLS, i));
    }
  return made;
}

void fill_weights(stage *on) {
  const int dim = on->scene.dim;
  for (int b = 0; b < rind_field_num_blocks(on->field); ++b) {
    const int64_t global = rind_forest_block(on->scene.forest, b)->global;
    for (int c = 0; c < COMPONENTS; ++c) {
      int i[3] = {0, 0, 0};
      do {
        const int64_t cell =
            ((global * COMPONENTS + c) * CELLS + i[0]) * CELLS * CELLS + i[1] * CELLS + i[2];
        put(on->field, b, i, c, cloud_random(91, cell) - 0.3);
      } while (next_cell(dim, 0, CELLS, i));
    }
  }
}
