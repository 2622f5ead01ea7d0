/* family_average.c - the rows of a finer neighbour: the mean of 2^dim fine cells, one box a
 * neighbour, numbered by the neighbour's place in the region. */
#include <core.h>
#include <family.h>

rind_error rind_family_average(const rind_frame *frame) {
  int low[3], extent[3], number = 0, place = 1;
  for (int a = 0; a < 3; ++a) {
    const bool along = a < frame->dim && frame->direction[a] == 0;
    low[a] = along ? frame->start[a] : frame->low[a];
    extent[a] = along ? frame->cells / 2 : frame->high[a] - frame->low[a];
    if (along) {
      number += place * (frame->key->origin[a] > 0);
      place *= 2;
    }
  }
  const int width = rind_family_width(RIND_FAMILY_AVERAGE, frame->dim);
  RIND_TRY(rind_frame_begin(frame, RIND_FAMILY_AVERAGE, number, low, extent, 1, 2));
  for (int child = 0; child < width; ++child) {
    int at[3];
    for (int a = 0; a < 3; ++a)
      at[a] = a < frame->dim ? 2 * (low[a] - frame->start[a]) + (child >> a & 1) : 0;
    RIND_TRY(rind_frame_add(frame, 1.0 / width, at));
  }
  return RIND_OK;
}
