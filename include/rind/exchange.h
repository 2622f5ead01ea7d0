/* rind/exchange.h - run a schedule on fields.
 *
 * Creating an exchange is collective and works out every stride and message once.
 * Fill with it as often as you like; nothing is allocated in between.
 *
 *     call               reads                     writes
 *     rind_fill          interiors, all ranks      the ghosts that the schedule's rules cover
 *     rind_fill_begin    interiors                 nothing of the field
 *     (between)          you: interiors only       you: nothing
 *     rind_fill_end      interiors                 as rind_fill
 *
 * Ghosts behind walls are left as they are. */
#pragma once
#include <rind/field.h>
#include <rind/schedule.h>

typedef struct rind_exchange rind_exchange;

/* Fused: one gather pass that writes each ghost once. Term by term: one sweep a term, the
 * reference. */
typedef enum rind_method { RIND_METHOD_FUSED = 0, RIND_METHOD_TERM_BY_TERM = 1 } rind_method;

/* All zero is recommended, and what NULL means. */
typedef struct rind_exchange_options {
  rind_method method;
  uint32_t families;        /* bit f: run the fills of family f; 0: all. For measurements. */
  size_t max_message_bytes; /* longer messages are split; 0: 1 GiB */
} rind_exchange_options;

/* Of this rank. */
typedef struct rind_exchange_stats {
  int32_t peers;             /* ranks that messages go to or come from */
  int32_t messages_sent;     /* a fill */
  int32_t messages_received; /* a fill */
  int64_t bytes_sent;        /* a fill */
  int64_t bytes_received;    /* a fill */
  int64_t metadata_bytes;    /* that the exchange holds, buffers not counted */
  int64_t buffer_bytes;      /* send and receive buffers */
  int64_t local_fills;       /* without a source on another rank */
  int64_t remote_fills;      /* with one */
} rind_exchange_stats;

RIND_BEGIN_DECLS

/* Collective. Binds a schedule to a layout (space, storage, type, strides), for any field of that
 * layout on the schedule's forest. Borrows schedule, which must outlive *exchange. layout->dim 0
 * means the forest's. RIND_ERROR_MISMATCH if the layout's dimension, cells or ghosts are not the
 * schedule's, or ranks ask for different layouts or message sizes; RIND_ERROR_UNSUPPORTED for
 * device memory. */
RIND_API rind_error rind_exchange_create(const rind_schedule *schedule, const rind_layout *layout,
                                         const rind_exchange_options *options,
                                         rind_exchange **exchange);
/* Collective. Waits for the messages of a fill that has begun and not ended. Accepts NULL. */
RIND_API void rind_exchange_destroy(rind_exchange **exchange);

/* Fills the ghosts of field: begin, then end. Every rank of the context calls it. Errors of
 * fill, begin and end are each rank's own, found before anything is sent: RIND_ERROR_STALE,
 * RIND_ERROR_MISMATCH for a field of another forest or layout, RIND_ERROR_MPI. */
RIND_API rind_error rind_fill(rind_exchange *exchange, rind_field *field);
/* Packs and starts the messages. RIND_ERROR_STATE if a fill has begun and not ended. */
RIND_API rind_error rind_fill_begin(rind_exchange *exchange, rind_field *field);
/* Runs the rows, those with remote sources as their messages arrive. RIND_ERROR_STATE without a
 * begin, or with another field. */
RIND_API rind_error rind_fill_end(rind_exchange *exchange, rind_field *field);

RIND_API rind_error rind_exchange_get_stats(const rind_exchange *exchange,
                                            rind_exchange_stats *stats);

RIND_END_DECLS
