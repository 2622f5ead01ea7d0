/* average_body.h - rows of one lane and eight terms, averages in 3D, for one pair of types: those
 * whose terms are two by two neighbours in memory, and those whose cells are. Included by
 * gather_body.h, which says what to define. */
#include <gather.h>
#include <gather_inline.h>
#include <pair.h>
#include <quad.h>

/* True if the second of each two terms reads the value behind the first. */
static bool GATHER_NAME(has_neighbours)(const rind_gather_row *row) {
  const ptrdiff_t *offset = row->offset;
  return offset[1] == offset[0] + 1 && offset[3] == offset[2] + 1 && offset[5] == offset[4] + 1 &&
         offset[7] == offset[6] + 1;
}

/* The sums of cells at a and b side by side: what lies side by side in memory is two terms of one
 * cell, so halves change places. */
GATHER_INLINE pair GATHER_NAME(average)(const rind_gather_row *row, const GATHER_SOURCE *a,
                                        const GATHER_SOURCE *b) {
  pair sum = pair_of(0, 0);
  for (int term = 0; term < 8; term += 2) {
    const ptrdiff_t at = row->offset[term];
    const pair weights = pair_of(row->weight[term], row->weight[term + 1]);
    const pair of_a = pair_times(weights, pair_of((double)a[at], (double)a[at + 1]));
    const pair of_b = pair_times(weights, pair_of((double)b[at], (double)b[at + 1]));
    const pair first = pair_of(pair_low(of_a), pair_low(of_b));
    sum = term == 0 ? first : pair_plus(sum, first);
    sum = pair_plus(sum, pair_of(pair_high(of_a), pair_high(of_b)));
  }
  return sum;
}

static void GATHER_NAME(average_row)(const rind_gather_row *row, GATHER_TO *to,
                                     const GATHER_SOURCE *source) {
  const ptrdiff_t to_stride = row->to_stride[0], step = row->source_stride[0];
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j)
      for (int i = 0; i < row->extent[1]; ++i) {
        GATHER_TO *t = to + row->to_offset[0] + k * row->to_stride[3] + j * row->to_stride[2] +
                       i * row->to_stride[1];
        const GATHER_SOURCE *s = source + k * row->source_stride[3] + j * row->source_stride[2] +
                                 i * row->source_stride[1];
        int cell = 0;
        for (; cell + 2 <= row->extent[0]; cell += 2, t += 2 * to_stride, s += 2 * step) {
          const pair both = GATHER_NAME(average)(row, s, s + step);
          GATHER_STORE(t, (GATHER_TO)pair_low(both));
          GATHER_STORE(t + to_stride, (GATHER_TO)pair_high(both));
        }
        if (cell < row->extent[0])
          GATHER_STORE(t, (GATHER_TO)pair_low(GATHER_NAME(average)(row, s, s)));
      }
}

/* The sums of QUAD_WIDTH values next to each other, and of more behind them, at most 3, side by
 * side. weight: each in all of a vector, so that it stays in a register. */
GATHER_INLINE void GATHER_NAME(average_values)(const rind_gather_row *row, const quad *weight,
                                               GATHER_TO *to, const GATHER_SOURCE *source,
                                               const int more) {
  quad sum = quad_times(weight[0], QUAD_LOAD_CELLS(source + row->offset[0]));
  double rest[3];
  for (int i = 0; i < more; ++i)
    rest[i] = quad_lane(weight[0], 0) * (double)source[row->offset[0] + QUAD_WIDTH + i];
  for (int term = 1; term < 8; ++term) {
    const GATHER_SOURCE *s = source + row->offset[term];
    sum = quad_plus(sum, quad_times(weight[term], QUAD_LOAD_CELLS(s)));
    for (int i = 0; i < more; ++i)
      rest[i] += quad_lane(weight[term], 0) * (double)s[QUAD_WIDTH + i];
  }
  GATHER_STORE_QUAD(to, sum);
  for (int i = 0; i < more; ++i)
    GATHER_STORE(to + QUAD_WIDTH + i, (GATHER_TO)rest[i]);
}

/* Runs of QUAD_WIDTH values or more. more: the rest of their length divided by it. */
GATHER_INLINE void GATHER_NAME(average_loops)(const rind_gather_row *row, GATHER_TO *to,
                                              const GATHER_SOURCE *source, const int more) {
  quad weight[8];
  for (int term = 0; term < 8; ++term)
    weight[term] = quad_all(row->weight[term]);
  const int final = row->extent[0] - QUAD_WIDTH - more;
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      GATHER_TO *t = to + row->to_offset[0] + k * row->to_stride[3] + j * row->to_stride[2];
      const GATHER_SOURCE *s = source + k * row->source_stride[3] + j * row->source_stride[2];
      for (int i = 0; i < row->extent[1]; ++i, t += row->to_stride[1], s += row->source_stride[1]) {
        for (int v = 0; v < final; v += QUAD_WIDTH)
          GATHER_NAME(average_values)(row, weight, t + v, s + v, 0);
        GATHER_NAME(average_values)(row, weight, t + final, s + final, more);
      }
    }
}

/* Rows that are runs. */
static void GATHER_NAME(average_runs)(const rind_gather_row *row, GATHER_TO *to,
                                      const GATHER_SOURCE *source) {
  switch (row->extent[0] % QUAD_WIDTH) {
  case 0:
    GATHER_NAME(average_loops)(row, to, source, 0);
    break;
  case 1:
    GATHER_NAME(average_loops)(row, to, source, 1);
    break;
  case 2:
    GATHER_NAME(average_loops)(row, to, source, 2);
    break;
  default:
    GATHER_NAME(average_loops)(row, to, source, 3);
  }
}
