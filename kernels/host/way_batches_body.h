/* way_batches_body.h - rows that add to what is there, batch by batch. Included after defining
 *     GATHER_WAY(word)            word with the ending of what it is compiled for
 *     GATHER_STORE(to, value)     as gather_body.h says */
#include <core.h>
#include <gather_ways.h>

#define CLEAR_TYPE double
#define CLEAR_NAME(word) word##_f64
#include <clear_body.h>

#define CLEAR_TYPE float
#define CLEAR_NAME(word) word##_f32
#include <clear_body.h>

/* Four lanes that are two pairs of neighbours in memory. */
static bool has_pairs(const rind_gather_row *row) {
  return row->to_offset[1] == row->to_offset[0] + 1 && row->to_offset[3] == row->to_offset[2] + 1;
}

#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f64
#include <batch_body.h>

#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f32
#include <batch_body.h>

#include <four_body.h>

/* Rows of two blocks that add and take, there and back: each ghost goes to a cell of the other
 * block and becomes 0. */
typedef struct swap {
  double *cell_a, *ghost_a;  /* of one block */
  double *cell_b, *ghost_b;  /* of the other */
  double weight_a, weight_b; /* of what reaches the cell */
} swap;

static swap swap_of(const rind_gather *gather, int f, void *const *to_base) {
  const rind_gather_fill there = gather->fill[f], back = gather->fill[f + 1];
  const rind_gather_row *a = &gather->row[there.row], *b = &gather->row[back.row];
  double *base_a = to_base[there.to], *base_b = to_base[back.to];
  return (swap){.cell_a = base_a + a->to_offset[0],
                .ghost_a = base_a + b->offset[1],
                .cell_b = base_b + b->to_offset[0],
                .ghost_b = base_b + a->offset[1],
                .weight_a = a->weight[1],
                .weight_b = b->weight[1]};
}

/* The same, seen from the other block. */
static swap turned(const swap *s) {
  return (swap){s->cell_b, s->ghost_b, s->cell_a, s->ghost_a, s->weight_b, s->weight_a};
}

/* cell: a cell and a ghost of one block; ghost: a ghost and a cell of the other. */
GATHER_INLINE void swap_neighbours(double *restrict cell, double *restrict ghost,
                                   const pair weights) {
  const pair c = pair_load(cell), g = pair_load(ghost);
  const pair sum = pair_plus(pair_of(pair_low(c), pair_high(g)),
                             pair_times(weights, pair_of(pair_low(g), pair_high(c))));
  pair_store(cell, pair_of(pair_low(sum), 0));
  pair_store(ghost, pair_of(0, pair_high(sum)));
}

/* Runs of cells next to each other, extent a multiple of 4. */
GATHER_INLINE void swap_runs(double *cell_a, double *ghost_a, double *cell_b, double *ghost_b,
                             const quad weight_a, const quad weight_b, const int extent) {
  const quad zero = quad_all(0);
  for (int i = 0; i < extent; i += QUAD_WIDTH) {
    const quad a = quad_times(weight_a, quad_load(ghost_b + i));
    const quad b = quad_times(weight_b, quad_load(ghost_a + i));
    const quad sum_a = quad_plus(quad_load(cell_a + i), a);
    const quad sum_b = quad_plus(quad_load(cell_b + i), b);
    quad_store(cell_a + i, sum_a);
    quad_store(ghost_b + i, zero);
    quad_store(cell_b + i, sum_b);
    quad_store(ghost_a + i, zero);
  }
}

/* neighbours: cell_a lies before ghost_a, ghost_b before cell_b. */
GATHER_INLINE void swap_loops(const rind_gather_row *row, const swap *s, const int extent,
                              const bool neighbours) {
  const pair weights = pair_of(s->weight_a, s->weight_b);
  const ptrdiff_t stride = row->to_stride[0];
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      ptrdiff_t at = k * row->to_stride[3] + j * row->to_stride[2];
      for (int i = 0; i < row->extent[1]; ++i, at += row->to_stride[1]) {
        if (!neighbours)
          swap_runs(s->cell_a + at, s->ghost_a + at, s->cell_b + at, s->ghost_b + at,
                    quad_all(s->weight_a), quad_all(s->weight_b), extent);
        for (int cell = 0; neighbours && cell < extent; ++cell)
          swap_neighbours(s->cell_a + at + cell * stride, s->ghost_b + at + cell * stride, weights);
      }
    }
}

/* The pair of fills f and f + 1. */
static void run_pair(const rind_gather *gather, int f, void *const *to_base) {
  const rind_gather_row *row = &gather->row[gather->fill[f].row];
  const int extent = row->extent[0];
  const swap there = swap_of(gather, f, to_base);
  const swap both = gather->pair[f] == RIND_GATHER_GHOST_FIRST ? turned(&there) : there;
  const bool neighbours = gather->pair[f] != RIND_GATHER_BOTH;
  if (neighbours && extent == 8)
    swap_loops(row, &both, 8, true);
  else if (neighbours && extent == 4)
    swap_loops(row, &both, 4, true);
  else if (neighbours)
    swap_loops(row, &both, extent, true);
  else if (row->to_stride[0] == 1 && extent == 4)
    swap_loops(row, &both, 4, false);
  else {
    add_row_f64(row, both.cell_a - row->to_offset[0], both.ghost_b - row->offset[1]);
    const rind_gather_row *back = &gather->row[gather->fill[f + 1].row];
    add_row_f64(back, both.cell_b - back->to_offset[0], both.ghost_a - back->offset[1]);
  }
}

/* sums: in place of the destination, or NULL. */
static void run_fills_f64(const rind_gather *gather, int first, int last, void *const *to_base,
                          const void *const *source_base, double *sums) {
  for (int f = first; f < last; ++f) {
    const rind_gather_fill fill = gather->fill[f];
    const rind_gather_row *row = &gather->row[fill.row];
    const int how = !sums && gather->pair ? gather->pair[f] : RIND_GATHER_ALONE;
    if (how == RIND_GATHER_FOUR && last - f >= 4) {
      run_four(gather, f, to_base, source_base);
      f += 3;
    } else if (how != RIND_GATHER_ALONE && how != RIND_GATHER_FOUR && f + 1 < last) {
      run_pair(gather, f, to_base);
      ++f;
    } else {
      run_fill_f64(row, sums ? sums : to_base[fill.to],
                   row->num_terms > 0 ? source_base[fill.source] : NULL);
    }
  }
}

static void run_fills_f32(const rind_gather *gather, int first, int last, void *const *to_base,
                          const void *const *source_base, double *sums) {
  for (int f = first; f < last; ++f) {
    const rind_gather_fill fill = gather->fill[f];
    const rind_gather_row *row = &gather->row[fill.row];
    run_fill_f32(row, sums ? sums : to_base[fill.to],
                 row->num_terms > 0 ? source_base[fill.source] : NULL);
  }
}

static void run_fills(const rind_gather *gather, int first, int last, void *const *to_base,
                      const void *const *source_base, double *sums) {
  if (gather->source_type == RIND_FLOAT64)
    run_fills_f64(gather, first, last, to_base, source_base, sums);
  else
    run_fills_f32(gather, first, last, to_base, source_base, sums);
}

static void clear_floats(const rind_gather *gather, int first, int last, float *to) {
  for (int f = first; f < last; ++f) {
    const rind_gather_row *row = &gather->row[gather->fill[f].row];
    RIND_ASSERT(row->body == RIND_GATHER_CLEAR);
    clear_row_f32(row, to + row->to_offset[0]);
  }
}

/* The cells of points, from floats to sums or back. */
static void widen_points(const rind_gather_points *points, const float *block, double *sums) {
  for (int p = 0; p < points->num_points; ++p)
    for (int lane = 0; lane < 2; ++lane)
      sums[points->point[p].to[lane]] = (double)block[points->point[p].to[lane]];
}

static void narrow_points(const rind_gather_points *points, const double *sums, float *block) {
  for (int p = 0; p < points->num_points; ++p)
    for (int lane = 0; lane < 2; ++lane)
      block[points->point[p].to[lane]] = (float)sums[points->point[p].to[lane]];
}

/* One lane's cells, from floats to sums, or back from sums to floats. */
GATHER_INLINE void convert_loops(const rind_gather_row *row, float *restrict block,
                                 double *restrict sums, const int extent, const ptrdiff_t stride,
                                 const bool back) {
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      const ptrdiff_t first = k * row->to_stride[3] + j * row->to_stride[2];
      float *b = block + first;
      double *s = sums + first;
      for (int i = 0; i < row->extent[1]; ++i) {
        for (int cell = 0; cell < extent; ++cell)
          if (back)
            b[cell * stride] = (float)s[cell * stride];
          else
            s[cell * stride] = (double)b[cell * stride];
        b += row->to_stride[1];
        s += row->to_stride[1];
      }
    }
}

GATHER_INLINE void convert(const rind_gather_row *row, int lane, float *block, double *sums,
                           const bool back) {
  const int extent = row->extent[0];
  const ptrdiff_t stride = row->to_stride[0], offset = row->to_offset[lane];
  if (stride == 1 && extent == 8)
    convert_loops(row, block + offset, sums + offset, 8, 1, back);
  else if (stride == 1)
    convert_loops(row, block + offset, sums + offset, extent, 1, back);
  else if (extent == 8)
    convert_loops(row, block + offset, sums + offset, 8, stride, back);
  else
    convert_loops(row, block + offset, sums + offset, extent, stride, back);
}

static void widen(const rind_gather_row *row, float *block, double *sums) {
  if (row->points) widen_points(row->points, block, sums);
  for (int lane = 0; !row->points && lane < row->num_lanes; ++lane)
    convert(row, lane, block, sums, false);
}

static void narrow(const rind_gather_row *row, float *block, double *sums) {
  if (row->points) narrow_points(row->points, sums, block);
  for (int lane = 0; !row->points && lane < row->num_lanes; ++lane)
    convert(row, lane, block, sums, true);
}

/* Sums the cells that the batch touches in double; each is rounded once, after its last row. */
static void run_batch_in_double(const rind_gather *gather, int first, int last,
                                void *const *to_base, const void *const *source_base,
                                double *sums) {
  float *to = to_base[gather->fill[first].to];
  for (int f = first; f < last; ++f) {
    const rind_gather_row *row = &gather->row[gather->fill[f].row];
    RIND_ASSERT(row->body != RIND_GATHER_CLEAR);
    widen(row, to, sums);
  }
  run_fills(gather, first, last, to_base, source_base, sums);
  for (int f = first; f < last; ++f) {
    const rind_gather_row *row = &gather->row[gather->fill[f].row];
    narrow(row, to, sums);
  }
}

/* The batches [first, last). sums: the thread's interior cell (0, 0, 0), or NULL. */
void GATHER_WAY(rind_gather_batches)(const rind_gather *gather, const int *first_fill, int first,
                                     int last, void *const *to_base, const void *const *source_base,
                                     double *sums) {
  for (int b = first; b < last; ++b) {
    const int begin = first_fill[b], end = first_fill[b + 1];
    if (begin == end) continue;
    if (sums)
      run_batch_in_double(gather, begin, end, to_base, source_base, sums);
    else if (gather->to_type == RIND_FLOAT64)
      run_fills(gather, begin, end, to_base, source_base, NULL);
    else
      clear_floats(gather, begin, end, to_base[gather->fill[begin].to]);
  }
}
