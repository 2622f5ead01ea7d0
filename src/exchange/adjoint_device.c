/* adjoint_device.c - copies the adjoint's gathers to the device: batches there have stages, so that
 * rows of one link run side by side and links one after the other. */
#include <adjoint_data.h>

#include <device_gather.h>
#include <device_memory.h>
#include <on_device.h>
#include <stdlib.h>

/* Stages are the links, or, for rows of one term each, the rows. */
static bool make_stages(const rind_batches *batches, bool per_row, rind_gather_stages *stages,
                        int **memory) {
  const int num_stages = per_row ? batches->bound.num_fills : batches->num_runs;
  int *stage_fill = rind_allocate((size_t)num_stages + 1, sizeof *stage_fill);
  int *batch_stage = rind_allocate((size_t)batches->num_batches + 1, sizeof *batch_stage);
  memory[0] = stage_fill;
  memory[1] = batch_stage;
  if (!stage_fill || !batch_stage) return false;
  for (int s = 0; s <= num_stages; ++s)
    stage_fill[s] = per_row ? s : batches->run_fill[s];
  for (int b = 0, s = 0; b <= batches->num_batches; ++b) {
    while (s < num_stages && stage_fill[s] < batches->first_fill[b])
      ++s;
    batch_stage[b] = s;
  }
  *stages = (rind_gather_stages){.num_batches = batches->num_batches,
                                 .batch_stage = batch_stage,
                                 .num_stages = num_stages,
                                 .stage_fill = stage_fill};
  return true;
}

static rind_error copy_batches(const rind_exchange *exchange, int f, rind_batches *batches) {
  const rind_layout *layout = &exchange->field[f].layout;
  const bool sums = layout->type == RIND_FLOAT32;
  const bool per_row = exchange->options.adjoint_method == RIND_ADJOINT_PER_TERM;
  const rind_gather gather = rind_bound_gather(&batches->bound);
  const rind_program_frame frame = rind_exchange_frame(layout);
  rind_gather_stages stages;
  int *memory[2] = {NULL, NULL};
  if (batches->bound.num_fills == 0) return RIND_OK;
  int code = 0;
  const bool made = make_stages(batches, per_row, &stages, memory);
  if (made)
    code = rind_device_gather_create(
        &gather, &stages, sums ? (ptrdiff_t)rind_layout_block_elements(layout) : 0,
        rind_layout_interior_offset(layout), per_row ? NULL : &frame, &batches->bound.device);
  free(memory[0]);
  free(memory[1]);
  RIND_REQUIRE(exchange->context, made, RIND_ERROR_MEMORY, "no memory for stages of %d rows",
               batches->bound.num_fills);
  RIND_REQUIRE(exchange->context, code == 0, RIND_ERROR_DEVICE,
               "copying the adjoint's rows failed on the device: %s", rind_device_error_text(code));
  return RIND_OK;
}

static rind_error copy_part(const rind_exchange *exchange, const rind_adjoint_phase *phase, int f) {
  rind_adjoint_part *part = &phase->part[f];
  if (phase->kind == RIND_PHASE_CLEAR)
    return rind_exchange_copy_bound(exchange, &part->local.bound);
  RIND_TRY(copy_batches(exchange, f, &part->local));
  RIND_TRY(copy_batches(exchange, f, &part->remote));
  RIND_TRY(rind_exchange_copy_bound(exchange, &part->pack));
  if (phase->messages.num_peers == 0) return RIND_OK;
  RIND_TRY(
      rind_exchange_copy_table(exchange, part->pack_to, part->num_sent, &part->device_pack_to));
  return rind_exchange_copy_table(exchange, part->remote_source, part->num_sources,
                                  &part->device_remote_source);
}

static void forget_runs(rind_batches *batches) {
  free(batches->run_fill);
  batches->run_fill = NULL;
}

rind_error rind_adjoint_copy_to_device(rind_exchange *exchange) {
  const bool there = rind_exchange_space(exchange) == RIND_DEVICE;
  for (int p = 0; p < exchange->adjoint->num_phases; ++p)
    for (int f = 0; f < exchange->num_fields; ++f) {
      rind_adjoint_phase *phase = &exchange->adjoint->phase[p];
      if (there) RIND_TRY(copy_part(exchange, phase, f));
      forget_runs(&phase->part[f].local);
      forget_runs(&phase->part[f].remote);
    }
  return RIND_OK;
}
