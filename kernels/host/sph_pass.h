/* sph_pass.h - lanes of particles of one cell that walk over the same neighbours together. */
#pragma once
#include <sph_list.h>

enum { RIND_SPH_LANES = 4 };

/* Particles of one cell, the last one again where there are fewer than lanes, and their sums. */
typedef struct rind_sph_lanes {
  double at[3][RIND_SPH_LANES];
  double excess[RIND_SPH_LANES];
  double sum[3][RIND_SPH_LANES];
} rind_sph_lanes;

typedef void (*rind_sph_pass)(const rind_sph_list *list, double inverse_h,
                              const rind_sph_range *range, int num_ranges, rind_sph_lanes *lanes);
