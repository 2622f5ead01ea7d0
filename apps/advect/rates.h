/* rates.h - face velocities as rates: volume through a face per time, over the cell's volume.
 *
 * A block stores the faces across axis 0, then across axis 1, then 2: cells + 1 faces along their
 * own axis, cells along the others. */
#pragma once
#include <rind/rind.h>
#include <stdbool.h>
#include <stddef.h>

#include "problem.h"

/* A box of cells of a block, low <= index < high. */
typedef struct box_shape {
  int cells; /* a block and axis */
  int low[3], high[3];
  ptrdiff_t stride[3];
  size_t axis_faces; /* of the block, across one axis */
} box_shape;

/* Faces of a block across one axis. */
size_t rates_axis_faces(int dim, int cells);

/* Number of the face below cell (i, j, k), among those across the axis. */
static inline size_t face_index(const box_shape *shape, int axis, int i, int j, int k) {
  const int along_x = shape->cells + (axis == 0), along_y = shape->cells + (axis == 1);
  return (size_t)i + (size_t)along_x * ((size_t)j + (size_t)along_y * (size_t)k);
}

/* Rates of all local blocks into rates[num_blocks][dim][rates_axis_faces], in the given type,
 * unless rates is NULL; *largest is the largest sum over axes of a cell's rates. False if there is
 * no memory. */
bool rates_set(const rind_forest *forest, const advect_problem *problem, int cells, rind_type type,
               void *rates, double *largest);

/* What a block's rates are differences of, for kernels that work them out with the same bits.
 *     2D    stream function [cells + 1][cells + 1], at (i, j): i + (cells + 1) j
 *     3D    of the potential along each axis: square [cells + 1], then edge [cells]
 * then the volume of a cell and, if it is a power of 2, so that a product has the same bits as the
 * quotient, 1 over it, else 0. */
size_t rates_table_size(int dim, int cells);
void rates_table(const rind_block *block, const advect_problem *problem, int cells, double *table);
