/* counts.c - what an exchange holds and sends. */
#include <exchange_data.h>

void rind_exchange_count_messages(const rind_messages *messages, rind_exchange_stats *stats) {
  const int peers = messages->num_peers;
  stats->messages_sent += messages->num_sends;
  stats->messages_received += messages->num_receives;
  stats->bytes_sent += messages->bytes_sent;
  stats->bytes_received += messages->bytes_received;
  stats->metadata_bytes += rind_messages_metadata_bytes(messages);
  if (peers > 0)
    stats->buffer_bytes +=
        (int64_t)(messages->send_offset[peers] + messages->receive_offset[peers]);
}

int32_t rind_exchange_count_peers(const rind_messages *const *messages, int num_rounds) {
  int32_t count = 0;
  for (int p = 0; num_rounds > 0 && p < messages[0]->num_peers; ++p) {
    bool talks = false;
    for (int r = 0; r < num_rounds; ++r)
      talks = talks || messages[r]->first_send[p] < messages[r]->first_send[p + 1] ||
              messages[r]->first_receive[p] < messages[r]->first_receive[p + 1];
    count += talks;
  }
  return count;
}

/* Adds the memory of a phase. */
static void count_phase(const rind_exchange_phase *phase, int num_fields,
                        rind_exchange_stats *stats) {
  const size_t peers = (size_t)phase->messages.num_peers;
  size_t bytes = (size_t)phase->num_functions * sizeof *phase->function;
  for (int f = 0; f < num_fields; ++f) {
    const rind_exchange_part *part = &phase->part[f];
    stats->metadata_bytes += rind_bound_bytes(&part->pack) + rind_bound_bytes(&part->local) +
                             rind_bound_bytes(&part->remote);
    bytes += sizeof *part;
    if (part->first_pack) bytes += 2 * (peers + 1) * sizeof *part->first_pack;
  }
  stats->metadata_bytes += (int64_t)bytes;
}

void rind_exchange_count(rind_exchange *exchange) {
  rind_exchange_stats *stats = &exchange->stats;
  const rind_messages *messages[RIND_MAX_PHASES];
  stats->metadata_bytes += (int64_t)sizeof *exchange;
  for (int f = 0; f < exchange->num_fields; ++f) {
    const rind_exchange_field *field = &exchange->field[f];
    const size_t components = (size_t)field->components.count;
    stats->metadata_bytes += (int64_t)(sizeof *field + sizeof *exchange->begun +
                                       6 * components * sizeof *field->wall_value +
                                       (field->components.vector_axis ? components : 0));
  }
  for (int p = 0; p < exchange->num_phases; ++p) {
    const rind_exchange_phase *phase = &exchange->phase[p];
    count_phase(phase, exchange->num_fields, stats);
    rind_exchange_count_messages(&phase->messages, stats);
    if (rind_phase_has_messages(phase->kind)) messages[stats->rounds++] = &phase->messages;
  }
  stats->peers = rind_exchange_count_peers(messages, stats->rounds);
}
