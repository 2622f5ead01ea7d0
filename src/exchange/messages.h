/* messages.h - the persistent messages of an exchange and their buffers. */
#pragma once
#include <core.h>

/* Messages with one list of peers. A peer's part of a buffer begins at a multiple of 64 bytes; a
 * message longer than the limit travels in several parts. Peers with no bytes get no message. */
typedef struct rind_messages {
  int num_peers;
  int num_sends; /* parts */
  int num_receives;
  MPI_Request *send;      /* [num_sends], by peer */
  MPI_Request *receive;   /* [num_receives], by peer */
  int *first_send;        /* [num_peers + 1] */
  int *first_receive;     /* [num_peers + 1] */
  int *receive_peer;      /* [num_receives] */
  int *pending;           /* [num_peers], receives of the current fill that have not arrived */
  size_t *send_offset;    /* [num_peers + 1], bytes */
  size_t *receive_offset; /* [num_peers + 1], bytes */
  rind_space space;       /* of the buffers that rows write and read */
  bool staged;            /* MPI gets copies in pinned host memory */
  bool pinned;            /* tests: the buffers are pinned host memory too */
  char *send_buffer;
  char *receive_buffer;
  char *send_stage; /* what MPI sends from; send_buffer unless staged */
  char *receive_stage;
  int64_t bytes_sent; /* a fill */
  int64_t bytes_received;
} rind_messages;

/* Allocates the buffers and makes the requests; bytes are a peer's. Not collective; *messages is
 * written on success only. */
rind_error rind_messages_create(rind_context *context, rind_space space, int num_peers,
                                const int32_t *peer_rank, const size_t *send_bytes,
                                const size_t *receive_bytes, size_t max_message_bytes, int tag,
                                rind_messages *messages);
/* No message may be under way. */
void rind_messages_destroy(rind_messages *messages);

/* Device: what is packed for all peers is where MPI reads it on return, and nothing reads the
 * receive buffer any more. Comes before the first start. */
rind_error rind_messages_stage_sends(rind_context *context, rind_messages *messages);
/* Staged: what has arrived from a peer is enqueued to go to the device. */
rind_error rind_messages_unstage(rind_context *context, rind_messages *messages, int peer);
rind_error rind_messages_start_receives(rind_context *context, rind_messages *messages);
/* What is in the peer's part of the send buffer goes. */
rind_error rind_messages_start_send(rind_context *context, rind_messages *messages, int peer);
/* Waits until all of some peer's message is there; *peer is -1 when there is none left. */
rind_error rind_messages_wait_any(rind_context *context, rind_messages *messages, int *peer);
rind_error rind_messages_wait_sends(rind_context *context, rind_messages *messages);
/* Waits for what is under way, then destroys. */
void rind_messages_end(rind_context *context, rind_messages *messages);
int64_t rind_messages_metadata_bytes(const rind_messages *messages);
