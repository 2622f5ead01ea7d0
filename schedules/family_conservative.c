/* family_conservative.c - piecewise linear rows that keep the coarse cell's average: the cell that
 * holds the ghost, and a slope an axis from its neighbours. In the facing layers of a face the
 * neighbour over the interface is the mean of 2^dim own cells. */
#include <core.h>
#include <family.h>

#include <string.h>

/* One axis' part of a row: weights of the coarse cell itself and of two others. */
typedef struct slope {
  double centre;
  int other[2]; /* relative to the coarse cell */
  double weight[2];
} slope;

/* An eighth of the difference across two cells, added in the upper half, taken off in the lower. */
static slope slope_of(const rind_axis_class *c) {
  const double eighth = c->parity ? 0.125 : -0.125;
  if (c->shift == 0) return (slope){0.0, {-1, 1}, {-eighth, eighth}};
  const double inward = c->shift * eighth;
  return (slope){-3.0 * inward, {c->shift, 2 * c->shift}, {4.0 * inward, -inward}};
}

/* The own cells that the neighbouring coarse cell over the interface would hold. */
static rind_error add_own(const rind_frame *frame, const rind_axis_class *const c[3], int normal,
                          double weight) {
  int low[3];
  for (int a = 0; a < 3; ++a)
    low[a] = c[a]->first - c[a]->parity;
  low[normal] = frame->direction[normal] > 0 ? frame->cells - 2 : 0;
  for (int child = 0; child < 1 << frame->dim; ++child) {
    const int at[3] = {low[0] + (child & 1), low[1] + (child >> 1 & 1), low[2] + (child >> 2)};
    RIND_TRY(rind_frame_add_own(frame, weight / (1 << frame->dim), at));
  }
  return RIND_OK;
}

rind_error rind_family_conservative(const rind_frame *frame,
                                    const rind_axis_class *const classes[3], int normal) {
  const int coarse[3] = {classes[0]->coarse, classes[1]->coarse, classes[2]->coarse};
  slope s[3];
  double centre = 1.0;
  for (int a = 0; a < frame->dim; ++a) {
    rind_axis_class c = *classes[a];
    if (a == normal) c.shift = 0;
    s[a] = slope_of(&c);
    centre += s[a].centre;
  }
  if (normal >= 0) {
    const int over = frame->direction[normal] > 0 ? 0 : 1;
    RIND_TRY(add_own(frame, classes, normal, s[normal].weight[over]));
  }
  RIND_TRY(rind_frame_add(frame, centre, coarse));
  for (int a = 0; a < frame->dim; ++a)
    for (int k = 0; k < 2; ++k) {
      if (a == normal && k == (frame->direction[a] > 0 ? 0 : 1)) continue;
      int at[3];
      memcpy(at, coarse, sizeof at);
      at[a] += s[a].other[k];
      RIND_TRY(rind_frame_add(frame, s[a].weight[k], at));
    }
  return RIND_OK;
}
