/* family_user.c - rows of the user's taps: their tensor product in the coarse block, axis 0
 * fastest; weights are (w0 * w1) * w2. */
#include <core.h>
#include <family.h>

rind_error rind_family_user(const rind_frame *frame, const rind_axis_class *const classes[3]) {
  const rind_taps *taps = frame->set->rules.taps;
  const int count = taps->num_taps, deep = frame->dim == 3 ? count : 1;
  const double *w[3];
  int tap[3] = {0, 0, 0};
  for (int a = 0; a < 3; ++a) {
    const int parity = classes[a]->parity, entry = 1 - classes[a]->shift;
    w[a] = taps->weight[parity][entry];
    if (a < frame->dim) tap[a] = classes[a]->coarse + taps->first[parity][entry];
  }
  for (int k = 0; k < deep; ++k)
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < count; ++i) {
        double weight = w[0][i] * w[1][j];
        if (frame->dim == 3) weight *= w[2][k];
        const int at[3] = {tap[0] + i, tap[1] + j, tap[2] + k};
        RIND_TRY(rind_frame_add(frame, weight, at));
      }
  return RIND_OK;
}
