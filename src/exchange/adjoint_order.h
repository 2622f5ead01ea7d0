/* adjoint_order.h - the order in which the links of a phase run. */
#pragma once
#include <gather.h>
#include <shipments.h>

#include <stdbool.h>

/* Puts four links of one set that is wide[set], of one batch and to four blocks, next to each other
 * where that is possible. in_pairs: links between two blocks, there and back, stay together. What
 * reaches a block stays in its order, and the zeros of a block stay behind all that reads its
 * ghosts. False without memory. */
bool rind_adjoint_find_fours(rind_contribution *item, int num_items, bool in_pairs,
                             const bool *wide, int num_sets, int num_blocks);
/* Puts blocks that wide links reach, where each has a batch of its own, into one batch by four:
 * those that messages reach and the others. False without memory. */
bool rind_adjoint_join_batches(rind_contribution *item, int num_items, const bool *wide,
                               const bool *reached, int num_blocks);
