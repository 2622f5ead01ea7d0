/* sph_take_plain.h - picks the particles near some lanes, for any set of instructions. */
#pragma once
#include <sph_pass.h>

/* How far outside an interval x is. No lane in it is nearer, whatever is rounded. */
RIND_SPH_INLINE double outside_plain(double lower, double upper, double x) {
  const double below = lower - x, above = x - upper;
  const double most = below > above ? below : above;
  return most > 0 ? most : 0;
}

/* Takes those of count particles from a place on that are near the box of the lanes, behind num
 * others; how many there are then. The first loop is for vectors, the second has no branch. */
RIND_SPH_INLINE int take_plain(int dim, bool nearest, bool with_excess, const rind_sph_list *list,
                               const rind_sph_search *search, int from, int count,
                               rind_sph_near *near, int num) {
  const double *at_x = list->at[0] + from, *at_y = list->at[1] + from;
  const double *at_z = list->at[dim == 3 ? 2 : 1] + from, *shift = search->range->shift;
  double x[RIND_SPH_CHUNK], y[RIND_SPH_CHUNK], z[RIND_SPH_CHUNK];
  int64_t is_near[RIND_SPH_CHUNK];
  for (int c = 0; c < ((count + 3) & ~3); ++c) {
    x[c] = at_x[c] + shift[0];
    y[c] = at_y[c] + shift[1];
    z[c] = at_z[c] + shift[2];
    const double dx = outside_plain(search->lower[0], search->upper[0], x[c]);
    const double dy = outside_plain(search->lower[1], search->upper[1], y[c]);
    const double dz = outside_plain(search->lower[2], search->upper[2], z[c]);
    is_near[c] = nearest || rind_sph_square(dim, dx, dy, dz) < search->far;
  }
  for (int c = 0; c < count; ++c) {
    near->at[0][num] = x[c];
    near->at[1][num] = y[c];
    if (dim == 3) near->at[2][num] = z[c];
    if (with_excess) near->excess[num] = list->excess[from + c];
    num += (int)is_near[c];
  }
  return num;
}
