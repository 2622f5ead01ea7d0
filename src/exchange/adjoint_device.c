/* adjoint_device.c - copies the adjoint's gathers to the device, where batches have stages. */
#include <adjoint_data.h>

#include <device_gather.h>
#include <device_memory.h>
#include <on_device.h>
#include <stages.h>

static rind_error copy_batches(const rind_exchange *exchange, int f, bool same_blocks,
                               rind_batches *batches) {
  const rind_layout *layout = &exchange->field[f].layout;
  const ptrdiff_t elements = (ptrdiff_t)rind_layout_block_elements(layout);
  const ptrdiff_t origin = rind_layout_interior_offset(layout);
  const bool sums = layout->type == RIND_FLOAT32;
  rind_stages stages;
  if (batches->bound.num_fills == 0) return RIND_OK;
  RIND_REQUIRE(exchange->context, rind_stages_create(batches, elements, origin, &stages),
               RIND_ERROR_MEMORY, "no memory for stages of %d rows", batches->bound.num_fills);
  const rind_gather gather = rind_bound_gather(&batches->bound);
  const rind_gather_stages there = {.num_batches = batches->num_batches,
                                    .batch_stage = stages.batch_stage,
                                    .num_stages = stages.num_stages,
                                    .stage_fill = stages.stage_fill};
  const rind_program_frame frame = rind_exchange_frame(layout, same_blocks);
  const bool per_term = exchange->options.adjoint_method == RIND_ADJOINT_PER_TERM;
  const int code = rind_device_gather_create(&gather, &there, sums ? elements : 0, origin,
                                             per_term ? NULL : &frame, &batches->bound.device);
  rind_stages_destroy(&stages);
  RIND_REQUIRE(exchange->context, code == 0, RIND_ERROR_DEVICE,
               "copying the adjoint's rows failed on the device: %s", rind_device_error_text(code));
  return RIND_OK;
}

static rind_error copy_part(const rind_exchange *exchange, const rind_adjoint_phase *phase, int f) {
  rind_adjoint_part *part = &phase->part[f];
  if (phase->kind == RIND_PHASE_CLEAR) {
    const rind_program_frame frame = rind_exchange_zeros_frame(&exchange->field[f].layout);
    return rind_exchange_copy_whole(exchange, &frame, &part->local.bound);
  }
  RIND_TRY(copy_batches(exchange, f, true, &part->local));
  RIND_TRY(copy_batches(exchange, f, false, &part->remote));
  RIND_TRY(rind_exchange_copy_bound(exchange, &part->pack));
  if (phase->messages.num_peers == 0) return RIND_OK;
  RIND_TRY(
      rind_exchange_copy_table(exchange, part->pack_to, part->num_sent, &part->device_pack_to));
  return rind_exchange_copy_table(exchange, part->remote_source, part->num_sources,
                                  &part->device_remote_source);
}

rind_error rind_adjoint_copy_to_device(rind_exchange *exchange) {
  if (rind_exchange_space(exchange) == RIND_HOST) return RIND_OK;
  for (int p = 0; p < exchange->adjoint->num_phases; ++p)
    for (int f = 0; f < exchange->num_fields; ++f)
      RIND_TRY(copy_part(exchange, &exchange->adjoint->phase[p], f));
  return RIND_OK;
}
