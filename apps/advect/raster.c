/* raster.c - finds the pixels of each local block and what they show. */
#include "raster.h"

#include <math.h>
#include <stdbool.h>

enum { EDGE = 64 };

/* Pixels of a block: columns first to last - 1, rows likewise, from the top. */
typedef struct pixels_of {
  int column[2], row[2];
  double lower[3], side[3]; /* of the block, in extents */
} pixels_of;

/* The first pixel whose middle is at or beyond a place. */
static int first_pixel(double place, int count) {
  return (int)fmin(fmax(ceil(place * count - 0.5 - 1e-9), 0), count);
}

/* Where the block shows in a view. */
static pixels_of find_pixels(const advect_raster *raster, const rind_block *block,
                             const advect_problem *problem) {
  pixels_of found;
  const raster_view *view = &raster->view;
  for (int a = 0; a < 3; ++a) {
    const bool used = a < problem->dim;
    found.lower[a] = used ? block->lower[a] / problem->extent[a] : 0;
    found.side[a] = used ? block->side[a] / problem->extent[a] : 1;
  }
  const double left = found.lower[view->right], below = found.lower[view->up];
  const double right = left + found.side[view->right], above = below + found.side[view->up];
  found.column[0] = first_pixel(left, raster->width);
  found.column[1] = first_pixel(right, raster->width);
  found.row[0] = raster->height - first_pixel(above, raster->height);
  found.row[1] = raster->height - first_pixel(below, raster->height);
  return found;
}

static int cell_at(double place, double lower, double side, int cells) {
  const int cell = (int)floor((place - lower) / side * cells);
  return cell < 0 ? 0 : (cell >= cells ? cells - 1 : cell);
}

void raster_values(const advect_raster *raster, const rind_forest *forest,
                   const advect_problem *problem, const advect_solver *solver, double *pixels) {
  const raster_view *view = &raster->view;
  const int n = problem->cells, depth = problem->dim == 3 ? n : 1;
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const pixels_of at = find_pixels(raster, rind_forest_block(forest, b), problem);
    int cell[3] = {0, 0, 0};
    for (int row = at.row[0]; row < at.row[1]; ++row)
      for (int column = at.column[0]; column < at.column[1]; ++column) {
        double *pixel = pixels + row * raster->width + column;
        cell[view->right] =
            cell_at((column + 0.5) / raster->width, at.lower[view->right], at.side[view->right], n);
        cell[view->up] = cell_at((raster->height - row - 0.5) / raster->height, at.lower[view->up],
                                 at.side[view->up], n);
        for (cell[view->along] = 0; cell[view->along] < depth; ++cell[view->along])
          *pixel = fmax(*pixel, solver_value(solver, b, cell[0], cell[1], cell[2]));
      }
  }
}

void raster_blocks(const advect_raster *raster, const rind_forest *forest,
                   const advect_problem *problem, double *pixels) {
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    const pixels_of at = find_pixels(raster, block, problem);
    const double front = at.lower[raster->view.along], back = front + at.side[raster->view.along];
    if (!(front <= raster->cut && raster->cut < back)) continue;
    for (int row = at.row[0]; row < at.row[1]; ++row)
      for (int column = at.column[0]; column < at.column[1]; ++column) {
        const bool edge = row == at.row[1] - 1 || column == at.column[0];
        pixels[row * raster->width + column] =
            1 + (edge ? EDGE : 0) + block->level + 2.0 * EDGE * block->owner;
      }
  }
}

int raster_owner(double code) {
  return (int)(code - 1) / (2 * EDGE);
}

int raster_level(double code) {
  return (int)(code - 1) % EDGE;
}

int raster_is_edge(double code) {
  return code > 0 && (int)(code - 1) % (2 * EDGE) >= EDGE;
}
