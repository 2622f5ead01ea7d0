/* orders.c - the one exchange of requests when an exchange is made: headers, then bodies.
 *
 * Peers are mutual: each owns blocks that touch the other's. So every rank knows from whom a header
 * comes, and no collective but the agreement on errors is needed. */
#include <orders.h>

#include <order_body.h>
#include <stdlib.h>

/* One round with every peer. */
typedef struct talk {
  int num_peers;
  rind_order_body *out; /* [num_peers] */
  rind_order_body *in;  /* [num_peers] */
  MPI_Request *request; /* [2 * num_peers] */
} talk;

static void end_talk(talk *t) {
  for (int p = 0; t->out && t->in && p < t->num_peers; ++p) {
    free(t->out[p].memory);
    free(t->in[p].memory);
  }
  free(t->out);
  free(t->in);
  free(t->request);
}

static uint64_t mix(uint64_t from, uint64_t to) {
  uint64_t x = from * 0x9E3779B97F4A7C15u + to + 1;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* The sum over all pairs (rank, peer) of mix(rank, peer) - mix(peer, rank) vanishes if the peers
 * are mutual, and else only by an accident of 64 bits. */
static rind_error check_mutual(rind_context *context, const rind_request_plan *plan) {
  uint64_t sum = 0;
  for (int p = 0; p < plan->num_peers; ++p)
    sum += mix((uint64_t)context->rank, (uint64_t)plan->peer_rank[p]) -
           mix((uint64_t)plan->peer_rank[p], (uint64_t)context->rank);
  const int code = MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, context->comm);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "MPI_Allreduce failed");
  RIND_REQUIRE(context, sum == 0, RIND_ERROR_INVALID,
               "a rank lists blocks of another rank among its remote blocks, but not the reverse: "
               "blocks that touch must be listed on both sides");
  return RIND_OK;
}

static rind_error write_bodies(const rind_schedule *schedule, const rind_request_plan *plan,
                               talk *t) {
  rind_context *context = schedule->context;
  const size_t num_peers = (size_t)plan->num_peers;
  *t = (talk){.num_peers = plan->num_peers,
              .out = rind_allocate(num_peers, sizeof *t->out),
              .in = rind_allocate(num_peers, sizeof *t->in),
              .request = rind_allocate(2 * num_peers, sizeof *t->request)};
  int32_t *place = rind_allocate((size_t)schedule->num_patterns, sizeof *place);
  rind_error error = RIND_OK;
  if (!t->out || !t->in || !t->request || !place)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for orders to %d peers",
                              plan->num_peers);
  for (int p = 0; error == RIND_OK && p < schedule->num_patterns; ++p)
    place[p] = -1;
  for (int p = 0; error == RIND_OK && p < plan->num_peers; ++p)
    error = rind_order_body_write(schedule, plan, p, place, &t->out[p]);
  free(place);
  return error;
}

/* Sends to and receives from every peer, the headers or the bodies; empty bodies do not travel. */
static rind_error swap(rind_context *context, const rind_request_plan *plan, int tag, bool headers,
                       talk *t) {
  int code = MPI_SUCCESS, n = 0;
  for (int p = 0; p < t->num_peers && code == MPI_SUCCESS; ++p) {
    rind_order_body *in = &t->in[p], *out = &t->out[p];
    const size_t header_bytes = sizeof in->header;
    const int in_bytes = (int)(headers ? header_bytes : in->bytes);
    const int out_bytes = (int)(headers ? header_bytes : out->bytes);
    if (in_bytes > 0)
      code = MPI_Irecv(headers ? (void *)in->header : in->memory, in_bytes, MPI_BYTE,
                       plan->peer_rank[p], tag, context->comm, &t->request[n++]);
    if (out_bytes > 0 && code == MPI_SUCCESS)
      code = MPI_Isend(headers ? (void *)out->header : out->memory, out_bytes, MPI_BYTE,
                       plan->peer_rank[p], tag, context->comm, &t->request[n++]);
  }
  if (code == MPI_SUCCESS) code = MPI_Waitall(n, t->request, MPI_STATUSES_IGNORE);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "a message with orders failed");
  return RIND_OK;
}

static rind_error allocate_bodies(rind_context *context, const rind_request_plan *plan, talk *t) {
  for (int p = 0; p < plan->num_peers; ++p)
    RIND_TRY(rind_order_body_allocate(context, plan->peer_rank[p], &t->in[p]));
  return RIND_OK;
}

static rind_error read_bodies(const rind_schedule *schedule, const rind_request_plan *plan,
                              const talk *t, rind_orders *orders) {
  int64_t sums[RIND_HEADER_WORDS] = {0};
  for (int p = 0; p < plan->num_peers; ++p)
    for (int i = 0; i < RIND_HEADER_WORDS; ++i)
      sums[i] += t->in[p].header[i];
  for (int i = 0; i < RIND_HEADER_CELLS; ++i)
    RIND_REQUIRE(schedule->context, sums[i] <= INT32_MAX, RIND_ERROR_OVERFLOW,
                 "%lld orders, patterns or terms of peers: at most %d", (long long)sums[i],
                 INT32_MAX);
  const size_t num_peers = (size_t)plan->num_peers;
  orders->first_order = rind_allocate(num_peers + 1, sizeof *orders->first_order);
  orders->num_cells = rind_allocate(num_peers, sizeof *orders->num_cells);
  orders->order = rind_allocate((size_t)sums[RIND_HEADER_ORDERS], sizeof *orders->order);
  orders->pattern = rind_allocate((size_t)sums[RIND_HEADER_PATTERNS], sizeof *orders->pattern);
  orders->term = rind_allocate((size_t)sums[RIND_HEADER_TERMS], sizeof *orders->term);
  RIND_REQUIRE(schedule->context,
               orders->first_order && orders->num_cells && orders->order && orders->pattern &&
                   orders->term,
               RIND_ERROR_MEMORY, "no memory for %lld orders", (long long)sums[RIND_HEADER_ORDERS]);
  for (int p = 0; p < plan->num_peers; ++p) {
    const int first = orders->first_order[p];
    RIND_TRY(rind_order_body_read(schedule, plan->peer_rank[p], &t->in[p], &orders->order[first],
                                  orders));
    orders->first_order[p + 1] = first + (int32_t)t->in[p].header[RIND_HEADER_ORDERS];
    orders->num_cells[p] = t->in[p].header[RIND_HEADER_CELLS];
  }
  return RIND_OK;
}

rind_error rind_orders_create(const rind_schedule *schedule, const rind_request_plan *plan, int tag,
                              rind_orders *orders) {
  rind_context *context = schedule->context;
  talk t = {0};
  *orders = (rind_orders){0};
  RIND_TRY(check_mutual(context, plan));
  rind_error error = rind_context_agree(context, write_bodies(schedule, plan, &t));
  if (error == RIND_OK) {
    error = swap(context, plan, tag, true, &t);
    if (error == RIND_OK) error = allocate_bodies(context, plan, &t);
    error = rind_context_agree(context, error);
  }
  if (error == RIND_OK) {
    error = swap(context, plan, tag, false, &t);
    if (error == RIND_OK) error = read_bodies(schedule, plan, &t, orders);
    error = rind_context_agree(context, error);
  }
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
