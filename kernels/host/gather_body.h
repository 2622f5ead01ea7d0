/* gather_body.h - the fused gather for one pair of types. Included once a pair, after defining
 *     GATHER_TO, GATHER_SOURCE    types of the destination's and of the source's cells
 *     GATHER_NAME(word)           word with the pair's ending
 *     GATHER_STORE(to, value)     writes a ghost; every ghost passes here once
 * Loops and terms are inlined into copy_row and sum_row, with constants for what is named const. */
#include <gather.h>
#include <gather_inline.h>

/* Copies extent cells along loop 0. A block may be its own source, but no cell is both. */
GATHER_INLINE void GATHER_NAME(copy_cells)(GATHER_TO *restrict to,
                                           const GATHER_SOURCE *restrict source, const int extent,
                                           const ptrdiff_t to_stride,
                                           const ptrdiff_t source_stride) {
  for (int cell = 0; cell < extent; ++cell)
    GATHER_STORE(to + cell * to_stride, (GATHER_TO)source[cell * source_stride]);
}

/* Loops 1 to 3 around them. */
GATHER_INLINE void GATHER_NAME(copy_loops)(const rind_gather_row *row, GATHER_TO *to,
                                           const GATHER_SOURCE *source, const int extent,
                                           const ptrdiff_t to_stride,
                                           const ptrdiff_t source_stride) {
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      GATHER_TO *t = to + k * row->to_stride[3] + j * row->to_stride[2];
      const GATHER_SOURCE *s = source + k * row->source_stride[3] + j * row->source_stride[2];
      for (int i = 0; i < row->extent[1]; ++i) {
        GATHER_NAME(copy_cells)(t, s, extent, to_stride, source_stride);
        t += row->to_stride[1];
        s += row->source_stride[1];
      }
    }
}

static void GATHER_NAME(copy_row)(const rind_gather_row *row, GATHER_TO *to,
                                  const GATHER_SOURCE *source) {
  const int extent = row->extent[0];
  const ptrdiff_t to_stride = row->to_stride[0], source_stride = row->source_stride[0];
  if (to_stride != 1 || source_stride != 1) {
    if (extent == 8)
      GATHER_NAME(copy_loops)(row, to, source, 8, to_stride, source_stride);
    else
      GATHER_NAME(copy_loops)(row, to, source, extent, to_stride, source_stride);
    return;
  }
  switch (extent) {
  case 2:
    GATHER_NAME(copy_loops)(row, to, source, 2, 1, 1);
    break;
  case 3:
    GATHER_NAME(copy_loops)(row, to, source, 3, 1, 1);
    break;
  case 4:
    GATHER_NAME(copy_loops)(row, to, source, 4, 1, 1);
    break;
  case 8:
    GATHER_NAME(copy_loops)(row, to, source, 8, 1, 1);
    break;
  case 16:
    GATHER_NAME(copy_loops)(row, to, source, 16, 1, 1);
    break;
  default:
    GATHER_NAME(copy_loops)(row, to, source, extent, 1, 1);
  }
}

#include <sum_body.h>

/* Rows of docs/rows.md have bodies of their own, with constant widths. Lanes go three cells at a
 * time, because n/2 - 1 cells lie off the edge of a fine face. */
static void GATHER_NAME(sum_row)(const rind_gather_row *row, GATHER_TO *to, const GATHER_TO *own,
                                 const GATHER_SOURCE *source) {
  const int lanes = row->num_lanes, terms = row->num_terms;
  const int first = row->num_own_first, last = row->num_own_last;
  if (lanes == 4 && terms == 19 && first == 1 && last == 0) /* quadratic, 3D */
    GATHER_NAME(sum_loops)(row, to, own, source, 4, 3, 19, 1, 0);
  else if (lanes == 4 && terms == 27 && first == 0 && last == 0) /* coarse-only, 3D */
    GATHER_NAME(sum_loops)(row, to, own, source, 4, 3, 27, 0, 0);
  else if (lanes == 2 && terms == 7 && first == 1 && last == 0) /* quadratic, 2D */
    GATHER_NAME(sum_loops)(row, to, own, source, 2, 3, 7, 1, 0);
  else if (lanes == 4 && terms == 9 && first == 0 && last == 0) /* coarse-only, 2D */
    GATHER_NAME(sum_loops)(row, to, own, source, 4, 3, 9, 0, 0);
  else if (lanes == 1 && terms == 8 && first == 0 && last == 0) /* average, 3D */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 8, 0, 0);
  else if (lanes == 1 && terms == 4 && first == 0 && last == 0) /* average, 2D */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 4, 0, 0);
  else if (lanes == 1 && terms == 1 && first == 1) /* mirror, constant */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 1, 1, 0);
  else if (lanes == 1 && terms == 2 && first == 1 && last == 0) /* mirror and value */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 2, 1, 0);
  else if (lanes == 1 && terms == 2 && first == 2) /* linear */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 2, 2, 0);
  else if (lanes == 4)
    GATHER_NAME(sum_loops)(row, to, own, source, 4, 3, terms, first, last);
  else if (lanes == 2)
    GATHER_NAME(sum_loops)(row, to, own, source, 2, 3, terms, first, last);
  else
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, terms, first, last);
}

/* The fills [first, last). */
static void GATHER_NAME(gather_fills)(const rind_gather *gather, int first, int last,
                                      void *const *to_base, const void *const *own_base,
                                      const void *const *source_base) {
  for (int f = first; f < last; ++f) {
    const rind_gather_fill fill = gather->fill[f];
    const rind_gather_row *row = &gather->row[fill.row];
    GATHER_TO *to = to_base[fill.to];
    const GATHER_SOURCE *source = source_base[fill.source];
    if (row->body == RIND_GATHER_COPY)
      GATHER_NAME(copy_row)(row, to + row->to_offset[0], source + row->offset[0]);
    else
      GATHER_NAME(sum_row)(row, to, own_base[fill.to], source);
  }
}

#undef GATHER_TO
#undef GATHER_SOURCE
#undef GATHER_NAME
