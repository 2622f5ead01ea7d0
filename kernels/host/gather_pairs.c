/* gather_pairs.c - fills between two blocks that can run together. */
#include <gather.h>

/* True if b does what a does, with the same loops. */
static bool same_loops(const rind_gather_row *a, const rind_gather_row *b) {
  if (b->body != a->body || b->takes != a->takes) return false;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (a->extent[d] != b->extent[d] || a->to_stride[d] != b->to_stride[d] ||
        a->source_stride[d] != a->to_stride[d] || b->source_stride[d] != b->to_stride[d])
      return false;
  return true;
}

/* How fill f and the next run. */
static rind_gather_pair pair_of_fills(const rind_gather *gather, int f) {
  const rind_gather_fill there = gather->fill[f], back = gather->fill[f + 1];
  const rind_gather_row *a = &gather->row[there.row], *b = &gather->row[back.row];
  const bool copies = a->body == RIND_GATHER_COPY;
  if (!copies && !(a->body == RIND_GATHER_ADD && a->takes)) return RIND_GATHER_ALONE;
  if (back.to != there.source || back.source != there.to || back.to == there.to ||
      !same_loops(a, b))
    return RIND_GATHER_ALONE;
  if (copies) return RIND_GATHER_BOTH;
  const ptrdiff_t cell_a = a->to_offset[0], ghost_a = b->offset[1];
  const ptrdiff_t cell_b = b->to_offset[0], ghost_b = a->offset[1];
  if (ghost_a == cell_a + 1 && cell_b == ghost_b + 1) return RIND_GATHER_CELL_FIRST;
  if (cell_a == ghost_a + 1 && ghost_b == cell_b + 1) return RIND_GATHER_GHOST_FIRST;
  return RIND_GATHER_BOTH;
}

void rind_gather_find_pairs(const rind_gather *gather, uint8_t *pair) {
  for (int f = 0; f < gather->num_fills; ++f) {
    const bool follows = f > 0 && pair[f - 1] != RIND_GATHER_ALONE;
    pair[f] = RIND_GATHER_ALONE;
    if (!follows && f + 1 < gather->num_fills) pair[f] = (uint8_t)pair_of_fills(gather, f);
  }
}
