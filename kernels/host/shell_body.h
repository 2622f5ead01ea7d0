/* shell_body.h - blocks of floats that take the ghosts of neighbours across their faces, and
 * nothing else. Included by way_batches_body.h.
 *
 * A cell that takes one ghost is added to in float: a double holds more than twice the digits of a
 * float, so that the sum in double, rounded once, has the same bits. Others are summed in double,
 * four that follow each other along axis 0 at a time. What a row's ends take across the faces of
 * axis 0 comes before or after what they take across another face, as the order of the block says;
 * cells that take nothing there add -0, which changes no sum. */
#include <floats.h>
#include <gather.h>
#include <gather_inline.h>

enum { FLOATS = 4, FLOATS_A_LINE = 16 };

/* A block, and what each of its faces takes, at the place of the cell that takes it. */
typedef struct shell_block {
  float *cell;
  float *ghost[RIND_GATHER_FACES];
  bool is_there[RIND_GATHER_FACES];
} shell_block;

/* What cells i to i + 3 of a row take across the faces of axis 0. */
GATHER_INLINE floats take_ends(const shell_block *block, const ptrdiff_t at, const int i,
                               const int cells) {
  floats ends = floats_none();
  if (i == 0) ends = floats_with_first(ends, block->ghost[0] + at);
  if (i + FLOATS == cells) ends = floats_with_last(ends, block->ghost[1] + at + cells - 1);
  return ends;
}

/* A row of cells of one face. */
GATHER_INLINE void add_row_of_face(const rind_gather_shell_order *order, const shell_block *block,
                                   const int face, const ptrdiff_t at, const int cells) {
  const floats before = floats_mask(order->before_ends[face]);
  for (int i = 0; i < cells; i += FLOATS) {
    const floats ghosts = floats_load(block->ghost[face] + at + i);
    const floats ends = take_ends(block, at, i, cells);
    floats_store(block->cell + at + i, floats_sum_three(floats_load(block->cell + at + i),
                                                        floats_pick(before, ghosts, ends),
                                                        floats_pick(before, ends, ghosts)));
  }
}

/* The row of an edge, which is of two faces. */
GATHER_INLINE void add_row_of_edge(const rind_gather_shell_order *order, const shell_block *block,
                                   const uint8_t face[2], const ptrdiff_t at, const int cells) {
  const floats before_a = floats_mask(order->before_ends[face[0]]);
  const floats before_b = floats_mask(order->before_ends[face[1]]);
  const float *ghost_a = block->ghost[face[0]] + at, *ghost_b = block->ghost[face[1]] + at;
  for (int i = 0; i < cells; i += FLOATS) {
    const floats a = floats_load(ghost_a + i), b = floats_load(ghost_b + i);
    const floats ends = take_ends(block, at, i, cells);
    const floats first = floats_pick(before_a, a, ends), rest = floats_pick(before_a, ends, a);
    floats_store(block->cell + at + i,
                 floats_sum_four(floats_load(block->cell + at + i), first,
                                 floats_pick(before_b, b, rest), floats_pick(before_b, rest, b)));
  }
}

/* Cells of a face of axis 0, without those of other faces. */
GATHER_INLINE void add_ends(const shell_block *block, const ptrdiff_t at, const int cells,
                            const ptrdiff_t y) {
  for (int j = 1; j < cells - 1; ++j) {
    const ptrdiff_t lower = at + j * y, upper = lower + cells - 1;
    block->cell[lower] += block->ghost[0][lower];
    block->cell[upper] += block->ghost[1][upper];
  }
}

GATHER_INLINE void clear(float *ghost, const int count, const ptrdiff_t stride) {
  for (int i = 0; i < count; ++i)
    ghost[i * stride] = 0;
}

/* The first or the last plane of cells along axis 2. */
GATHER_INLINE void add_outer_plane(const rind_gather_shell_order *order, const shell_block *block,
                                   const int side, const ptrdiff_t at, const int cells,
                                   const ptrdiff_t y) {
  const int last = cells - 1, face = 4 + side;
  add_row_of_edge(order, block, order->edge[2 * side], at, cells);
  for (int j = 1; j < last; ++j)
    add_row_of_face(order, block, face, at + j * y, cells);
  add_row_of_edge(order, block, order->edge[2 * side + 1], at + last * y, cells);
  for (int j = 0; block->is_there[face] && j < cells; ++j)
    clear(block->ghost[face] + at + j * y, cells, 1);
}

/* Asks for the lines of cells from first on. */
GATHER_INLINE void ask_for(const float *first, const ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i += FLOATS_A_LINE)
    GATHER_WILL_WRITE(first + i);
  GATHER_WILL_WRITE(first + count - 1);
}

/* Asks for what a plane along axis 2 needs. */
GATHER_INLINE void ask_for_plane(const shell_block *block, const int k, const int cells,
                                 const ptrdiff_t y, const ptrdiff_t z) {
  const int last = cells - 1;
  const ptrdiff_t at = k * z;
  ask_for(block->cell + at, last * y + cells);
  ask_for(block->ghost[0] + at, last * y + 1);
  ask_for(block->ghost[1] + at + last, last * y + 1);
  GATHER_WILL_WRITE(block->ghost[2] + at);
  GATHER_WILL_WRITE(block->ghost[3] + at + last * y);
  if (k == 0) ask_for(block->ghost[4] + at, last * y + cells);
  if (k == last) ask_for(block->ghost[5] + at, last * y + cells);
}

/* Plane by plane along axis 2, and zeros where the lines are at hand. Strides of the axes are 1, y
 * and z. next: the block that follows, whose lines are asked for unless it is small or its lines
 * far apart. */
GATHER_INLINE void add_shell(const rind_gather_shell_order *order, const shell_block *block,
                             const shell_block *next, const int cells, const ptrdiff_t y,
                             const ptrdiff_t z) {
  const int last = cells - 1;
#pragma GCC unroll 4
  for (int k = 0; k < cells; ++k) {
    const ptrdiff_t at = k * z;
    if (cells > FLOATS && y <= 2 * cells) ask_for_plane(next, k, cells, y, z);
    if (k == 0 || k == last) {
      add_outer_plane(order, block, k > 0, at, cells, y);
    } else {
      add_row_of_face(order, block, 2, at, cells);
      add_ends(block, at, cells, y);
      add_row_of_face(order, block, 3, at + last * y, cells);
    }
    if (block->is_there[0]) clear(block->ghost[0] + at, cells, y);
    if (block->is_there[1]) clear(block->ghost[1] + at + last, cells, y);
    if (block->is_there[2]) clear(block->ghost[2] + at, cells, 1);
    if (block->is_there[3]) clear(block->ghost[3] + at + last * y, cells, 1);
  }
}

GATHER_INLINE bool lies_tight(const rind_gather_frame *frame, const int cells, const int padded) {
  return frame->cells == cells && frame->stride[1] == padded && frame->stride[2] == padded * padded;
}

GATHER_INLINE void find_block(const rind_gather_shells *shells, const int batch,
                              const ptrdiff_t first, void *const *to_base,
                              const void *const *source_base, shell_block *block) {
  const rind_gather_shell *shell = &shells->shell[batch];
  block->cell = (float *)to_base[shell->to] + first;
  for (int f = 0; f < RIND_GATHER_FACES; ++f) {
    block->is_there[f] = shell->source[f] >= 0;
    block->ghost[f] = block->is_there[f]
                          ? (float *)source_base[shell->source[f]] + first + shells->shift[f]
                          : shells->nothing;
  }
}

/* Blocks of 4^3 and 8^3 cells with one layer of ghosts have places that are known here. */
GATHER_INLINE void run_shell(const rind_gather_frame *frame, const rind_gather_shell_order *order,
                             const shell_block *block, const shell_block *next) {
  if (lies_tight(frame, 8, 10))
    add_shell(order, block, next, 8, 10, 100);
  else if (lies_tight(frame, 4, 6))
    add_shell(order, block, next, 4, 6, 36);
  else
    add_shell(order, block, next, frame->cells, frame->stride[1], frame->stride[2]);
}

/* The shells from batch first on that follow each other. Returns the batch behind them. */
GATHER_APART int run_shells(const rind_gather *gather, const int *first_fill,
                            const rind_gather_shells *shells, const int first, const int last,
                            void *const *to_base, const void *const *source_base,
                            rind_gather_looking *looking) {
  int end = first;
  while (end < last && shells->shell[end].to >= 0)
    ++end;
  for (int c = 0; first < end && c < shells->frame.components; ++c) {
    const ptrdiff_t at = c * shells->frame.stride[3];
    shell_block block[2]; /* by turns this one and the next */
    find_block(shells, first, at, to_base, source_base, &block[first & 1]);
    for (int b = first; b < end; ++b) {
      const int next = b + 1 < end ? b + 1 : b;
      if (c == 0) ask_for_next(gather, first_fill, b, last, to_base, looking);
      find_block(shells, next, at, to_base, source_base, &block[next & 1]);
      run_shell(&shells->frame, &shells->order[shells->shell[b].order], &block[b & 1],
                &block[next & 1]);
    }
  }
  return end;
}
