/* exchange.c - exchanges: create, destroy, walls' values, counts. */
#include <adjoint_data.h>
#include <on_device.h>
#include <on_graph.h>
#include <ranges.h>

#include <stdlib.h>
#include <string.h>

rind_error rind_exchange_check_schedule(const rind_schedule *schedule) {
  RIND_TRY(rind_forest_check(schedule->forest));
  const int64_t now = rind_forest_revision(schedule->forest);
  RIND_REQUIRE(schedule->context, now == schedule->revision, RIND_ERROR_STALE,
               "the schedule is of revision %lld of the forest, which is at %lld: make it anew",
               (long long)schedule->revision, (long long)now);
  return RIND_OK;
}

/* All of a phase that needs no other rank. */
static rind_error prepare_phase(rind_exchange *exchange, int phase, rind_request_plan *plan) {
  exchange->phase[phase].kind = exchange->schedule->phase[phase].kind;
  exchange->phase[phase].part =
      rind_allocate((size_t)exchange->num_fields, sizeof *exchange->phase[phase].part);
  RIND_REQUIRE(exchange->context, exchange->phase[phase].part, RIND_ERROR_MEMORY,
               "no memory for a phase of %d fields", exchange->num_fields);
  exchange->num_phases = phase + 1;
  RIND_TRY(rind_exchange_bind_local(exchange, phase));
  if (!rind_phase_has_messages(exchange->phase[phase].kind)) return RIND_OK;
  RIND_TRY(rind_request_plan_create(exchange->schedule, phase, exchange->options.families, plan));
  return rind_exchange_bind_remote(exchange, phase, plan);
}

/* All that needs no other rank. */
static rind_error prepare(rind_exchange *exchange, rind_request_plan plan[RIND_MAX_PHASES]) {
  for (int phase = 0; phase < exchange->schedule->num_phases; ++phase)
    RIND_TRY(prepare_phase(exchange, phase, &plan[phase]));
  return RIND_OK;
}

static rind_error make_messages(rind_exchange *exchange, int phase, const rind_request_plan *plan,
                                const rind_orders *orders, int tag) {
  const int n = plan->num_peers;
  size_t *bytes = rind_allocate(2 * (size_t)n, sizeof *bytes);
  RIND_REQUIRE(exchange->context, bytes, RIND_ERROR_MEMORY, "no memory for %d peers", n);
  const bool sends_double = rind_phase_sends_double(exchange->phase[phase].kind);
  rind_error error =
      rind_exchange_message_bytes(exchange, sends_double, n, orders->num_cells, bytes);
  if (error == RIND_OK)
    error = rind_exchange_message_bytes(exchange, sends_double, n, plan->num_cells, bytes + n);
  if (error == RIND_OK)
    error = rind_messages_create(
        exchange->context, rind_exchange_space(exchange), n, plan->peer_rank, bytes, bytes + n,
        exchange->options.max_message_bytes, tag, &exchange->phase[phase].messages);
  free(bytes);
  return error;
}

/* Collective. What the peers want in a phase, and the messages for it. */
static rind_error connect(rind_exchange *exchange, int phase, const rind_request_plan *plan) {
  const int tag = rind_context_next_tag(exchange->context);
  rind_orders orders = {0};
  RIND_TRY(rind_orders_create(exchange->schedule, plan, tag, &orders));
  rind_error error = rind_exchange_bind_pack(exchange, phase, plan->num_peers, &orders);
  if (error == RIND_OK) error = make_messages(exchange, phase, plan, &orders, tag);
  if (error == RIND_OK) error = rind_exchange_place_boxes(exchange, phase, plan, &orders);
  error = rind_context_agree(exchange->context, error);
  rind_orders_destroy(&orders);
  return error;
}

/* Collective. Agrees after each step that can fail on one rank alone. */
static rind_error make(rind_exchange *exchange, const rind_layout *layouts, int num_fields,
                       const rind_exchange_options *options,
                       rind_request_plan plan[RIND_MAX_PHASES]) {
  rind_context *context = exchange->context;
  rind_error error = rind_exchange_check_schedule(exchange->schedule);
  if (error == RIND_OK) error = rind_exchange_take(exchange, layouts, num_fields, options);
  RIND_TRY(rind_context_agree(context, error));
  RIND_TRY(rind_exchange_check_shared(exchange, options ? options->vector : NULL));
  RIND_TRY(rind_context_agree(context, prepare(exchange, plan)));
  for (int phase = 0; phase < exchange->num_phases; ++phase)
    if (rind_phase_has_messages(exchange->phase[phase].kind))
      RIND_TRY(connect(exchange, phase, &plan[phase]));
  RIND_TRY(rind_context_agree(context, rind_exchange_copy_to_device(exchange)));
  if (exchange->options.adjoint)
    RIND_TRY(rind_adjoint_create(exchange, plan[0].num_peers, plan[0].peer_rank));
  RIND_TRY(rind_context_agree(context, rind_exchange_prepare_graphs(exchange)));
  rind_exchange_count(exchange);
  return RIND_OK;
}

/* With the device of the layouts, if that is where they are. */
static rind_error make_there(rind_exchange *exchange, const rind_layout *layouts, int num_fields,
                             const rind_exchange_options *options,
                             rind_request_plan plan[RIND_MAX_PHASES]) {
  const bool there = layouts && num_fields > 0 && layouts[0].space == RIND_DEVICE;
  rind_range_begin("rind exchange create");
  const int before = rind_context_enter_device(exchange->context, there ? RIND_DEVICE : RIND_HOST);
  const rind_error error = make(exchange, layouts, num_fields, options, plan);
  rind_context_leave_device(before);
  rind_range_end();
  return error;
}

rind_error rind_exchange_create_fields(const rind_schedule *schedule, const rind_layout *layouts,
                                       int num_fields, const rind_exchange_options *options,
                                       rind_exchange **exchange) {
  if (!schedule) return RIND_ERROR_INVALID;
  rind_context *context = schedule->context;
  rind_request_plan plan[RIND_MAX_PHASES] = {{0}};
  rind_exchange *made = rind_allocate(1, sizeof *made);
  rind_error error = RIND_CHECK_RESULT(context, exchange);
  if (error == RIND_OK && !made)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for an exchange");
  error = rind_context_agree(context, error);
  if (error == RIND_OK) {
    made->schedule = schedule;
    made->context = context;
    error = make_there(made, layouts, num_fields, options, plan);
  }
  for (int phase = 0; phase < RIND_MAX_PHASES; ++phase)
    rind_request_plan_destroy(&plan[phase]);
  if (error != RIND_OK) {
    rind_exchange_destroy(&made);
    return error;
  }
  *exchange = made;
  return RIND_OK;
}

rind_error rind_exchange_create(const rind_schedule *schedule, const rind_layout *layout,
                                const rind_exchange_options *options, rind_exchange **exchange) {
  return rind_exchange_create_fields(schedule, layout, 1, options, exchange);
}

static void clear_part(rind_exchange_part *part) {
  rind_bound_clear(&part->pack);
  rind_bound_clear(&part->local);
  rind_bound_clear(&part->remote);
  free(part->first_pack);
  free(part->first_remote);
  free(part->pack_to);
  free(part->remote_source);
}

void rind_exchange_destroy(rind_exchange **exchange) {
  if (!exchange || !*exchange) return;
  rind_exchange *gone = *exchange;
  rind_exchange_free_graphs(gone);
  rind_adjoint_destroy(gone);
  rind_exchange_free_device(gone);
  for (int phase = 0; phase < gone->num_phases; ++phase) {
    rind_messages_end(gone->context, &gone->phase[phase].messages);
    for (int f = 0; f < gone->num_fields; ++f)
      clear_part(&gone->phase[phase].part[f]);
    free(gone->phase[phase].part);
    free(gone->phase[phase].function);
  }
  for (int f = 0; f < gone->num_fields; ++f) {
    free(gone->field[f].components.vector_axis);
    free(gone->field[f].wall_value);
  }
  free(gone->field);
  free(gone->begun);
  free(gone);
  *exchange = NULL;
}

rind_error rind_exchange_set_wall_values(rind_exchange *exchange, int field, const double *values) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, field >= 0 && field < exchange->num_fields, RIND_ERROR_INVALID,
               "field %d of an exchange of %d: 0 to %d it must be", field, exchange->num_fields,
               exchange->num_fields - 1);
  RIND_REQUIRE(exchange->context, values, RIND_ERROR_INVALID, "the walls' values are NULL");
  const size_t count = 6 * (size_t)exchange->field[field].components.count;
  memcpy(exchange->field[field].wall_value, values, count * sizeof *values);
  return rind_exchange_copy_wall_values(exchange, field);
}

rind_error rind_exchange_get_stats(const rind_exchange *exchange, rind_exchange_stats *stats) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, stats, RIND_ERROR_INVALID, "stats is NULL");
  *stats = exchange->stats;
  return RIND_OK;
}

rind_error rind_exchange_get_adjoint_stats(const rind_exchange *exchange,
                                           rind_exchange_stats *stats) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, stats, RIND_ERROR_INVALID, "stats is NULL");
  RIND_TRY(rind_adjoint_check(exchange));
  *stats = exchange->adjoint->stats;
  return RIND_OK;
}
