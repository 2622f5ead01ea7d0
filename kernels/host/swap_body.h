/* swap_body.h - rows of two blocks that add and take, there and back: each ghost goes to a cell of
 * the other block and becomes 0. Included by way_batches_body.h. */
#include <gather.h>
#include <gather_inline.h>
#include <quad.h>

/* cell: a cell and a ghost of one block; ghost: a ghost and a cell of the other. */
GATHER_INLINE void swap_neighbours(double *cell, double *ghost) {
  const pair c = pair_load(cell), g = pair_load(ghost);
  const pair sum = pair_plus(pair_mix(c, g), pair_mix(g, c)), zero = pair_of(0, 0);
  pair_store(cell, pair_mix(sum, zero));
  pair_store(ghost, pair_mix(zero, sum));
}

/* Loops 0 and 1. */
GATHER_INLINE void swap_all_neighbours(const rind_gather_swap *swap, double *a, double *b,
                                       const int extent_0, const int extent_1) {
  const ptrdiff_t stride_0 = swap->stride[0], stride_1 = swap->stride[1];
  double *cell = a + swap->cell[0], *ghost = b + swap->ghost[1];
  for (int j = 0; j < extent_1; ++j)
    for (int i = 0; i < extent_0; ++i)
      swap_neighbours(cell + j * stride_1 + i * stride_0, ghost + j * stride_1 + i * stride_0);
}

/* Cells next to each other, to which the ghosts of the other block go. Two vectors at once where
 * there are as many: long runs take 3 % less. */
GATHER_INLINE void take_run(double *cell, double *ghost, const int extent) {
  int i = 0;
  for (; i + 2 * QUAD_WIDTH <= extent; i += 2 * QUAD_WIDTH) {
    const quad a = quad_load(cell + i), b = quad_load(cell + i + QUAD_WIDTH);
    const quad c = quad_load(ghost + i), d = quad_load(ghost + i + QUAD_WIDTH);
    quad_store(cell + i, quad_plus(a, c));
    quad_store(cell + i + QUAD_WIDTH, quad_plus(b, d));
    quad_store(ghost + i, quad_all(0));
    quad_store(ghost + i + QUAD_WIDTH, quad_all(0));
  }
  for (; i + QUAD_WIDTH <= extent; i += QUAD_WIDTH) {
    quad_store(cell + i, quad_plus(quad_load(cell + i), quad_load(ghost + i)));
    quad_store(ghost + i, quad_all(0));
  }
  for (; i < extent; ++i) {
    cell[i] = cell[i] + ghost[i];
    ghost[i] = 0;
  }
}

/* Loops 0 and 1. */
GATHER_INLINE void swap_runs(const rind_gather_swap *swap, double *a, double *b, const int extent_0,
                             const int extent_1) {
  const ptrdiff_t stride = swap->stride[1];
  double *cell_a = a + swap->cell[0], *ghost_a = a + swap->ghost[0];
  double *cell_b = b + swap->cell[1], *ghost_b = b + swap->ghost[1];
  for (int j = 0; j < extent_1; ++j) {
    take_run(cell_a + j * stride, ghost_b + j * stride, extent_0);
    take_run(cell_b + j * stride, ghost_a + j * stride, extent_0);
  }
}

/* Loops 2 and 3 around them. */
GATHER_INLINE void swap_loops(const rind_gather_swap *swap, double *a, double *b,
                              const int extent_0, const bool neighbours) {
  for (int l = 0; l < swap->extent[3]; ++l)
    for (int k = 0; k < swap->extent[2]; ++k) {
      const ptrdiff_t at = l * swap->stride[3] + k * swap->stride[2];
      if (neighbours)
        swap_all_neighbours(swap, a + at, b + at, extent_0, swap->extent[1]);
      else
        swap_runs(swap, a + at, b + at, extent_0, swap->extent[1]);
    }
}

/* All loops; planes of 8 x 8 and 4 x 4 cells have their own. */
GATHER_INLINE void run_swap(const rind_gather_swap *swap, double *a, double *b,
                            const bool neighbours) {
  const bool plane = swap->extent[2] == 1 && swap->extent[3] == 1;
  const int extent_0 = swap->extent[0], extent_1 = swap->extent[1];
  if (plane && extent_0 == 8 && extent_1 == 8)
    neighbours ? swap_all_neighbours(swap, a, b, 8, 8) : swap_runs(swap, a, b, 8, 8);
  else if (plane && extent_0 == 4 && extent_1 == 4)
    neighbours ? swap_all_neighbours(swap, a, b, 4, 4) : swap_runs(swap, a, b, 4, 4);
  else if (extent_0 == 8)
    swap_loops(swap, a, b, 8, neighbours);
  else
    swap_loops(swap, a, b, extent_0, neighbours);
}

/* The pairs from fill f on that follow each other. Returns the fill behind them. */
GATHER_APART int run_swaps(const rind_gather *gather, int f, int last, void *const *to_base) {
  const rind_gather_row *row = gather->row;
  const rind_gather_fill *fill = gather->fill;
  const uint8_t *how = gather->pair;
  for (; f + 1 < last; f += 2) {
    if (how[f] != RIND_GATHER_RUNS && how[f] != RIND_GATHER_NEIGHBOURS) break;
    const rind_gather_swap *swap = row[fill[f].row].swap;
    double *there = to_base[fill[f].to], *back = to_base[fill[f].source];
    double *a = swap->turned ? back : there, *b = swap->turned ? there : back;
    if (how[f] == RIND_GATHER_NEIGHBOURS)
      run_swap(swap, a, b, true);
    else
      run_swap(swap, a, b, false);
  }
  return f;
}
