/* send.h - how a phase of a fill, or of an adjoint, sends its messages. */
#pragma once
#include <exchange_data.h>

/* What a phase puts into the messages of peers first to end - 1. */
typedef rind_error (*rind_pack_function)(const rind_exchange *exchange, const void *phase,
                                         int first, int end, rind_field *const *fields);

/* Packs and sends: on the device for all peers at once, on the host peer by peer. */
rind_error rind_exchange_send(rind_exchange *exchange, rind_messages *messages,
                              rind_pack_function pack, const void *phase,
                              rind_field *const *fields);

/* The table of a field's blocks where rows are run. */
static inline void **rind_exchange_blocks(const rind_field *field) {
  return field->device_pointer ? field->device_pointer : field->pointer;
}

static inline const void *const *rind_exchange_sources(const rind_field *field) {
  return (const void *const *)rind_exchange_blocks(field);
}
