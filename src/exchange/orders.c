/* orders.c - the one exchange of requests when an exchange is made. */
#include <orders.h>

#include <order_body.h>
#include <stdlib.h>

/* A letter to and from each peer. */
typedef struct talk {
  int num_peers;
  rind_letter *out; /* [num_peers] */
  rind_letter *in;  /* [num_peers] */
} talk;

static void end_talk(talk *t) {
  for (int p = 0; t->out && t->in && p < t->num_peers; ++p) {
    free(t->out[p].data);
    free(t->in[p].data);
  }
  free(t->out);
  free(t->in);
}

static rind_error write_letters(const rind_schedule *schedule, const rind_request_plan *plan,
                                talk *t) {
  rind_context *context = schedule->context;
  const size_t num_peers = (size_t)plan->num_peers;
  *t = (talk){.num_peers = plan->num_peers,
              .out = rind_allocate(num_peers, sizeof *t->out),
              .in = rind_allocate(num_peers, sizeof *t->in)};
  int32_t *place = rind_allocate((size_t)schedule->num_patterns, sizeof *place);
  rind_error error = RIND_OK;
  if (!t->out || !t->in || !place)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for orders to %d peers",
                              plan->num_peers);
  for (int p = 0; error == RIND_OK && p < schedule->num_patterns; ++p)
    place[p] = -1;
  for (int p = 0; error == RIND_OK && p < plan->num_peers; ++p)
    error = rind_order_body_write(schedule, plan, p, place, &t->out[p]);
  free(place);
  return error;
}

static rind_error allocate(rind_context *context, int num_peers,
                           const int64_t sums[RIND_HEADER_WORDS], rind_orders *orders) {
  for (int i = 0; i < RIND_HEADER_CELLS; ++i)
    RIND_REQUIRE(context, sums[i] <= INT32_MAX, RIND_ERROR_OVERFLOW,
                 "%lld orders, patterns or terms of peers: at most %d", (long long)sums[i],
                 INT32_MAX);
  orders->first_order = rind_allocate((size_t)num_peers + 1, sizeof *orders->first_order);
  orders->num_cells = rind_allocate((size_t)num_peers, sizeof *orders->num_cells);
  orders->order = rind_allocate((size_t)sums[RIND_HEADER_ORDERS], sizeof *orders->order);
  orders->pattern = rind_allocate((size_t)sums[RIND_HEADER_PATTERNS], sizeof *orders->pattern);
  orders->term = rind_allocate((size_t)sums[RIND_HEADER_TERMS], sizeof *orders->term);
  RIND_REQUIRE(context,
               orders->first_order && orders->num_cells && orders->order && orders->pattern &&
                   orders->term,
               RIND_ERROR_MEMORY, "no memory for %lld orders", (long long)sums[RIND_HEADER_ORDERS]);
  return RIND_OK;
}

static rind_error read_letters(const rind_schedule *schedule, const rind_request_plan *plan,
                               const talk *t, rind_orders *orders) {
  rind_context *context = schedule->context;
  int64_t sums[RIND_HEADER_WORDS] = {0};
  const int64_t *header = NULL;
  for (int p = 0; p < plan->num_peers; ++p) {
    RIND_TRY(rind_order_body_open(context, plan->peer_rank[p], &t->in[p], &header));
    for (int i = 0; i < RIND_HEADER_CELLS; ++i)
      sums[i] += header[i];
  }
  RIND_TRY(allocate(context, plan->num_peers, sums, orders));
  for (int p = 0; p < plan->num_peers; ++p) {
    const int first = orders->first_order[p];
    RIND_TRY(rind_order_body_open(context, plan->peer_rank[p], &t->in[p], &header));
    RIND_TRY(rind_order_body_read(schedule, plan->peer_rank[p], &t->in[p], &orders->order[first],
                                  orders));
    orders->first_order[p + 1] = first + (int32_t)header[RIND_HEADER_ORDERS];
    orders->num_cells[p] = header[RIND_HEADER_CELLS];
  }
  return RIND_OK;
}

rind_error rind_orders_create(const rind_schedule *schedule, const rind_request_plan *plan, int tag,
                              rind_orders *orders) {
  rind_context *context = schedule->context;
  talk t = {0};
  *orders = (rind_orders){0};
  RIND_TRY(rind_mail_check_mutual(context, plan->num_peers, plan->peer_rank));
  rind_error error = rind_context_agree(context, write_letters(schedule, plan, &t));
  if (error == RIND_OK)
    error = rind_mail_exchange(context, plan->num_peers, plan->peer_rank, tag, t.out, t.in);
  if (error == RIND_OK)
    error = rind_context_agree(context, read_letters(schedule, plan, &t, orders));
  end_talk(&t);
  if (error != RIND_OK) rind_orders_destroy(orders);
  return error;
}

void rind_orders_destroy(rind_orders *orders) {
  free(orders->first_order);
  free(orders->order);
  free(orders->num_cells);
  free(orders->pattern);
  free(orders->term);
  *orders = (rind_orders){0};
}
