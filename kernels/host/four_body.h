/* four_body.h - one row of sums for four blocks side by side: terms and weights are read once for
 * all of them. Included by way_batches_body.h, for one type of sources, as batch_body.h is. */
#include <gather.h>
#include <gather_inline.h>
#include <quad.h>

GATHER_APART void GATHER_NAME(add_points_of_four)(const rind_gather_row *row, double *const *to,
                                                  const GATHER_SOURCE *const *source) {
  const rind_gather_points *points = row->points;
  const rind_gather_point *point = points->point, *end = point + points->num_points;
  const rind_gather_point_term *term = points->term;
  const double *table = row->weight;
  const GATHER_SOURCE *const from[FOUR] = {source[0], source[1], source[2], source[3]};
  for (; point < end; ++point) {
    const ptrdiff_t low = point->to[0], high = point->to[1];
    quad sum[FOUR / TWICE];
    for (int b = 0; b < FOUR; b += TWICE)
      sum[b / TWICE] = load_twice(to + b, low, high);
    for (const rind_gather_point_term *last = term + point->num_terms; term < last; ++term) {
      const quad weights = quad_both(pair_of(table[term->weight], table[term->weight + 1]));
      for (int b = 0; b < FOUR; b += TWICE) {
        const quad values =
            GATHER_NAME(quad_twice)(from[b][term->offset], from[b + TWICE - 1][term->offset]);
        sum[b / TWICE] = quad_plus(sum[b / TWICE], quad_times(weights, values));
      }
    }
    for (int b = 0; b < FOUR; ++b) {
      GATHER_STORE(to[b] + low, quad_lane(sum[b / TWICE], b % TWICE * 2));
      GATHER_STORE(to[b] + high, quad_lane(sum[b / TWICE], b % TWICE * 2 + 1));
    }
  }
}

/* Where ghosts are listed: those of the four blocks next to each other first, so that a term has
 * one load of them, and weights as often as there are blocks. */
GATHER_APART void GATHER_NAME(add_listed_of_four)(const rind_gather_row *row, double *const *to,
                                                  const GATHER_SOURCE *const *source) {
  const rind_gather_points *points = row->points;
  const rind_gather_point *end = points->point + points->num_points;
  const double *table = points->weight_of_four;
  _Alignas(FOUR * sizeof(double)) double value[RIND_GATHER_GHOSTS * FOUR];
  for (int g = 0; g < points->num_ghosts; ++g)
    for (int b = 0; b < FOUR; b += QUAD_WIDTH) {
      const ptrdiff_t at = points->ghost[g];
      quad_store(value + FOUR * g + b, quad_of((double)source[0][at], (double)source[1][at],
                                               (double)source[2][at], (double)source[3][at], b));
    }
  for (int b = 0; b < FOUR; b += QUAD_WIDTH) {
    const rind_gather_listed_term *term = points->listed;
    for (const rind_gather_point *point = points->point; point < end; ++point) {
      const ptrdiff_t low = point->to[0], high = point->to[1];
      quad of_low = quad_of(to[0][low], to[1][low], to[2][low], to[3][low], b);
      quad of_high = quad_of(to[0][high], to[1][high], to[2][high], to[3][high], b);
      for (const rind_gather_listed_term *last = term + point->num_terms; term < last; ++term) {
        const quad values = quad_load(value + b + term->ghost);
        const double *weights = table + term->weight;
        of_low = quad_plus(of_low, quad_times(quad_load(weights), values));
        of_high = quad_plus(of_high, quad_times(quad_load(weights + FOUR), values));
      }
      for (int l = 0; l < QUAD_WIDTH; ++l) {
        GATHER_STORE(to[b + l] + low, quad_lane(of_low, l));
        GATHER_STORE(to[b + l] + high, quad_lane(of_high, l));
      }
    }
  }
}

GATHER_APART void GATHER_NAME(add_lanes_of_four)(const rind_gather_row *row, double *const *to,
                                                 const GATHER_SOURCE *const *source) {
  const ptrdiff_t *offset = row->offset, *lane = row->to_offset;
  const int terms = row->num_terms;
  for (int half = 0; half < RIND_GATHER_LANES; half += QUAD_WIDTH) {
    quad sum[FOUR];
    for (int b = 0; b < FOUR; ++b)
      sum[b] = quad_of(to[b][lane[0]], to[b][lane[1]], to[b][lane[2]], to[b][lane[3]], half);
    for (int term = 1; term < terms; ++term) {
      const quad weights = quad_load(row->weight + RIND_GATHER_LANES * term + half);
      for (int b = 0; b < FOUR; ++b)
        sum[b] = quad_plus(sum[b], quad_times(weights, quad_all((double)source[b][offset[term]])));
    }
    for (int b = 0; b < FOUR; ++b)
      for (int l = 0; l < QUAD_WIDTH; ++l)
        GATHER_STORE(to[b] + lane[half + l], quad_lane(sum[b], l));
  }
}

/* The fills f to f + 3. sums: of their blocks, or NULL. */
static void GATHER_NAME(run_four)(const rind_gather *gather, int f, void *const *to_base,
                                  const void *const *source_base, const batch_sums *sums) {
  const rind_gather_fill *fill = &gather->fill[f];
  const rind_gather_row *row = &gather->row[fill->row];
  double *to[FOUR];
  const GATHER_SOURCE *source[FOUR];
  for (int b = 0; b < FOUR; ++b) {
    to[b] = sums ? sums_of(sums, fill[b].to) : to_base[fill[b].to];
    source[b] = source_base[fill[b].source];
  }
  for (int v = 0; v < row->extent[0]; ++v) {
    if (row->body == RIND_GATHER_POINTS && row->points->num_ghosts > 0)
      GATHER_NAME(add_listed_of_four)(row, to, source);
    else if (row->body == RIND_GATHER_POINTS)
      GATHER_NAME(add_points_of_four)(row, to, source);
    else
      GATHER_NAME(add_lanes_of_four)(row, to, source);
    for (int b = 0; b < FOUR; ++b) {
      to[b] += row->to_stride[0];
      source[b] += row->source_stride[0];
    }
  }
}

#undef GATHER_SOURCE
#undef GATHER_NAME
