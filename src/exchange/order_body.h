/* order_body.h - requests as a message: a header of fixed size, then a body. */
#pragma once
#include <orders.h>

enum {
  RIND_HEADER_ORDERS,
  RIND_HEADER_PATTERNS,
  RIND_HEADER_TERMS,
  RIND_HEADER_CELLS,
  RIND_HEADER_WORDS
};

typedef struct rind_order_body {
  int64_t header[RIND_HEADER_WORDS];
  size_t bytes; /* of memory */
  void *memory; /* terms, patterns, orders */
} rind_order_body;

/* Allocates the memory that the header asks for. Counts that nobody can mean are refused. */
rind_error rind_order_body_allocate(rind_context *context, int peer_rank, rind_order_body *body);
/* The requests of one peer. place [num_patterns] is -1 everywhere, before and after. */
rind_error rind_order_body_write(const rind_schedule *schedule, const rind_request_plan *plan,
                                 int peer, int32_t *place, rind_order_body *body);
/* Checks a body and appends its orders, patterns and terms; orders has room for them. */
rind_error rind_order_body_read(const rind_schedule *schedule, int peer_rank,
                                const rind_order_body *body, rind_order *order,
                                rind_orders *orders);
