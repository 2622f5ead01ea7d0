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

/* Particles that are near the lanes, in the order of sums, seen where they are added; some at a
 * time, a chunk of a range after the other. */
enum { RIND_SPH_CHUNK = 64, RIND_SPH_MOST_NEAR = 192 };
typedef struct rind_sph_near {
  double at[3][RIND_SPH_MOST_NEAR];
  double excess[RIND_SPH_MOST_NEAR];
} rind_sph_near;

/* What is still to be looked at: from a place in the first of the ranges on; and from where. */
typedef struct rind_sph_search {
  const rind_sph_range *range, *end;
  int from;
  double lower[3], upper[3]; /* of the lanes */
  double far;
} rind_sph_search;

/* Reads up to 3 values behind a range, and uses none of them. */
typedef void (*rind_sph_pass)(const rind_sph_list *list, const rind_sph_numbers *numbers,
                              const rind_sph_range *range, int num_ranges, rind_sph_lanes *lanes);
