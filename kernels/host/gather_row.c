/* gather_row.c - puts the loops of a row into the order that runs best, and chooses its body. */
#include <core.h>
#include <gather.h>

/* Backward in the destination: begin at the other end. */
static void turn_forward(rind_gather_row *row, ptrdiff_t *offset, int d) {
  if (row->to_stride[d] >= 0) return;
  const ptrdiff_t steps = row->extent[d] - 1;
  for (int lane = 0; lane < row->num_lanes; ++lane)
    row->to_offset[lane] += steps * row->to_stride[d];
  for (int term = 0; term < row->num_terms; ++term) {
    const bool own = term < row->num_own_first || term >= row->num_terms - row->num_own_last;
    offset[term] += steps * (own ? row->own_stride[d] : row->source_stride[d]);
  }
  row->to_stride[d] = -row->to_stride[d];
  row->own_stride[d] = -row->own_stride[d];
  row->source_stride[d] = -row->source_stride[d];
}

static ptrdiff_t length(ptrdiff_t stride) {
  return stride < 0 ? -stride : stride;
}

/* True if loop a should run inside loop b. */
static bool inside(const rind_gather_row *row, int a, int b) {
  if ((row->extent[a] > 1) != (row->extent[b] > 1)) return row->extent[a] > 1;
  if (row->to_stride[a] != row->to_stride[b]) return row->to_stride[a] < row->to_stride[b];
  return length(row->source_stride[a]) < length(row->source_stride[b]);
}

static void move_loop(rind_gather_row *row, int from, int to) {
  row->extent[to] = row->extent[from];
  row->to_stride[to] = row->to_stride[from];
  row->own_stride[to] = row->own_stride[from];
  row->source_stride[to] = row->source_stride[from];
}

static void swap_loops(rind_gather_row *row, int a, int b) {
  const rind_gather_row old = *row;
  move_loop(row, a, b);
  row->extent[a] = old.extent[b];
  row->to_stride[a] = old.to_stride[b];
  row->own_stride[a] = old.own_stride[b];
  row->source_stride[a] = old.source_stride[b];
}

/* True if loop b goes on where loop a ends, in all slots. */
static bool runs_on(const rind_gather_row *row, int a, int b) {
  const int64_t extent = row->extent[a];
  if (extent * row->extent[b] > INT32_MAX) return false;
  return row->to_stride[b] == extent * row->to_stride[a] &&
         row->own_stride[b] == extent * row->own_stride[a] &&
         row->source_stride[b] == extent * row->source_stride[a];
}

static void clear_loop(rind_gather_row *row, int d) {
  row->extent[d] = 1;
  row->to_stride[d] = row->own_stride[d] = row->source_stride[d] = 0;
}

/* True if the first term of one lane is the value that is there already. */
static bool begins_in_place(const rind_gather_row *row) {
  bool in_place = row->num_own_first == 1 && row->num_own_last == 0 && row->weight[0] == 1.0 &&
                  row->offset[0] + row->own_offset[0] == row->to_offset[0];
  for (int d = 0; d < RIND_GATHER_DIMS && in_place; ++d)
    in_place = row->own_stride[d] == row->to_stride[d];
  return in_place;
}

static rind_gather_body choose_body(const rind_gather_row *row, bool types_equal) {
  if (row->num_terms == 0) return RIND_GATHER_CLEAR;
  if (row->num_lanes > 1) return RIND_GATHER_SUM;
  if (row->num_terms == 2 && begins_in_place(row)) return RIND_GATHER_ADD;
  const bool copies = types_equal && row->num_terms == 1 &&
                      row->num_own_first + row->num_own_last == 0 && row->weight[0] == 1.0;
  return copies ? RIND_GATHER_COPY : RIND_GATHER_SUM;
}

void rind_gather_row_finish(rind_gather_row *row, ptrdiff_t *offset, bool types_equal) {
  const int num_own = row->num_own_first + row->num_own_last;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d) {
    turn_forward(row, offset, d);
    if (num_own == 0) row->own_stride[d] = 0;
    if (num_own == row->num_terms) row->source_stride[d] = 0;
    if (row->extent[d] == 1) clear_loop(row, d);
  }
  for (int d = 1; d < RIND_GATHER_DIMS; ++d)
    for (int e = d; e > 0 && inside(row, e, e - 1); --e)
      swap_loops(row, e, e - 1);
  int last = 0;
  for (int d = 1; d < RIND_GATHER_DIMS; ++d) {
    if (row->extent[d] == 1) break;
    if (runs_on(row, last, d)) {
      row->extent[last] *= row->extent[d];
      clear_loop(row, d);
    } else if (++last != d) {
      move_loop(row, d, last);
      clear_loop(row, d);
    }
  }
  row->body = choose_body(row, types_equal);
  RIND_ASSERT(!row->takes || row->body == RIND_GATHER_ADD);
}
