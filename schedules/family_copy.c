/* family_copy.c - the rows of a same-level neighbour: its cells as they are, one box a region. */
#include <core.h>
#include <family.h>

rind_error rind_family_copy(const rind_frame *frame) {
  int extent[3], at[3];
  for (int a = 0; a < 3; ++a) {
    extent[a] = frame->high[a] - frame->low[a];
    at[a] = frame->low[a] - frame->start[a];
  }
  RIND_TRY(rind_frame_begin(frame, RIND_FAMILY_COPY, 0, frame->low, extent, 1, 1));
  return rind_frame_add(frame, 1.0, at);
}
