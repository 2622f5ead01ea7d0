/* sph_pass_body.h - both passes for one set of instructions: SPH_TARGET is the attribute that
 * chooses it, SPH_NAME(word) names what is made.
 *
 * Each lane adds its neighbours one after the other, so that bits do not depend on the lanes. */

/* From (dx, dy, dz) to the nearest image, and the square of the distance. */
RIND_SPH_INLINE SPH_TARGET double SPH_NAME(square_of)(int dim, bool nearest,
                                                      const rind_sph_grid *grid, double *dx,
                                                      double *dy, double *dz) {
  if (nearest && grid->nearest[0]) *dx = rind_sph_nearest(*dx, grid->length[0]);
  if (nearest && grid->nearest[1]) *dy = rind_sph_nearest(*dy, grid->length[1]);
  if (nearest && dim == 3 && grid->nearest[2]) *dz = rind_sph_nearest(*dz, grid->length[2]);
  return rind_sph_square(dim, *dx, *dy, *dz);
}

RIND_SPH_INLINE SPH_TARGET void SPH_NAME(add_densities)(int dim, bool nearest,
                                                        const rind_sph_list *list, double inverse_h,
                                                        const rind_sph_range *range, int num_ranges,
                                                        rind_sph_lanes *lanes) {
  const rind_sph_grid *grid = &list->grid;
  const double *at_x = list->at[0], *at_y = list->at[1], *at_z = list->at[dim == 3 ? 2 : 1];
  double x[RIND_SPH_LANES], y[RIND_SPH_LANES], z[RIND_SPH_LANES], sum[RIND_SPH_LANES] = {0};
  for (int l = 0; l < RIND_SPH_LANES; ++l) {
    x[l] = lanes->at[0][l];
    y[l] = lanes->at[1][l];
    z[l] = lanes->at[2][l];
  }
  for (int k = 0; k < num_ranges; ++k)
    for (int j = range[k].first; j < range[k].last; ++j) {
      const double xj = at_x[j] + range[k].shift[0], yj = at_y[j] + range[k].shift[1];
      const double zj = at_z[j] + range[k].shift[2];
#pragma omp simd
      for (int l = 0; l < RIND_SPH_LANES; ++l) {
        double dx = x[l] - xj, dy = y[l] - yj, dz = dim == 3 ? z[l] - zj : 0.0;
        const double square = SPH_NAME(square_of)(dim, nearest, grid, &dx, &dy, &dz);
        sum[l] += rind_sph_weight(square, inverse_h);
      }
    }
  for (int l = 0; l < RIND_SPH_LANES; ++l)
    lanes->sum[0][l] = sum[l];
}

RIND_SPH_INLINE SPH_TARGET void SPH_NAME(add_gradients)(int dim, bool nearest,
                                                        const rind_sph_list *list, double inverse_h,
                                                        const rind_sph_range *range, int num_ranges,
                                                        rind_sph_lanes *lanes) {
  const rind_sph_grid *grid = &list->grid;
  const double *at_x = list->at[0], *at_y = list->at[1], *at_z = list->at[dim == 3 ? 2 : 1];
  const double *excess_of = list->excess;
  double x[RIND_SPH_LANES], y[RIND_SPH_LANES], z[RIND_SPH_LANES], excess[RIND_SPH_LANES];
  double along_x[RIND_SPH_LANES] = {0}, along_y[RIND_SPH_LANES] = {0};
  double along_z[RIND_SPH_LANES] = {0};
  for (int l = 0; l < RIND_SPH_LANES; ++l) {
    x[l] = lanes->at[0][l];
    y[l] = lanes->at[1][l];
    z[l] = lanes->at[2][l];
    excess[l] = lanes->excess[l];
  }
  for (int k = 0; k < num_ranges; ++k)
    for (int j = range[k].first; j < range[k].last; ++j) {
      const double xj = at_x[j] + range[k].shift[0], yj = at_y[j] + range[k].shift[1];
      const double zj = at_z[j] + range[k].shift[2], excess_j = excess_of[j];
#pragma omp simd
      for (int l = 0; l < RIND_SPH_LANES; ++l) {
        double dx = x[l] - xj, dy = y[l] - yj, dz = dim == 3 ? z[l] - zj : 0.0;
        const double square = SPH_NAME(square_of)(dim, nearest, grid, &dx, &dy, &dz);
        const double pull = (excess[l] + excess_j) * rind_sph_slope(square, inverse_h);
        along_x[l] += pull * dx;
        along_y[l] += pull * dy;
        if (dim == 3) along_z[l] += pull * dz;
      }
    }
  for (int l = 0; l < RIND_SPH_LANES; ++l) {
    lanes->sum[0][l] = along_x[l];
    lanes->sum[1][l] = along_y[l];
    lanes->sum[2][l] = along_z[l];
  }
}

SPH_TARGET static void SPH_NAME(density)(const rind_sph_list *list, double inverse_h,
                                         const rind_sph_range *range, int num_ranges,
                                         rind_sph_lanes *lanes) {
  if (list->grid.any_nearest)
    SPH_NAME(add_densities)(list->grid.dim, true, list, inverse_h, range, num_ranges, lanes);
  else if (list->grid.dim == 2)
    SPH_NAME(add_densities)(2, false, list, inverse_h, range, num_ranges, lanes);
  else
    SPH_NAME(add_densities)(3, false, list, inverse_h, range, num_ranges, lanes);
}

SPH_TARGET static void SPH_NAME(gradient)(const rind_sph_list *list, double inverse_h,
                                          const rind_sph_range *range, int num_ranges,
                                          rind_sph_lanes *lanes) {
  if (list->grid.any_nearest)
    SPH_NAME(add_gradients)(list->grid.dim, true, list, inverse_h, range, num_ranges, lanes);
  else if (list->grid.dim == 2)
    SPH_NAME(add_gradients)(2, false, list, inverse_h, range, num_ranges, lanes);
  else
    SPH_NAME(add_gradients)(3, false, list, inverse_h, range, num_ranges, lanes);
}

#undef SPH_NAME
#undef SPH_TARGET
