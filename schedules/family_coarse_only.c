/* family_coarse_only.c - rows of the coarse block alone: a tensor product of three-point quadratics
 * over all axes, axis 0 fastest; weights are (w0 * w1) * w2. */
#include <core.h>
#include <family.h>

rind_error rind_family_coarse_only(const rind_frame *frame,
                                   const rind_axis_class *const classes[3]) {
  const double *w[3];
  int tap[3] = {0, 0, 0};
  for (int a = 0; a < 3; ++a) {
    w[a] = rind_weights_quadratic(classes[a]->parity, classes[a]->shift);
    if (a < frame->dim) tap[a] = rind_axis_class_tap(classes[a]);
  }
  for (int k = 0; k < (frame->dim == 3 ? 3 : 1); ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        double weight = w[0][i] * w[1][j];
        if (frame->dim == 3) weight *= w[2][k];
        const int at[3] = {tap[0] + i, tap[1] + j, tap[2] + k};
        RIND_TRY(rind_frame_add(frame, weight, at));
      }
  return RIND_OK;
}
