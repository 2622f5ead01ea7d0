/* sum_body.h - the sums of a row for one pair of types, with constants for what is named const.
 * Included by gather_body.h and batch_body.h, which define GATHER_TO, GATHER_SOURCE, GATHER_NAME,
 * GATHER_STORE and GATHER_STORE_QUAD. */
#include <gather.h>
#include <gather_inline.h>
#include <pair.h>
#include <quad.h>

/* One term of values first and first + 1; value v is lane v % lanes of cell v / lanes. */
GATHER_INLINE pair GATHER_NAME(product)(const rind_gather_row *row, const GATHER_TO *own,
                                        const GATHER_SOURCE *source, int term, const bool is_own,
                                        const int first, const int lanes, const int values) {
  const int a = first, b = first + 1 < values ? first + 1 : first;
  const double *weight = row->weight + term * lanes;
  const ptrdiff_t offset = row->offset[term];
  double low, high;
  if (is_own) {
    low = (double)own[offset + row->own_offset[a % lanes] + a / lanes * row->own_stride[0]];
    high = (double)own[offset + row->own_offset[b % lanes] + b / lanes * row->own_stride[0]];
  } else {
    low = (double)source[offset + a / lanes * row->source_stride[0]];
    high = (double)source[offset + b / lanes * row->source_stride[0]];
  }
  return pair_times(pair_of(weight[a % lanes], weight[b % lanes]), pair_of(low, high));
}

/* All terms of cells cells along loop 0, and their stores. The sums of a cell's lanes and of
 * neighbouring cells overlap; inside each the order is that of the row. */
GATHER_INLINE void GATHER_NAME(sum_cells)(const rind_gather_row *row, GATHER_TO *to,
                                          const GATHER_TO *own, const GATHER_SOURCE *source,
                                          const int lanes, const int cells, const int num_terms,
                                          const int num_own_first, const int num_own_last) {
  const int values = lanes * cells, last = num_terms - num_own_last;
  const bool own_begins = num_own_first > 0 || last == 0;
  pair sum[6]; /* values is at most 12 */
  for (int v = 0; v < values; v += 2)
    sum[v / 2] = GATHER_NAME(product)(row, own, source, 0, own_begins, v, lanes, values);
  int term = 1;
  for (; term < num_own_first; ++term)
    for (int v = 0; v < values; v += 2)
      sum[v / 2] = pair_plus(sum[v / 2],
                             GATHER_NAME(product)(row, own, source, term, true, v, lanes, values));
#pragma GCC unroll 2
  for (; term < last; ++term)
    for (int v = 0; v < values; v += 2)
      sum[v / 2] = pair_plus(sum[v / 2],
                             GATHER_NAME(product)(row, own, source, term, false, v, lanes, values));
  for (; term < num_terms; ++term)
    for (int v = 0; v < values; v += 2)
      sum[v / 2] = pair_plus(sum[v / 2],
                             GATHER_NAME(product)(row, own, source, term, true, v, lanes, values));
  for (int v = 0; v < values; ++v)
    GATHER_STORE(to + row->to_offset[v % lanes] + v / lanes * row->to_stride[0],
                 (GATHER_TO)(v % 2 ? pair_high(sum[v / 2]) : pair_low(sum[v / 2])));
}

/* True if the innermost loop of a row goes from neighbour to neighbour in memory, and fills a
 * vector. */
static bool GATHER_NAME(is_run)(const rind_gather_row *row) {
  const int num_own = row->num_own_first + row->num_own_last;
  return row->extent[0] >= QUAD_WIDTH && row->to_stride[0] == 1 &&
         (num_own == 0 || row->own_stride[0] == 1) &&
         (num_own == row->num_terms || row->source_stride[0] == 1);
}

/* One term of a lane of QUAD_WIDTH cells next to each other. */
GATHER_INLINE quad GATHER_NAME(run_product)(const rind_gather_row *row, const GATHER_TO *own,
                                            const GATHER_SOURCE *source, const int lane,
                                            const int lanes, const int term, const bool is_own) {
  const ptrdiff_t offset = row->offset[term];
  const quad value = is_own ? QUAD_LOAD_CELLS(own + offset + row->own_offset[lane])
                            : QUAD_LOAD_CELLS(source + offset);
  return quad_times(quad_all(row->weight[term * lanes + lane]), value);
}

/* One term of a lane of the cell behind these. */
GATHER_INLINE double GATHER_NAME(next_product)(const rind_gather_row *row, const GATHER_TO *own,
                                               const GATHER_SOURCE *source, const int lane,
                                               const int lanes, const int term, const bool is_own) {
  const ptrdiff_t at = row->offset[term] + QUAD_WIDTH;
  return row->weight[term * lanes + lane] *
         (is_own ? (double)own[at + row->own_offset[lane]] : (double)source[at]);
}

/* All terms of QUAD_WIDTH cells next to each other, and their stores; with one_more also of the
 * cell behind them, whose chain of additions would take as long alone. */
GATHER_INLINE void GATHER_NAME(sum_neighbours)(const rind_gather_row *row, GATHER_TO *to,
                                               const GATHER_TO *own, const GATHER_SOURCE *source,
                                               const int lanes, const int num_terms,
                                               const int num_own_first, const int num_own_last,
                                               const bool one_more) {
  const int last = num_terms - num_own_last;
  const bool own_begins = num_own_first > 0 || last == 0;
  quad sum[RIND_GATHER_LANES];
  double next[RIND_GATHER_LANES];
  for (int l = 0; l < lanes; ++l) {
    sum[l] = GATHER_NAME(run_product)(row, own, source, l, lanes, 0, own_begins);
    if (one_more) next[l] = GATHER_NAME(next_product)(row, own, source, l, lanes, 0, own_begins);
  }
  for (int term = 1; term < num_terms; ++term) {
    const bool is_own = term < num_own_first || term >= last;
    for (int l = 0; l < lanes; ++l) {
      sum[l] =
          quad_plus(sum[l], GATHER_NAME(run_product)(row, own, source, l, lanes, term, is_own));
      if (one_more) next[l] += GATHER_NAME(next_product)(row, own, source, l, lanes, term, is_own);
    }
  }
  for (int l = 0; l < lanes; ++l) {
    GATHER_STORE_QUAD(to + row->to_offset[l], sum[l]);
    if (one_more) GATHER_STORE(to + row->to_offset[l] + QUAD_WIDTH, (GATHER_TO)next[l]);
  }
}

/* Loops 1 to 3 around the cells of loop 0, cells at a time, the rest one by one. runs: they lie
 * next to each other, and cells is QUAD_WIDTH. */
GATHER_INLINE void GATHER_NAME(sum_around)(const rind_gather_row *row, GATHER_TO *to,
                                           const GATHER_TO *own, const GATHER_SOURCE *source,
                                           const int lanes, const int cells, const int num_terms,
                                           const int num_own_first, const int num_own_last,
                                           const bool runs) {
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j)
      for (int i = 0; i < row->extent[1]; ++i) {
        GATHER_TO *t = to + k * row->to_stride[3] + j * row->to_stride[2] + i * row->to_stride[1];
        const GATHER_TO *o =
            own + k * row->own_stride[3] + j * row->own_stride[2] + i * row->own_stride[1];
        const GATHER_SOURCE *s = source + k * row->source_stride[3] + j * row->source_stride[2] +
                                 i * row->source_stride[1];
        int cell = 0;
        for (; cell + cells <= row->extent[0]; cell += cells) {
          if (runs && cell + cells + 1 == row->extent[0]) {
            GATHER_NAME(sum_neighbours)
            (row, t, o, s, lanes, num_terms, num_own_first, num_own_last, true);
            ++cell; /* and the loop ends */
          } else if (runs) {
            GATHER_NAME(sum_neighbours)
            (row, t, o, s, lanes, num_terms, num_own_first, num_own_last, false);
          } else {
            GATHER_NAME(sum_cells)
            (row, t, o, s, lanes, cells, num_terms, num_own_first, num_own_last);
          }
          t += cells * row->to_stride[0];
          o += cells * row->own_stride[0];
          s += cells * row->source_stride[0];
        }
        if (cells > 1)
          for (; cell < row->extent[0]; ++cell) {
            GATHER_NAME(sum_cells)
            (row, t, o, s, lanes, 1, num_terms, num_own_first, num_own_last);
            t += row->to_stride[0];
            o += row->own_stride[0];
            s += row->source_stride[0];
          }
      }
}

/* A row of any strides. */
GATHER_INLINE void GATHER_NAME(sum_loops)(const rind_gather_row *row, GATHER_TO *to,
                                          const GATHER_TO *own, const GATHER_SOURCE *source,
                                          const int lanes, const int cells, const int num_terms,
                                          const int num_own_first, const int num_own_last) {
  GATHER_NAME(sum_around)
  (row, to, own, source, lanes, cells, num_terms, num_own_first, num_own_last, false);
}

/* A row that is a run. */
GATHER_INLINE void GATHER_NAME(sum_runs)(const rind_gather_row *row, GATHER_TO *to,
                                         const GATHER_TO *own, const GATHER_SOURCE *source,
                                         const int lanes, const int num_terms,
                                         const int num_own_first, const int num_own_last) {
  GATHER_NAME(sum_around)
  (row, to, own, source, lanes, QUAD_WIDTH, num_terms, num_own_first, num_own_last, true);
}
