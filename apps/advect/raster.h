/* raster.h - views of a forest as rows of pixels: values of cells, and outlines of blocks. */
#pragma once
#include "problem.h"
#include "solver.h"

/* Axes that run to the right, up, and along the line of sight. */
typedef struct raster_view {
  int right, up, along;
} raster_view;

/* Pixels are [height][width] from the upper row down; those of other ranks' blocks stay as they
 * are. */
typedef struct advect_raster {
  int width, height;
  int cell; /* about what a finest cell is wide, at least 1 */
  raster_view view;
  double cut; /* where blocks are shown along the line of sight, in extents; 2D: 0 */
} advect_raster;

/* The greatest value that lies behind each pixel, if greater than what is there. */
void raster_values(const advect_raster *raster, const rind_forest *forest,
                   const advect_problem *problem, const advect_solver *solver, double *pixels);
/* A code of the block that a pixel lies in, at the cut; see raster_owner and so on. */
void raster_blocks(const advect_raster *raster, const rind_forest *forest,
                   const advect_problem *problem, double *pixels);
int raster_owner(double code);
int raster_level(double code);
int raster_is_edge(double code);
