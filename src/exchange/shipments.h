/* shipments.h - ghosts that an adjoint ships to the owners of the cells they were made of, and what
 * they contribute there. */
#pragma once
#include <orders.h>

/* What one link contributes to the cells of a local block: a run whose ghosts are here, or came in
 * a message. */
typedef struct rind_contribution {
  int64_t from;    /* global number of the block whose ghosts are read */
  int32_t block;   /* local */
  int32_t set;     /* of the transposed schedule */
  int32_t source;  /* a local block, or a box received; -1: none, ghosts become 0 */
  int32_t shipped; /* 1 if source is a box */
  int32_t region;  /* of the ghosts */
  int32_t number;  /* among contributions of the same region */
  int64_t global;  /* number of block */
  int32_t batch;   /* contributions of one batch run one after the other */
} rind_contribution;

/* Of one phase. The orders are all of raw cells: sent, of ghosts of a local block; received, with
 * block the one that they contribute to. */
typedef struct rind_shipments {
  rind_orders sent;
  rind_orders received;
  rind_contribution *contribution; /* [boxes received] */
} rind_shipments;

/* Collective; letters go to the peers only. Tells the owners of remote blocks what the ghosts that
 * this rank will send in a phase contribute to them, and learns the same of the peers: their rows
 * come to be sets of transposed. *shipments is empty on errors. */
rind_error rind_shipments_create(rind_schedule *transposed, int phase, int num_peers,
                                 const int32_t *peer_rank, int tag, rind_shipments *shipments);
void rind_shipments_destroy(rind_shipments *shipments);
