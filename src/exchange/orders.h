/* orders.h - requests as their owners see them: what to pack for which peer. */
#pragma once
#include <core.h>
#include <request.h>

/* A box of a local block, in raw cells or as the sums of a pattern, partial or not. */
typedef struct rind_order {
  int32_t kind;    /* rind_request_kind */
  int32_t block;   /* local */
  int32_t pattern; /* sums: index into rind_orders.pattern; raw: -1 */
  int32_t origin[3];
  int32_t extent[3];
} rind_order;

/* The peers are the plan's. */
typedef struct rind_orders {
  int32_t *first_order; /* [num_peers + 1] */
  rind_order *order;    /* [first_order[num_peers]], a peer's in the order of its message */
  int64_t *num_cells;   /* [num_peers], of a peer's message */
  int num_patterns;
  rind_pattern *pattern; /* [num_patterns], of sums: extent, source slot and terms only */
  int num_terms;
  rind_pattern_term *term; /* [num_terms] */
} rind_orders;

/* Collective; messages go to the plan's peers only. Tells the owners of remote blocks what this
 * rank needs in a phase and learns what the peers need from here. *orders is empty on errors. */
rind_error rind_orders_create(const rind_schedule *schedule, const rind_request_plan *plan, int tag,
                              rind_orders *orders);
void rind_orders_destroy(rind_orders *orders);
