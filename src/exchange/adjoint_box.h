/* adjoint_box.h - the cells of a block whose floats are summed all at once. */
#pragma once
#include <gather.h>
#include <shipments.h>

/* False for doubles and large blocks, and where a row of the items writes ghosts: then only the
 * cells that rows write are summed in double. */
bool rind_adjoint_find_box(const rind_schedule *transposed, const rind_contribution *item,
                           int num_items, const rind_layout *layout, rind_gather_row *box);
