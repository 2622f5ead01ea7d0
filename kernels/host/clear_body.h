/* clear_body.h - rows of no terms for one type. Included by way_batches_body.h after defining
 *     CLEAR_TYPE          of the cells
 *     CLEAR_NAME(word)    word with the type's ending */
#include <gather.h>
#include <gather_inline.h>

GATHER_INLINE void CLEAR_NAME(clear_loops)(const rind_gather_row *row, CLEAR_TYPE *to,
                                           const int extent, const ptrdiff_t stride) {
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      CLEAR_TYPE *t = to + k * row->to_stride[3] + j * row->to_stride[2];
      for (int i = 0; i < row->extent[1]; ++i, t += row->to_stride[1])
        for (int cell = 0; cell < extent; ++cell)
          t[cell * stride] = 0;
    }
}

static void CLEAR_NAME(clear_row)(const rind_gather_row *row, CLEAR_TYPE *to) {
  const int extent = row->extent[0];
  const ptrdiff_t stride = row->to_stride[0];
  if (stride == 1 && extent == 4)
    CLEAR_NAME(clear_loops)(row, to, 4, 1);
  else if (stride == 1 && extent == 8)
    CLEAR_NAME(clear_loops)(row, to, 8, 1);
  else if (stride == 1)
    CLEAR_NAME(clear_loops)(row, to, extent, 1);
  else if (extent == 8)
    CLEAR_NAME(clear_loops)(row, to, 8, stride);
  else
    CLEAR_NAME(clear_loops)(row, to, extent, stride);
}

#undef CLEAR_TYPE
#undef CLEAR_NAME
