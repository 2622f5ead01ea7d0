/* there_and_back.h - copies between two blocks that can run together. */
#pragma once
#include <gather.h>

/* True if fill f + 1 copies from the destination of f, a copy, to its source, with the same loops.
 * Where destinations and sources are numbered apart the two may be of other blocks: no matter. */
static inline bool copies_back(const rind_gather *gather, int f) {
  const rind_gather_fill there = gather->fill[f], back = gather->fill[f + 1];
  if (back.to != there.source || back.source != there.to) return false;
  const rind_gather_row *a = &gather->row[there.row], *b = &gather->row[back.row];
  if (b->body != RIND_GATHER_COPY) return false;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (a->extent[d] != b->extent[d] || a->to_stride[d] != b->to_stride[d] ||
        a->source_stride[d] != a->to_stride[d] || b->source_stride[d] != b->to_stride[d])
      return false;
  return true;
}
