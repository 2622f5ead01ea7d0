/* order_body.h - requests as a letter: a header of fixed size, then a body. */
#pragma once
#include <mail.h>
#include <orders.h>

enum {
  RIND_HEADER_ORDERS,
  RIND_HEADER_PATTERNS,
  RIND_HEADER_TERMS,
  RIND_HEADER_CELLS,
  RIND_HEADER_WORDS
};

/* The requests of one peer; data of *letter is the caller's to free. place [num_patterns] is -1
 * everywhere, before and after. */
rind_error rind_order_body_write(const rind_schedule *schedule, const rind_request_plan *plan,
                                 int peer, int32_t *place, rind_letter *letter);
/* The header of a letter that is as long as its header says. Counts that nobody can mean are
 * refused. */
rind_error rind_order_body_open(rind_context *context, int peer_rank, const rind_letter *letter,
                                const int64_t **header);
/* Checks a letter that has been opened and appends its orders, patterns and terms; orders has room
 * for them. */
rind_error rind_order_body_read(const rind_schedule *schedule, int peer_rank,
                                const rind_letter *letter, rind_order *order, rind_orders *orders);
