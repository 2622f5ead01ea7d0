/* reference_forests.h - the forests of docs/rows.md that tests count on. */
#pragma once
#include <rind/forest_p4est.h>

#include <stdbool.h>

/* Collective. Base blocks per axis (a power of two), those with centre x < 1/2 refined once;
 * periodic along all axes but x, or along none. */
rind_error reference_half_refined(rind_context *context, int dim, int blocks, bool periodic,
                                  rind_forest **forest);
/* Collective. Three levels toward the lower corner. */
rind_error reference_corner(rind_context *context, int dim, bool periodic, rind_forest **forest);
