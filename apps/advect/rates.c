/* rates.c - face velocities from differences of a stream function or vector potential.
 *
 * Places of grid lines are quotients of whole numbers, so that a face has the same rate, bit for
 * bit, whichever of its blocks asks, and a coarse face's is the sum of its fine ones'. */
#include "rates.h"

#include <math.h>
#include <stdlib.h>

/* Grid lines of a block along an axis, in extents. */
typedef struct lines {
  double first, total; /* whole numbers */
} lines;

static lines lines_of(const rind_block *block, const advect_problem *problem, int cells, int axis) {
  const double side = block->side[axis];
  return (lines){rint(block->lower[axis] / side) * cells,
                 rint(problem->extent[axis] / side) * cells};
}

static double line(const lines *along, int i) {
  return (along->first + i) / along->total;
}

size_t rates_axis_faces(int dim, int cells) {
  const size_t n = (size_t)cells;
  return dim == 3 ? (n + 1) * n * n : (n + 1) * n;
}

static double volume_2d(const rind_block *block, int cells) {
  return block->side[0] * block->side[1] / ((double)cells * cells);
}

static void rates_2d(const rind_block *block, const advect_problem *problem, int cells,
                     double *rates) {
  const lines x = lines_of(block, problem, cells, 0), y = lines_of(block, problem, cells, 1);
  const double volume = volume_2d(block, cells);
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i <= cells; ++i, ++rates)
      *rates = (problem_stream(problem, line(&x, i), line(&y, j + 1)) -
                problem_stream(problem, line(&x, i), line(&y, j))) /
               volume;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i < cells; ++i, ++rates)
      *rates = (problem_stream(problem, line(&x, i), line(&y, j)) -
                problem_stream(problem, line(&x, i + 1), line(&y, j))) /
               volume;
}

/* The potential along one axis: square at the lines, edge between them. */
typedef struct potential {
  double *square; /* [cells + 1] */
  double *edge;   /* [cells] */
} potential;

/* The potentials of a block along all axes, in table [3][2 * cells + 1]; returns a cell's volume.
 */
static double tabulate(const rind_block *block, const advect_problem *problem, int cells,
                       double *table, potential p[3]) {
  const int n = cells;
  double volume = 1;
  for (int a = 0; a < 3; ++a) {
    const lines along = lines_of(block, problem, n, a);
    p[a].square = table + a * (2 * n + 1);
    p[a].edge = p[a].square + n + 1;
    for (int i = 0; i <= n; ++i)
      p[a].square[i] = problem_potential_square(line(&along, i));
    for (int i = 0; i < n; ++i)
      p[a].edge[i] = problem_potential_edge(line(&along, i), line(&along, i + 1));
    volume /= along.total;
  }
  return volume;
}

static double edge_y(const potential p[3], int i, int j, int k) {
  return -(p[0].square[i] * p[1].edge[j] * p[2].square[k]);
}

static double edge_z(const potential p[3], int i, int j, int k) {
  return p[0].square[i] * p[1].square[j] * p[2].edge[k];
}

static void rates_3d(const rind_block *block, const advect_problem *problem, int cells,
                     double *table, double *rates) {
  const int n = cells;
  potential p[3];
  const double volume = tabulate(block, problem, n, table, p);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i <= n; ++i, ++rates)
        *rates = ((edge_z(p, i, j + 1, k) - edge_z(p, i, j, k)) -
                  (edge_y(p, i, j, k + 1) - edge_y(p, i, j, k))) /
                 volume;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i < n; ++i, ++rates)
        *rates = (edge_z(p, i, j, k) - edge_z(p, i + 1, j, k)) / volume;
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++rates)
        *rates = (edge_y(p, i + 1, j, k) - edge_y(p, i, j, k)) / volume;
}

/* Largest sum over axes of the larger of a cell's two rates. */
static double largest_sum(int dim, int cells, const double *rates) {
  const box_shape shape = {.cells = cells};
  const size_t faces = rates_axis_faces(dim, cells);
  double largest = 0;
  for (int k = 0; k < (dim == 3 ? cells : 1); ++k)
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) {
        double sum = 0;
        for (int a = 0; a < dim; ++a) {
          const double *across = rates + (size_t)a * faces;
          sum +=
              fmax(fabs(across[face_index(&shape, a, i, j, k)]),
                   fabs(across[face_index(&shape, a, i + (a == 0), j + (a == 1), k + (a == 2))]));
        }
        largest = fmax(largest, sum);
      }
  return largest;
}

/* One block: rates NULL, or [count] of the type; returns the largest sum over axes of its cells. */
static double set_block(const rind_block *block, const advect_problem *problem, int cells,
                        rind_type type, double *work, size_t count, void *rates) {
  if (problem->dim == 2)
    rates_2d(block, problem, cells, work);
  else
    rates_3d(block, problem, cells, work + count, work);
  for (size_t i = 0; rates != NULL && i < count; ++i)
    if (type == RIND_FLOAT64)
      ((double *)rates)[i] = work[i];
    else
      ((float *)rates)[i] = (float)work[i];
  return largest_sum(problem->dim, cells, work);
}

bool rates_set(const rind_forest *forest, const advect_problem *problem, int cells, rind_type type,
               void *rates, double *largest) {
  const size_t count = (size_t)problem->dim * rates_axis_faces(problem->dim, cells);
  const size_t bytes = count * rind_type_bytes(type);
  const int num_blocks = rind_forest_num_blocks(forest);
  const int threads = rind_context_threads(rind_forest_context(forest));
  int lacks = 0;
  double most = 0;
#pragma omp parallel num_threads(threads) reduction(max : most) reduction(+ : lacks)
  {
    /* Rates of a block, then its potentials. */
    double *work = malloc((count + 3 * (2 * (size_t)cells + 1)) * sizeof *work);
    lacks += work == NULL;
#pragma omp for
    for (int b = 0; b < num_blocks; ++b) {
      char *at = rates != NULL ? (char *)rates + (size_t)b * bytes : NULL;
      if (work != NULL)
        most = fmax(most,
                    set_block(rind_forest_block(forest, b), problem, cells, type, work, count, at));
    }
    free(work);
  }
  *largest = most;
  return lacks == 0;
}

size_t rates_table_size(int dim, int cells) {
  const size_t n = (size_t)cells;
  return 2 + (dim == 3 ? 3 * (2 * n + 1) : (n + 1) * (n + 1));
}

void rates_table(const rind_block *block, const advect_problem *problem, int cells, double *table) {
  double volume;
  int exponent;
  double *end = table + rates_table_size(problem->dim, cells) - 2;
  if (problem->dim == 3) {
    potential p[3];
    volume = tabulate(block, problem, cells, table, p);
  } else {
    const lines x = lines_of(block, problem, cells, 0), y = lines_of(block, problem, cells, 1);
    volume = volume_2d(block, cells);
    for (int j = 0; j <= cells; ++j)
      for (int i = 0; i <= cells; ++i)
        *table++ = problem_stream(problem, line(&x, i), line(&y, j));
  }
  end[0] = volume;
  end[1] = frexp(volume, &exponent) == 0.5 ? 1 / volume : 0;
}
