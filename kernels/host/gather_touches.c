/* gather_touches.c - which blocks fills touch, in which order, and which of their lines. */
#include <gather.h>

/* How many fills from f on run together. */
static int count_together(const rind_gather *gather, int f) {
  switch (gather->pair ? gather->pair[f] : RIND_GATHER_ALONE) {
  case RIND_GATHER_ALONE:
    return 1;
  case RIND_GATHER_CELLS:
    return gather->row[gather->fill[f].row].cells->num_rows;
  case RIND_GATHER_FOUR:
    return RIND_GATHER_BLOCKS;
  default:
    return 2;
  }
}

/* Puts the lines of a fill's row into those of a touch. */
static void add_lines(const rind_gather_lines *lines, int32_t row, int side, int32_t touch) {
  const size_t words = (size_t)lines->num_words;
  const uint64_t *from = lines->of_row + (2 * (size_t)row + (size_t)side) * words;
  uint64_t *to = lines->of_touch + (size_t)touch * words;
  for (size_t w = 0; w < words; ++w)
    to[w] |= from[w];
}

int rind_gather_list_touches(const rind_gather *gather, int again, int num_blocks,
                             rind_gather_place *place, rind_gather_touch *touch,
                             const rind_gather_lines *lines) {
  int32_t count = 0;
  for (int block = 0; block < num_blocks; ++block)
    place[block] = (rind_gather_place){.listed = -1};
  for (int f = 0, end; f < gather->num_fills; f = end) {
    end = f + count_together(gather, f);
    for (int g = f; g < end; ++g) {
      const int32_t block[2] = {gather->fill[g].to, gather->fill[g].source};
      for (int side = 0; side < 2; ++side) {
        rind_gather_place *at = &place[block[side]];
        if (at->listed < 0 || (again > 0 && count - at->listed > again)) {
          if (touch) touch[count] = (rind_gather_touch){.fill = f, .block = block[side]};
          at->touch = count++;
        }
        if (touch) add_lines(lines, gather->fill[g].row, side, at->touch);
        at->listed = count;
      }
    }
  }
  return count;
}

int rind_gather_count_steps(const rind_gather *gather) {
  int count = 0;
  for (int f = 0; f < gather->num_fills; f += count_together(gather, f))
    ++count;
  return count;
}

typedef struct visiting {
  rind_gather_visitor *visit;
  void *user;
  bool of_source;
} visiting;

static void visit_loops(const visiting *v, const rind_gather_row *row, ptrdiff_t offset,
                        const ptrdiff_t *stride) {
  const int32_t *extent = row->extent;
  for (int l = 0; l < extent[3]; ++l)
    for (int k = 0; k < extent[2]; ++k)
      for (int j = 0; j < extent[1]; ++j)
        for (int i = 0; i < extent[0]; ++i)
          v->visit(v->user, v->of_source,
                   offset + i * stride[0] + j * stride[1] + k * stride[2] + l * stride[3]);
}

static void visit_points(const rind_gather_row *row, rind_gather_visitor *visit, void *user) {
  const rind_gather_points *points = row->points;
  for (int v = 0; v < row->extent[0]; ++v) {
    for (int p = 0; p < points->num_points; ++p)
      for (int lane = 0; lane < 2; ++lane)
        visit(user, false, points->point[p].to[lane] + v * row->to_stride[0]);
    for (int term = 0; term < row->num_terms - 1; ++term)
      visit(user, true, points->term[term].offset + v * row->source_stride[0]);
  }
}

void rind_gather_visit_row(const rind_gather_row *row, rind_gather_visitor *visit, void *user) {
  if (row->points) {
    visit_points(row, visit, user);
    return;
  }
  const visiting own = {visit, user, false}, source = {visit, user, true};
  for (int lane = 0; lane < row->num_lanes; ++lane)
    visit_loops(&own, row, row->to_offset[lane], row->to_stride);
  for (int term = 0; term < row->num_terms; ++term) {
    const bool is_own = term < row->num_own_first || term >= row->num_terms - row->num_own_last;
    if (!is_own) visit_loops(&source, row, row->offset[term], row->source_stride);
    for (int lane = 0; is_own && lane < row->num_lanes; ++lane)
      visit_loops(&own, row, row->offset[term] + row->own_offset[lane], row->own_stride);
  }
}
