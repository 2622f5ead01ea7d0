/* copy_body.h - rows of copies for one pair of types, alone or there and back. Included by
 * gather_body.h, which says what to define. */
#include <gather.h>
#include <gather_inline.h>

/* A block may be its own source, but no cell is source and destination. */
typedef struct GATHER_NAME(copy) {
  GATHER_TO *to;
  const GATHER_SOURCE *source;
} GATHER_NAME(copy);

GATHER_INLINE GATHER_NAME(copy)
    GATHER_NAME(copy_of)(const rind_gather *gather, int f, void *const *to_base,
                         const void *const *source_base) {
  const rind_gather_fill fill = gather->fill[f];
  const rind_gather_row *row = &gather->row[fill.row];
  return (GATHER_NAME(copy)){(GATHER_TO *)to_base[fill.to] + row->to_offset[0],
                             (const GATHER_SOURCE *)source_base[fill.source] + row->offset[0]};
}

/* Copies extent cells along loop 0. */
GATHER_INLINE void GATHER_NAME(copy_cells)(GATHER_TO *restrict to,
                                           const GATHER_SOURCE *restrict source, const int extent,
                                           const ptrdiff_t to_stride,
                                           const ptrdiff_t source_stride) {
  for (int cell = 0; cell < extent; ++cell)
    GATHER_STORE(to + cell * to_stride, (GATHER_TO)source[cell * source_stride]);
}

/* Loops 1 to 3 around them. */
GATHER_INLINE void GATHER_NAME(copy_loops)(const rind_gather_row *row, GATHER_NAME(copy) copy,
                                           const int extent, const ptrdiff_t to_stride,
                                           const ptrdiff_t source_stride) {
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      GATHER_TO *t = copy.to + k * row->to_stride[3] + j * row->to_stride[2];
      const GATHER_SOURCE *s = copy.source + k * row->source_stride[3] + j * row->source_stride[2];
      for (int i = 0; i < row->extent[1]; ++i) {
        GATHER_NAME(copy_cells)(t, s, extent, to_stride, source_stride);
        t += row->to_stride[1];
        s += row->source_stride[1];
      }
    }
}

/* One stride in place of two equal ones leaves registers for its multiples. */
static void GATHER_NAME(copy_row)(const rind_gather_row *row, GATHER_NAME(copy) copy) {
  const int extent = row->extent[0];
  const ptrdiff_t to_stride = row->to_stride[0], source_stride = row->source_stride[0];
  if (to_stride != 1 || source_stride != 1) {
    if (extent == 8 && to_stride == source_stride)
      GATHER_NAME(copy_loops)(row, copy, 8, to_stride, to_stride);
    else if (extent == 4 && to_stride == source_stride)
      GATHER_NAME(copy_loops)(row, copy, 4, to_stride, to_stride);
    else
      GATHER_NAME(copy_loops)(row, copy, extent, to_stride, source_stride);
    return;
  }
  switch (extent) {
  case 2:
    GATHER_NAME(copy_loops)(row, copy, 2, 1, 1);
    break;
  case 3:
    GATHER_NAME(copy_loops)(row, copy, 3, 1, 1);
    break;
  case 4:
    GATHER_NAME(copy_loops)(row, copy, 4, 1, 1);
    break;
  case 5: /* components */
    GATHER_NAME(copy_loops)(row, copy, 5, 1, 1);
    break;
  case 8:
    GATHER_NAME(copy_loops)(row, copy, 8, 1, 1);
    break;
  case 16:
    GATHER_NAME(copy_loops)(row, copy, 16, 1, 1);
    break;
  default:
    GATHER_NAME(copy_loops)(row, copy, extent, 1, 1);
  }
}

/* At most 5 cells of two copies. All are read before any is written: the cell that one copy reads
 * and the ghost that the other writes share a line, which a load brings sooner than a store. */
GATHER_INLINE void GATHER_NAME(both_cells)(GATHER_TO *restrict to_a, GATHER_TO *restrict to_b,
                                           const GATHER_SOURCE *restrict source_a,
                                           const GATHER_SOURCE *restrict source_b, const int cells,
                                           const ptrdiff_t stride) {
  GATHER_SOURCE value_a[5], value_b[5];
  for (int cell = 0; cell < cells; ++cell) {
    value_a[cell] = source_a[cell * stride];
    value_b[cell] = source_b[cell * stride];
  }
  for (int cell = 0; cell < cells; ++cell) {
    GATHER_STORE(to_a + cell * stride, (GATHER_TO)value_a[cell]);
    GATHER_STORE(to_b + cell * stride, (GATHER_TO)value_b[cell]);
  }
}

GATHER_INLINE void GATHER_NAME(both_loops)(const rind_gather_row *row, GATHER_NAME(copy) a,
                                           GATHER_NAME(copy) b, const int extent,
                                           const ptrdiff_t stride) {
  const int cells = extent <= 5 ? extent : 4;
  const ptrdiff_t step = row->to_stride[1];
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      const ptrdiff_t first = k * row->to_stride[3] + j * row->to_stride[2];
      GATHER_TO *to_a = a.to + first, *to_b = b.to + first;
      const GATHER_SOURCE *source_a = a.source + first, *source_b = b.source + first;
      for (int i = 0; i < row->extent[1]; ++i) {
        for (int cell = 0; cell < extent; cell += cells)
          GATHER_NAME(both_cells)
        (to_a + cell * stride, to_b + cell * stride, source_a + cell * stride,
         source_b + cell * stride, cells, stride);
        to_a += step;
        to_b += step;
        source_a += step;
        source_b += step;
      }
    }
}

/* Two copies, there and back. Runs of 8 cells and more are faster one after the other. */
static void GATHER_NAME(copy_both)(const rind_gather_row *row, GATHER_NAME(copy) a,
                                   GATHER_NAME(copy) b) {
  const int extent = row->extent[0];
  const ptrdiff_t stride = row->to_stride[0];
  if (stride != 1 && extent == 8) {
    GATHER_NAME(both_loops)(row, a, b, 8, stride);
  } else if (stride != 1 && extent == 4) {
    GATHER_NAME(both_loops)(row, a, b, 4, stride);
  } else if (stride == 1 && extent == 2) {
    GATHER_NAME(both_loops)(row, a, b, 2, 1);
  } else if (stride == 1 && extent == 4) {
    GATHER_NAME(both_loops)(row, a, b, 4, 1);
  } else if (stride == 1 && extent == 5) {
    GATHER_NAME(both_loops)(row, a, b, 5, 1);
  } else if (stride == 1 && extent == 8) {
    GATHER_NAME(copy_loops)(row, a, 8, 1, 1);
    GATHER_NAME(copy_loops)(row, b, 8, 1, 1);
  } else {
    GATHER_NAME(copy_row)(row, a);
    GATHER_NAME(copy_row)(row, b);
  }
}
