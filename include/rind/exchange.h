/* rind/exchange.h - run a schedule on fields.
 *
 * Creating an exchange is collective and works out every stride and message once.
 * Fill with it as often as you like; nothing is allocated in between.
 *
 *     call               reads                          writes
 *     rind_fill          interiors, all ranks           the ghosts that the schedule's rules cover
 *     rind_fill_begin    interiors                      nothing of the fields
 *     (between)          you: interiors only            you: nothing
 *     rind_fill_end      interiors; ghosts that it has  as rind_fill
 *                        written itself before; the
 *                        walls' values
 *     wall_function      interiors and ghosts of the    the box of the call
 *                        block that are not behind a
 *                        wall of this or a later axis
 *
 * The functions for several fields (rind_fill_fields, ..) are the same for all of them at once, in
 * one message a peer. A fill has phases, one after the other: rows between blocks; flux-matched
 * ghosts, with a second message a peer; irregular corners; then the walls of axis 0, 1 and 2, so
 * that ghosts behind an edge of walls read ghosts behind one of them. Begin starts the first phase,
 * end runs the others. Ghosts behind walls of RIND_WALL_NONE are left as they are.
 *
 * Fields on the device: rows run there, with the bits of the host, on the stream of the context.
 * Calls enqueue and return; they wait for the stream only to hand a message to MPI (once a phase
 * with peers) and before a wall_function, which gets device addresses. rind_context_wait waits for
 * the rest. Fields and exchanges are of the context's device, and messages pass as
 * rind_context_options.mpi_device says. A fill or adjoint of a rank without peers and without wall
 * functions enqueues kernels alone: a caller may record it on the context's stream
 * (cudaStreamBeginCapture) into a graph of his own; any other is RIND_ERROR_STATE there.
 * Device memory is written in sectors of 32 bytes: a fill or an adjoint may write other cells of a
 * block back as they are, where they share a sector with a ghost. So nobody else may write any cell
 * of the fields meanwhile, on another stream neither.
 *
 * If the forest changes between begin and end, end is RIND_ERROR_STALE and the exchange can only be
 * destroyed. The same goes for adjoints. */
#pragma once
#include <stdbool.h>

#include <rind/field.h>
#include <rind/schedule.h>

typedef struct rind_exchange rind_exchange;

/* Fused: one gather pass that writes each ghost once. Term by term: one sweep a term, the
 * reference; on the host. */
typedef enum rind_method { RIND_METHOD_FUSED = 0, RIND_METHOD_TERM_BY_TERM = 1 } rind_method;

/* Transposed: one gather pass over the cells that ghosts are made of. Per term: one sweep a term of
 * every fill, last to first, the reference. Both add the same products in the same order, in double
 * whatever the field's type, and round once a phase: their bits are the same. */
typedef enum rind_adjoint_method {
  RIND_ADJOINT_TRANSPOSED = 0,
  RIND_ADJOINT_PER_TERM = 1
} rind_adjoint_method;

/* Ghosts behind a wall of RIND_WALL_FUNCTION, which are the caller's to write: cells with
 * origin[a] <= i[a] < origin[a] + extent[a], counted from the block's first interior cell, at
 *     pointer [ i[0]*cell_stride[0] + i[1]*cell_stride[1] + i[2]*cell_stride[2]
 *               + component*component_stride ]
 * with strides of layout. The centre of cell i lies at lower[a] + (i[a] + 0.5) * side[a] / cells.
 * Neither the call nor what it points at outlives the function. */
typedef struct rind_wall_call {
  int field;         /* of the exchange */
  int component;     /* of the field, that alone is to be written; -1: all */
  int block;         /* local */
  int wall;          /* 2 * axis, + 1 if it is the upper one */
  int region;        /* of the block, that the box is; behind an edge it touches several walls */
  int cells;         /* interior cells an axis */
  int32_t origin[3]; /* in 2D origin[2] is 0 and extent[2] is 1 */
  int32_t extent[3];
  double lower[3]; /* lower corner of the block's interior in the caller's coordinates */
  double side[3];
  void *pointer; /* interior cell (0, 0, 0) of component 0 */
  const rind_layout *layout;
} rind_wall_call;

/* Called from one thread, box after box: inside rind_fill_end, and not for the ghosts of other
 * ranks; the adjoint inside rind_fill_adjoint_begin, in the reverse order. Calls no function of the
 * exchange. */
typedef void (*rind_wall_function)(void *user, const rind_wall_call *call);

/* All zero is recommended, and what NULL means. Alike on all ranks but for wall_function,
 * wall_adjoint, wall_user and graph. */
typedef struct rind_exchange_options {
  rind_method method;
  uint32_t families;        /* bit f: run the fills of family f; 0: all. For measurements. */
  size_t max_message_bytes; /* longer messages are split; 0: 1 GiB */
  rind_wall_function wall_function; /* needed if the rules have a wall of RIND_WALL_FUNCTION */
  void *wall_user;                  /* handed to it */
  bool adjoint;                     /* also make what rind_fill_adjoint needs */
  rind_adjoint_method adjoint_method;
  /* The adjoint of wall_function: adds what the box's ghosts contribute to the cells that
   * wall_function reads; the ghosts become 0 after it. Called for the same boxes last to first,
   * before the rows of the walls' phase; what it stores in a float is rounded there. Needed with
   * adjoint if the rules have a wall of RIND_WALL_FUNCTION; for values that depend on no cell it
   * does nothing. Gets wall_user. */
  rind_wall_function wall_adjoint;
  /* Components that are vectors along the block's axes: where two trees are turned against each
   * other, they are turned too. vector[v] is the number of vector v's component along axis 0, those
   * along axis 1 (and 2) follow. Components are numbered through all fields of the exchange: those
   * of field 0 first. Read by create only. */
  int num_vectors;
  const int *vector; /* [num_vectors] */
  /* On the device: rind_fill, rind_fill_adjoint and the same for several fields run from CUDA
   * graphs where they can (rind_exchange_stats.graphs); elsewhere they run as without. The first
   * call with a list of fields records one, which allocates; the last 8 lists are remembered. */
  bool graph;
} rind_exchange_options;

/* Of this rank. */
typedef struct rind_exchange_stats {
  int32_t peers;             /* ranks that messages go to or come from */
  int32_t rounds;            /* of messages in a fill: at most one a peer, round and direction */
  int32_t messages_sent;     /* a fill */
  int32_t messages_received; /* a fill */
  int64_t bytes_sent;        /* a fill */
  int64_t bytes_received;    /* a fill */
  int64_t metadata_bytes;    /* that the exchange holds, buffers not counted */
  int64_t buffer_bytes;      /* send and receive buffers */
  int64_t local_fills;       /* of the schedule, without a source on another rank */
  int64_t remote_fills;      /* with one */
  int32_t graphs;            /* 1 if fills run from CUDA graphs: asked for, on the device, no peers
                                and no wall_function on this rank */
} rind_exchange_stats;

RIND_BEGIN_DECLS

/* Collective. Binds a schedule to a layout (space, storage, type, strides), for any field of that
 * layout on the schedule's forest. Borrows schedule, which must outlive *exchange. layout->dim 0
 * means the forest's. RIND_ERROR_MISMATCH if the layout's dimension, cells or ghosts are not the
 * schedule's, if the rules have walls of another number of components, or if ranks ask for
 * different layouts or options; RIND_ERROR_INVALID for a schedule that is an adjoint, for vectors
 * that overlap or are not inside a field, or if a wall needs a function and there is none;
 * RIND_ERROR_UNSUPPORTED for device memory where there is no device, and for
 * RIND_METHOD_TERM_BY_TERM on it. */
RIND_API rind_error rind_exchange_create(const rind_schedule *schedule, const rind_layout *layout,
                                         const rind_exchange_options *options,
                                         rind_exchange **exchange);
/* Collective. The same for num_fields fields at once, which may differ in components, type,
 * storage, order and strides, but not in space: one message a peer holds all of them. */
RIND_API rind_error rind_exchange_create_fields(const rind_schedule *schedule,
                                                const rind_layout *layouts, int num_fields,
                                                const rind_exchange_options *options,
                                                rind_exchange **exchange);
/* Collective. Waits for the messages of a fill that has begun and not ended. Accepts NULL. */
RIND_API void rind_exchange_destroy(rind_exchange **exchange);

/* The values at walls of RIND_WALL_DIRICHLET (the value there) and RIND_WALL_NEUMANN (the outward
 * normal derivative) of a field: values[wall * components + component], [6][components]. They are
 * copied, and 0 before the first call; rind_fill_end uses the last ones. Not collective. */
RIND_API rind_error rind_exchange_set_wall_values(rind_exchange *exchange, int field,
                                                  const double *values);

/* Fills the ghosts of field: begin, then end. Every rank of the context calls it. Errors of
 * fill, begin and end are each rank's own, found before anything is sent: RIND_ERROR_STALE,
 * RIND_ERROR_MISMATCH for a field of another forest or layout or an exchange of several fields,
 * RIND_ERROR_MPI. */
RIND_API rind_error rind_fill(rind_exchange *exchange, rind_field *field);
/* Packs and starts the messages. RIND_ERROR_STATE if a fill has begun and not ended. */
RIND_API rind_error rind_fill_begin(rind_exchange *exchange, rind_field *field);
/* Runs the rows, those with remote sources as their messages arrive. RIND_ERROR_STATE without a
 * begin, or with another field. */
RIND_API rind_error rind_fill_end(rind_exchange *exchange, rind_field *field);

/* The same for all fields of the exchange, in the order of its layouts: fields [num_fields], each
 * of them once. */
RIND_API rind_error rind_fill_fields(rind_exchange *exchange, rind_field *const *fields);
RIND_API rind_error rind_fill_fields_begin(rind_exchange *exchange, rind_field *const *fields);
RIND_API rind_error rind_fill_fields_end(rind_exchange *exchange, rind_field *const *fields);

/* Fills the ghosts between blocks whose rows read blocks of other ranks, and no others: those that
 * tiles load from the field (rind/tiles.h). Errors as rind_fill, and RIND_ERROR_UNSUPPORTED with
 * flux-matched restriction. */
RIND_API rind_error rind_fill_remote(rind_exchange *exchange, rind_field *field);
RIND_API rind_error rind_fill_fields_remote(rind_exchange *exchange, rind_field *const *fields);

/* The adjoint of the fill. The fields hold derivatives by the values that a fill has made: every
 * ghost gives weight times itself to each cell that its row reads, phases in reverse and walls
 * included, then becomes 0. So u += G^T g, g = 0. Values at walls are constants: nothing reaches
 * them. Ghosts that the rules do not cover are left as they are. Needs
 * rind_exchange_options.adjoint; RIND_ERROR_STATE without, and while a fill or another adjoint has
 * begun; else errors as rind_fill. Messages are as many as those of the fill, with raw ghosts in
 * them. */
RIND_API rind_error rind_fill_adjoint(rind_exchange *exchange, rind_field *field);
/* Runs the phases before the first that has messages, and starts these. Until the end, ghosts are
 * not to be touched, interiors not to be written. */
RIND_API rind_error rind_fill_adjoint_begin(rind_exchange *exchange, rind_field *field);
/* RIND_ERROR_STATE without a begin, or with another field. */
RIND_API rind_error rind_fill_adjoint_end(rind_exchange *exchange, rind_field *field);
/* The same for all fields of the exchange, in the order of its layouts. */
RIND_API rind_error rind_fill_fields_adjoint(rind_exchange *exchange, rind_field *const *fields);
RIND_API rind_error rind_fill_fields_adjoint_begin(rind_exchange *exchange,
                                                   rind_field *const *fields);
RIND_API rind_error rind_fill_fields_adjoint_end(rind_exchange *exchange,
                                                 rind_field *const *fields);

RIND_API rind_error rind_exchange_get_stats(const rind_exchange *exchange,
                                            rind_exchange_stats *stats);
/* The same counts of the adjoint; local_fills and remote_fills are its rows. RIND_ERROR_STATE if
 * the exchange was made without one. */
RIND_API rind_error rind_exchange_get_adjoint_stats(const rind_exchange *exchange,
                                                    rind_exchange_stats *stats);

RIND_END_DECLS
