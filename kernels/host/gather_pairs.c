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

/* Rows a and b seen from the block that a is for. */
static rind_gather_swap swap_of(const rind_gather_row *a, const rind_gather_row *b, int32_t back) {
  rind_gather_swap swap = {.back = back,
                           .cell = {a->to_offset[0], b->to_offset[0]},
                           .ghost = {b->offset[1], a->offset[1]}};
  for (int d = 0; d < RIND_GATHER_DIMS; ++d) {
    swap.extent[d] = a->extent[d];
    swap.stride[d] = a->to_stride[d];
  }
  return swap;
}

/* The same, seen from the other block. */
static rind_gather_swap turned(const rind_gather_swap *swap) {
  rind_gather_swap other = *swap;
  other.turned = !swap->turned;
  for (int block = 0; block < 2; ++block) {
    other.cell[block] = swap->cell[1 - block];
    other.ghost[block] = swap->ghost[1 - block];
  }
  return other;
}

static bool are_neighbours(const rind_gather_swap *swap) {
  return swap->ghost[0] == swap->cell[0] + 1 && swap->cell[1] == swap->ghost[1] + 1;
}

/* True for runs of at least a vector of 32 bytes. Others are no faster together. */
static bool has_runs(const rind_gather_swap *swap) {
  return swap->stride[0] == 1 && swap->extent[0] >= 4;
}

/* True if zeros makes those ghosts zero, and no others, that row adds. */
static bool zeros_what_is_added(const rind_gather_row *row, const rind_gather_row *zeros) {
  if (row->body != RIND_GATHER_ADD || row->takes || zeros->body != RIND_GATHER_CLEAR ||
      zeros->num_lanes != 1 || zeros->to_offset[0] != row->offset[1])
    return false;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (zeros->extent[d] != row->extent[d] || zeros->to_stride[d] != row->source_stride[d])
      return false;
  return true;
}

/* How fill f and the next run. */
static rind_gather_pair pair_of_fills(const rind_gather *gather, int f, rind_gather_swap *swap) {
  const rind_gather_fill there = gather->fill[f], back = gather->fill[f + 1];
  const rind_gather_row *a = &gather->row[there.row], *b = &gather->row[back.row];
  if (there.source == there.to && back.to == there.to && zeros_what_is_added(a, b))
    return RIND_GATHER_TAKEN;
  const bool copies = a->body == RIND_GATHER_COPY;
  if (!copies && !(a->body == RIND_GATHER_ADD && a->takes)) return RIND_GATHER_ALONE;
  if (back.to != there.source || back.source != there.to || back.to == there.to ||
      !same_loops(a, b))
    return RIND_GATHER_ALONE;
  if (copies) return RIND_GATHER_BOTH;
  if (a->weight[1] != 1.0 || b->weight[1] != 1.0) return RIND_GATHER_ALONE;
  *swap = swap_of(a, b, back.row);
  const rind_gather_swap other = turned(swap);
  if (are_neighbours(&other)) *swap = other;
  if (are_neighbours(swap)) return RIND_GATHER_NEIGHBOURS;
  return has_runs(swap) ? RIND_GATHER_RUNS : RIND_GATHER_ALONE;
}

void rind_gather_find_pairs(const rind_gather *gather, int first, int last, rind_gather_row *row,
                            rind_gather_swap *swap, uint8_t *pair) {
  for (int f = first; f < last; ++f) {
    const bool follows = f > first && pair[f - 1] != RIND_GATHER_ALONE;
    pair[f] = RIND_GATHER_ALONE;
    if (follows || f + 1 == last) continue;
    rind_gather_swap found;
    const rind_gather_pair how = pair_of_fills(gather, f, &found);
    const int32_t there = gather->fill[f].row;
    if (how == RIND_GATHER_RUNS || how == RIND_GATHER_NEIGHBOURS) {
      if (row[there].swap && row[there].swap->back != found.back) continue;
      swap[there] = found;
      row[there].swap = &swap[there];
    }
    pair[f] = (uint8_t)how;
  }
}
