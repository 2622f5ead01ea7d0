/* adjoint_data.h - what the adjoint of an exchange is inside: for each phase its messages of
 * ghosts, and for each field three gathers.
 *
 *     pack     ghosts of this rank's blocks -> send buffer
 *     local    ghosts of this rank's blocks -> cells of the blocks that no message reaches
 *     remote   receive buffer, ghosts -> cells of the others, when all messages are there
 *
 * In phases of zeros local alone has rows, which set ghosts to 0. They may be among those of the
 * phase before. */
#pragma once
#include <exchange_data.h>
#include <shipments.h>

/* Batch b is the fills [first_fill[b], first_fill[b + 1]): all that reaches one block, or up to
 * four that run side by side, or, where sums are in place, a part of the blocks, by pairs. */
typedef struct rind_batches {
  rind_bound bound;
  int num_batches;
  int *first_fill; /* [num_batches + 1] */
  bool has_box;
  rind_gather_shells *shells; /* of floats in 3D, or NULL */
  rind_gather_row box;        /* of all cells of a block, where its floats are summed all at once */
} rind_batches;

/* One field in one phase. */
typedef struct rind_adjoint_part {
  rind_bound pack;
  int *first_pack; /* [peers + 1], fills of pack */
  size_t num_sent;
  void **pack_to; /* [num_sent], boxes in the send buffer */
  rind_batches local;
  rind_batches remote;
  size_t num_sources;
  void **remote_source;  /* [num_sources]: num_used blocks of the field that a call is for, then
                            boxes in the receive buffer */
  void **device_pack_to; /* the tables on the device, for fields there; else NULL */
  void **device_remote_source;
} rind_adjoint_part;

typedef struct rind_adjoint_phase {
  int32_t kind; /* rind_phase_kind */
  int forward;  /* the phase of the fill that this is the adjoint of, or whose ghosts become 0 */
  bool moved;   /* zeros, which the phase before makes */
  rind_messages messages;
  int num_used;
  int *used;               /* [num_used], local blocks that remote rows read */
  rind_adjoint_part *part; /* [num_fields] */
} rind_adjoint_phase;

typedef struct rind_adjoint_exchange {
  int num_phases;
  rind_adjoint_phase phase[RIND_MAX_PHASES];
  double *scratch; /* sums of a batch of floats, for each thread */
  size_t scratch_elements;
  int scratch_blocks; /* of such a batch, at most */
  rind_exchange_stats stats;
} rind_adjoint_exchange;

/* Collective. The adjoint of an exchange whose phases exist; exchange->adjoint is its caller's to
 * destroy, on errors too. peer_rank [num_peers]: owners of the remote blocks. */
rind_error rind_adjoint_create(rind_exchange *exchange, int num_peers, const int32_t *peer_rank);
/* Copies all gathers and tables of fields on the device. Not collective. */
rind_error rind_adjoint_copy_to_device(rind_exchange *exchange);
/* Waits for messages under way. */
void rind_adjoint_destroy(rind_exchange *exchange);

/* RIND_ERROR_STATE unless the exchange was made with an adjoint. */
rind_error rind_adjoint_check(const rind_exchange *exchange);

/* True if no field is of floats: then what is summed may leave a batch and come back. */
bool rind_adjoint_sums_in_place(const rind_exchange *exchange);
/* The gathers of a phase that exists; shipments: what its messages hold. Not collective. */
rind_error rind_adjoint_bind(rind_exchange *exchange, const rind_schedule *transposed, int phase,
                             int num_peers, const rind_shipments *shipments);
