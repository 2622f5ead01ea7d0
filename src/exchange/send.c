/* send.c - what a fill and an adjoint do alike: pack, then send. */
#include <send.h>

#include <ranges.h>

static rind_error pack_for(const rind_exchange *exchange, rind_pack_function pack,
                           const void *phase, int first, int end, rind_field *const *fields) {
  rind_range_begin("rind pack");
  const rind_error error = pack(exchange, phase, first, end, fields);
  rind_range_end();
  return error;
}

rind_error rind_exchange_send(rind_exchange *exchange, rind_messages *messages,
                              rind_pack_function pack, const void *phase,
                              rind_field *const *fields) {
  const bool there = messages->space == RIND_DEVICE;
  if (messages->num_peers == 0) return RIND_OK;
  if (there) RIND_TRY(pack_for(exchange, pack, phase, 0, messages->num_peers, fields));
  RIND_TRY(rind_messages_stage_sends(exchange->context, messages));
  RIND_TRY(rind_messages_start_receives(exchange->context, messages));
  for (int p = 0; p < messages->num_peers; ++p) {
    if (!there) RIND_TRY(pack_for(exchange, pack, phase, p, p + 1, fields));
    RIND_TRY(rind_messages_start_send(exchange->context, messages, p));
  }
  return RIND_OK;
}
