/* on_device.c - copies gathers and tables to the device, and enqueues them. */
#include <on_device.h>

#include <device_gather.h>
#include <device_memory.h>
#include <ranges.h>

static rind_error check(const rind_exchange *exchange, int code, const char *what) {
  RIND_REQUIRE(exchange->context, code == 0, RIND_ERROR_DEVICE, "%s failed on the device: %s", what,
               rind_device_error_text(code));
  return RIND_OK;
}

int rind_exchange_open_call(const rind_exchange *exchange, const char *name) {
  rind_range_begin(name);
  return rind_context_enter_device(exchange->context, rind_exchange_space(exchange));
}

void rind_exchange_close_call(int before) {
  rind_context_leave_device(before);
  rind_range_end();
}

rind_error rind_exchange_copy_table(const rind_exchange *exchange, const void *table, size_t count,
                                    void ***copy) {
  void *memory = NULL;
  if (rind_exchange_space(exchange) == RIND_HOST || !table) return RIND_OK;
  const size_t bytes = count * sizeof **copy;
  RIND_TRY(rind_space_allocate(exchange->context, RIND_DEVICE, bytes, &memory));
  *copy = memory;
  return check(exchange, rind_device_copy(memory, table, bytes), "copying a table of addresses");
}

rind_program_frame rind_exchange_frame(const rind_layout *layout, bool same_blocks) {
  enum { SECTOR_BYTES = 32 };
  const ptrdiff_t origin = rind_layout_interior_offset(layout);
  const ptrdiff_t elements = (ptrdiff_t)rind_layout_block_elements(layout);
  const ptrdiff_t bytes = (ptrdiff_t)rind_type_bytes(layout->type);
  rind_program_frame frame = {.lowest = -origin, .elements = elements, .same_blocks = same_blocks};
  ptrdiff_t cells = layout->components;
  for (int a = 0; a < layout->dim; ++a)
    cells *= layout->cells + 2 * (ptrdiff_t)layout->ghosts;
  if (layout->storage == RIND_PACKED) frame.block_stride = layout->block_stride;
  const bool begins_sectors =
      layout->storage == RIND_BLOCKS || layout->block_stride * bytes % SECTOR_BYTES == 0;
  if (cells == elements && begins_sectors && elements <= INT32_MAX) {
    frame.sector = (int32_t)(SECTOR_BYTES / bytes);
    frame.phase = (int32_t)(origin % frame.sector);
  }
  return frame;
}

rind_program_frame rind_exchange_zeros_frame(const rind_layout *layout) {
  rind_program_frame frame = rind_exchange_frame(layout, true);
  frame.sector = 0;
  return frame;
}

rind_error rind_exchange_copy_whole(const rind_exchange *exchange, const rind_program_frame *frame,
                                    rind_bound *bound) {
  if (rind_exchange_space(exchange) == RIND_HOST || bound->num_fills == 0) return RIND_OK;
  const rind_gather gather = rind_bound_gather(bound);
  return check(exchange, rind_device_gather_create(&gather, NULL, 0, 0, frame, &bound->device),
               "copying rows");
}

rind_error rind_exchange_copy_bound(const rind_exchange *exchange, rind_bound *bound) {
  return rind_exchange_copy_whole(exchange, NULL, bound);
}

static rind_error copy_part(const rind_exchange *exchange, const rind_exchange_phase *phase,
                            int f) {
  rind_exchange_part *part = &phase->part[f];
  const rind_program_frame frame =
      rind_exchange_frame(&exchange->field[f].layout, phase->kind != RIND_PHASE_WALLS);
  RIND_TRY(rind_exchange_copy_bound(exchange, &part->pack));
  RIND_TRY(rind_exchange_copy_whole(exchange, &frame, &part->local));
  RIND_TRY(rind_exchange_copy_bound(exchange, &part->remote));
  if (phase->messages.num_peers == 0) return RIND_OK;
  RIND_TRY(
      rind_exchange_copy_table(exchange, part->pack_to, part->num_packed, &part->device_pack_to));
  return rind_exchange_copy_table(exchange, part->remote_source, part->num_requested,
                                  &part->device_remote_source);
}

/* The values, and where those of each wall begin. */
static rind_error copy_walls(rind_exchange *exchange, int f) {
  rind_exchange_field *field = &exchange->field[f];
  const size_t count = 6 * (size_t)field->components.count;
  void *memory = NULL;
  RIND_TRY(rind_space_allocate(exchange->context, RIND_DEVICE, count * sizeof(double), &memory));
  field->device_wall_value = memory;
  const double *start[6];
  for (int wall = 0; wall < 6; ++wall)
    start[wall] = field->device_wall_value + (ptrdiff_t)wall * field->components.count;
  RIND_TRY(rind_exchange_copy_table(exchange, start, 6, &field->device_wall_start));
  return rind_exchange_copy_wall_values(exchange, f);
}

rind_error rind_exchange_copy_wall_values(rind_exchange *exchange, int f) {
  rind_exchange_field *field = &exchange->field[f];
  if (!field->device_wall_value) return RIND_OK;
  RIND_TRY(rind_context_wait(exchange->context));
  const size_t bytes = 6 * (size_t)field->components.count * sizeof *field->wall_value;
  const int before = rind_context_enter_device(exchange->context, RIND_DEVICE);
  const int code = rind_device_copy(field->device_wall_value, field->wall_value, bytes);
  rind_context_leave_device(before);
  return check(exchange, code, "copying the walls' values");
}

rind_error rind_exchange_copy_to_device(rind_exchange *exchange) {
  if (rind_exchange_space(exchange) == RIND_HOST) return RIND_OK;
  for (int f = 0; f < exchange->num_fields; ++f) {
    RIND_TRY(copy_walls(exchange, f));
    for (int p = 0; p < exchange->num_phases; ++p)
      RIND_TRY(copy_part(exchange, &exchange->phase[p], f));
  }
  return RIND_OK;
}

void rind_exchange_free_device(rind_exchange *exchange) {
  for (int p = 0; p < exchange->num_phases; ++p)
    for (int f = 0; f < exchange->num_fields; ++f) {
      rind_space_free(RIND_DEVICE, exchange->phase[p].part[f].device_pack_to);
      rind_space_free(RIND_DEVICE, exchange->phase[p].part[f].device_remote_source);
    }
  for (int f = 0; f < exchange->num_fields; ++f) {
    rind_space_free(RIND_DEVICE, exchange->field[f].device_wall_value);
    rind_space_free(RIND_DEVICE, exchange->field[f].device_wall_start);
  }
}

rind_error rind_exchange_enqueue(const rind_exchange *exchange, const rind_bound *bound, int first,
                                 int last, void *const *to, const void *const *own,
                                 const void *const *source) {
  if (first == last) return RIND_OK;
  return check(
      exchange,
      rind_device_gather_run(bound->device, first, last, to, own, source, exchange->stream),
      "a gather");
}
