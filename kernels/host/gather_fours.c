/* gather_fours.c - fills of the same rows for four blocks, which can run side by side. */
#include <gather.h>

enum { FOUR = 4 };

/* How many fills from f on are of the same blocks and of rows that follow each other. */
static int count_link(const rind_gather *gather, int f, int last) {
  const rind_gather_fill first = gather->fill[f];
  int count = 1;
  for (; f + count < last; ++count) {
    const rind_gather_fill fill = gather->fill[f + count];
    if (fill.row != first.row + count || fill.to != first.to || fill.source != first.source) break;
  }
  return count;
}

static bool is_same_link(const rind_gather_fill *a, const rind_gather_fill *b, int count) {
  for (int i = 0; i < count; ++i)
    if (b[i].row != a[i].row || b[i].to != b[0].to || b[i].source != b[0].source) return false;
  return true;
}

static bool is_four_links(const rind_gather *gather, int f, int last, int count) {
  const rind_gather_fill *fill = &gather->fill[f];
  if (last - f < FOUR * count) return false;
  for (int k = 1; k < FOUR; ++k) {
    if (!is_same_link(fill, fill + k * count, count)) return false;
    for (int j = 0; j < k; ++j)
      if (fill[k * count].to == fill[j * count].to) return false;
  }
  return true;
}

/* False if one of count fills belongs to a pair, which would be torn. */
static bool all_alone(const uint8_t *pair, int count) {
  for (int i = 0; i < count; ++i)
    if (pair[i] != RIND_GATHER_ALONE) return false;
  return true;
}

/* True if there is a function for four blocks. */
static bool runs_in_fours(const rind_gather_row *row) {
  return row->body == RIND_GATHER_POINTS || (row->num_lanes == RIND_GATHER_LANES &&
                                             row->extent[0] == 1 && rind_gather_row_adds_sum(row));
}

/* Four links' fills, count each, row by row. */
static void interleave(rind_gather_fill *fill, int count) {
  const rind_gather_fill first = fill[0];
  int32_t to[FOUR], source[FOUR];
  for (int k = 0; k < FOUR; ++k) {
    to[k] = fill[k * count].to;
    source[k] = fill[k * count].source;
  }
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < FOUR; ++k)
      fill[i * FOUR + k] = (rind_gather_fill){first.row + i, to[k], source[k]};
}

void rind_gather_find_fours(const rind_gather *gather, int first, int last, rind_gather_fill *fill,
                            uint8_t *pair) {
  for (int f = first; f < last;) {
    const int count = count_link(gather, f, last);
    const rind_gather_row *row = &gather->row[gather->fill[f].row];
    bool any = false;
    for (int i = 0; i < count; ++i)
      any = any || runs_in_fours(&row[i]);
    if (!any || !is_four_links(gather, f, last, count) || !all_alone(pair + f, FOUR * count)) {
      f += count;
      continue;
    }
    interleave(fill + f, count);
    for (int i = 0; i < count; ++i)
      if (runs_in_fours(&row[i])) pair[f + i * FOUR] = RIND_GATHER_FOUR;
    f += FOUR * count;
  }
}
