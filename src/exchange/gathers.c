/* gathers.c - the three gathers of an exchange. */
#include <exchange_data.h>

#include <bind.h>
#include <stdlib.h>
#include <string.h>

static rind_error no_memory(const rind_exchange *exchange, const char *what) {
  return rind_context_fail(exchange->context, RIND_ERROR_MEMORY, "no memory for the %s of %d fills",
                           what, exchange->schedule->num_fills);
}

static bool wanted(const rind_exchange *exchange, const rind_schedule_fill_data *fill) {
  return exchange->options.families >> exchange->schedule->pattern[fill->pattern].family & 1;
}

static bool follows(const rind_schedule *schedule, const rind_schedule_fill_data *a,
                    const rind_schedule_fill_data *b) {
  return a->block == b->block && a->source == b->source &&
         schedule->pattern[a->pattern].group == schedule->pattern[b->pattern].group;
}

/* Fills between two blocks, there and back, next to each other: their lines are the same. */
static int compare_fills(const void *left, const void *right) {
  const rind_gather_fill *a = left, *b = right;
  const int32_t low_a = a->to < a->source ? a->to : a->source;
  const int32_t low_b = b->to < b->source ? b->to : b->source;
  if (low_a != low_b) return low_a < low_b ? -1 : 1;
  const int32_t high_a = a->to < a->source ? a->source : a->to;
  const int32_t high_b = b->to < b->source ? b->source : b->to;
  if (high_a != high_b) return high_a < high_b ? -1 : 1;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

/* Fills with local sources, run by run. */
static bool bind_runs(rind_binder *binder, const rind_schedule_fill_data *fill, int num_fills) {
  for (int first = 0, end = 0; first < num_fills; first = end) {
    for (end = first + 1; end < num_fills && follows(binder->schedule, &fill[first], &fill[end]);)
      ++end;
    if (!rind_bind_run(binder, fill + first, end - first, &binder->field, fill[first].block,
                       fill[first].source))
      return false;
  }
  return true;
}

rind_error rind_exchange_bind_local(rind_exchange *exchange) {
  const rind_schedule *schedule = exchange->schedule;
  rind_schedule_fill_data *fill = rind_allocate((size_t)schedule->num_fills, sizeof *fill);
  int num_fills = 0;
  for (int f = 0; fill && f < schedule->num_fills; ++f)
    if (schedule->fill[f].source < schedule->num_local && wanted(exchange, &schedule->fill[f]))
      fill[num_fills++] = schedule->fill[f];
  rind_binder binder = {0};
  const bool fused = exchange->options.method == RIND_METHOD_FUSED;
  const bool bound =
      fill && rind_binder_open(&binder, schedule, &exchange->layout, fused, &exchange->local) &&
      bind_runs(&binder, fill, num_fills);
  rind_binder_close(&binder);
  free(fill);
  if (!bound) return no_memory(exchange, "local rows");
  if (exchange->local.num_fills > 0)
    qsort(exchange->local.fill, (size_t)exchange->local.num_fills, sizeof *exchange->local.fill,
          compare_fills);
  rind_bound_trim(&exchange->local);
  exchange->stats.local_fills = num_fills;
  return RIND_OK;
}

/* Fills that read the values of request r; room for all of them is in wanted_fill. */
static bool bind_request(rind_exchange *exchange, rind_binder *binder,
                         const rind_request_plan *plan, int r,
                         rind_schedule_fill_data *wanted_fill) {
  const rind_request *request = &plan->request[r];
  int num_fills = 0;
  for (int f = 0; f < request->num_fills; ++f) {
    const rind_schedule_fill_data *fill = &exchange->schedule->fill[request->first_fill + f];
    if (wanted(exchange, fill)) wanted_fill[num_fills++] = *fill;
  }
  exchange->stats.remote_fills += num_fills;
  if (num_fills == 0) return true;
  if (request->kind == RIND_REQUEST_SUMS) return rind_bind_sums(binder, wanted_fill, r);
  const rind_view box = rind_view_box(request->origin, request->extent);
  return rind_bind_run(binder, wanted_fill, num_fills, &box, wanted_fill[0].block, r);
}

static bool bind_requests(rind_exchange *exchange, rind_binder *binder,
                          const rind_request_plan *plan) {
  int longest = 0;
  for (int r = 0; r < plan->num_requests; ++r)
    if (plan->request[r].num_fills > longest) longest = plan->request[r].num_fills;
  rind_schedule_fill_data *fill = rind_allocate((size_t)longest, sizeof *fill);
  bool bound = fill != NULL;
  for (int p = 0; bound && p < plan->num_peers; ++p) {
    for (int r = plan->first_request[p]; bound && r < plan->first_request[p + 1]; ++r)
      bound = bind_request(exchange, binder, plan, r, fill);
    exchange->first_remote[p + 1] = exchange->remote.num_fills;
  }
  free(fill);
  return bound;
}

rind_error rind_exchange_bind_remote(rind_exchange *exchange, const rind_request_plan *plan) {
  const rind_schedule *schedule = exchange->schedule;
  rind_binder binder = {0};
  const bool fused = exchange->options.method == RIND_METHOD_FUSED;
  exchange->first_remote = rind_allocate((size_t)plan->num_peers + 1, sizeof(int));
  const bool bound =
      exchange->first_remote &&
      rind_binder_open(&binder, schedule, &exchange->layout, fused, &exchange->remote) &&
      bind_requests(exchange, &binder, plan);
  rind_binder_close(&binder);
  if (!bound) return no_memory(exchange, "remote rows");
  rind_bound_trim(&exchange->remote);
  int64_t remote = 0;
  for (int f = 0; f < schedule->num_fills; ++f)
    remote +=
        schedule->fill[f].source >= schedule->num_local && wanted(exchange, &schedule->fill[f]);
  RIND_REQUIRE(exchange->context, remote == exchange->stats.remote_fills, RIND_ERROR_INTERNAL,
               "%lld fills have remote sources, the requests serve %lld", (long long)remote,
               (long long)exchange->stats.remote_fills);
  return RIND_OK;
}

/* The raw boxes whose rows exist. */
typedef struct boxes {
  const rind_order **order; /* [num] that asked first */
  int *row;                 /* [num] */
  int num;
} boxes;

/* The row that packs an order; -1 without memory. */
static int pack_row(rind_exchange *exchange, const rind_orders *orders, const rind_order *order,
                    int *sums_row, boxes *raw) {
  rind_bound *pack = &exchange->pack;
  if (order->kind == RIND_REQUEST_SUMS) {
    if (sums_row[order->pattern] < 0) {
      const rind_pattern *pattern = &orders->pattern[order->pattern];
      if (!rind_bind_pack_sums(pack, &exchange->layout, pattern,
                               orders->term + pattern->first_term))
        return -1;
      sums_row[order->pattern] = pack->num_rows - 1;
    }
    return sums_row[order->pattern];
  }
  for (int b = 0; b < raw->num; ++b)
    if (memcmp(raw->order[b]->origin, order->origin, sizeof order->origin) == 0 &&
        memcmp(raw->order[b]->extent, order->extent, sizeof order->extent) == 0)
      return raw->row[b];
  if (!rind_bind_pack_raw(pack, &exchange->layout, order->origin, order->extent)) return -1;
  raw->order[raw->num] = order;
  raw->row[raw->num++] = pack->num_rows - 1;
  return pack->num_rows - 1;
}

static bool bind_orders(rind_exchange *exchange, int num_peers, const rind_orders *orders,
                        int *sums_row, boxes *raw) {
  for (int pattern = 0; pattern < orders->num_patterns; ++pattern)
    sums_row[pattern] = -1;
  for (int p = 0; p < num_peers; ++p) {
    for (int o = orders->first_order[p]; o < orders->first_order[p + 1]; ++o) {
      const rind_order *order = &orders->order[o];
      const int row = pack_row(exchange, orders, order, sums_row, raw);
      if (row < 0 || !rind_bound_add_fill(&exchange->pack, row, o, order->block)) return false;
    }
    exchange->first_pack[p + 1] = exchange->pack.num_fills;
  }
  return true;
}

rind_error rind_exchange_bind_pack(rind_exchange *exchange, int num_peers,
                                   const rind_orders *orders) {
  const size_t num_orders = (size_t)orders->first_order[num_peers];
  int *sums_row = rind_allocate((size_t)orders->num_patterns, sizeof *sums_row);
  boxes raw = {.order = rind_allocate(num_orders, sizeof *raw.order),
               .row = rind_allocate(num_orders, sizeof *raw.row)};
  exchange->first_pack = rind_allocate((size_t)num_peers + 1, sizeof *exchange->first_pack);
  const bool bound = sums_row && raw.order && raw.row && exchange->first_pack &&
                     bind_orders(exchange, num_peers, orders, sums_row, &raw);
  free(sums_row);
  free(raw.order);
  free(raw.row);
  if (!bound) return no_memory(exchange, "packing rows");
  rind_bound_trim(&exchange->pack);
  return RIND_OK;
}

rind_error rind_exchange_place_boxes(rind_exchange *exchange, const rind_request_plan *plan,
                                     const rind_orders *orders) {
  const rind_messages *messages = &exchange->messages;
  const size_t cell_bytes =
      (size_t)exchange->layout.components * rind_type_bytes(exchange->layout.type);
  const int num_peers = plan->num_peers, num_orders = orders->first_order[num_peers];
  exchange->pack_to = rind_allocate((size_t)num_orders, sizeof *exchange->pack_to);
  exchange->remote_source =
      rind_allocate((size_t)plan->num_requests, sizeof *exchange->remote_source);
  if (!exchange->pack_to || !exchange->remote_source) return no_memory(exchange, "message boxes");
  for (int p = 0; p < num_peers; ++p) {
    char *to = messages->send_buffer + messages->send_offset[p];
    for (int o = orders->first_order[p]; o < orders->first_order[p + 1]; ++o) {
      const int32_t *extent = orders->order[o].extent;
      exchange->pack_to[o] = to;
      to += (size_t)extent[0] * (size_t)extent[1] * (size_t)extent[2] * cell_bytes;
    }
    const char *from = messages->receive_buffer + messages->receive_offset[p];
    for (int r = plan->first_request[p]; r < plan->first_request[p + 1]; ++r)
      exchange->remote_source[r] = from + (size_t)plan->request[r].offset * cell_bytes;
  }
  return RIND_OK;
}
