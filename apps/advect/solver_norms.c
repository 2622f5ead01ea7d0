/* solver_norms.c - sums over the field and its checksum, the same on any number of ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver_data.h"
#include "sums.h"

double solver_value(const advect_solver *s, int block, int i, int j, int k) {
  const ptrdiff_t *stride = rind_field_layout(s->field)->cell_stride;
  const ptrdiff_t at = i * stride[0] + j * stride[1] + k * stride[2];
  const void *cells = rind_field_pointer(s->field, block);
  return s->type == RIND_FLOAT64 ? ((const double *)cells)[at] : ((const float *)cells)[at];
}

void solver_cell_box(const advect_solver *s, int block, int i, int j, int k, double lower[3],
                     double side[3]) {
  const rind_block *at = rind_forest_block(s->forest, block);
  const int index[3] = {i, j, k};
  for (int a = 0; a < 3; ++a) {
    side[a] = a < s->dim ? at->side[a] / s->cells / s->problem->extent[a] : 0;
    lower[a] = a < s->dim ? at->lower[a] / s->problem->extent[a] + index[a] * side[a] : 0;
  }
}

/* One block's mass, L1, squared L2, volume. */
static void compare_block(const advect_solver *s, double t, int block, double values[4],
                          double extremes[3]) {
  app_sum sums[4] = {{0, 0}};
  const int depth = s->dim == 3 ? s->cells : 1;
  for (int k = 0; k < depth; ++k)
    for (int j = 0; j < s->cells; ++j)
      for (int i = 0; i < s->cells; ++i) {
        double lower[3], side[3];
        solver_cell_box(s, block, i, j, k, lower, side);
        const double volume = side[0] * side[1] * (s->dim == 3 ? side[2] : 1);
        const double value = solver_value(s, block, i, j, k);
        const double error = fabs(value - problem_exact(s->problem, lower, side, t));
        app_sum_add(&sums[0], value * volume);
        app_sum_add(&sums[1], error * volume);
        app_sum_add(&sums[2], error * error * volume);
        app_sum_add(&sums[3], volume);
        /* Not fmax, which would forget a NaN. */
        if (!(error <= extremes[0])) extremes[0] = error;
        extremes[1] = fmax(extremes[1], -value);
        extremes[2] = fmax(extremes[2], value);
      }
  for (int c = 0; c < 4; ++c)
    values[c] = app_sum_value(&sums[c]);
}

solver_norms solver_compare(const advect_solver *s, double t) {
  double total[4] = {0}, extremes[3] = {0, -HUGE_VAL, -HUGE_VAL};
  double *values = malloc(((size_t)s->num_blocks * 4 + 1) * sizeof *values);
  double(*extreme)[3] = malloc(((size_t)s->num_blocks + 1) * sizeof *extreme);
  int room = values != NULL && extreme != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, s->comm);
  if (room) {
#pragma omp parallel for num_threads(s->threads)
    for (int b = 0; b < s->num_blocks; ++b) {
      memcpy(extreme[b], extremes, sizeof extremes);
      compare_block(s, t, b, values + 4 * (size_t)b, extreme[b]);
    }
    for (int b = 0; b < s->num_blocks; ++b)
      for (int e = 0; e < 3; ++e)
        /* A NaN wins. */
        if (!(extreme[b][e] <= extremes[e])) extremes[e] = extreme[b][e];
    app_sum_blocks(s->comm, values, s->num_blocks, 4, total);
  }
  MPI_Allreduce(MPI_IN_PLACE, extremes, 3, MPI_DOUBLE, MPI_MAX, s->comm);
  free(extreme);
  free(values);
  return (solver_norms){.mass = total[0],
                        .l1 = total[1] / total[3],
                        .l2 = sqrt(total[2] / total[3]),
                        .linf = extremes[0],
                        .least = -extremes[1],
                        .greatest = extremes[2]};
}

uint64_t solver_checksum(const advect_solver *s) {
  uint64_t mine = 0;
  const int depth = s->dim == 3 ? s->cells : 1;
#pragma omp parallel for num_threads(s->threads) reduction(+ : mine)
  for (int b = 0; b < s->num_blocks; ++b) {
    uint64_t place =
        (uint64_t)rind_forest_block(s->forest, b)->global * (uint64_t)(depth * s->cells * s->cells);
    for (int k = 0; k < depth; ++k)
      for (int j = 0; j < s->cells; ++j)
        for (int i = 0; i < s->cells; ++i, ++place) {
          /* The same bits as a double as there were as a float. */
          const double value = solver_value(s, b, i, j, k);
          uint64_t bits;
          memcpy(&bits, &value, sizeof bits);
          mine += app_mix(place, bits);
        }
  }
  return app_checksum_total(s->comm, mine);
}
