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

/* The cells of a list, four at a time. Weights may come back: those of a first and a fourth cell
 * say nothing of those between. */
static void GATHER_NAME(sum_list)(const rind_gather_row *row, GATHER_TO *to, const GATHER_TO *own,
                                  const GATHER_SOURCE *source) {
  const rind_gather_cell *cell = row->cells->cell, *end = cell + row->cells->num_cells;
  const bool owns = row->num_own_first == 1;
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
