/* packs.c - the gathers that fill messages, and where the boxes of each field lie in them. */
#include <exchange_data.h>

#include <bind.h>
#include <stdlib.h>
#include <string.h>

/* One field's rows under construction. */
typedef struct packer {
  const rind_exchange_field *field;
  const rind_orders *orders;
  rind_bound *bound;
  int *sums_row;          /* [num_patterns + 1], first row of a pattern, -1 before; the end of
                             its rows in sums_end */
  int *sums_end;          /* [num_patterns] */
  const rind_order **raw; /* [num_raw] raw boxes whose rows exist */
  int *raw_row;           /* [num_raw] */
  int num_raw;
} packer;

/* The rows [*first, *end) that pack an order; false without memory. */
static bool pack_rows(packer *p, const rind_order *order, int *first, int *end) {
  rind_bound *pack = p->bound;
  const rind_layout *layout = &p->field->layout;
  if (order->kind != RIND_REQUEST_RAW) {
    if (p->sums_row[order->pattern] < 0) {
      const rind_pattern *pattern = &p->orders->pattern[order->pattern];
      p->sums_row[order->pattern] = pack->num_rows;
      if (!rind_bind_pack_sums(pack, layout, &p->field->components, pattern,
                               p->orders->term + pattern->first_term))
        return false;
      p->sums_end[order->pattern] = pack->num_rows;
    }
    *first = p->sums_row[order->pattern];
    *end = p->sums_end[order->pattern];
    return true;
  }
  int b = 0;
  while (b < p->num_raw && (memcmp(p->raw[b]->origin, order->origin, sizeof order->origin) != 0 ||
                            memcmp(p->raw[b]->extent, order->extent, sizeof order->extent) != 0))
    ++b;
  if (b == p->num_raw) {
    if (!rind_bind_pack_raw(pack, layout, order->origin, order->extent)) return false;
    p->raw[b] = order;
    p->raw_row[b] = pack->num_rows - 1;
    ++p->num_raw;
  }
  *first = p->raw_row[b];
  *end = *first + 1;
  return true;
}

static bool bind_orders(packer *p, int num_peers, int *first_pack) {
  const rind_orders *orders = p->orders;
  for (int pattern = 0; pattern < orders->num_patterns; ++pattern)
    p->sums_row[pattern] = -1;
  for (int peer = 0; peer < num_peers; ++peer) {
    for (int o = orders->first_order[peer]; o < orders->first_order[peer + 1]; ++o) {
      int first = 0, end = 0;
      if (!pack_rows(p, &orders->order[o], &first, &end)) return false;
      for (int row = first; row < end; ++row)
        if (!rind_bound_add_fill(p->bound, row, o, orders->order[o].block)) return false;
    }
    first_pack[peer + 1] = p->bound->num_fills;
  }
  return true;
}

bool rind_exchange_pack_field(const rind_exchange_field *field, bool sends_double, int num_peers,
                              const rind_orders *orders, rind_bound *pack, int **first_pack) {
  const size_t num_orders = (size_t)orders->first_order[num_peers];
  const size_t num_patterns = (size_t)orders->num_patterns;
  packer p = {.field = field,
              .orders = orders,
              .bound = pack,
              .sums_row = rind_allocate(num_patterns, sizeof *p.sums_row),
              .sums_end = rind_allocate(num_patterns, sizeof *p.sums_end),
              .raw = rind_allocate(num_orders, sizeof *p.raw),
              .raw_row = rind_allocate(num_orders, sizeof *p.raw_row)};
  *first_pack = rind_allocate((size_t)num_peers + 1, sizeof **first_pack);
  pack->to_type = sends_double ? RIND_FLOAT64 : field->layout.type;
  pack->source_type = field->layout.type;
  const bool bound = p.sums_row && p.sums_end && p.raw && p.raw_row && *first_pack &&
                     bind_orders(&p, num_peers, *first_pack);
  free(p.sums_row);
  free(p.sums_end);
  free(p.raw);
  free(p.raw_row);
  rind_bound_trim(pack);
  return bound;
}

rind_error rind_exchange_bind_pack(rind_exchange *exchange, int phase, int num_peers,
                                   const rind_orders *orders) {
  const bool sends_double = rind_phase_sends_double(exchange->phase[phase].kind);
  for (int f = 0; f < exchange->num_fields; ++f) {
    rind_exchange_part *part = &exchange->phase[phase].part[f];
    RIND_REQUIRE(exchange->context,
                 rind_exchange_pack_field(&exchange->field[f], sends_double, num_peers, orders,
                                          &part->pack, &part->first_pack),
                 RIND_ERROR_MEMORY, "no memory for the packing rows of %d orders",
                 orders->first_order[num_peers]);
  }
  return RIND_OK;
}

/* Bytes that a cell of a field takes in a message. */
static size_t cell_bytes(const rind_layout *layout, bool sends_double) {
  return (size_t)layout->components * rind_type_bytes(sends_double ? RIND_FLOAT64 : layout->type);
}

/* Where a field begins that follows so many bytes. */
static size_t aligned(size_t bytes) {
  return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

rind_error rind_exchange_message_bytes(const rind_exchange *exchange, bool sends_double,
                                       int num_peers, const int64_t *num_cells, size_t *bytes) {
  for (int p = 0; p < num_peers; ++p) {
    bytes[p] = 0;
    for (int f = 0; f < exchange->num_fields; ++f) {
      const size_t a_cell = cell_bytes(&exchange->field[f].layout, sends_double);
      size_t of_field = 0;
      RIND_REQUIRE(exchange->context,
                   (uint64_t)num_cells[p] <= SIZE_MAX &&
                       rind_size_multiply((size_t)num_cells[p], a_cell, &of_field) &&
                       bytes[p] <= SIZE_MAX / 2 && of_field <= SIZE_MAX / 2 - sizeof(double),
                   RIND_ERROR_OVERFLOW, "a message of %lld cells of %zu bytes each is too long",
                   (long long)num_cells[p], a_cell);
      bytes[p] = aligned(bytes[p]) + of_field;
    }
  }
  return RIND_OK;
}

/* Bytes of a peer's message before field f. */
static size_t bytes_before(const rind_exchange *exchange, bool sends_double, int f,
                           int64_t num_cells) {
  size_t before = 0;
  for (int other = 0; other < f; ++other)
    before = aligned(before +
                     (size_t)num_cells * cell_bytes(&exchange->field[other].layout, sends_double));
  return before;
}

void rind_exchange_place_orders(const rind_exchange *exchange, bool sends_double, int f,
                                int num_peers, const rind_orders *orders, char *buffer,
                                const size_t *offset, void **place) {
  const size_t a_cell = cell_bytes(&exchange->field[f].layout, sends_double);
  for (int peer = 0; peer < num_peers; ++peer) {
    char *to =
        buffer + offset[peer] + bytes_before(exchange, sends_double, f, orders->num_cells[peer]);
    for (int o = orders->first_order[peer]; o < orders->first_order[peer + 1]; ++o) {
      const int32_t *extent = orders->order[o].extent;
      place[o] = to;
      to += (size_t)extent[0] * (size_t)extent[1] * (size_t)extent[2] * a_cell;
    }
  }
}

static void place_requests(const rind_exchange *exchange, int phase, int f,
                           const rind_request_plan *plan, const void **place) {
  const rind_messages *messages = &exchange->phase[phase].messages;
  const bool sends_double = rind_phase_sends_double(exchange->phase[phase].kind);
  const size_t a_cell = cell_bytes(&exchange->field[f].layout, sends_double);
  for (int peer = 0; peer < plan->num_peers; ++peer) {
    const char *from = messages->receive_buffer + messages->receive_offset[peer] +
                       bytes_before(exchange, sends_double, f, plan->num_cells[peer]);
    for (int r = plan->first_request[peer]; r < plan->first_request[peer + 1]; ++r)
      place[r] = from + (size_t)plan->request[r].offset * a_cell;
  }
}

rind_error rind_exchange_place_boxes(rind_exchange *exchange, int phase,
                                     const rind_request_plan *plan, const rind_orders *orders) {
  const int num_orders = orders->first_order[plan->num_peers];
  const rind_messages *messages = &exchange->phase[phase].messages;
  const bool sends_double = rind_phase_sends_double(exchange->phase[phase].kind);
  for (int f = 0; f < exchange->num_fields; ++f) {
    rind_exchange_part *part = &exchange->phase[phase].part[f];
    part->pack_to = rind_allocate((size_t)num_orders, sizeof *part->pack_to);
    part->remote_source = rind_allocate((size_t)plan->num_requests, sizeof *part->remote_source);
    part->num_packed = (size_t)num_orders;
    part->num_requested = (size_t)plan->num_requests;
    RIND_REQUIRE(exchange->context, part->pack_to && part->remote_source, RIND_ERROR_MEMORY,
                 "no memory for %d boxes of messages", num_orders);
    exchange->stats.metadata_bytes +=
        (int64_t)((size_t)num_orders * sizeof *part->pack_to +
                  (size_t)plan->num_requests * sizeof *part->remote_source);
    rind_exchange_place_orders(exchange, sends_double, f, plan->num_peers, orders,
                               messages->send_buffer, messages->send_offset, part->pack_to);
    place_requests(exchange, phase, f, plan, part->remote_source);
  }
  return RIND_OK;
}
