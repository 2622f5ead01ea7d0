/* batch_body.h - rows of one batch, in order, for one type of sources; sums are in double.
 * Included by way_batches_body.h after defining GATHER_SOURCE, GATHER_NAME, GATHER_STORE and
 * GATHER_STORE_QUAD as gather_body.h says, and followed by four_body.h. Its rows begin with the
 * destination's own value.
 */
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
    GATHER_STORE(to + cell * to_stride, to[cell * to_stride] + weight * value);
  }
  for (int cell = 0; takes && cell < extent; ++cell)
    source[cell * source_stride] = 0;
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
    /* One stride in place of two equal ones leaves registers for its multiples. */
    if (extent == 8 && to_stride == source_stride)
      GATHER_NAME(add_loops)(row, to, source, 8, to_stride, to_stride, takes);
    else if (extent == 4 && to_stride == source_stride)
      GATHER_NAME(add_loops)(row, to, source, 4, to_stride, to_stride, takes);
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

/* A plane of cells that takes ghosts which lie alike. */
GATHER_INLINE void GATHER_NAME(take_plane)(double *restrict to, GATHER_SOURCE *restrict source,
                                           const double weight, const int extent_0,
                                           const int extent_1, const ptrdiff_t stride_0,
                                           const ptrdiff_t stride_1) {
  for (int i = 0; i < extent_1; ++i)
    GATHER_NAME(add_cells)
  (to + i * stride_1, source + i * stride_1, weight, extent_0, stride_0, stride_0, true);
}

/* Planes of 8 x 8 and 4 x 4 cells, without loops that end after a number that is read. */
static bool GATHER_NAME(takes_plane)(const rind_gather_row *row, double *to,
                                     GATHER_SOURCE *source) {
  const ptrdiff_t stride_0 = row->to_stride[0], stride_1 = row->to_stride[1];
  const int extent = row->extent[0];
  if (row->extent[1] != extent || row->extent[2] != 1 || row->extent[3] != 1 ||
      row->source_stride[0] != stride_0 || row->source_stride[1] != stride_1 ||
      (extent != 8 && extent != 4))
    return false;
  const double weight = row->weight[1];
  if (extent == 8 && stride_0 == 1)
    GATHER_NAME(take_plane)(to, source, weight, 8, 8, 1, stride_1);
  else if (extent == 8)
    GATHER_NAME(take_plane)(to, source, weight, 8, 8, stride_0, stride_1);
  else if (stride_0 == 1)
    GATHER_NAME(take_plane)(to, source, weight, 4, 4, 1, stride_1);
  else
    GATHER_NAME(take_plane)(to, source, weight, 4, 4, stride_0, stride_1);
  return true;
}

/* The ghosts that a row takes belong to the caller's field, which is not const. */
static void GATHER_NAME(add_row)(const rind_gather_row *row, double *to,
                                 const GATHER_SOURCE *source, bool takes) {
  if (takes && GATHER_NAME(takes_plane)(row, to + row->to_offset[0],
                                        (GATHER_SOURCE *)source + row->offset[1]))
    return;
  if (takes) GATHER_NAME(add_extents)
  (row, to + row->to_offset[0], (GATHER_SOURCE *)source + row->offset[1], true);
  else GATHER_NAME(add_extents)(row, to + row->to_offset[0],
                                (GATHER_SOURCE *)source + row->offset[1], false);
}

/* One source term for all lanes. pairs: lanes 1 and 3 lie behind lanes 0 and 2 in memory. */
GATHER_INLINE void GATHER_NAME(add_lanes)(const rind_gather_row *row, double *to,
                                          const GATHER_SOURCE *source, const int lanes,
                                          const bool pairs) {
  double *lane[RIND_GATHER_LANES], weight[RIND_GATHER_LANES], sum[RIND_GATHER_LANES];
  for (int l = 0; l < lanes; ++l) {
    lane[l] = to + row->to_offset[pairs ? l & 2 : l] + (pairs ? l & 1 : 0);
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

/* A row of one cell has one chain of additions: little should stand between them. */
GATHER_INLINE void GATHER_NAME(add_point)(const rind_gather_row *row, double *to,
                                          const GATHER_SOURCE *source, const int lanes) {
  double *first = to + row->to_offset[0], *last = to + row->to_offset[lanes - 1];
  const double *weight = row->weight + lanes;
  const ptrdiff_t *offset = row->offset + 1;
  const int terms = row->num_terms - 1;
  pair sum = pair_of(*first, *last);
#pragma GCC unroll 4
  for (int term = 0; term < terms; ++term) {
    const double value = (double)source[offset[term]];
    const pair weights = pair_of(weight[lanes * term], weight[lanes * term + lanes - 1]);
    sum = pair_plus(sum, pair_times(weights, pair_of(value, value)));
  }
  GATHER_STORE(first, pair_low(sum));
  if (lanes == 2) GATHER_STORE(last, pair_high(sum));
}

GATHER_INLINE pair GATHER_NAME(point_product)(const rind_gather_point_term *term,
                                              const GATHER_SOURCE *source, const double *table) {
  const double value = (double)source[term->offset], *weight = table + term->weight;
  return pair_times(pair_of(weight[0], weight[1]), pair_of(value, value));
}

GATHER_INLINE void GATHER_NAME(add_twins)(const rind_gather_point *point,
                                          const rind_gather_point_term *term, double *to,
                                          const GATHER_SOURCE *source, const double *table) {
  const int terms = point->num_terms;
  double *low_a = to + point[0].to[0], *high_a = to + point[0].to[1];
  double *low_b = to + point[1].to[0], *high_b = to + point[1].to[1];
  pair a = pair_of(*low_a, *high_a), b = pair_of(*low_b, *high_b);
  for (int t = 0; t < terms; ++t) {
    a = pair_plus(a, GATHER_NAME(point_product)(term + t, source, table));
    b = pair_plus(b, GATHER_NAME(point_product)(term + terms + t, source, table));
  }
  GATHER_STORE(low_a, pair_low(a));
  GATHER_STORE(high_a, pair_high(a));
  GATHER_STORE(low_b, pair_low(b));
  GATHER_STORE(high_b, pair_high(b));
}

/* Cells with their terms. Two of equal length run side by side: each is one chain of additions. */
static void GATHER_NAME(add_values)(const rind_gather_row *row, double *to,
                                    const GATHER_SOURCE *source) {
  const rind_gather_points *points = row->points;
  const rind_gather_point *point = points->point, *end = point + points->num_points;
  const rind_gather_point_term *term = points->term;
  const double *table = row->weight;
  while (point < end) {
    const int terms = point->num_terms;
    if (point + 1 < end && point[1].num_terms == terms) {
      GATHER_NAME(add_twins)(point, term, to, source, table);
      term += 2 * (ptrdiff_t)terms;
      point += 2;
    } else {
      double *low = to + point->to[0], *high = to + point->to[1];
      pair sum = pair_of(*low, *high);
      for (int t = 0; t < terms; ++t)
        sum = pair_plus(sum, GATHER_NAME(point_product)(term + t, source, table));
      GATHER_STORE(low, pair_low(sum));
      GATHER_STORE(high, pair_high(sum));
      term += terms;
      ++point;
    }
  }
}

static void GATHER_NAME(add_points)(const rind_gather_row *row, double *to,
                                    const GATHER_SOURCE *source) {
  for (int v = 0; v < row->extent[0]; ++v)
    GATHER_NAME(add_values)(row, to + v * row->to_stride[0], source + v * row->source_stride[0]);
}

/* Cells next to each other in memory. */
static void GATHER_NAME(add_run)(const rind_gather_row *row, double *to,
                                 const GATHER_SOURCE *source) {
  const int lanes = row->num_lanes, terms = row->num_terms;
  if (lanes == 4 && terms == 2) /* average */
    GATHER_NAME(sum_runs)(row, to, to, source, 4, 2, 1, 0);
  else if (lanes == 4)
    GATHER_NAME(sum_runs)(row, to, to, source, 4, terms, 1, 0);
  else if (lanes == 2)
    GATHER_NAME(sum_runs)(row, to, to, source, 2, terms, 1, 0);
  else
    GATHER_NAME(sum_runs)(row, to, to, source, 1, terms, 1, 0);
}

/* All other rows. Those of many cells have as many of them side by side as the loop has. */
static void GATHER_NAME(add_sums)(const rind_gather_row *row, double *to,
                                  const GATHER_SOURCE *source) {
  const int lanes = row->num_lanes, terms = row->num_terms, extent = row->extent[0];
  if (GATHER_NAME(is_run)(row))
    GATHER_NAME(add_run)(row, to, source);
  else if (lanes == 4 && terms == 2 && has_pairs(row)) /* average */
    GATHER_NAME(add_lanes)(row, to, source, 4, true);
  else if (lanes == 4 && terms == 2)
    GATHER_NAME(add_lanes)(row, to, source, 4, false);
  else if (lanes == 2 && terms == 2)
    GATHER_NAME(add_lanes)(row, to, source, 2, false);
  else if (lanes == 2 && extent == 1) /* quadratic, blocks of few cells */
    GATHER_NAME(add_point)(row, to, source, 2);
  else if (lanes == 1 && extent == 1)
    GATHER_NAME(add_point)(row, to, source, 1);
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

static void GATHER_NAME(run_fill)(const rind_gather_row *row, double *to,
                                  const GATHER_SOURCE *source) {
  RIND_ASSERT(row->body == RIND_GATHER_CLEAR ||
              (row->num_own_first == 1 && row->num_own_last == 0));
  if (row->body == RIND_GATHER_ADD)
    GATHER_NAME(add_row)(row, to, source, row->takes);
  else if (row->body == RIND_GATHER_CLEAR)
    clear_row_f64(row, to + row->to_offset[0]);
  else if (row->body == RIND_GATHER_POINTS)
    GATHER_NAME(add_points)(row, to, source);
  else
    GATHER_NAME(add_sums)(row, to, source);
}

#undef GATHER_TO
