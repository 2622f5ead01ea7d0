/* adjoint_create.c - makes the adjoint of an exchange, counts and destroys it. */
#include <adjoint_data.h>

#include <on_device.h>

#include <stdlib.h>
#include <transpose.h>

/* Whether a block fills a quarter of the memory that it spans: others may lie in between. */
static bool is_compact(const rind_layout *layout, size_t elements) {
  size_t values = (size_t)layout->components;
  for (int a = 0; a < layout->dim; ++a)
    values *= (size_t)layout->cells + 2 * (size_t)layout->ghosts;
  return elements / RIND_GATHER_BLOCKS <= values;
}

/* Room for the blocks of a batch in double for each thread, if any field is of floats. */
static rind_error make_scratch(rind_exchange *exchange) {
  rind_adjoint_exchange *adjoint = exchange->adjoint;
  size_t most = 0;
  adjoint->scratch_blocks = RIND_GATHER_BLOCKS;
  if (rind_exchange_space(exchange) == RIND_DEVICE) return RIND_OK;
  for (int f = 0; f < exchange->num_fields; ++f) {
    const rind_layout *layout = &exchange->field[f].layout;
    const size_t elements = rind_layout_block_elements(layout);
    if (layout->type != RIND_FLOAT32) continue;
    if (elements > most) most = elements;
    if (!is_compact(layout, elements)) adjoint->scratch_blocks = 1;
  }
  if (most == 0) return RIND_OK;
  const size_t threads = (size_t)exchange->context->threads;
  const size_t blocks = (size_t)adjoint->scratch_blocks;
  if (rind_size_multiply(most, blocks * threads, &adjoint->scratch_elements))
    adjoint->scratch = rind_allocate(adjoint->scratch_elements, sizeof *adjoint->scratch);
  RIND_REQUIRE(exchange->context, adjoint->scratch, RIND_ERROR_MEMORY,
               "no memory for %zu blocks of %zu doubles for each of %zu threads", blocks, most,
               threads);
  return RIND_OK;
}

/* The phases, without rows. Zeros move where neither another rank nor another thread has to be
 * waited for. */
static rind_error make_phases(rind_exchange *exchange, const rind_schedule *transposed,
                              int num_peers) {
  rind_adjoint_exchange *adjoint = exchange->adjoint;
  for (int p = 0; p < transposed->num_phases; ++p) {
    rind_adjoint_phase *phase = &adjoint->phase[p];
    phase->kind = transposed->phase[p].kind;
    phase->forward = exchange->num_phases - 1 - p / 2;
    phase->moved = phase->kind == RIND_PHASE_CLEAR && phase[-1].kind == RIND_PHASE_BLOCKS &&
                   num_peers == 0 && exchange->context->threads == 1 &&
                   rind_adjoint_sums_in_place(exchange);
    phase->part = rind_allocate((size_t)exchange->num_fields, sizeof *phase->part);
    RIND_REQUIRE(exchange->context, phase->part, RIND_ERROR_MEMORY,
                 "no memory for a phase of %d fields", exchange->num_fields);
    adjoint->num_phases = p + 1;
  }
  return RIND_OK;
}

/* All that needs no other rank. */
static rind_error prepare(rind_exchange *exchange, int num_peers, rind_schedule **transposed) {
  const rind_exchange_options *options = &exchange->options;
  RIND_TRY(rind_schedule_transpose(exchange->schedule, options->families,
                                   options->adjoint_method == RIND_ADJOINT_PER_TERM
                                       ? RIND_TRANSPOSE_PER_TERM
                                       : RIND_TRANSPOSE_MERGED,
                                   transposed));
  exchange->adjoint = rind_allocate(1, sizeof *exchange->adjoint);
  RIND_REQUIRE(exchange->context, exchange->adjoint, RIND_ERROR_MEMORY,
               "no memory for the adjoint of an exchange");
  RIND_TRY(make_scratch(exchange));
  RIND_TRY(make_phases(exchange, *transposed, num_peers));
  for (int p = 0; p < (*transposed)->num_phases; ++p)
    if (!rind_phase_has_messages((*transposed)->phase[p].kind))
      RIND_TRY(rind_adjoint_bind(exchange, *transposed, p, 0, NULL));
  return RIND_OK;
}

static rind_error make_messages(rind_exchange *exchange, int p, int num_peers,
                                const int32_t *peer_rank, int tag,
                                const rind_shipments *shipments) {
  rind_adjoint_phase *phase = &exchange->adjoint->phase[p];
  const size_t n = (size_t)num_peers;
  size_t *bytes = rind_allocate(2 * n, sizeof *bytes);
  RIND_REQUIRE(exchange->context, bytes, RIND_ERROR_MEMORY, "no memory for %d peers", num_peers);
  rind_error error =
      rind_exchange_message_bytes(exchange, false, num_peers, shipments->sent.num_cells, bytes);
  if (error == RIND_OK)
    error = rind_exchange_message_bytes(exchange, false, num_peers, shipments->received.num_cells,
                                        bytes + n);
  if (error == RIND_OK)
    error = rind_messages_create(exchange->context, rind_exchange_space(exchange), num_peers,
                                 peer_rank, bytes, bytes + n, exchange->options.max_message_bytes,
                                 tag, &phase->messages);
  free(bytes);
  RIND_TRY(error);
  for (int f = 0; f < exchange->num_fields; ++f) {
    rind_adjoint_part *part = &phase->part[f];
    rind_exchange_place_orders(exchange, false, f, num_peers, &shipments->sent,
                               phase->messages.send_buffer, phase->messages.send_offset,
                               part->pack_to);
    rind_exchange_place_orders(exchange, false, f, num_peers, &shipments->received,
                               phase->messages.receive_buffer, phase->messages.receive_offset,
                               part->remote_source + phase->num_used);
  }
  return RIND_OK;
}

/* Collective. What the peers contribute in a phase, its rows and messages. */
static rind_error connect(rind_exchange *exchange, rind_schedule *transposed, int p, int num_peers,
                          const int32_t *peer_rank) {
  const int tag = rind_context_next_tag(exchange->context);
  rind_shipments shipments = {0};
  RIND_TRY(rind_shipments_create(transposed, p, num_peers, peer_rank, tag, &shipments));
  rind_error error = rind_adjoint_bind(exchange, transposed, p, num_peers, &shipments);
  if (error == RIND_OK) error = make_messages(exchange, p, num_peers, peer_rank, tag, &shipments);
  error = rind_context_agree(exchange->context, error);
  rind_shipments_destroy(&shipments);
  return error;
}

/* Adds the memory of a phase. */
static void count_phase(const rind_exchange *exchange, const rind_adjoint_phase *phase,
                        rind_exchange_stats *stats) {
  const size_t peers = (size_t)phase->messages.num_peers;
  size_t bytes = (size_t)phase->num_used * sizeof *phase->used;
  for (int f = 0; f < exchange->num_fields; ++f) {
    const rind_adjoint_part *part = &phase->part[f];
    stats->metadata_bytes += rind_bound_bytes(&part->pack) + rind_bound_bytes(&part->local.bound) +
                             rind_bound_bytes(&part->remote.bound);
    bytes += rind_gather_shells_bytes(part->local.shells) +
             rind_gather_shells_bytes(part->remote.shells);
    bytes += sizeof *part + ((size_t)part->local.num_batches + (size_t)part->remote.num_batches) *
                                sizeof *part->local.first_fill;
    if (part->first_pack)
      bytes += (peers + 1) * sizeof *part->first_pack + part->num_sent * sizeof *part->pack_to +
               part->num_sources * sizeof *part->remote_source;
  }
  stats->metadata_bytes += (int64_t)bytes;
}

static void count(const rind_exchange *exchange, rind_exchange_stats *stats) {
  const rind_adjoint_exchange *adjoint = exchange->adjoint;
  const rind_messages *messages[RIND_MAX_PHASES];
  stats->metadata_bytes +=
      (int64_t)(sizeof *adjoint + adjoint->scratch_elements * sizeof *adjoint->scratch);
  for (int p = 0; p < adjoint->num_phases; ++p) {
    const rind_adjoint_phase *phase = &adjoint->phase[p];
    count_phase(exchange, phase, stats);
    rind_exchange_count_messages(&phase->messages, stats);
    if (rind_phase_has_messages(phase->kind)) messages[stats->rounds++] = &phase->messages;
  }
  stats->peers = rind_exchange_count_peers(messages, stats->rounds);
}

rind_error rind_adjoint_create(rind_exchange *exchange, int num_peers, const int32_t *peer_rank) {
  rind_schedule *transposed = NULL;
  rind_error error =
      rind_context_agree(exchange->context, prepare(exchange, num_peers, &transposed));
  for (int p = 0; error == RIND_OK && p < transposed->num_phases; ++p)
    if (rind_phase_has_messages(transposed->phase[p].kind))
      error = connect(exchange, transposed, p, num_peers, peer_rank);
  rind_schedule_destroy(&transposed);
  if (error == RIND_OK)
    error = rind_context_agree(exchange->context, rind_adjoint_copy_to_device(exchange));
  if (error == RIND_OK) count(exchange, &exchange->adjoint->stats);
  return error;
}

static void clear_part(rind_adjoint_part *part) {
  rind_bound_clear(&part->pack);
  rind_bound_clear(&part->local.bound);
  rind_bound_clear(&part->remote.bound);
  rind_gather_shells_destroy(part->local.shells);
  rind_gather_shells_destroy(part->remote.shells);
  free(part->local.first_fill);
  free(part->remote.first_fill);
  rind_space_free(RIND_DEVICE, part->device_pack_to);
  rind_space_free(RIND_DEVICE, part->device_remote_source);
  free(part->first_pack);
  free(part->pack_to);
  free(part->remote_source);
}

void rind_adjoint_destroy(rind_exchange *exchange) {
  rind_adjoint_exchange *gone = exchange->adjoint;
  if (!gone) return;
  for (int p = 0; p < gone->num_phases; ++p) {
    rind_adjoint_phase *phase = &gone->phase[p];
    rind_messages_end(exchange->context, &phase->messages);
    for (int f = 0; f < exchange->num_fields; ++f)
      clear_part(&phase->part[f]);
    free(phase->part);
    free(phase->used);
  }
  free(gone->scratch);
  free(gone);
  exchange->adjoint = NULL;
}

rind_error rind_adjoint_check(const rind_exchange *exchange) {
  RIND_REQUIRE(exchange->context, exchange->adjoint, RIND_ERROR_STATE,
               "the exchange was made without an adjoint: set rind_exchange_options.adjoint");
  return RIND_OK;
}
