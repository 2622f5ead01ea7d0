/* exchange.c - the public face: create, begin, end. */
#include <exchange_data.h>

#include <limits.h>
#include <schedule_data.h>
#include <stdlib.h>

static const size_t default_message_bytes = (size_t)1 << 30;

/* The schedule must be of the forest as it is now. */
static rind_error check_schedule(const rind_schedule *schedule) {
  RIND_TRY(rind_forest_check(schedule->forest));
  const int64_t now = rind_forest_revision(schedule->forest);
  RIND_REQUIRE(schedule->context, now == schedule->revision, RIND_ERROR_STALE,
               "the schedule is of revision %lld of the forest, which is at %lld: make it anew",
               (long long)schedule->revision, (long long)now);
  return RIND_OK;
}

static rind_error take_layout(rind_exchange *exchange, const rind_layout *layout) {
  const rind_schedule *schedule = exchange->schedule;
  rind_context *context = exchange->context;
  RIND_REQUIRE(context, layout, RIND_ERROR_INVALID, "the layout is NULL");
  rind_layout complete = *layout;
  if (complete.dim == 0) complete.dim = schedule->dim;
  RIND_REQUIRE(context, complete.dim == schedule->dim, RIND_ERROR_MISMATCH,
               "the layout has dimension %d, the schedule %d", complete.dim, schedule->dim);
  RIND_REQUIRE(context, complete.cells == schedule->cells && complete.ghosts == schedule->ghosts,
               RIND_ERROR_MISMATCH,
               "the layout has %d cells and %d ghosts, the schedule %d cells and %d ghosts",
               complete.cells, complete.ghosts, schedule->cells, schedule->ghosts);
  RIND_REQUIRE(context, complete.space != RIND_DEVICE, RIND_ERROR_UNSUPPORTED,
               "the layout is in device memory: fills run in host memory only");
  RIND_TRY(rind_layout_complete(context, schedule->num_local, &complete));
  exchange->layout = complete;
  return RIND_OK;
}

static rind_error take_options(rind_exchange *exchange, const rind_exchange_options *options) {
  rind_context *context = exchange->context;
  const uint32_t all = ((uint32_t)1 << RIND_NUM_FAMILIES) - 1;
  rind_exchange_options taken = options ? *options : (rind_exchange_options){0};
  RIND_REQUIRE(
      context, taken.method == RIND_METHOD_FUSED || taken.method == RIND_METHOD_TERM_BY_TERM,
      RIND_ERROR_INVALID, "the method is %d: fused (0) or term by term (1)", (int)taken.method);
  RIND_REQUIRE(context, (taken.families & ~all) == 0, RIND_ERROR_INVALID,
               "families is 0x%x: there are %d families, so at most 0x%x", taken.families,
               (int)RIND_NUM_FAMILIES, all);
  if (taken.families == 0) taken.families = all;
  if (taken.max_message_bytes == 0) taken.max_message_bytes = default_message_bytes;
  RIND_REQUIRE(context, taken.max_message_bytes <= INT_MAX, RIND_ERROR_INVALID,
               "max_message_bytes is %zu: at most %d", taken.max_message_bytes, INT_MAX);
  exchange->options = taken;
  return RIND_OK;
}

/* All that needs no other rank. */
static rind_error prepare(rind_exchange *exchange, const rind_layout *layout,
                          const rind_exchange_options *options, rind_request_plan *plan) {
  const rind_schedule *schedule = exchange->schedule;
  RIND_TRY(check_schedule(schedule));
  RIND_REQUIRE(exchange->context, schedule->num_phases <= 1, RIND_ERROR_UNSUPPORTED,
               "the schedule has %d phases: one can be run", schedule->num_phases);
  RIND_TRY(take_layout(exchange, layout));
  RIND_TRY(take_options(exchange, options));
  RIND_TRY(rind_request_plan_create(schedule, 0, exchange->options.families, plan));
  RIND_TRY(rind_exchange_bind_local(exchange));
  return rind_exchange_bind_remote(exchange, plan);
}

static rind_error message_bytes(const rind_exchange *exchange, int num_peers,
                                const int64_t *num_cells, size_t *bytes) {
  const size_t cell_bytes =
      (size_t)exchange->layout.components * rind_type_bytes(exchange->layout.type);
  for (int p = 0; p < num_peers; ++p)
    RIND_REQUIRE(exchange->context,
                 (uint64_t)num_cells[p] <= SIZE_MAX &&
                     rind_size_multiply((size_t)num_cells[p], cell_bytes, &bytes[p]),
                 RIND_ERROR_OVERFLOW, "a message of %lld cells of %zu bytes each is too long",
                 (long long)num_cells[p], cell_bytes);
  return RIND_OK;
}

static rind_error make_messages(rind_exchange *exchange, const rind_request_plan *plan,
                                const rind_orders *orders, int tag) {
  const int n = plan->num_peers;
  size_t *bytes = rind_allocate(2 * (size_t)n, sizeof *bytes);
  RIND_REQUIRE(exchange->context, bytes, RIND_ERROR_MEMORY, "no memory for %d peers", n);
  rind_error error = message_bytes(exchange, n, orders->num_cells, bytes);
  if (error == RIND_OK) error = message_bytes(exchange, n, plan->num_cells, bytes + n);
  if (error == RIND_OK)
    error = rind_messages_create(exchange->context, n, plan->peer_rank, bytes, bytes + n,
                                 exchange->options.max_message_bytes, tag, &exchange->messages);
  free(bytes);
  return error;
}

static void count(rind_exchange *exchange, const rind_request_plan *plan,
                  const rind_orders *orders) {
  const rind_messages *messages = &exchange->messages;
  rind_exchange_stats *stats = &exchange->stats;
  for (int p = 0; p < plan->num_peers; ++p)
    stats->peers += plan->num_cells[p] > 0 || orders->num_cells[p] > 0;
  stats->messages_sent = messages->num_sends;
  stats->messages_received = messages->num_receives;
  stats->bytes_sent = messages->bytes_sent;
  stats->bytes_received = messages->bytes_received;
  stats->buffer_bytes =
      (int64_t)(messages->send_offset[plan->num_peers] + messages->receive_offset[plan->num_peers]);
  const size_t list_bytes =
      2 * ((size_t)plan->num_peers + 1) * sizeof *exchange->first_pack +
      (size_t)orders->first_order[plan->num_peers] * sizeof *exchange->pack_to +
      (size_t)plan->num_requests * sizeof *exchange->remote_source;
  stats->metadata_bytes = (int64_t)(sizeof *exchange + list_bytes) +
                          rind_bound_bytes(&exchange->pack) + rind_bound_bytes(&exchange->local) +
                          rind_bound_bytes(&exchange->remote) +
                          rind_messages_metadata_bytes(messages);
}

/* Collective. What the peers want, and the messages for it. */
static rind_error connect(rind_exchange *exchange, const rind_request_plan *plan) {
  const int tag = rind_context_next_tag(exchange->context);
  rind_orders orders = {0};
  RIND_TRY(rind_orders_create(exchange->schedule, &exchange->layout, plan,
                              exchange->options.max_message_bytes, tag, &orders));
  rind_error error = rind_exchange_bind_pack(exchange, plan->num_peers, &orders);
  if (error == RIND_OK) error = make_messages(exchange, plan, &orders, tag);
  if (error == RIND_OK) error = rind_exchange_place_boxes(exchange, plan, &orders);
  error = rind_context_agree(exchange->context, error);
  if (error == RIND_OK) count(exchange, plan, &orders);
  rind_orders_destroy(&orders);
  return error;
}

rind_error rind_exchange_create(const rind_schedule *schedule, const rind_layout *layout,
                                const rind_exchange_options *options, rind_exchange **exchange) {
  if (!schedule || !exchange) return RIND_ERROR_INVALID;
  rind_context *context = schedule->context;
  rind_request_plan plan = {0};
  rind_exchange *made = rind_allocate(1, sizeof *made);
  rind_error error = RIND_OK;
  if (made) {
    made->schedule = schedule;
    made->context = context;
    error = prepare(made, layout, options, &plan);
  } else {
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for an exchange");
  }
  error = rind_context_agree(context, error);
  if (error == RIND_OK) error = connect(made, &plan);
  rind_request_plan_destroy(&plan);
  if (error != RIND_OK) {
    rind_exchange_destroy(&made);
    return error;
  }
  *exchange = made;
  return RIND_OK;
}

void rind_exchange_destroy(rind_exchange **exchange) {
  if (!exchange || !*exchange) return;
  rind_exchange *gone = *exchange;
  int peer = gone->begun ? 0 : -1;
  while (peer >= 0)
    if (rind_messages_wait_any(gone->context, &gone->messages, &peer) != RIND_OK) break;
  if (gone->begun) rind_messages_wait_sends(gone->context, &gone->messages);
  rind_messages_destroy(&gone->messages);
  rind_bound_clear(&gone->pack);
  rind_bound_clear(&gone->local);
  rind_bound_clear(&gone->remote);
  free(gone->first_pack);
  free(gone->first_remote);
  free(gone->pack_to);
  free(gone->remote_source);
  free(gone);
  *exchange = NULL;
}

static rind_error check_field(const rind_exchange *exchange, const rind_field *field) {
  const rind_schedule *schedule = exchange->schedule;
  const rind_layout *a = &field->layout, *b = &exchange->layout;
  rind_context *context = exchange->context;
  RIND_TRY(check_schedule(schedule));
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

/* Runs the fills [first, last) of bound by the exchange's method. */
static void run(const rind_exchange *exchange, const rind_bound *bound, int first, int last,
                void *const *to, const void *const *own, const void *const *source) {
  const rind_gather gather = rind_bound_gather(bound, exchange->layout.type);
  const int threads = exchange->context->threads;
  if (exchange->options.method == RIND_METHOD_FUSED)
    rind_gather_host(&gather, first, last, to, own, source, threads);
  else
    rind_gather_host_term_by_term(&gather, first, last, to, own, source, threads);
}

rind_error rind_fill_begin(rind_exchange *exchange, rind_field *field) {
  if (!exchange || !field) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, !exchange->begun, RIND_ERROR_STATE,
               "a fill has begun with this exchange: end it before the next");
  RIND_TRY(check_field(exchange, field));
  rind_messages *messages = &exchange->messages;
  const void *const *blocks = (const void *const *)field->pointer;
  RIND_TRY(rind_messages_start_receives(exchange->context, messages));
  exchange->begun = field;
  for (int p = 0; p < messages->num_peers; ++p) {
    if (exchange->first_pack[p] == exchange->first_pack[p + 1]) continue;
    run(exchange, &exchange->pack, exchange->first_pack[p], exchange->first_pack[p + 1],
        exchange->pack_to, (const void *const *)exchange->pack_to, blocks);
    RIND_TRY(rind_messages_start_send(exchange->context, messages, p));
  }
  return RIND_OK;
}

rind_error rind_fill_end(rind_exchange *exchange, rind_field *field) {
  if (!exchange || !field) return RIND_ERROR_INVALID;
  rind_context *context = exchange->context;
  RIND_REQUIRE(context, exchange->begun, RIND_ERROR_STATE,
               "no fill has begun with this exchange: begin one before the end");
  RIND_REQUIRE(context, exchange->begun == field, RIND_ERROR_STATE,
               "the fill that has begun is of another field: end it with that one");
  RIND_TRY(check_field(exchange, field));
  const void *const *blocks = (const void *const *)field->pointer;
  run(exchange, &exchange->local, 0, exchange->local.num_fills, field->pointer, blocks, blocks);
  int peer = 0;
  while (peer >= 0) {
    RIND_TRY(rind_messages_wait_any(context, &exchange->messages, &peer));
    if (peer >= 0)
      run(exchange, &exchange->remote, exchange->first_remote[peer],
          exchange->first_remote[peer + 1], field->pointer, blocks, exchange->remote_source);
  }
  RIND_TRY(rind_messages_wait_sends(context, &exchange->messages));
  exchange->begun = NULL;
  return RIND_OK;
}

rind_error rind_fill(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(rind_fill_begin(exchange, field));
  return rind_fill_end(exchange, field);
}

rind_error rind_exchange_get_stats(const rind_exchange *exchange, rind_exchange_stats *stats) {
  if (!exchange || !stats) return RIND_ERROR_INVALID;
  *stats = exchange->stats;
  return RIND_OK;
}
