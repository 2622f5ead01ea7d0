/* request.h - what a rank needs from other ranks: the communication plan of a schedule.
 *
 * A request asks the owner of a block for one box of values, made by a row of width 1 (raw cells)
 * or by the source's part of a row (the sum of a restriction). The receiver keeps the values of a
 * request as a compact array, axis 0 of the box fastest. Requests of one peer travel in one
 * message. */
#pragma once
#include <schedule_data.h>

/* Raw: the cells themselves, in the source block's axes. Sums: what the fill would store, in the
 * destination box's axes, in the field's type. Partial: the sum of the fill's source terms, in the
 * destination box's axes and in double whatever the field's type, because an own term follows: the
 * receiver adds 1 * partial, then the own terms. Its source cells may be ghosts of the source block
 * that an earlier phase wrote there. A phase's requests are partial all, or none. */
typedef enum rind_request_kind {
  RIND_REQUEST_RAW = 0,
  RIND_REQUEST_SUMS = 1,
  RIND_REQUEST_PARTIAL = 2
} rind_request_kind;

typedef struct rind_request {
  int32_t peer;       /* index into peer[] */
  int32_t source;     /* remote block, index into the forest's block[] */
  int32_t kind;       /* rind_request_kind */
  int32_t pattern;    /* sums, partial: the row; raw: -1 */
  int32_t origin[3];  /* raw: lower corner of the box in the source block, cells */
  int32_t extent[3];  /* of the values */
  int32_t first_fill; /* the fills that read the values: first_fill .. first_fill + num_fills - 1 */
  int32_t num_fills;
  int64_t offset; /* cells before it in its peer's message */
} rind_request;

typedef struct rind_request_plan {
  int num_peers;
  int32_t *peer_rank;     /* [num_peers], ascending: owners of the forest's remote blocks */
  int32_t *first_request; /* [num_peers + 1] */
  int64_t *num_cells;     /* [num_peers], in the peer's message */
  int num_requests;
  rind_request *request; /* [num_requests], by peer, then in the order of their first fill */
} rind_request_plan;

/* Requests of one phase: none in phases of corners and walls, which read the own block alone.
 * families: as in rind_exchange_options. Not collective. RIND_ERROR_MEMORY leaves *plan empty. */
rind_error rind_request_plan_create(const rind_schedule *schedule, int phase, uint32_t families,
                                    rind_request_plan *plan);
void rind_request_plan_destroy(rind_request_plan *plan);
