/* solver_device.c - the solver's fields on the device: they leave it to be looked at only. */
#include "device_step.h"

#include <stdlib.h>

#include "solver_data.h"

enum { ALIGNMENT = 32 };

typedef struct device_solver {
  void *memory[2];
  rind_field *field[2]; /* the field and the stage */
  rind_exchange *exchange;
  rind_tiles *tiles; /* NULL unless ghosts are gathered */
  rind_tile_view view[2];
  device_step *step;
} device_solver;

static rind_error check(const advect_solver *s, int code, const char *what) {
  if (code == 0) return RIND_OK;
  return rind_context_fail(rind_forest_context(s->forest), RIND_ERROR_DEVICE,
                           "%s failed on the device: %s", what, device_step_text(code));
}

/* A field. Fused: rows of cells begin at whole sectors of memory, as far as strides allow, so that
 * the kernel writes whole ones; fills expect blocks to begin there. */
static rind_error make_field(const advect_solver *s, device_solver *d, int f,
                             const rind_layout *layout, bool fused) {
  const size_t bytes = rind_type_bytes(s->type);
  const size_t elements = (size_t)s->num_blocks * rind_layout_block_elements(layout);
  const size_t interior = (size_t)rind_layout_interior_offset(layout) * bytes % ALIGNMENT;
  const size_t shift = fused ? (ALIGNMENT - interior) % ALIGNMENT / 16 * 16 : 0;
  rind_error error = check(s, device_step_allocate(elements * bytes + ALIGNMENT, &d->memory[f]),
                           "allocation of a field");
  error = rind_context_agree(rind_forest_context(s->forest), error);
  if (error != RIND_OK) return error;
  error = rind_field_wrap_packed(s->forest, layout, (char *)d->memory[f] + shift, elements,
                                 &d->field[f]);
  return error != RIND_OK ? error : rind_field_copy(s->field, d->field[f]);
}

static rind_error make_step(const advect_solver *s, device_solver *d, bool fused) {
  const size_t size = rates_table_size(s->dim, s->cells);
  const device_step_options options = {.layout = rind_field_layout(d->field[0]),
                                       .num_blocks = s->num_blocks,
                                       .limited = s->limited,
                                       .fused = fused,
                                       .table_size = size};
  rind_context *context = rind_forest_context(s->forest);
  const size_t shared = device_step_shared(&options), most = device_step_most_shared();
  if (fused && shared > most)
    return rind_context_fail(context, RIND_ERROR_UNSUPPORTED,
                             "--fused-ghosts with blocks of %d cells an axis takes %zu bytes of "
                             "shared memory, the device has %zu: --cells should be less",
                             s->cells, shared, most);
  double *tables = malloc((size_t)s->num_blocks * size * sizeof *tables + 1);
  if (tables == NULL)
    return rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for the tables of %d blocks",
                             s->num_blocks);
#pragma omp parallel for num_threads(s->threads)
  for (int b = 0; b < s->num_blocks; ++b)
    rates_table(rind_forest_block(s->forest, b), s->problem, s->cells, tables + (size_t)b * size);
  const rind_error error =
      check(s, device_step_create(&options, tables, &d->step), "copying the face velocities");
  free(tables);
  return error;
}

static rind_error make_tiles(device_solver *d) {
  rind_error error = rind_tiles_create(d->exchange, 0, &d->tiles);
  for (int f = 0; f < 2 && error == RIND_OK; ++f)
    error = rind_tiles_get_view(d->tiles, d->field[f], &d->view[f]);
  return error;
}

rind_error device_solver_create(advect_solver *s, bool fused) {
  rind_context *context = rind_forest_context(s->forest);
  rind_layout layout = *rind_field_layout(s->field);
  device_solver *d = s->device = calloc(1, sizeof *d);
  rind_error error =
      d != NULL ? RIND_OK : rind_context_fail(context, RIND_ERROR_MEMORY, "no memory");
  error = rind_context_agree(context, error);
  layout.space = RIND_DEVICE;
  for (int f = 0; f < 2 && error == RIND_OK; ++f)
    error = make_field(s, d, f, &layout, fused);
  if (error == RIND_OK)
    error = rind_exchange_create(s->schedule, rind_field_layout(d->field[0]), NULL, &d->exchange);
  if (error == RIND_OK) error = rind_context_agree(context, make_step(s, d, fused));
  if (error == RIND_OK && fused) error = make_tiles(d);
  return rind_context_agree(context, error);
}

void device_solver_destroy(device_solver **device) {
  if (device == NULL || *device == NULL) return;
  device_solver *d = *device;
  rind_tiles_destroy(&d->tiles);
  rind_exchange_destroy(&d->exchange);
  device_step_destroy(&d->step);
  for (int f = 0; f < 2; ++f) {
    rind_field_destroy(&d->field[f]);
    device_step_free(d->memory[f]);
  }
  free(d);
  *device = NULL;
}

rind_error device_solver_stage(advect_solver *s, int stage, double dt) {
  device_solver *d = s->device;
  void *at[2];
  for (int f = 0; f < 2; ++f)
    at[f] = rind_field_pointer(d->field[f], 0);
  rind_error error = check(s, device_step_mark(d->step, DEVICE_MARK_BEGIN), "an event");
  if (error == RIND_OK)
    error = d->tiles != NULL ? rind_fill_remote(d->exchange, d->field[stage])
                             : rind_fill(d->exchange, d->field[stage]);
  if (error == RIND_OK) error = check(s, device_step_mark(d->step, DEVICE_MARK_FILLED), "an event");
  if (error == RIND_OK)
    error = check(s,
                  device_step_run(d->step, at[stage], stage == 1 ? at[0] : NULL, at[1 - stage], dt,
                                  d->tiles != NULL ? &d->view[stage] : NULL),
                  "a stage");
  return error != RIND_OK ? error
                          : check(s, device_step_mark(d->step, DEVICE_MARK_END), "an event");
}

rind_error device_solver_begin(advect_solver *s) {
  rind_error error = rind_field_copy(s->field, s->device->field[0]);
  if (error == RIND_OK) error = device_solver_stage(s, 0, 0);
  if (error == RIND_OK) error = device_solver_wait(s);
  s->seconds = (solver_times){0, 0};
  return rind_context_agree(rind_forest_context(s->forest), error);
}

rind_error device_solver_wait(advect_solver *s) {
  double fill = 0, compute = 0;
  const rind_error error =
      check(s, device_step_seconds(s->device->step, &fill, &compute), "a step");
  s->seconds.fill += fill;
  s->seconds.compute += compute;
  return error;
}

rind_error device_solver_fetch(advect_solver *s) {
  const rind_error error = device_solver_wait(s);
  return error != RIND_OK ? error : rind_field_copy(s->device->field[0], s->field);
}
