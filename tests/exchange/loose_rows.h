/* loose_rows.h - batches with rows of one cell in place of rows of points, for what runs rows of
 * the device. */
#pragma once
#include <adjoint_data.h>

/* The same batches and fills, with a fill a point. False without memory. */
bool loose_rows_create(const rind_batches *packed, rind_batches *loose);
void loose_rows_destroy(rind_batches *loose);
