/* adjoint_order.h - the order in which the links of a phase run. */
#pragma once
#include <shipments.h>

#include <stdbool.h>

/* Puts four links of one set that is wide[set], of one batch and to four blocks, next to each other
 * where that is possible. What reaches a block stays in its order, and the zeros of a block stay
 * behind all that reads its ghosts. False without memory. */
bool rind_adjoint_find_fours(rind_contribution *item, int num_items, const bool *wide, int num_sets,
                             int num_blocks);
