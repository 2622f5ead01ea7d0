/* loose_rows.h - batches of one block each, with rows of one cell in place of rows of points, as
 * the device has them. */
#pragma once
#include <adjoint_data.h>

/* The same fills, with a fill a point, those of a block in their order in a batch of its own. False
 * without memory. */
bool loose_rows_create(const rind_batches *packed, rind_batches *loose);
void loose_rows_destroy(rind_batches *loose);
