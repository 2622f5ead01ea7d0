/* raster.h - planes of a forest as rows of pixels: values of cells, and outlines of blocks. */
#pragma once
#include "problem.h"
#include "solver.h"

/* A plane of the domain: the axes that run to the right and up, and where it cuts the third. */
typedef struct raster_plane {
  int right, up, across;
  double cut; /* along across, in extents; 2D: 0 */
} raster_plane;

/* Pixels are [height][width] from the upper row down; those of other ranks' blocks stay as they
 * are. */
typedef struct advect_raster {
  int width, height;
  int cell; /* about what a finest cell is wide, at least 1 */
  raster_plane plane;
} advect_raster;

/* Values of the cells that the plane cuts. */
void raster_values(const advect_raster *raster, const rind_forest *forest,
                   const advect_problem *problem, const advect_solver *solver, double *pixels);
/* A code of the block that a pixel lies in: 0 none; see raster_owner and so on. */
void raster_blocks(const advect_raster *raster, const rind_forest *forest,
                   const advect_problem *problem, double *pixels);
int raster_owner(double code);
int raster_level(double code);
int raster_is_edge(double code);
