/* list_body.h - sums of listed cells of four lanes, for one pair of types. Included by
 * gather_body.h, which says what to define. */
#include <gather.h>
#include <gather_inline.h>
#include <quad.h>

/* All terms of count cells, at most 4, and their stores. The sums of the cells run side by side;
 * inside each lane the order is that of the row. owns: the first term is an own one. alike: they
 * all have the weights of the first, which are loaded once. */
GATHER_INLINE void GATHER_NAME(sum_listed)(const rind_gather_row *row, const rind_gather_cell *cell,
                                           GATHER_TO *to, const GATHER_TO *own,
                                           const GATHER_SOURCE *source, const int count,
                                           const bool owns, const bool alike) {
  const ptrdiff_t *offset = row->offset, *lane = row->own_offset;
  for (int half = 0; half < RIND_GATHER_LANES; half += QUAD_WIDTH) {
    const double *weight[4];
    const GATHER_SOURCE *from[4];
    quad sum[4];
    for (int i = 0; i < count; ++i) {
      const GATHER_TO *mine = own + offset[0] + cell[i].to;
      weight[i] = cell[i].weight + half;
      from[i] = source + cell[i].source;
      const quad value = owns ? quad_of((double)mine[lane[0]], (double)mine[lane[1]],
                                        (double)mine[lane[2]], (double)mine[lane[3]], half)
                              : quad_all((double)from[i][offset[0]]);
      sum[i] = quad_times(quad_load(weight[i]), value);
    }
    for (ptrdiff_t term = 1; term < row->num_terms; ++term)
      for (int i = 0; i < count; ++i) {
        const quad value = quad_all((double)from[i][offset[term]]);
        const quad weights = quad_load(weight[alike ? 0 : i] + RIND_GATHER_LANES * term);
        sum[i] = quad_plus(sum[i], quad_times(weights, value));
      }
    for (int i = 0; i < count; ++i)
      for (int l = 0; l < QUAD_WIDTH; ++l)
        GATHER_STORE(to + cell[i].to + row->to_offset[half + l], (GATHER_TO)quad_lane(sum[i], l));
  }
}

/* A value of each lane of count cells next to each other. */
GATHER_INLINE void GATHER_NAME(load_lanes)(const GATHER_TO *own, const ptrdiff_t *lane,
                                           const int half, const int count, quad *value) {
  int i = 0;
  for (; i + QUAD_WIDTH <= count; i += QUAD_WIDTH) {
    for (int l = 0; l < QUAD_WIDTH; ++l)
      value[i + l] = QUAD_LOAD_CELLS(own + lane[half + l] + i);
    quad_turn(value + i);
  }
  for (; i < count; ++i)
    value[i] = quad_of((double)own[lane[0] + i], (double)own[lane[1] + i], (double)own[lane[2] + i],
                       (double)own[lane[3] + i], half);
}

/* The other way. */
GATHER_INLINE void GATHER_NAME(store_lanes)(GATHER_TO *to, const ptrdiff_t *lane, const int half,
                                            const int count, quad *value) {
  int i = 0;
  for (; i + QUAD_WIDTH <= count; i += QUAD_WIDTH) {
    quad_turn(value + i);
    for (int l = 0; l < QUAD_WIDTH; ++l)
      GATHER_STORE_QUAD(to + lane[half + l] + i, value[i + l]);
  }
  for (; i < count; ++i)
    for (int l = 0; l < QUAD_WIDTH; ++l)
      GATHER_STORE(to + lane[half + l] + i, (GATHER_TO)quad_lane(value[i], l));
}

/* Adds a term to the sums of count values of each of cells listed cells. */
GATHER_INLINE void GATHER_NAME(add_term)(const ptrdiff_t offset, const ptrdiff_t term,
                                         const double *const *weight,
                                         const GATHER_SOURCE *const *from, const int cells,
                                         const int count, quad sum[][GATHER_SIDE_BY_SIDE]) {
  for (int c = 0; c < cells; ++c) {
    const quad weights = quad_load(weight[c] + RIND_GATHER_LANES * term);
    for (int i = 0; i < count; ++i)
      sum[c][i] = quad_plus(sum[c][i], quad_times(weights, quad_all((double)from[c][offset + i])));
  }
}

/* All terms of count values next to each other, from value at of each of cells listed cells on, and
 * their stores. The sums run side by side; inside each lane the order is that of the row. Behind an
 * own term comes another: compilers keep sums in memory around a loop that may not run. */
GATHER_INLINE void GATHER_NAME(sum_values)(const rind_gather_row *row, const rind_gather_cell *cell,
                                           const ptrdiff_t at, GATHER_TO *to, const GATHER_TO *own,
                                           const GATHER_SOURCE *source, const int cells,
                                           const int count, const bool owns) {
  const ptrdiff_t *offset = row->offset;
  for (int half = 0; half < RIND_GATHER_LANES; half += QUAD_WIDTH) {
    const double *weight[2];
    const GATHER_SOURCE *from[2];
    quad sum[2][GATHER_SIDE_BY_SIDE];
    for (int c = 0; c < cells; ++c) {
      weight[c] = cell[c].weight + half;
      from[c] = source + cell[c].source + at;
      if (owns) GATHER_NAME(load_lanes)
      (own + offset[0] + cell[c].to + at, row->own_offset, half, count, sum[c]);
      for (int i = 0; i < count; ++i)
        sum[c][i] = quad_times(quad_load(weight[c]),
                               owns ? sum[c][i] : quad_all((double)from[c][offset[0] + i]));
    }
    ptrdiff_t term = 1;
    if (owns || row->num_terms > 1) {
      do {
        GATHER_NAME(add_term)(offset[term], term, weight, from, cells, count, sum);
      } while (++term < row->num_terms);
    }
    for (int c = 0; c < cells; ++c)
      GATHER_NAME(store_lanes)(to + cell[c].to + at, row->to_offset, half, count, sum[c]);
  }
}

/* All values of cells listed cells. */
GATHER_INLINE void GATHER_NAME(sum_all_values)(const rind_gather_row *row,
                                               const rind_gather_cell *cell, GATHER_TO *to,
                                               const GATHER_TO *own, const GATHER_SOURCE *source,
                                               const int cells, const bool owns) {
  const ptrdiff_t values = row->cells->num_values;
  ptrdiff_t at = 0;
  for (; values - at >= 4 && values - at != 5; at += 4)
    GATHER_NAME(sum_values)(row, cell, at, to, own, source, cells, 4, owns);
  if (values - at == 5)
    GATHER_NAME(sum_values)(row, cell, at, to, own, source, cells, 5, owns);
  else if (values - at == 3)
    GATHER_NAME(sum_values)(row, cell, at, to, own, source, cells, 3, owns);
  else if (values - at == 2)
    GATHER_NAME(sum_values)(row, cell, at, to, own, source, cells, 2, owns);
  else if (values - at == 1)
    GATHER_NAME(sum_values)(row, cell, at, to, own, source, cells, 1, owns);
}

/* The cells of a list of several values each. */
GATHER_INLINE void GATHER_NAME(sum_runs_listed)(const rind_gather_row *row, GATHER_TO *to,
                                                const GATHER_TO *own, const GATHER_SOURCE *source,
                                                const bool owns) {
  const rind_gather_cell *cell = row->cells->cell, *end = cell + row->cells->num_cells;
  for (; end - cell >= 2; cell += 2) {
    for (const rind_gather_cell *next = cell + 2; next < end && next < cell + 4; ++next)
      for (int l = 0; l < RIND_GATHER_LANES; ++l) {
        GATHER_WILL_WRITE(own + row->offset[0] + next->to + row->own_offset[l]);
        GATHER_WILL_WRITE(to + next->to + row->to_offset[l]);
      }
    GATHER_NAME(sum_all_values)(row, cell, to, own, source, 2, owns);
  }
  if (cell < end) GATHER_NAME(sum_all_values)(row, cell, to, own, source, 1, owns);
}

/* The cells of a list, four at a time where each is one value. Weights may come back: those of a
 * first and a fourth cell say nothing of those between. */
static void GATHER_NAME(sum_list)(const rind_gather_row *row, GATHER_TO *to, const GATHER_TO *own,
                                  const GATHER_SOURCE *source) {
  const rind_gather_cell *cell = row->cells->cell, *end = cell + row->cells->num_cells;
  const bool owns = row->num_own_first == 1;
  if (row->cells->num_values > 1) {
    if (owns)
      GATHER_NAME(sum_runs_listed)(row, to, own, source, true);
    else
      GATHER_NAME(sum_runs_listed)(row, to, own, source, false);
    return;
  }
  for (; owns && end - cell >= 4; cell += 4)
    if (cell[0].weight == cell[1].weight && cell[0].weight == cell[2].weight &&
        cell[0].weight == cell[3].weight)
      GATHER_NAME(sum_listed)(row, cell, to, own, source, 4, true, true);
    else
      GATHER_NAME(sum_listed)(row, cell, to, own, source, 4, true, false);
  for (; owns && cell < end; ++cell)
    GATHER_NAME(sum_listed)(row, cell, to, own, source, 1, true, true);
  for (; end - cell >= 4; cell += 4)
    GATHER_NAME(sum_listed)(row, cell, to, own, source, 4, false, false);
  for (; cell < end; ++cell)
    GATHER_NAME(sum_listed)(row, cell, to, own, source, 1, false, true);
}
