/* check_fields.c - what begin and end ask of their fields and of the exchange. */
#include <exchange_data.h>

#include <device_graph.h>

rind_error rind_exchange_check_field(const rind_exchange *exchange, int f,
                                     const rind_field *field) {
  const rind_schedule *schedule = exchange->schedule;
  const rind_layout *a = &field->layout, *b = &exchange->field[f].layout;
  rind_context *context = exchange->context;
  RIND_REQUIRE(context, field->forest == schedule->forest, RIND_ERROR_MISMATCH,
               "the field is of another forest: it has %d blocks here, the schedule's has %d",
               field->num_blocks, schedule->num_local);
  RIND_REQUIRE(context, field->revision == schedule->revision, RIND_ERROR_STALE,
               "the field is of revision %lld of the forest, which is at %lld: make it anew",
               (long long)field->revision, (long long)schedule->revision);
  RIND_REQUIRE(context,
               a->cells == b->cells && a->ghosts == b->ghosts && a->components == b->components,
               RIND_ERROR_MISMATCH,
               "the field has %d cells, %d ghosts, %d components, the exchange %d, %d, %d",
               a->cells, a->ghosts, a->components, b->cells, b->ghosts, b->components);
  RIND_REQUIRE(context,
               a->type == b->type && a->space == b->space && a->storage == b->storage &&
                   a->order == b->order,
               RIND_ERROR_MISMATCH,
               "the field has type %d, space %d, storage %d, order %d, the exchange %d, %d, %d, %d",
               (int)a->type, (int)a->space, (int)a->storage, (int)a->order, (int)b->type,
               (int)b->space, (int)b->storage, (int)b->order);
  bool same = a->components == 1 || a->component_stride == b->component_stride;
  for (int axis = 0; axis < b->dim; ++axis)
    same = same && a->cell_stride[axis] == b->cell_stride[axis];
  RIND_REQUIRE(
      context, same, RIND_ERROR_MISMATCH,
      "the field has strides (%td, %td, %td), component %td, the exchange (%td, %td, %td), "
      "component %td",
      a->cell_stride[0], a->cell_stride[1], a->cell_stride[2], a->component_stride,
      b->cell_stride[0], b->cell_stride[1], b->cell_stride[2], b->component_stride);
  return RIND_OK;
}

rind_error rind_exchange_check_fields(const rind_exchange *exchange, rind_field *const *fields) {
  RIND_TRY(rind_exchange_check_schedule(exchange->schedule));
  for (int f = 0; f < exchange->num_fields; ++f) {
    RIND_REQUIRE(exchange->context, fields[f], RIND_ERROR_INVALID, "field %d of %d is NULL", f,
                 exchange->num_fields);
    RIND_TRY(rind_exchange_check_field(exchange, f, fields[f]));
    for (int other = 0; other < f; ++other)
      RIND_REQUIRE(exchange->context, fields[other] != fields[f], RIND_ERROR_INVALID,
                   "fields %d and %d are the same: each of them once it must be", other, f);
  }
  return RIND_OK;
}

rind_error rind_exchange_check_single(const rind_exchange *exchange, rind_exchange_state state) {
  RIND_REQUIRE(exchange->context, exchange->num_fields == 1, RIND_ERROR_MISMATCH,
               "one field for an exchange of %d: give all of them to %s", exchange->num_fields,
               state == RIND_EXCHANGE_ADJOINT ? "rind_fill_fields_adjoint" : "rind_fill_fields");
  return RIND_OK;
}

/* "fill" or "adjoint". */
static const char *name_of(rind_exchange_state state) {
  return state == RIND_EXCHANGE_ADJOINT ? "adjoint" : "fill";
}

/* What waits for the stream cannot be recorded. */
static rind_error check_recording(const rind_exchange *exchange, rind_exchange_state state) {
  if (exchange->field[0].layout.space == RIND_HOST || !exchange->needs_host) return RIND_OK;
  RIND_REQUIRE(exchange->context, !rind_device_stream_captures(exchange->context->stream),
               RIND_ERROR_STATE,
               "the context's stream is being recorded, and this rank's %s waits for messages or "
               "functions of walls: record it where it has neither",
               name_of(state));
  return RIND_OK;
}

rind_error rind_exchange_enter(rind_exchange *exchange, rind_field *const *fields,
                               rind_exchange_state state) {
  RIND_REQUIRE(exchange->context, fields, RIND_ERROR_INVALID, "fields is NULL");
  RIND_REQUIRE(exchange->context, exchange->state == RIND_EXCHANGE_IDLE, RIND_ERROR_STATE,
               "%s %s has begun with this exchange: end it before the next %s",
               exchange->state == RIND_EXCHANGE_ADJOINT ? "an" : "a", name_of(exchange->state),
               name_of(state));
  RIND_TRY(rind_exchange_check_fields(exchange, fields));
  RIND_TRY(check_recording(exchange, state));
  for (int f = 0; f < exchange->num_fields; ++f)
    exchange->begun[f] = fields[f];
  exchange->state = state;
  return RIND_OK;
}

rind_error rind_exchange_check_begun(const rind_exchange *exchange, rind_field *const *fields,
                                     rind_exchange_state state) {
  RIND_REQUIRE(exchange->context, fields, RIND_ERROR_INVALID, "fields is NULL");
  RIND_REQUIRE(exchange->context, exchange->state == state, RIND_ERROR_STATE,
               "no %s has begun with this exchange: begin one before the end", name_of(state));
  for (int f = 0; f < exchange->num_fields; ++f)
    RIND_REQUIRE(exchange->context, exchange->begun[f] == fields[f], RIND_ERROR_STATE,
                 "the %s that has begun is of another field: end it with that one", name_of(state));
  return rind_exchange_check_fields(exchange, fields);
}
