/* shipments.c - the exchange of letters about an adjoint's ghosts when it is made. */
#include <shipments.h>

#include <shipment_letter.h>
#include <stdlib.h>
#include <string.h>

/* Under construction. */
typedef struct dispatch {
  int num_peers;
  const int32_t *peer_rank;
  int32_t *run;     /* of the transposed schedule, peer by peer */
  int *first_run;   /* [num_peers + 1] */
  rind_letter *out; /* [num_peers] */
  rind_letter *in;  /* [num_peers] */
} dispatch;

static void end_dispatch(dispatch *d) {
  for (int p = 0; d->out && d->in && p < d->num_peers; ++p) {
    free(d->out[p].data);
    free(d->in[p].data);
  }
  free(d->out);
  free(d->in);
  free(d->run);
  free(d->first_run);
}

static int find_peer(const dispatch *d, int32_t rank) {
  int low = 0, high = d->num_peers - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (d->peer_rank[middle] < rank)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Runs with cells of remote blocks, peer by peer; first in counts, then in a list. */
static rind_error list_runs(const rind_schedule *transposed, int phase, dispatch *d) {
  const rind_block *block = rind_forest_get_arrays(transposed->forest)->block;
  const int first = transposed->first_run[phase], end = transposed->first_run[phase + 1];
  const size_t num_peers = (size_t)d->num_peers;
  int *place = rind_allocate(num_peers + 1, sizeof *place);
  d->first_run = rind_allocate(num_peers + 1, sizeof *d->first_run);
  d->run = rind_allocate((size_t)(end - first), sizeof *d->run);
  if (!place || !d->first_run || !d->run) {
    free(place);
    return rind_context_fail(transposed->context, RIND_ERROR_MEMORY, "no memory for %d runs",
                             end - first);
  }
  for (int r = first; r < end; ++r)
    if (transposed->run[r].block >= transposed->num_local)
      ++d->first_run[find_peer(d, block[transposed->run[r].block].owner) + 1];
  for (int p = 0; p < d->num_peers; ++p)
    place[p + 1] = d->first_run[p + 1] += d->first_run[p];
  for (int r = first; r < end; ++r)
    if (transposed->run[r].block >= transposed->num_local)
      d->run[place[find_peer(d, block[transposed->run[r].block].owner)]++] = r;
  free(place);
  return RIND_OK;
}

static rind_error allocate_orders(rind_context *context, int num_peers, size_t num_boxes,
                                  rind_orders *orders) {
  orders->first_order = rind_allocate((size_t)num_peers + 1, sizeof *orders->first_order);
  orders->num_cells = rind_allocate((size_t)num_peers, sizeof *orders->num_cells);
  orders->order = rind_allocate(num_boxes, sizeof *orders->order);
  RIND_REQUIRE(context, orders->first_order && orders->num_cells && orders->order,
               RIND_ERROR_MEMORY, "no memory for %zu boxes of ghosts", num_boxes);
  return RIND_OK;
}

/* The boxes of ghosts that this rank sends. */
static rind_error list_sent(const rind_schedule *transposed, const dispatch *d, rind_orders *sent) {
  RIND_TRY(
      allocate_orders(transposed->context, d->num_peers, (size_t)d->first_run[d->num_peers], sent));
  for (int p = 0; p < d->num_peers; ++p) {
    sent->first_order[p + 1] = d->first_run[p + 1];
    for (int i = d->first_run[p]; i < d->first_run[p + 1]; ++i) {
      const rind_run_data *run = &transposed->run[d->run[i]];
      const rind_row_set *set = &transposed->set[run->set];
      rind_order *order = &sent->order[i];
      *order = (rind_order){.kind = RIND_REQUEST_RAW, .block = run->source, .pattern = -1};
      memcpy(order->origin, set->origin, sizeof order->origin);
      memcpy(order->extent, set->extent, sizeof order->extent);
      sent->num_cells[p] += (int64_t)set->extent[0] * set->extent[1] * set->extent[2];
    }
  }
  return RIND_OK;
}

static rind_error write_letters(const rind_schedule *transposed, int phase, dispatch *d,
                                rind_orders *sent) {
  rind_context *context = transposed->context;
  RIND_TRY(list_runs(transposed, phase, d));
  RIND_TRY(list_sent(transposed, d, sent));
  d->out = rind_allocate((size_t)d->num_peers, sizeof *d->out);
  d->in = rind_allocate((size_t)d->num_peers, sizeof *d->in);
  int32_t *place = rind_allocate((size_t)transposed->num_sets, sizeof *place);
  rind_error error = RIND_OK;
  if (!d->out || !d->in || !place)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for shipments to %d peers",
                              d->num_peers);
  for (int s = 0; error == RIND_OK && s < transposed->num_sets; ++s)
    place[s] = -1;
  for (int p = 0; error == RIND_OK && p < d->num_peers; ++p)
    error = rind_shipment_write(transposed, d->run + d->first_run[p],
                                d->first_run[p + 1] - d->first_run[p], d->peer_rank[p], place,
                                &d->out[p]);
  free(place);
  return error;
}

/* Makes an array longer. False without memory. */
static bool lengthen(void **array, int count, int64_t more, size_t item_bytes) {
  size_t bytes = 0;
  if (more > INT32_MAX - (int64_t)count ||
      !rind_size_multiply((size_t)(count + more), item_bytes, &bytes))
    return false;
  void *moved = realloc(*array, bytes > 0 ? bytes : 1);
  if (!moved) return false;
  *array = moved;
  return true;
}

/* Room in the schedule for what letters bring; each row has a term more, the cell itself. */
static bool make_room(rind_schedule *transposed, const int64_t sums[RIND_SHIPMENT_WORDS]) {
  void *set = transposed->set, *pattern = transposed->pattern, *term = transposed->term;
  const int64_t num_terms = sums[RIND_SHIPMENT_TERMS] + sums[RIND_SHIPMENT_PATTERNS];
  const bool made =
      lengthen(&set, transposed->num_sets, sums[RIND_SHIPMENT_SETS], sizeof *transposed->set) &&
      lengthen(&pattern, transposed->num_patterns, sums[RIND_SHIPMENT_PATTERNS],
               sizeof *transposed->pattern) &&
      lengthen(&term, transposed->num_terms, num_terms, sizeof *transposed->term);
  transposed->set = set;
  transposed->pattern = pattern;
  transposed->term = term;
  return made;
}

static rind_error read_letters(rind_schedule *transposed, const dispatch *d,
                               rind_shipments *shipments) {
  rind_context *context = transposed->context;
  rind_orders *received = &shipments->received;
  int64_t sums[RIND_SHIPMENT_WORDS] = {0};
  const int64_t *header = NULL;
  for (int p = 0; p < d->num_peers; ++p) {
    RIND_TRY(rind_shipment_open(context, d->peer_rank[p], &d->in[p], &header));
    for (int i = 0; i < RIND_SHIPMENT_CELLS; ++i)
      sums[i] += header[i];
  }
  const int64_t num_boxes = sums[RIND_SHIPMENT_BOXES];
  RIND_REQUIRE(context, num_boxes <= INT32_MAX, RIND_ERROR_OVERFLOW,
               "%lld boxes of ghosts of peers: at most %d", (long long)num_boxes, INT32_MAX);
  RIND_TRY(allocate_orders(context, d->num_peers, (size_t)num_boxes, received));
  shipments->contribution = rind_allocate((size_t)num_boxes, sizeof *shipments->contribution);
  RIND_REQUIRE(context, shipments->contribution && make_room(transposed, sums), RIND_ERROR_MEMORY,
               "no memory for what %lld boxes of ghosts contribute", (long long)num_boxes);
  for (int p = 0; p < d->num_peers; ++p) {
    const int first = received->first_order[p];
    RIND_TRY(rind_shipment_open(context, d->peer_rank[p], &d->in[p], &header));
    received->first_order[p + 1] = first + (int32_t)header[RIND_SHIPMENT_BOXES];
    received->num_cells[p] = header[RIND_SHIPMENT_CELLS];
    RIND_TRY(rind_shipment_read(transposed, d->peer_rank[p], &d->in[p], &received->order[first],
                                &shipments->contribution[first]));
    for (int i = first; i < received->first_order[p + 1]; ++i)
      shipments->contribution[i].source = shipments->contribution[i].number = i;
  }
  return RIND_OK;
}

rind_error rind_shipments_create(rind_schedule *transposed, int phase, int num_peers,
                                 const int32_t *peer_rank, int tag, rind_shipments *shipments) {
  rind_context *context = transposed->context;
  dispatch d = {.num_peers = num_peers, .peer_rank = peer_rank};
  *shipments = (rind_shipments){0};
  rind_error error =
      rind_context_agree(context, write_letters(transposed, phase, &d, &shipments->sent));
  if (error == RIND_OK) error = rind_mail_exchange(context, num_peers, peer_rank, tag, d.out, d.in);
  if (error == RIND_OK)
    error = rind_context_agree(context, read_letters(transposed, &d, shipments));
  end_dispatch(&d);
  if (error != RIND_OK) rind_shipments_destroy(shipments);
  return error;
}

void rind_shipments_destroy(rind_shipments *shipments) {
  rind_orders_destroy(&shipments->sent);
  rind_orders_destroy(&shipments->received);
  free(shipments->contribution);
  *shipments = (rind_shipments){0};
}
