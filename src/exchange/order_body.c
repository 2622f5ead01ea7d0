/* order_body.c - writing requests, and reading those of others like any input: checked first. */
#include <order_body.h>

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct body_term {
  double weight;
  int32_t origin[3];
  int32_t unused;
} body_term;

typedef struct body_pattern {
  int32_t extent[3];
  int32_t axis[3];
  int32_t step[3];
  int32_t num_terms;
} body_pattern;

static const int64_t *header_of(const rind_letter *letter) {
  return letter->data;
}

/* After the header; the largest items come first, so that all are aligned. */
static body_term *terms(const rind_letter *letter) {
  return (body_term *)((int64_t *)letter->data + RIND_HEADER_WORDS);
}

static body_pattern *patterns(const rind_letter *letter) {
  return (body_pattern *)(terms(letter) + header_of(letter)[RIND_HEADER_TERMS]);
}

static rind_order *orders_of(const rind_letter *letter) {
  return (rind_order *)(patterns(letter) + header_of(letter)[RIND_HEADER_PATTERNS]);
}

/* How long a letter must be. */
static rind_error letter_bytes(rind_context *context, int peer_rank, const int64_t *header,
                               size_t *bytes) {
  for (int i = 0; i < RIND_HEADER_WORDS; ++i)
    RIND_REQUIRE(context, header[i] >= 0 && (i == RIND_HEADER_CELLS || header[i] <= INT_MAX),
                 RIND_ERROR_INTERNAL, "the orders of rank %d have size %d = %lld", peer_rank, i,
                 (long long)header[i]);
  const int64_t sum = RIND_HEADER_WORDS * (int64_t)sizeof *header +
                      header[RIND_HEADER_TERMS] * (int64_t)sizeof(body_term) +
                      header[RIND_HEADER_PATTERNS] * (int64_t)sizeof(body_pattern) +
                      header[RIND_HEADER_ORDERS] * (int64_t)sizeof(rind_order);
  RIND_REQUIRE(context, sum <= INT_MAX, RIND_ERROR_OVERFLOW,
               "%lld orders to or from rank %d take %lld bytes: at most %d",
               (long long)header[RIND_HEADER_ORDERS], peer_rank, (long long)sum, INT_MAX);
  *bytes = (size_t)sum;
  return RIND_OK;
}

static rind_error make_letter(rind_context *context, int peer_rank, const int64_t *header,
                              rind_letter *letter) {
  size_t bytes = 0;
  RIND_TRY(letter_bytes(context, peer_rank, header, &bytes));
  letter->data = rind_allocate(bytes, 1);
  RIND_REQUIRE(context, letter->data, RIND_ERROR_MEMORY, "no memory for %zu bytes of orders",
               bytes);
  letter->bytes = bytes;
  memcpy(letter->data, header, RIND_HEADER_WORDS * sizeof *header);
  return RIND_OK;
}

rind_error rind_order_body_open(rind_context *context, int peer_rank, const rind_letter *letter,
                                const int64_t **header) {
  size_t bytes = 0;
  RIND_REQUIRE(context, letter->bytes >= RIND_HEADER_WORDS * sizeof **header, RIND_ERROR_INTERNAL,
               "the orders of rank %d are %zu bytes", peer_rank, letter->bytes);
  RIND_TRY(letter_bytes(context, peer_rank, header_of(letter), &bytes));
  RIND_REQUIRE(context, bytes == letter->bytes, RIND_ERROR_INTERNAL,
               "the orders of rank %d are %zu bytes, their header says %zu", peer_rank,
               letter->bytes, bytes);
  *header = header_of(letter);
  return RIND_OK;
}

/* The owner of the source sums its terms; the own ones are the receiver's. */
static int32_t num_source_terms(const rind_pattern *pattern) {
  return pattern->num_terms - pattern->num_own_first - pattern->num_own_last;
}

static void write_pattern(const rind_schedule *schedule, const rind_pattern *pattern,
                          body_pattern *to, body_term *term) {
  const rind_slot *slot = &pattern->slot[RIND_SLOT_SOURCE];
  to->num_terms = num_source_terms(pattern);
  memcpy(to->extent, pattern->extent, sizeof to->extent);
  memcpy(to->axis, slot->axis, sizeof to->axis);
  memcpy(to->step, slot->step, sizeof to->step);
  for (int t = 0; t < to->num_terms; ++t) {
    const rind_pattern_term *from =
        &schedule->term[pattern->first_term + pattern->num_own_first + t];
    term[t].weight = from->weight;
    memcpy(term[t].origin, from->origin, sizeof term[t].origin);
  }
}

static rind_order order_of(const rind_request *request, int32_t block, int32_t pattern) {
  rind_order order = {.kind = request->kind, .block = block, .pattern = pattern};
  memcpy(order.extent, request->extent, sizeof order.extent);
  if (request->kind == RIND_REQUEST_RAW) memcpy(order.origin, request->origin, sizeof order.origin);
  return order;
}

rind_error rind_order_body_write(const rind_schedule *schedule, const rind_request_plan *plan,
                                 int peer, int32_t *place, rind_letter *letter) {
  const rind_request *request = plan->request + plan->first_request[peer];
  const int num_requests = plan->first_request[peer + 1] - plan->first_request[peer];
  const rind_block *block = rind_forest_get_arrays(schedule->forest)->block;
  int64_t header[RIND_HEADER_WORDS] = {0};
  int32_t num_patterns = 0;
  for (int r = 0; r < num_requests; ++r) {
    if (request[r].pattern < 0 || place[request[r].pattern] >= 0) continue;
    place[request[r].pattern] = num_patterns++;
    header[RIND_HEADER_TERMS] += num_source_terms(&schedule->pattern[request[r].pattern]);
  }
  header[RIND_HEADER_ORDERS] = num_requests;
  header[RIND_HEADER_PATTERNS] = num_patterns;
  header[RIND_HEADER_CELLS] = plan->num_cells[peer];
  const rind_error error = make_letter(schedule->context, plan->peer_rank[peer], header, letter);
  body_term *term = error == RIND_OK ? terms(letter) : NULL;
  int32_t written = 0;
  for (int r = 0; r < num_requests && error == RIND_OK; ++r) {
    const bool sums = request[r].pattern >= 0;
    const int32_t pattern = sums ? place[request[r].pattern] : -1;
    orders_of(letter)[r] = order_of(&request[r], block[request[r].source].index, pattern);
    if (!sums || pattern != written) continue;
    const rind_pattern *from = &schedule->pattern[request[r].pattern];
    write_pattern(schedule, from, &patterns(letter)[written++], term);
    term += num_source_terms(from);
  }
  for (int r = 0; r < num_requests; ++r)
    if (request[r].pattern >= 0) place[request[r].pattern] = -1;
  return error;
}

/* True if the pattern's terms stay in a block with its ghosts. */
static bool pattern_is_valid(const rind_schedule *schedule, const body_pattern *pattern,
                             const body_term *term) {
  const int ghosts = schedule->ghosts;
  unsigned axes = 0;
  for (int a = 0; a < 3; ++a) {
    if (pattern->axis[a] < 0 || pattern->axis[a] > 2 ||
        (a >= schedule->dim && pattern->axis[a] != a) || pattern->extent[a] < 1 ||
        pattern->extent[a] > schedule->cells || (pattern->extent[a] > 1 && pattern->step[a] == 0) ||
        pattern->step[a] < -schedule->cells || pattern->step[a] > schedule->cells)
      return false;
    axes |= 1u << pattern->axis[a];
  }
  if (axes != 7) return false;
  for (int t = 0; t < pattern->num_terms; ++t) {
    if (!isfinite(term[t].weight)) return false;
    for (int a = 0; a < 3; ++a) {
      const int axis = pattern->axis[a];
      const int64_t low = axis < schedule->dim ? -ghosts : 0;
      const int64_t high = axis < schedule->dim ? schedule->cells + (int64_t)ghosts : 1;
      const int64_t first = term[t].origin[axis];
      const int64_t last = first + (int64_t)pattern->step[a] * (pattern->extent[a] - 1);
      if (first < low || first >= high || last < low || last >= high) return false;
    }
  }
  return true;
}

static bool order_is_valid(const rind_schedule *schedule, const rind_order *order,
                           const body_pattern *pattern, int64_t num_patterns) {
  if (order->block < 0 || order->block >= schedule->num_local) return false;
  if (order->kind == RIND_REQUEST_SUMS || order->kind == RIND_REQUEST_PARTIAL)
    return order->pattern >= 0 && order->pattern < num_patterns &&
           memcmp(order->extent, pattern[order->pattern].extent, sizeof order->extent) == 0;
  if (order->kind != RIND_REQUEST_RAW) return false;
  for (int a = 0; a < 3; ++a) {
    const int limit = a < schedule->dim ? schedule->cells : 1;
    if (order->origin[a] < 0 || order->extent[a] < 1 || order->origin[a] >= limit ||
        order->extent[a] > limit - order->origin[a])
      return false;
  }
  return true;
}

static void append_pattern(const body_pattern *from, const body_term *term, rind_orders *orders) {
  rind_pattern *pattern = &orders->pattern[orders->num_patterns++];
  *pattern =
      (rind_pattern){.family = -1, .first_term = orders->num_terms, .num_terms = from->num_terms};
  memcpy(pattern->extent, from->extent, sizeof pattern->extent);
  memcpy(pattern->slot[RIND_SLOT_SOURCE].axis, from->axis, sizeof from->axis);
  memcpy(pattern->slot[RIND_SLOT_SOURCE].step, from->step, sizeof from->step);
  for (int t = 0; t < from->num_terms; ++t) {
    rind_pattern_term *to = &orders->term[orders->num_terms++];
    *to = (rind_pattern_term){.weight = term[t].weight, .slot = RIND_SLOT_SOURCE};
    memcpy(to->origin, term[t].origin, sizeof to->origin);
  }
}

rind_error rind_order_body_read(const rind_schedule *schedule, int peer_rank,
                                const rind_letter *letter, rind_order *order, rind_orders *orders) {
  rind_context *context = schedule->context;
  const int64_t *header = header_of(letter);
  const int first_pattern = orders->num_patterns;
  const body_term *term = terms(letter);
  int64_t terms_left = header[RIND_HEADER_TERMS], cells = 0;
  for (int p = 0; p < header[RIND_HEADER_PATTERNS]; ++p) {
    const body_pattern *pattern = &patterns(letter)[p];
    RIND_REQUIRE(context,
                 pattern->num_terms >= 1 && pattern->num_terms <= terms_left &&
                     pattern_is_valid(schedule, pattern, term),
                 RIND_ERROR_INTERNAL, "pattern %d that rank %d asks for leaves the block", p,
                 peer_rank);
    append_pattern(pattern, term, orders);
    term += pattern->num_terms;
    terms_left -= pattern->num_terms;
  }
  for (int r = 0; r < header[RIND_HEADER_ORDERS]; ++r) {
    order[r] = orders_of(letter)[r];
    RIND_REQUIRE(
        context,
        order_is_valid(schedule, &order[r], patterns(letter), header[RIND_HEADER_PATTERNS]),
        RIND_ERROR_INTERNAL,
        "order %d of rank %d is for block %d, from (%d, %d, %d), extents %d %d %d: not here", r,
        peer_rank, order[r].block, order[r].origin[0], order[r].origin[1], order[r].origin[2],
        order[r].extent[0], order[r].extent[1], order[r].extent[2]);
    if (order[r].kind != RIND_REQUEST_RAW) order[r].pattern += first_pattern;
    cells += (int64_t)order[r].extent[0] * order[r].extent[1] * order[r].extent[2];
  }
  RIND_REQUIRE(context, terms_left == 0 && cells == header[RIND_HEADER_CELLS], RIND_ERROR_INTERNAL,
               "rank %d announces %lld cells and orders %lld", peer_rank,
               (long long)header[RIND_HEADER_CELLS], (long long)cells);
  return RIND_OK;
}
