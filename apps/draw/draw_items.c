/* draw_items.c - makes the items of a picture from a forest and a fill, and gathers them. */
#include <draw_items.h>

#include <stdlib.h>

enum { ITEM_DOUBLES = sizeof(svg_item) / sizeof(double) };

static void add(draw_items *items, const svg_item *item) {
  if (items->num == items->room) {
    const int room = items->room > 0 ? 2 * items->room : 256;
    svg_item *more = realloc(items->item, (size_t)room * sizeof *more);
    if (!more) {
      items->lost = true;
      return;
    }
    items->item = more;
    items->room = room;
  }
  items->item[items->num++] = *item;
}

static void add_cell(draw_items *items, svg_kind kind, const rind_block *block, int cells, int i,
                     int j) {
  const double w = block->side[0] / cells, h = block->side[1] / cells;
  add(items, &(svg_item){kind, block->lower[0] + i * w, block->lower[1] + j * h, w, h, 0, 0});
}

static void box_cell(const rind_box *box, int i, int j, int cell[3]) {
  const int loop[3] = {i, j, 0};
  for (int a = 0; a < 3; ++a)
    cell[box->axis[a]] = box->origin[box->axis[a]] + loop[a] * box->step[a];
}

static void add_box(draw_items *items, svg_kind kind, const rind_block *block, int cells,
                    const rind_box *box, const int32_t extent[3]) {
  for (int j = 0; j < extent[1]; ++j)
    for (int i = 0; i < extent[0]; ++i) {
      int cell[3];
      box_cell(box, i, j, cell);
      add_cell(items, kind, block, cells, cell[0], cell[1]);
    }
}

static void add_grid(draw_items *items, svg_kind kind, const rind_block *block, int cells,
                     int pad) {
  for (int j = -pad; j < cells + pad; ++j)
    for (int i = -pad; i < cells + pad; ++i) {
      const bool inside = i >= 0 && j >= 0 && i < cells && j < cells;
      if (inside == (pad == 0)) add_cell(items, kind, block, cells, i, j);
    }
}

/* An arrow from the term's first cell to the fill's. */
static void add_arrow(draw_items *items, int cells, const rind_block *from,
                      const rind_term_view *term, const rind_block *to,
                      const rind_fill_view *view) {
  int source[3], filled[3];
  box_cell(&term->box, 0, 0, source);
  box_cell(&view->box, 0, 0, filled);
  double at[2], end[2];
  for (int a = 0; a < 2; ++a) {
    at[a] = from->lower[a] + (source[a] + 0.5) * from->side[a] / cells;
    end[a] = to->lower[a] + (filled[a] + 0.5) * to->side[a] / cells;
  }
  add(items, &(svg_item){SVG_ARROW, at[0], at[1], end[0] - at[0], end[1] - at[1], term->weight, 0});
}

void draw_add_fill(draw_items *items, const rind_schedule *schedule, int fill,
                   const rind_fill_view *view) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(rind_schedule_forest(schedule));
  const int cells = rind_schedule_cells(schedule);
  const rind_block *to = &arrays->block[view->block];
  /* Term 0 of an adjoint is the cell itself; the others read ghosts. */
  const int adjoint = rind_schedule_is_adjoint(schedule), ghosts = rind_schedule_ghosts(schedule);
  add_grid(items, SVG_CELL, to, cells, 0);
  if (!adjoint) add_grid(items, SVG_GHOST, to, cells, ghosts);
  add_box(items, SVG_FILLED, to, cells, &view->box, view->extent);
  for (int t = adjoint; t < view->num_terms; ++t) {
    rind_term_view term;
    if (rind_schedule_term(schedule, fill, t, &term) != RIND_OK || term.block < 0) continue;
    const rind_block *from = &arrays->block[term.block];
    const bool own = term.block == view->block;
    if (!own && t + 1 == view->num_terms) add_grid(items, SVG_CELL, from, cells, 0);
    if (adjoint && t + 1 == view->num_terms) add_grid(items, SVG_GHOST, from, cells, ghosts);
    add_box(items, own ? SVG_OWN : SVG_SOURCE, from, cells, &term.box, view->extent);
    add_arrow(items, cells, from, &term, to, view);
  }
}

void draw_add_blocks(draw_items *items, const rind_forest *forest, int rank) {
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    add(items, &(svg_item){SVG_BLOCK, block->lower[0], block->lower[1], block->side[0],
                           block->side[1], rank, block->level});
  }
}

bool draw_collect(MPI_Comm comm, const draw_items *mine, draw_items *all, char *caption) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int count = mine->num * ITEM_DOUBLES;
  int *counts = calloc((size_t)size, sizeof *counts), *at = calloc((size_t)size, sizeof *at);
  int have = counts && at && !mine->lost;
  MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, comm);
  if (have) {
    MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, comm);
    int total = 0;
    for (int r = 0; r < size; ++r) {
      at[r] = total;
      total += counts[r];
    }
    all->num = total / ITEM_DOUBLES;
    all->item = calloc((size_t)total + 1, sizeof(double));
    have = all->item != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, comm);
  }
  if (have) {
    MPI_Gatherv(mine->item, count, MPI_DOUBLE, all->item, counts, at, MPI_DOUBLE, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, caption, DRAW_CAPTION, MPI_CHAR, MPI_MAX, comm);
  }
  free(counts);
  free(at);
  return have;
}
