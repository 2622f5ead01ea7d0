/* fill.c - the loop's calls: begin runs the first phase up to its messages, end all the rest. */
#include <on_device.h>
#include <on_graph.h>
#include <send.h>

/* Runs the fills [first, last) of bound by the exchange's method, or enqueues them. */
static rind_error run(const rind_exchange *exchange, const rind_bound *bound, int first, int last,
                      void *const *to, const void *const *own, const void *const *source) {
  if (rind_exchange_space(exchange) == RIND_DEVICE)
    return rind_exchange_enqueue(exchange, bound, first, last, to, own, source);
  const rind_gather gather = rind_bound_gather(bound);
  const int threads = exchange->context->threads;
  if (exchange->options.method == RIND_METHOD_FUSED)
    rind_gather_host(&gather, first, last, to, own, source, threads);
  else
    rind_gather_host_term_by_term(&gather, first, last, to, own, source, threads);
  return RIND_OK;
}

static const void *const *walls_of(const rind_exchange_field *field) {
  return field->device_wall_start ? (const void *const *)field->device_wall_start
                                  : field->wall_start;
}

/* What this rank's rows put into the messages of peers first to end - 1. */
static rind_error pack(const rind_exchange *exchange, const void *of, int first, int end,
                       rind_field *const *fields) {
  const rind_exchange_phase *phase = of;
  for (int f = 0; f < exchange->num_fields; ++f) {
    const rind_exchange_part *part = &phase->part[f];
    void *const *to = part->device_pack_to ? part->device_pack_to : part->pack_to;
    if (part->first_pack[first] == part->first_pack[end]) continue;
    RIND_TRY(run(exchange, &part->pack, part->first_pack[first], part->first_pack[end], to,
                 (const void *const *)to, rind_exchange_sources(fields[f])));
  }
  return RIND_OK;
}

static rind_error begin_phase(rind_exchange *exchange, rind_exchange_phase *phase,
                              rind_field *const *fields) {
  return rind_exchange_send(exchange, &phase->messages, pack, phase, fields);
}

/* Runs the rows that read messages, as these arrive. */
static rind_error end_messages(rind_exchange *exchange, rind_exchange_phase *phase,
                               rind_field *const *fields) {
  rind_messages *messages = &phase->messages;
  int peer = 0;
  while (peer >= 0) {
    RIND_TRY(rind_messages_wait_any(exchange->context, messages, &peer));
    if (peer >= 0) RIND_TRY(rind_messages_unstage(exchange->context, messages, peer));
    for (int f = 0; peer >= 0 && f < exchange->num_fields; ++f) {
      const rind_exchange_part *part = &phase->part[f];
      RIND_TRY(run(exchange, &part->remote, part->first_remote[peer], part->first_remote[peer + 1],
                   rind_exchange_blocks(fields[f]), rind_exchange_sources(fields[f]),
                   part->device_remote_source ? (const void *const *)part->device_remote_source
                                              : part->remote_source));
    }
  }
  return rind_messages_wait_sends(exchange->context, messages);
}

/* Runs the rows of a phase that has begun. */
static rind_error end_phase(rind_exchange *exchange, int number, rind_field *const *fields) {
  rind_exchange_phase *phase = &exchange->phase[number];
  const bool walls = phase->kind == RIND_PHASE_WALLS;
  for (int f = 0; f < exchange->num_fields; ++f) {
    const rind_bound *local = &phase->part[f].local;
    const void *const *sources = rind_exchange_sources(fields[f]);
    RIND_TRY(run(exchange, local, 0, local->num_fills, rind_exchange_blocks(fields[f]), sources,
                 walls ? walls_of(&exchange->field[f]) : sources));
    if (phase->num_functions > 0) RIND_TRY(rind_exchange_wait_for_caller(exchange));
    rind_exchange_call_functions(exchange, number, f, fields[f], false);
  }
  return end_messages(exchange, phase, fields);
}

/* All phases, without messages. */
static rind_error run_local(rind_exchange *exchange, rind_field *const *fields) {
  for (int p = 0; p < exchange->num_phases; ++p)
    RIND_TRY(end_phase(exchange, p, fields));
  return RIND_OK;
}

/* What is left of a fill that has begun. */
static rind_error run_rest(rind_exchange *exchange, rind_field *const *fields) {
  RIND_TRY(end_phase(exchange, 0, fields));
  for (int p = 1; p < exchange->num_phases; ++p) {
    RIND_TRY(begin_phase(exchange, &exchange->phase[p], fields));
    RIND_TRY(end_phase(exchange, p, fields));
  }
  return RIND_OK;
}

rind_error rind_fill_fields_begin(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_TRY(rind_exchange_enter(exchange, fields, RIND_EXCHANGE_FILLS));
  const int before = rind_exchange_open_call(exchange, "rind fill begin");
  const rind_error error = begin_phase(exchange, &exchange->phase[0], fields);
  rind_exchange_close_call(before);
  return error;
}

rind_error rind_fill_fields_end(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_TRY(rind_exchange_check_begun(exchange, fields, RIND_EXCHANGE_FILLS));
  const int before = rind_exchange_open_call(exchange, "rind fill end");
  const rind_error error = run_rest(exchange, fields);
  rind_exchange_close_call(before);
  if (error == RIND_OK) exchange->state = RIND_EXCHANGE_IDLE;
  return error;
}

rind_error rind_fill_fields(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange || !exchange->fill_graphs.table) {
    RIND_TRY(rind_fill_fields_begin(exchange, fields));
    return rind_fill_fields_end(exchange, fields);
  }
  RIND_TRY(rind_exchange_enter(exchange, fields, RIND_EXCHANGE_FILLS));
  const int before = rind_exchange_open_call(exchange, "rind fill");
  const rind_error error =
      rind_exchange_run_graph(exchange, &exchange->fill_graphs, fields, run_local);
  rind_exchange_close_call(before);
  exchange->state = RIND_EXCHANGE_IDLE;
  return error;
}

/* One field for an exchange of one. */
static rind_error check_one(const rind_exchange *exchange, const rind_field *field) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, field, RIND_ERROR_INVALID, "field is NULL");
  return rind_exchange_check_single(exchange, RIND_EXCHANGE_FILLS);
}

rind_error rind_fill_begin(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(check_one(exchange, field));
  return rind_fill_fields_begin(exchange, &field);
}

rind_error rind_fill_end(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(check_one(exchange, field));
  return rind_fill_fields_end(exchange, &field);
}

rind_error rind_fill(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(check_one(exchange, field));
  return rind_fill_fields(exchange, &field);
}

rind_error rind_fill_fields_remote(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context,
               exchange->schedule->rules.restriction != RIND_RESTRICTION_FLUX_MATCHED,
               RIND_ERROR_UNSUPPORTED,
               "flux-matched restriction reads ghosts that a remote fill does not write: rind_fill "
               "writes all");
  RIND_TRY(rind_exchange_enter(exchange, fields, RIND_EXCHANGE_FILLS));
  const int before = rind_exchange_open_call(exchange, "rind fill remote");
  rind_error error = begin_phase(exchange, &exchange->phase[0], fields);
  if (error == RIND_OK) error = end_messages(exchange, &exchange->phase[0], fields);
  rind_exchange_close_call(before);
  if (error == RIND_OK) exchange->state = RIND_EXCHANGE_IDLE;
  return error;
}

rind_error rind_fill_remote(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(check_one(exchange, field));
  return rind_fill_fields_remote(exchange, &field);
}
