/* fill.c - the loop's calls: begin runs the first phase up to its messages, end all the rest. */
#include <exchange_data.h>

static rind_error check_field(const rind_exchange *exchange, int f, const rind_field *field) {
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

static rind_error check_fields(const rind_exchange *exchange, rind_field *const *fields) {
  RIND_TRY(rind_exchange_check_schedule(exchange->schedule));
  for (int f = 0; f < exchange->num_fields; ++f) {
    RIND_REQUIRE(exchange->context, fields[f], RIND_ERROR_INVALID, "field %d of %d is NULL", f,
                 exchange->num_fields);
    RIND_TRY(check_field(exchange, f, fields[f]));
    for (int other = 0; other < f; ++other)
      RIND_REQUIRE(exchange->context, fields[other] != fields[f], RIND_ERROR_INVALID,
                   "fields %d and %d are the same: each of them once it must be", other, f);
  }
  return RIND_OK;
}

static rind_error check_single(const rind_exchange *exchange) {
  RIND_REQUIRE(exchange->context, exchange->num_fields == 1, RIND_ERROR_MISMATCH,
               "one field for an exchange of %d: fill them together with rind_fill_fields",
               exchange->num_fields);
  return RIND_OK;
}

/* Runs the fills [first, last) of bound by the exchange's method. */
static void run(const rind_exchange *exchange, const rind_bound *bound, int first, int last,
                void *const *to, const void *const *own, const void *const *source) {
  const rind_gather gather = rind_bound_gather(bound);
  const int threads = exchange->context->threads;
  if (exchange->options.method == RIND_METHOD_FUSED)
    rind_gather_host(&gather, first, last, to, own, source, threads);
  else
    rind_gather_host_term_by_term(&gather, first, last, to, own, source, threads);
}

static const void *const *blocks_of(const rind_field *field) {
  return (const void *const *)field->pointer;
}

/* Packs and sends. */
static rind_error begin_phase(rind_exchange *exchange, rind_exchange_phase *phase,
                              rind_field *const *fields) {
  rind_messages *messages = &phase->messages;
  RIND_TRY(rind_messages_start_receives(exchange->context, messages));
  for (int p = 0; p < messages->num_peers; ++p) {
    for (int f = 0; f < exchange->num_fields; ++f) {
      const rind_exchange_part *part = &phase->part[f];
      if (part->first_pack[p] == part->first_pack[p + 1]) continue;
      run(exchange, &part->pack, part->first_pack[p], part->first_pack[p + 1], part->pack_to,
          (const void *const *)part->pack_to, blocks_of(fields[f]));
    }
    RIND_TRY(rind_messages_start_send(exchange->context, messages, p));
  }
  return RIND_OK;
}

/* The caller's function for the boxes of one field. */
static void call_function(const rind_exchange *exchange, const rind_exchange_phase *phase, int f,
                          rind_field *field) {
  const rind_schedule *schedule = exchange->schedule;
  const rind_exchange_field *here = &exchange->field[f];
  const rind_block *blocks = rind_forest_get_arrays(schedule->forest)->block;
  for (int i = 0; i < phase->num_functions; ++i) {
    const rind_schedule_fill_data *fill = &schedule->fill[phase->function[i]];
    const rind_pattern *pattern = &schedule->pattern[fill->pattern];
    const int component = pattern->component < 0 ? -1 : pattern->component - here->components.first;
    if (pattern->component >= 0 && (component < 0 || component >= here->components.count)) continue;
    const rind_block *block = &blocks[fill->block];
    rind_wall_call call = {.field = f,
                           .component = component,
                           .block = fill->block,
                           .wall = pattern->wall,
                           .region = pattern->region,
                           .cells = schedule->cells,
                           .pointer = field->pointer[fill->block],
                           .layout = &field->layout};
    for (int a = 0; a < 3; ++a) {
      call.origin[a] = pattern->origin[a];
      call.extent[a] = pattern->extent[a];
      call.lower[a] = block->lower[a];
      call.side[a] = block->side[a];
    }
    exchange->options.wall_function(exchange->options.wall_user, &call);
  }
}

/* Runs the rows of a phase that has begun. */
static rind_error end_phase(rind_exchange *exchange, rind_exchange_phase *phase,
                            rind_field *const *fields) {
  rind_messages *messages = &phase->messages;
  const bool walls = phase->kind == RIND_PHASE_WALLS;
  for (int f = 0; f < exchange->num_fields; ++f) {
    const rind_bound *local = &phase->part[f].local;
    const void *const *blocks = blocks_of(fields[f]);
    run(exchange, local, 0, local->num_fills, fields[f]->pointer, blocks,
        walls ? exchange->field[f].wall_start : blocks);
    call_function(exchange, phase, f, fields[f]);
  }
  int peer = 0;
  while (peer >= 0) {
    RIND_TRY(rind_messages_wait_any(exchange->context, messages, &peer));
    for (int f = 0; peer >= 0 && f < exchange->num_fields; ++f) {
      const rind_exchange_part *part = &phase->part[f];
      run(exchange, &part->remote, part->first_remote[peer], part->first_remote[peer + 1],
          fields[f]->pointer, blocks_of(fields[f]), part->remote_source);
    }
  }
  return rind_messages_wait_sends(exchange->context, messages);
}

rind_error rind_fill_fields_begin(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, fields, RIND_ERROR_INVALID, "fields is NULL");
  RIND_REQUIRE(exchange->context, !exchange->has_begun, RIND_ERROR_STATE,
               "a fill has begun with this exchange: end it before the next");
  RIND_TRY(check_fields(exchange, fields));
  for (int f = 0; f < exchange->num_fields; ++f)
    exchange->begun[f] = fields[f];
  exchange->has_begun = true;
  return begin_phase(exchange, &exchange->phase[0], fields);
}

rind_error rind_fill_fields_end(rind_exchange *exchange, rind_field *const *fields) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, fields, RIND_ERROR_INVALID, "fields is NULL");
  RIND_REQUIRE(exchange->context, exchange->has_begun, RIND_ERROR_STATE,
               "no fill has begun with this exchange: begin one before the end");
  for (int f = 0; f < exchange->num_fields; ++f)
    RIND_REQUIRE(exchange->context, exchange->begun[f] == fields[f], RIND_ERROR_STATE,
                 "the fill that has begun is of another field: end it with that one");
  RIND_TRY(check_fields(exchange, fields));
  RIND_TRY(end_phase(exchange, &exchange->phase[0], fields));
  for (int p = 1; p < exchange->num_phases; ++p) {
    RIND_TRY(begin_phase(exchange, &exchange->phase[p], fields));
    RIND_TRY(end_phase(exchange, &exchange->phase[p], fields));
  }
  exchange->has_begun = false;
  return RIND_OK;
}

rind_error rind_fill_fields(rind_exchange *exchange, rind_field *const *fields) {
  RIND_TRY(rind_fill_fields_begin(exchange, fields));
  return rind_fill_fields_end(exchange, fields);
}

rind_error rind_fill_begin(rind_exchange *exchange, rind_field *field) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, field, RIND_ERROR_INVALID, "field is NULL");
  RIND_TRY(check_single(exchange));
  return rind_fill_fields_begin(exchange, &field);
}

rind_error rind_fill_end(rind_exchange *exchange, rind_field *field) {
  if (!exchange) return RIND_ERROR_INVALID;
  RIND_REQUIRE(exchange->context, field, RIND_ERROR_INVALID, "field is NULL");
  RIND_TRY(check_single(exchange));
  return rind_fill_fields_end(exchange, &field);
}

rind_error rind_fill(rind_exchange *exchange, rind_field *field) {
  RIND_TRY(rind_fill_begin(exchange, field));
  return rind_fill_end(exchange, field);
}
