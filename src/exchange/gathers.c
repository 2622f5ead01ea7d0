/* gathers.c - the gathers of a phase that write ghosts: from local blocks, and from messages. */
#include <exchange_data.h>

#include <bind.h>
#include <core.h>
#include <stdlib.h>

static rind_error no_memory(const rind_exchange *exchange, const char *what) {
  return rind_context_fail(exchange->context, RIND_ERROR_MEMORY, "no memory for the %s of %d fills",
                           what, exchange->schedule->num_fills);
}

static bool wanted(const rind_exchange *exchange, const rind_schedule_fill_data *fill) {
  return exchange->options.families >> exchange->schedule->pattern[fill->pattern].family & 1;
}

/* What a local fill reads beside its own block: a block, or in a phase of walls the values of one.
 * Where it reads nothing else that is the block itself. */
static int source_of(const rind_schedule *schedule, const rind_schedule_fill_data *fill) {
  const int wall = schedule->pattern[fill->pattern].wall;
  return wall >= 0 ? wall : fill->source >= 0 ? fill->source : fill->block;
}

static bool follows(const rind_schedule *schedule, const rind_schedule_fill_data *a,
                    const rind_schedule_fill_data *b) {
  return a->block == b->block && source_of(schedule, a) == source_of(schedule, b) &&
         schedule->pattern[a->pattern].group == schedule->pattern[b->pattern].group;
}

/* Fills between two blocks, there and back, next to each other: their lines are the same. */
static int compare_fills(const void *left, const void *right) {
  const rind_gather_fill *a = left, *b = right;
  const int32_t low_a = a->to < a->source ? a->to : a->source;
  const int32_t low_b = b->to < b->source ? b->to : b->source;
  const int32_t high_a = a->to < a->source ? a->source : a->to;
  const int32_t high_b = b->to < b->source ? b->source : b->to;
  if (high_a != high_b) return high_a < high_b ? -1 : 1;
  if (low_a != low_b) return low_a < low_b ? -1 : 1;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

/* The same order, by the higher block first. */
static bool sort_fills(rind_bound *bound, int num_blocks) {
  int32_t *high = rind_allocate((size_t)bound->num_fills, sizeof *high);
  for (int f = 0; high && f < bound->num_fills; ++f) {
    const rind_gather_fill *fill = &bound->fill[f];
    high[f] = fill->to < fill->source ? fill->source : fill->to;
  }
  const bool sorted = high && rind_sort_by_place(bound->fill, bound->num_fills, sizeof *bound->fill,
                                                 high, num_blocks, compare_fills);
  free(high);
  return sorted;
}

/* Fills with local sources, run by run. */
static bool bind_runs(rind_binder *binder, const rind_view *source,
                      const rind_schedule_fill_data *fill, int num_fills) {
  for (int first = 0, end = 0; first < num_fills; first = end) {
    for (end = first + 1; end < num_fills && follows(binder->schedule, &fill[first], &fill[end]);)
      ++end;
    if (!rind_bind_run(binder, fill + first, end - first, source, fill[first].block,
                       source_of(binder->schedule, &fill[first])))
      return false;
  }
  return true;
}

/* A binder for one of the gathers of a field. */
static bool open_binder(const rind_exchange *exchange, int f, rind_bound *bound,
                        rind_type source_type, rind_binder *binder) {
  const rind_exchange_field *field = &exchange->field[f];
  bound->to_type = field->layout.type;
  bound->source_type = source_type;
  return rind_binder_open(binder, exchange->schedule, &field->layout, &field->components,
                          exchange->options.method == RIND_METHOD_FUSED, bound);
}

static bool bind_local_part(rind_exchange *exchange, int phase, int f,
                            const rind_schedule_fill_data *fill, int num_fills) {
  const bool walls = exchange->phase[phase].kind == RIND_PHASE_WALLS;
  const rind_layout *layout = &exchange->field[f].layout;
  rind_bound *local = &exchange->phase[phase].part[f].local;
  const rind_view view = walls ? rind_view_value() : rind_view_field(layout);
  rind_binder binder = {0};
  bool bound = open_binder(exchange, f, local, walls ? RIND_FLOAT64 : layout->type, &binder) &&
               bind_runs(&binder, &view, fill, num_fills);
  rind_binder_close(&binder);
  if (bound && local->num_fills > 0 && !walls) {
    bound = sort_fills(local, exchange->schedule->num_local) &&
            (layout->space == RIND_DEVICE ||
             (rind_bound_find_pairs(local, (const int[2]){0, local->num_fills}, 1) &&
              rind_bound_find_lists(local) &&
              (exchange->options.method != RIND_METHOD_FUSED ||
               rind_bound_look_ahead(local, layout, exchange->schedule->num_local, false))));
  }
  rind_bound_trim(local);
  return bound;
}

/* Splits a phase's local fills into those of rows, in row_fill, and those of the caller. */
static int list_local(rind_exchange *exchange, int phase, rind_schedule_fill_data *row_fill) {
  const rind_schedule *schedule = exchange->schedule;
  rind_exchange_phase *here = &exchange->phase[phase];
  int num_rows = 0;
  for (int f = schedule->first_fill[phase]; f < schedule->first_fill[phase + 1]; ++f) {
    const rind_schedule_fill_data *fill = &schedule->fill[f];
    if (fill->source >= schedule->num_local || !wanted(exchange, fill)) continue;
    if (schedule->pattern[fill->pattern].family == RIND_FAMILY_FUNCTION)
      here->function[here->num_functions++] = f;
    else
      row_fill[num_rows++] = *fill;
  }
  return num_rows;
}

static int count_functions(const rind_schedule *schedule, int phase) {
  int count = 0;
  for (int f = schedule->first_fill[phase]; f < schedule->first_fill[phase + 1]; ++f)
    count += schedule->pattern[schedule->fill[f].pattern].family == RIND_FAMILY_FUNCTION;
  return count;
}

rind_error rind_exchange_bind_local(rind_exchange *exchange, int phase) {
  const rind_schedule *schedule = exchange->schedule;
  rind_exchange_phase *here = &exchange->phase[phase];
  const int most = schedule->first_fill[phase + 1] - schedule->first_fill[phase];
  rind_schedule_fill_data *fill = rind_allocate((size_t)most, sizeof *fill);
  here->function = rind_allocate((size_t)count_functions(schedule, phase), sizeof *here->function);
  bool bound = fill && here->function;
  if (bound) {
    const int num_fills = list_local(exchange, phase, fill);
    exchange->stats.local_fills += num_fills + here->num_functions;
    for (int f = 0; bound && f < exchange->num_fields; ++f)
      bound = bind_local_part(exchange, phase, f, fill, num_fills);
  }
  free(fill);
  return bound ? RIND_OK : no_memory(exchange, "local rows");
}

/* Fills that read the values of request r; room for all of them is in wanted_fill. */
static bool bind_request(const rind_exchange *exchange, rind_binder *binder,
                         const rind_request_plan *plan, int r, rind_schedule_fill_data *wanted_fill,
                         int64_t *num_served) {
  const rind_request *request = &plan->request[r];
  int num_fills = 0;
  for (int f = 0; f < request->num_fills; ++f) {
    const rind_schedule_fill_data *fill = &exchange->schedule->fill[request->first_fill + f];
    if (wanted(exchange, fill)) wanted_fill[num_fills++] = *fill;
  }
  *num_served += num_fills;
  if (num_fills == 0) return true;
  if (request->kind != RIND_REQUEST_RAW) return rind_bind_sums(binder, wanted_fill, r);
  const rind_view box = rind_view_box(request->origin, request->extent);
  return rind_bind_run(binder, wanted_fill, num_fills, &box, wanted_fill[0].block, r);
}

/* The fills of all requests, peer by peer. */
static bool bind_requests(const rind_exchange *exchange, rind_binder *binder,
                          const rind_request_plan *plan, int *first_remote, int64_t *num_served) {
  int longest = 0;
  for (int r = 0; r < plan->num_requests; ++r)
    if (plan->request[r].num_fills > longest) longest = plan->request[r].num_fills;
  rind_schedule_fill_data *fill = rind_allocate((size_t)longest, sizeof *fill);
  bool bound = fill != NULL;
  for (int p = 0; bound && p < plan->num_peers; ++p) {
    for (int r = plan->first_request[p]; bound && r < plan->first_request[p + 1]; ++r)
      bound = bind_request(exchange, binder, plan, r, fill, num_served);
    first_remote[p + 1] = binder->bound->num_fills;
  }
  free(fill);
  return bound;
}

static bool bind_remote_part(rind_exchange *exchange, int phase, int f,
                             const rind_request_plan *plan, int64_t *num_served) {
  rind_exchange_part *part = &exchange->phase[phase].part[f];
  const rind_type type = exchange->field[f].layout.type;
  const bool sends_double = rind_phase_sends_double(exchange->phase[phase].kind);
  rind_binder binder = {0};
  part->first_remote = rind_allocate((size_t)plan->num_peers + 1, sizeof *part->first_remote);
  const bool bound =
      part->first_remote &&
      open_binder(exchange, f, &part->remote, sends_double ? RIND_FLOAT64 : type, &binder) &&
      bind_requests(exchange, &binder, plan, part->first_remote, num_served) &&
      (exchange->field[f].layout.space == RIND_DEVICE || rind_bound_find_lists(&part->remote));
  rind_binder_close(&binder);
  rind_bound_trim(&part->remote);
  return bound;
}

rind_error rind_exchange_bind_remote(rind_exchange *exchange, int phase,
                                     const rind_request_plan *plan) {
  const rind_schedule *schedule = exchange->schedule;
  int64_t remote = 0;
  for (int f = schedule->first_fill[phase]; f < schedule->first_fill[phase + 1]; ++f)
    remote +=
        schedule->fill[f].source >= schedule->num_local && wanted(exchange, &schedule->fill[f]);
  for (int f = 0; f < exchange->num_fields; ++f) {
    int64_t served = 0;
    if (!bind_remote_part(exchange, phase, f, plan, &served))
      return no_memory(exchange, "remote rows");
    RIND_REQUIRE(exchange->context, remote == served, RIND_ERROR_INTERNAL,
                 "%lld fills have remote sources, the requests serve %lld", (long long)remote,
                 (long long)served);
  }
  exchange->stats.remote_fills += remote;
  return RIND_OK;
}
