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

/* One source term for all lanes. */
GATHER_INLINE void GATHER_NAME(add_lanes)(const rind_gather_row *row, double *to,
                                          const GATHER_SOURCE *source, const int lanes) {
  double *lane[RIND_GATHER_LANES], weight[RIND_GATHER_LANES], sum[RIND_GATHER_LANES];
  for (int l = 0; l < lanes; ++l) {
    lane[l] = to + row->to_offset[l];
    weight[l] = row->weight[lanes + l];
  }
  const ptrdiff_t to_stride = row->to_stride[0], source_stride = row->source_stride[0];
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j)
      for (int i = 0; i < row->extent[1]; ++i) {
        ptrdiff_t t = k * row->to_stride[3] + j * row->to_stride[2] + i * row->to_stride[1];
        const GATHER_SOURCE *s = source + row->offset[1] + k * row->source_stride[3] +
                                 j * row->source_stride[2] + i * row->source_stride[1];
        for (int cell = 0; cell < row->extent[0]; ++cell, t += to_stride, s += source_stride) {
          for (int l = 0; l < lanes; ++l)
            sum[l] = lane[l][t] + weight[l] * (double)*s;
          for (int l = 0; l < lanes; ++l)
            GATHER_STORE(lane[l] + t, sum[l]);
        }
      }
}

GATHER_INLINE pair GATHER_NAME(point)(const double *weight, GATHER_SOURCE source, const int lanes) {
  const double value = (double)source;
  return pair_times(pair_of(weight[0], weight[lanes - 1]), pair_of(value, value));
}

/* Rows of one cell have one chain of additions for each pair of lanes: several rows, to different
 * cells from one source, go side by side, so that their chains overlap. */
GATHER_INLINE void GATHER_NAME(add_points)(const rind_gather *gather, int first, double *to,
                                           const GATHER_SOURCE *source, const int rows,
                                           const int lanes) {
  const rind_gather_row *row[MAX_POINTS];
  const double *weight[MAX_POINTS];
  const ptrdiff_t *offset[MAX_POINTS];
  pair sum[MAX_POINTS];
  int common = INT_MAX;
  for (int r = 0; r < rows; ++r) {
    row[r] = &gather->row[gather->fill[first + r].row];
    weight[r] = row[r]->weight;
    offset[r] = row[r]->offset;
    sum[r] = pair_of(to[row[r]->to_offset[0]], to[row[r]->to_offset[lanes - 1]]);
    if (row[r]->num_terms < common) common = row[r]->num_terms;
  }
  for (int term = 1; term < common; ++term)
    for (int r = 0; r < rows; ++r)
      sum[r] = pair_plus(
          sum[r], GATHER_NAME(point)(weight[r] + lanes * term, source[offset[r][term]], lanes));
  for (int r = 0; r < rows; ++r) {
    for (int term = common; term < row[r]->num_terms; ++term)
      sum[r] = pair_plus(
          sum[r], GATHER_NAME(point)(weight[r] + lanes * term, source[offset[r][term]], lanes));
    GATHER_STORE(to + row[r]->to_offset[0], pair_low(sum[r]));
    if (lanes == 2) GATHER_STORE(to + row[r]->to_offset[1], pair_high(sum[r]));
  }
}

/* Runs as many rows from the first fill on as can go side by side, and returns their number. */
static int GATHER_NAME(add_some_points)(const rind_gather *gather, int first, int last, double *to,
                                        const GATHER_SOURCE *source) {
  const int count = count_points(gather, first, last);
  const int lanes = gather->row[gather->fill[first].row].num_lanes;
  if (count == 4 && lanes == 2)
    GATHER_NAME(add_points)(gather, first, to, source, 4, 2);
  else if (count == 4)
    GATHER_NAME(add_points)(gather, first, to, source, 4, 1);
  else if (count == 3 && lanes == 2)
    GATHER_NAME(add_points)(gather, first, to, source, 3, 2);
  else if (count == 3)
    GATHER_NAME(add_points)(gather, first, to, source, 3, 1);
  else if (count == 2 && lanes == 2)
    GATHER_NAME(add_points)(gather, first, to, source, 2, 2);
  else if (count == 2)
    GATHER_NAME(add_points)(gather, first, to, source, 2, 1);
  else if (lanes == 2)
    GATHER_NAME(add_points)(gather, first, to, source, 1, 2);
  else
    GATHER_NAME(add_points)(gather, first, to, source, 1, 1);
  return count;
}

/* A row of many cells, as many of them side by side as the loop has. */
static void GATHER_NAME(add_sums)(const rind_gather_row *row, double *to,
                                  const GATHER_SOURCE *source) {
  const int lanes = row->num_lanes, terms = row->num_terms, extent = row->extent[0];
  if (lanes == 4 && terms == 2) /* average, 3D */
    GATHER_NAME(add_lanes)(row, to, source, 4);
  else if (lanes == 2 && terms == 2) /* average, 2D */
    GATHER_NAME(add_lanes)(row, to, source, 2);
  else if (lanes == 4)
    GATHER_NAME(sum_loops)(row, to, to, source, 4, 2, terms, 1, 0);
  else if (lanes == 2 && extent >= 4)
    GATHER_NAME(sum_loops)(row, to, to, source, 2, 4, terms, 1, 0);
  else if (lanes == 2 && extent == 3)
    GATHER_NAME(sum_loops)(row, to, to, source, 2, 3, terms, 1, 0);
  else if (lanes == 2)
    GATHER_NAME(sum_loops)(row, to, to, source, 2, 2, terms, 1, 0);
  else
    GATHER_NAME(sum_loops)(row, to, to, source, 1, 4, terms, 1, 0);
}

/* The fills [first, last), to one block. */
static void GATHER_NAME(run_fills)(const rind_gather *gather, int first, int last, double *to,
                                   const void *const *source_base) {
  int f = first;
  while (f < last) {
    const rind_gather_row *row = &gather->row[gather->fill[f].row];
    if (row->body == RIND_GATHER_CLEAR) {
      clear_row_f64(row, to + row->to_offset[0]);
      ++f;
      continue;
    }
    RIND_ASSERT(row->num_own_first == 1 && row->num_own_last == 0);
    const GATHER_SOURCE *source = source_base[gather->fill[f].source];
    if (row->body == RIND_GATHER_ADD) {
      GATHER_NAME(add_row)(row, to, source);
      ++f;
    } else if (is_point(row)) {
      f += GATHER_NAME(add_some_points)(gather, f, last, to, source);
    } else {
      GATHER_NAME(add_sums)(row, to, source);
      ++f;
    }
  }
}

#undef GATHER_TO
#undef GATHER_SOURCE
#undef GATHER_NAME
