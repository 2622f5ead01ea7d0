/* shipment_letter.h - what the ghosts that one rank ships contribute at the other, as a letter: a
 * header of fixed size, then a body. */
#pragma once
#include <mail.h>
#include <shipments.h>

enum {
  RIND_SHIPMENT_BOXES,
  RIND_SHIPMENT_SETS,
  RIND_SHIPMENT_PATTERNS,
  RIND_SHIPMENT_TERMS, /* that read ghosts; the cell itself goes without saying */
  RIND_SHIPMENT_CELLS,
  RIND_SHIPMENT_WORDS
};

/* The runs [num_runs] of a transposed schedule with cells of the peer's blocks; data of *letter is
 * the caller's to free. place [num_sets] is -1 everywhere, before and after. */
rind_error rind_shipment_write(const rind_schedule *transposed, const int32_t *run, int num_runs,
                               int peer_rank, int32_t *place, rind_letter *letter);
/* The header of a letter that is as long as its header says. Counts that nobody can mean are
 * refused. */
rind_error rind_shipment_open(rind_context *context, int peer_rank, const rind_letter *letter,
                              const int64_t **header);
/* Checks a letter that has been opened, appends its sets, patterns and terms to transposed, which
 * has room for them, and writes its boxes and what each contributes [boxes]. */
rind_error rind_shipment_read(rind_schedule *transposed, int peer_rank, const rind_letter *letter,
                              rind_order *box, rind_contribution *contribution);
