/* batch_body.h - rows of one batch, in order, for one type of sources; sums are in double.
 * Included by gather_batches.c after defining GATHER_SOURCE, GATHER_NAME and GATHER_STORE as
 * gather_body.h says. Its rows begin with the destination's own value. */
#define GATHER_TO double
#include <sum_body.h>

/* Adds extent cells along loop 0; a row that takes leaves zeros. No cell is source and
 * destination. */
GATHER_INLINE void GATHER_NAME(add_cells)(double *restrict to, GATHER_SOURCE *restrict source,
                                          const double weight, const int extent,
                                          const ptrdiff_t to_stride, const ptrdiff_t source_stride,
                                          const bool takes) {
  for (int cell = 0; cell < extent; ++cell) {
    const double value = (double)source[cell * source_stride];
    if (takes) source[cell * source_stride] = 0;
    GATHER_STORE(to + cell * to_stride, to[cell * to_stride] + weight * value);
  }
}

/* Loops 1 to 3 around them. */
GATHER_INLINE void GATHER_NAME(add_loops)(const rind_gather_row *row, double *to,
                                          GATHER_SOURCE *source, const int extent,
                                          const ptrdiff_t to_stride, const ptrdiff_t source_stride,
                                          const bool takes) {
  const double weight = row->weight[1];
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      double *t = to + k * row->to_stride[3] + j * row->to_stride[2];
      GATHER_SOURCE *s = source + k * row->source_stride[3] + j * row->source_stride[2];
      for (int i = 0; i < row->extent[1]; ++i) {
        GATHER_NAME(add_cells)(t, s, weight, extent, to_stride, source_stride, takes);
        t += row->to_stride[1];
        s += row->source_stride[1];
      }
    }
}

GATHER_INLINE void GATHER_NAME(add_extents)(const rind_gather_row *row, double *to,
                                            GATHER_SOURCE *source, const bool takes) {
  const int extent = row->extent[0];
  const ptrdiff_t to_stride = row->to_stride[0], source_stride = row->source_stride[0];
  if (to_stride != 1 || source_stride != 1) {
    if (extent == 8)
      GATHER_NAME(add_loops)(row, to, source, 8, to_stride, source_stride, takes);
    else
      GATHER_NAME(add_loops)(row, to, source, extent, to_stride, source_stride, takes);
    return;
  }
  switch (extent) {
  case 2:
    GATHER_NAME(add_loops)(row, to, source, 2, 1, 1, takes);
    break;
  case 3:
    GATHER_NAME(add_loops)(row, to, source, 3, 1, 1, takes);
    break;
  case 4:
    GATHER_NAME(add_loops)(row, to, source, 4, 1, 1, takes);
    break;
  case 8:
    GATHER_NAME(add_loops)(row, to, source, 8, 1, 1, takes);
    break;
  case 16:
    GATHER_NAME(add_loops)(row, to, source, 16, 1, 1, takes);
    break;
  default:
    GATHER_NAME(add_loops)(row, to, source, extent, 1, 1, takes);
  }
}

/* The ghosts that a row takes belong to the caller's field, which is not const. */
static void GATHER_NAME(add_row)(const rind_gather_row *row, double *to,
                                 const GATHER_SOURCE *source) {
  if (row->takes) GATHER_NAME(add_extents)
  (row, to + row->to_offset[0], (GATHER_SOURCE *)source + row->offset[1], true);
  else GATHER_NAME(add_extents)(row, to + row->to_offset[0],
                                (GATHER_SOURCE *)source + row->offset[1], false);
}

/* Rows of many cells: as many side by side as hide the time of an addition. */
static void GATHER_NAME(add_sums)(const rind_gather_row *row, double *to,
                                  const GATHER_SOURCE *source) {
  const int lanes = row->num_lanes, terms = row->num_terms, extent = row->extent[0];
  if (lanes == 4 && terms == 2) /* average */
    GATHER_NAME(sum_loops)(row, to, to, source, 4, 2, 2, 1, 0);
  else if (lanes == 4)
    GATHER_NAME(sum_loops)(row, to, to, source, 4, 2, terms, 1, 0);
  else if (lanes == 2 && extent >= 4)
    GATHER_NAME(sum_loops)(row, to, to, source, 2, 4, terms, 1, 0);
  else if (lanes == 2)
    GATHER_NAME(sum_loops)(row, to, to, source, 2, 2, terms, 1, 0);
  else
    GATHER_NAME(sum_loops)(row, to, to, source, 1, 4, terms, 1, 0);
}

/* The fills [first, last), to one block. */
static void GATHER_NAME(run_batch)(const rind_gather *gather, int first, int last, double *to,
                                   const void *const *source_base) {
  for (int f = first; f < last; ++f) {
    const rind_gather_row *row = &gather->row[gather->fill[f].row];
    if (row->body == RIND_GATHER_CLEAR)
      clear_row_f64(row, to + row->to_offset[0]);
    else if (row->body == RIND_GATHER_ADD)
      GATHER_NAME(add_row)(row, to, source_base[gather->fill[f].source]);
    else
      GATHER_NAME(add_sums)(row, to, source_base[gather->fill[f].source]);
  }
}

#undef GATHER_TO
#undef GATHER_SOURCE
#undef GATHER_NAME
