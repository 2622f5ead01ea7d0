/* family_quadratic.c - Martin and Cartwright's rows of the two facing layers: the own first
 * interior cell, then two layers of the coarse block, each a tensor product along the face. */
#include <core.h>
#include <family.h>

/* The coarse layer at a depth of 1 or 2 behind the interface: the first tangential axis fastest;
 * weights are (w_layer * w_t1) * w_t2. */
static rind_error add_layer(const rind_frame *frame, const rind_axis_class *const c[3], int normal,
                            int depth) {
  const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
  const double layer = rind_weights_facing(c[normal]->layer)[depth];
  const double *w1 = rind_weights_quadratic(c[first]->parity, c[first]->shift);
  const double *w2 = rind_weights_quadratic(c[second]->parity, c[second]->shift);
  int at[3] = {0, 0, 0};
  at[normal] = frame->direction[normal] > 0 ? depth - 1 : frame->cells - depth;
  for (int j = 0; j < (frame->dim == 3 ? 3 : 1); ++j)
    for (int i = 0; i < 3; ++i) {
      double weight = layer * w1[i];
      at[first] = rind_axis_class_tap(c[first]) + i;
      if (frame->dim == 3) {
        weight *= w2[j];
        at[second] = rind_axis_class_tap(c[second]) + j;
      }
      RIND_TRY(rind_frame_add(frame, weight, at));
    }
  return RIND_OK;
}

rind_error rind_family_quadratic(const rind_frame *frame, const rind_axis_class *const classes[3],
                                 int normal) {
  int at[3] = {classes[0]->first, classes[1]->first, classes[2]->first};
  at[normal] = frame->direction[normal] > 0 ? frame->cells - 1 : 0;
  RIND_TRY(rind_frame_add_own(frame, rind_weights_facing(classes[normal]->layer)[0], at));
  RIND_TRY(add_layer(frame, classes, normal, 1));
  return add_layer(frame, classes, normal, 2);
}
