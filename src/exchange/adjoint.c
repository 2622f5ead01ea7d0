/* adjoint.c - the loop's calls for the adjoint: begin runs the phases up to the first messages, end
 * all the rest. */
#include <adjoint_data.h>

#include <device_memory.h>
#include <on_device.h>
#include <on_graph.h>
#include <send.h>

/* Floats are summed in double; rows of zeros have nothing to sum. */
static rind_error run_batches(const rind_exchange *exchange, int f, const rind_batches *batches,
                              rind_field *field, const void *const *source) {
  if (rind_exchange_space(exchange) == RIND_DEVICE)
    return rind_exchange_enqueue(exchange, &batches->bound, 0, batches->bound.num_fills,
                                 field->device_pointer, (const void *const *)field->device_pointer,
                                 source);
  const rind_layout *layout = &exchange->field[f].layout;
  const rind_gather gather = rind_bound_gather(&batches->bound);
  const rind_gather_scratch scratch = {.memory = exchange->adjoint->scratch,
                                       .blocks = exchange->adjoint->scratch_blocks,
                                       .elements = (ptrdiff_t)rind_layout_block_elements(layout),
                                       .origin = rind_layout_interior_offset(layout),
                                       .shells = batches->shells,
                                       .box = batches->has_box ? &batches->box : NULL};
  rind_gather_host_batches(&gather, batches->first_fill, batches->num_batches, field->pointer,
                           source, exchange->context->threads,
                           gather.to_type != layout->type ? &scratch : NULL);
  return RIND_OK;
}

/* What this rank's ghosts of a field put into a peer's message. */
static rind_error pack_field(const rind_exchange *exchange, const rind_adjoint_part *part, int peer,
                             const rind_field *field) {
  const int first = part->first_pack[peer], last = part->first_pack[peer + 1];
  void *const *to = part->device_pack_to ? part->device_pack_to : part->pack_to;
  const void *const *own = (const void *const *)to, *const *from = rind_exchange_sources(field);
  if (first == last) return RIND_OK;
  if (part->device_pack_to)
    return rind_exchange_enqueue(exchange, &part->pack, first, last, to, own, from);
  const rind_gather gather = rind_bound_gather(&part->pack);
  rind_gather_host(&gather, first, last, to, own, from, exchange->context->threads);
  return RIND_OK;
}

static rind_error pack(const rind_exchange *exchange, const void *of, int first, int end,
                       rind_field *const *fields) {
  const rind_adjoint_phase *phase = of;
  for (int p = first; p < end; ++p)
    for (int f = 0; f < exchange->num_fields; ++f)
      RIND_TRY(pack_field(exchange, &phase->part[f], p, fields[f]));
  return RIND_OK;
}

static rind_error begin_phase(rind_exchange *exchange, rind_adjoint_phase *phase,
                              rind_field *const *fields) {
  return rind_exchange_send(exchange, &phase->messages, pack, phase, fields);
}

/* The blocks of this call's field, into the table that remote rows read. */
static rind_error list_sources(const rind_exchange *exchange, const rind_adjoint_phase *phase,
                               const rind_adjoint_part *part, const rind_field *field) {
  for (int i = 0; i < phase->num_used; ++i)
    part->remote_source[i] = field->pointer[phase->used[i]];
  if (!part->device_remote_source || phase->num_used == 0) return RIND_OK;
  const int code = rind_device_copy_async(part->device_remote_source, part->remote_source,
                                          (size_t)phase->num_used * sizeof *part->remote_source,
                                          exchange->context->stream);
  RIND_REQUIRE(exchange->context, code == 0, RIND_ERROR_DEVICE,
               "a table of %d blocks was not copied: %s", phase->num_used,
               rind_device_error_text(code));
  return RIND_OK;
}

/* Waits until all messages are there, then runs the rows that need any. */
static rind_error run_remote(rind_exchange *exchange, rind_adjoint_phase *phase,
                             rind_field *const *fields) {
  int peer = 0;
  while (peer >= 0) {
    RIND_TRY(rind_messages_wait_any(exchange->context, &phase->messages, &peer));
    if (peer >= 0) RIND_TRY(rind_messages_unstage(exchange->context, &phase->messages, peer));
  }
  for (int f = 0; phase->messages.num_peers > 0 && f < exchange->num_fields; ++f) {
    const rind_adjoint_part *part = &phase->part[f];
    void **source = part->device_remote_source ? part->device_remote_source : part->remote_source;
    RIND_TRY(list_sources(exchange, phase, part, fields[f]));
    RIND_TRY(run_batches(exchange, f, &part->remote, fields[f], (const void *const *)source));
  }
  return rind_messages_wait_sends(exchange->context, &phase->messages);
}

/* Runs a phase that has begun. */
static rind_error end_phase(rind_exchange *exchange, rind_adjoint_phase *phase,
                            rind_field *const *fields) {
  for (int f = 0; f < exchange->num_fields; ++f) {
    if (exchange->phase[phase->forward].num_functions > 0 && phase->kind == RIND_PHASE_WALLS) {
      RIND_TRY(rind_exchange_wait_for_caller(exchange));
      rind_exchange_call_functions(exchange, phase->forward, f, fields[f], true);
    }
    RIND_TRY(run_batches(exchange, f, &phase->part[f].local, fields[f],
                         rind_exchange_sources(fields[f])));
  }
  return run_remote(exchange, phase, fields);
}

/* The first phase that has messages, whether or not this rank sends any. */
static int first_with_messages(const rind_adjoint_exchange *adjoint) {
  int p = 0;
  while (p < adjoint->num_phases && !rind_phase_has_messages(adjoint->phase[p].kind))
    ++p;
  return p;
}

/* The phases up to the messages of the first that has any. */
static rind_error run_first(rind_exchange *exchange, rind_field *const *fields) {
  rind_adjoint_exchange *adjoint = exchange->adjoint;
  const int first = first_with_messages(adjoint);
  for (int p = 0; p < first; ++p)
    RIND_TRY(end_phase(exchange, &adjoint->phase[p], fields));
  return begin_phase(exchange, &adjoint->phase[first], fields);
}

/* What is left of an adjoint that has begun. */
static rind_error run_rest(rind_exchange *exchange, rind_field *const *fields) {
  rind_adjoint_exchange *adjoint = exchange->adjoint;
  const int first = first_with_messages(adjoint);
  for (int p = first; p < adjoint->num_phases; ++p) {
    if (p > first) RIND_TRY(begin_phase(exchange, &adjoint->phase[p], fields));
    RIND_TRY(end_phase(exchange, &adjoint->phase[p], fields));
  }
  return RIND_OK;
}

/* All phases, without messages. */
static rind_error run_local(rind_exchange *exchange, rind_field *const *fields) {
  for (int p = 0; p < exchange->adjoint->num_phases; ++p)
    RIND_TRY(end_phase(exchange, &exchange->adjoint->phase[p], fields));
  return RIND_OK;
}

rind_error rind_fill_fields_adjoint_begin(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_TRY(rind_adjoint_check(exchange));
  RIND_TRY(rind_exchange_enter(exchange, fields, RIND_EXCHANGE_ADJOINT));
  const int before = rind_exchange_open_call(exchange, "rind adjoint begin");
  const rind_error error = run_first(exchange, fields);
  rind_exchange_close_call(before);
  return error;
}

rind_error rind_fill_fields_adjoint_end(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_TRY(rind_adjoint_check(exchange));
  RIND_TRY(rind_exchange_check_begun(exchange, fields, RIND_EXCHANGE_ADJOINT));
  const int before = rind_exchange_open_call(exchange, "rind adjoint end");
  const rind_error error = run_rest(exchange, fields);
  rind_exchange_close_call(before);
  if (error == RIND_OK) exchange->state = RIND_EXCHANGE_IDLE;
  return error;
}

rind_error rind_fill_fields_adjoint(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange || !exchange->adjoint || !exchange->adjoint_graphs.table) {
    RIND_TRY(rind_fill_fields_adjoint_begin(exchange, fields));
    return rind_fill_fields_adjoint_end(exchange, fields);
  }
  RIND_TRY(rind_exchange_enter(exchange, fields, RIND_EXCHANGE_ADJOINT));
  const int before = rind_exchange_open_call(exchange, "rind adjoint");
  const rind_error error =
      rind_exchange_run_graph(exchange, &exchange->adjoint_graphs, fields, run_local);
  rind_exchange_close_call(before);
  exchange->state = RIND_EXCHANGE_IDLE;
  return error;
}

/* One field for an exchange of one. */
static rind_error check_one(const rind_exchange *exchange, const rind_field *field) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, field, RIND_ERROR_INVALID, "field is NULL");
  RIND_TRY(rind_adjoint_check(exchange));
  return rind_exchange_check_single(exchange, RIND_EXCHANGE_ADJOINT);
}

rind_error rind_fill_adjoint_begin(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(check_one(exchange, field));
  return rind_fill_fields_adjoint_begin(exchange, &field);
}

rind_error rind_fill_adjoint_end(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(check_one(exchange, field));
  return rind_fill_fields_adjoint_end(exchange, &field);
}

rind_error rind_fill_adjoint(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(check_one(exchange, field));
  return rind_fill_fields_adjoint(exchange, &field);
}
