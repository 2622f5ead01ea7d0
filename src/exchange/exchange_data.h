/* exchange_data.h - what an exchange is inside: for each phase its messages, and for each field in
 * it three gathers.
 *
 *     pack     this rank's blocks -> send buffer                before the sends of each peer
 *     local    this rank's blocks, walls' values -> ghosts      while messages travel
 *     remote   receive buffer, own block -> ghosts              peer by peer, as messages arrive */
#pragma once
#include <bound.h>
#include <components.h>
#include <messages.h>
#include <orders.h>
#include <rind/exchange.h>

typedef struct rind_exchange_field {
  rind_layout layout; /* complete */
  rind_components components;
  double *wall_value;        /* [6 * components.count] */
  const void *wall_start[6]; /* of each wall's values */
  double *device_wall_value; /* the same on the device, for fields there; else NULL */
  void **device_wall_start;
} rind_exchange_field;

/* One field in one phase. */
typedef struct rind_exchange_part {
  rind_bound pack;
  rind_bound local;
  rind_bound remote;
  int *first_pack;            /* [peers + 1], fills of pack */
  int *first_remote;          /* [peers + 1], fills of remote */
  void **pack_to;             /* [orders], in the send buffer */
  size_t num_packed;          /* orders */
  const void **remote_source; /* [requests], in the receive buffer */
  size_t num_requested;
  void **device_pack_to; /* the tables on the device, for fields there; else NULL */
  void **device_remote_source;
} rind_exchange_part;

/* A peer's message holds the boxes of field 0, then those of field 1, .., each beginning at a
 * multiple of 8 bytes. Phases without messages have no peers. */
typedef struct rind_exchange_phase {
  int32_t kind; /* rind_phase_kind */
  rind_messages messages;
  int *function; /* [num_functions], the fills that are the caller's */
  int num_functions;
  rind_exchange_part *part; /* [num_fields] */
} rind_exchange_phase;

/* What has begun and not ended. */
typedef enum rind_exchange_state {
  RIND_EXCHANGE_IDLE,
  RIND_EXCHANGE_FILLS,
  RIND_EXCHANGE_ADJOINT
} rind_exchange_state;

/* A kind of call, recorded for the last few lists of fields it was made with. */
enum { RIND_GRAPHS = 8 };
typedef struct rind_exchange_graphs {
  struct rind_device_graph *graph[RIND_GRAPHS]; /* or NULL */
  void ***table; /* [RIND_GRAPHS * num_fields], the fields' device tables; NULL: no graphs */
  int next;      /* to be replaced */
} rind_exchange_graphs;

struct rind_exchange {
  const rind_schedule *schedule; /* borrowed */
  rind_context *context;         /* borrowed, the schedule's */
  rind_exchange_options options; /* no zeros left; vector is NULL */
  int num_fields;
  rind_exchange_field *field; /* [num_fields] */
  int num_phases;
  rind_exchange_phase phase[RIND_MAX_PHASES];
  bool needs_host;        /* in the middle of calls: for messages, or functions of walls */
  void *stream;           /* on which work is enqueued: the context's, but while recording */
  void *recording_stream; /* our own, or NULL */
  rind_exchange_graphs fill_graphs;
  rind_exchange_graphs adjoint_graphs;
  rind_exchange_state state;
  const rind_field **begun; /* [num_fields], fields of what has begun */
  rind_exchange_stats stats;
  struct rind_adjoint_exchange *adjoint; /* or NULL */
};

/* The schedule must be of the forest as it is now. */
rind_error rind_exchange_check_schedule(const rind_schedule *schedule);

/* Takes the layouts and options of an exchange whose schedule is set: checks, copies, and zeros for
 * the walls. Not collective. */
rind_error rind_exchange_take(rind_exchange *exchange, const rind_layout *layouts, int num_fields,
                              const rind_exchange_options *options);
/* Collective. RIND_ERROR_MISMATCH unless all ranks ask for the same exchange. vector: as in the
 * options. */
rind_error rind_exchange_check_shared(rind_exchange *exchange, const int *vector);

/* True if the messages of a phase are in double whatever the fields' types. */
static inline bool rind_phase_sends_double(int32_t kind) {
  return kind == RIND_PHASE_FLUX;
}

static inline bool rind_phase_has_messages(int32_t kind) {
  return kind == RIND_PHASE_BLOCKS || kind == RIND_PHASE_FLUX;
}

/* The gathers of a phase: those that read this rank's blocks, those that read messages, and those
 * that fill messages. Parts exist by now. Not collective. */
rind_error rind_exchange_bind_local(rind_exchange *exchange, int phase);
rind_error rind_exchange_bind_remote(rind_exchange *exchange, int phase,
                                     const rind_request_plan *plan);
rind_error rind_exchange_bind_pack(rind_exchange *exchange, int phase, int num_peers,
                                   const rind_orders *orders);
/* The rows that pack orders for one field; first_pack [num_peers + 1]. False without memory. */
bool rind_exchange_pack_field(const rind_exchange_field *field, bool sends_double, int num_peers,
                              const rind_orders *orders, rind_bound *pack, int **first_pack);
/* Bytes of each peer's message [num_peers] with so many cells. RIND_ERROR_OVERFLOW. */
rind_error rind_exchange_message_bytes(const rind_exchange *exchange, bool sends_double,
                                       int num_peers, const int64_t *num_cells, size_t *bytes);
/* Where the boxes of field f lie in the peers' parts of a buffer: place [orders]. */
void rind_exchange_place_orders(const rind_exchange *exchange, bool sends_double, int f,
                                int num_peers, const rind_orders *orders, char *buffer,
                                const size_t *offset, void **place);
/* Where each request and order of a phase lies in the buffers, which exist by now. */
rind_error rind_exchange_place_boxes(rind_exchange *exchange, int phase,
                                     const rind_request_plan *plan, const rind_orders *orders);

/* The checks of begin and end: the exchange is one of one field; the schedule is not stale, and the
 * fields are of its forest and of the exchange's layouts. */
rind_error rind_exchange_check_single(const rind_exchange *exchange, rind_exchange_state state);
rind_error rind_exchange_check_field(const rind_exchange *exchange, int f, const rind_field *field);
rind_error rind_exchange_check_fields(const rind_exchange *exchange, rind_field *const *fields);
/* Checks, then notes that state has begun, resp. checks that it has, with the same fields. */
rind_error rind_exchange_enter(rind_exchange *exchange, rind_field *const *fields,
                               rind_exchange_state state);
rind_error rind_exchange_check_begun(const rind_exchange *exchange, rind_field *const *fields,
                                     rind_exchange_state state);
/* The caller's functions for the boxes of field f in a phase of a fill; backwards: their adjoints,
 * last to first. */
void rind_exchange_call_functions(const rind_exchange *exchange, int phase, int f,
                                  rind_field *field, bool backwards);

/* Adds to the counts: an exchange that is ready; one round's messages. */
void rind_exchange_count(rind_exchange *exchange);
void rind_exchange_count_messages(const rind_messages *messages, rind_exchange_stats *stats);
/* Peers that any of the rounds has a message from or to; they are the same in all rounds. */
int32_t rind_exchange_count_peers(const rind_messages *const *messages, int num_rounds);
