/* mail.c - letters between peers. */
#include <mail.h>

#include <limits.h>
#include <stdlib.h>

static uint64_t mix(uint64_t from, uint64_t to) {
  uint64_t x = from * 0x9E3779B97F4A7C15u + to + 1;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* The sum over all pairs (rank, peer) of mix(rank, peer) - mix(peer, rank) vanishes if the peers
 * are mutual, and else only by an accident of 64 bits. */
rind_error rind_mail_check_mutual(rind_context *context, int num_peers, const int32_t *peer_rank) {
  uint64_t sum = 0;
  for (int p = 0; p < num_peers; ++p)
    sum += mix((uint64_t)context->rank, (uint64_t)peer_rank[p]) -
           mix((uint64_t)peer_rank[p], (uint64_t)context->rank);
  const int code = MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, context->comm);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "MPI_Allreduce failed");
  RIND_REQUIRE(context, sum == 0, RIND_ERROR_INVALID,
               "a rank lists blocks of another rank among its remote blocks, but not the reverse: "
               "blocks that touch must be listed on both sides");
  return RIND_OK;
}

/* One exchange with every peer. */
typedef struct round {
  int num_peers;
  const int32_t *peer_rank;
  int tag;
  int64_t *size;        /* [2 * num_peers], of out, then of in */
  MPI_Request *request; /* [2 * num_peers] */
} round;

static rind_error swap_sizes(rind_context *context, const round *r) {
  int code = MPI_SUCCESS;
  for (int p = 0; p < r->num_peers && code == MPI_SUCCESS; ++p) {
    code = MPI_Irecv(&r->size[r->num_peers + p], 1, MPI_INT64_T, r->peer_rank[p], r->tag,
                     context->comm, &r->request[2 * p]);
    if (code == MPI_SUCCESS)
      code = MPI_Isend(&r->size[p], 1, MPI_INT64_T, r->peer_rank[p], r->tag, context->comm,
                       &r->request[2 * p + 1]);
  }
  if (code == MPI_SUCCESS) code = MPI_Waitall(2 * r->num_peers, r->request, MPI_STATUSES_IGNORE);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "the size of a letter failed");
  return RIND_OK;
}

static rind_error swap_letters(rind_context *context, const round *r, const rind_letter *out,
                               const rind_letter *in) {
  int code = MPI_SUCCESS, n = 0;
  for (int p = 0; p < r->num_peers && code == MPI_SUCCESS; ++p) {
    if (in[p].bytes > 0)
      code = MPI_Irecv(in[p].data, (int)in[p].bytes, MPI_BYTE, r->peer_rank[p], r->tag,
                       context->comm, &r->request[n++]);
    if (out[p].bytes > 0 && code == MPI_SUCCESS)
      code = MPI_Isend(out[p].data, (int)out[p].bytes, MPI_BYTE, r->peer_rank[p], r->tag,
                       context->comm, &r->request[n++]);
  }
  if (code == MPI_SUCCESS) code = MPI_Waitall(n, r->request, MPI_STATUSES_IGNORE);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "a letter failed");
  return RIND_OK;
}

static rind_error open_round(rind_context *context, const rind_letter *out, round *r) {
  const size_t num_peers = (size_t)r->num_peers;
  r->size = rind_allocate(2 * num_peers, sizeof *r->size);
  r->request = rind_allocate(2 * num_peers, sizeof *r->request);
  RIND_REQUIRE(context, r->size && r->request, RIND_ERROR_MEMORY,
               "no memory for letters to %d peers", r->num_peers);
  for (int p = 0; p < r->num_peers; ++p) {
    RIND_REQUIRE(context, out[p].bytes <= INT_MAX, RIND_ERROR_OVERFLOW,
                 "a letter of %zu bytes to rank %d: at most %d", out[p].bytes, r->peer_rank[p],
                 INT_MAX);
    r->size[p] = (int64_t)out[p].bytes;
  }
  return RIND_OK;
}

static rind_error allocate_letters(rind_context *context, const round *r, rind_letter *in) {
  for (int p = 0; p < r->num_peers; ++p) {
    const int64_t bytes = r->size[r->num_peers + p];
    RIND_REQUIRE(context, bytes >= 0 && bytes <= INT_MAX, RIND_ERROR_INTERNAL,
                 "rank %d announces a letter of %lld bytes", r->peer_rank[p], (long long)bytes);
    in[p].data = rind_allocate((size_t)bytes, 1);
    RIND_REQUIRE(context, in[p].data, RIND_ERROR_MEMORY, "no memory for %lld bytes of rank %d",
                 (long long)bytes, r->peer_rank[p]);
    in[p].bytes = (size_t)bytes;
  }
  return RIND_OK;
}

rind_error rind_mail_exchange(rind_context *context, int num_peers, const int32_t *peer_rank,
                              int tag, const rind_letter *out, rind_letter *in) {
  round r = {.num_peers = num_peers, .peer_rank = peer_rank, .tag = tag};
  rind_error error = rind_context_agree(context, open_round(context, out, &r));
  if (error == RIND_OK) {
    error = swap_sizes(context, &r);
    if (error == RIND_OK) error = allocate_letters(context, &r, in);
    error = rind_context_agree(context, error);
  }
  if (error == RIND_OK) error = rind_context_agree(context, swap_letters(context, &r, out, in));
  free(r.size);
  free(r.request);
  return error;
}
