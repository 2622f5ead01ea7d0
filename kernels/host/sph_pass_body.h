/* sph_pass_body.h - both passes for one set of instructions: SPH_TARGET is the attribute that
 * chooses it, SPH_NAME(word) names what is made; SPH_NAME(take) is there before.
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

RIND_SPH_INLINE SPH_TARGET rind_sph_search SPH_NAME(begin)(int dim, const rind_sph_numbers *numbers,
                                                           const rind_sph_range *range,
                                                           int num_ranges,
                                                           const rind_sph_lanes *lanes) {
  rind_sph_search search = {range, range + num_ranges, num_ranges > 0 ? range->first : 0, {0},
                            {0},   numbers->far};
  for (int a = 0; a < dim; ++a) {
    double lower = lanes->at[a][0], upper = lower;
    for (int l = 1; l < RIND_SPH_LANES; ++l) {
      lower = lanes->at[a][l] < lower ? lanes->at[a][l] : lower;
      upper = lanes->at[a][l] > upper ? lanes->at[a][l] : upper;
    }
    search.lower[a] = lower;
    search.upper[a] = upper;
  }
  return search;
}

/* The next particles that are near; how many. */
RIND_SPH_INLINE SPH_TARGET int SPH_NAME(find)(int dim, bool nearest, bool with_excess,
                                              const rind_sph_list *list, rind_sph_search *search,
                                              rind_sph_near *near) {
  int num = 0;
  while (search->range < search->end && num <= RIND_SPH_MOST_NEAR - RIND_SPH_CHUNK) {
    const int left = search->range->last - search->from;
    const int count = left < RIND_SPH_CHUNK ? left : RIND_SPH_CHUNK;
    num = SPH_NAME(take)(dim, nearest, with_excess, list, search, search->from, count, near, num);
    search->from += count;
    if (count == left && ++search->range < search->end) search->from = search->range->first;
  }
  return num;
}

RIND_SPH_INLINE SPH_TARGET void SPH_NAME(add_densities)(int dim, bool nearest,
                                                        const rind_sph_list *list,
                                                        const rind_sph_numbers *numbers,
                                                        const rind_sph_range *range, int num_ranges,
                                                        rind_sph_lanes *lanes) {
  const rind_sph_grid *grid = &list->grid;
  const double inverse_h = numbers->inverse_h;
  double x[RIND_SPH_LANES], y[RIND_SPH_LANES], z[RIND_SPH_LANES], sum[RIND_SPH_LANES] = {0};
  for (int l = 0; l < RIND_SPH_LANES; ++l) {
    x[l] = lanes->at[0][l];
    y[l] = lanes->at[1][l];
    z[l] = dim == 3 ? lanes->at[2][l] : 0.0;
  }
  rind_sph_search search = SPH_NAME(begin)(dim, numbers, range, num_ranges, lanes);
  while (search.range < search.end) {
    rind_sph_near near;
    const int num = SPH_NAME(find)(dim, nearest, false, list, &search, &near);
    for (int j = 0; j < num; ++j) {
      const double xj = near.at[0][j], yj = near.at[1][j], zj = dim == 3 ? near.at[2][j] : 0.0;
#pragma omp simd
      for (int l = 0; l < RIND_SPH_LANES; ++l) {
        double dx = x[l] - xj, dy = y[l] - yj, dz = dim == 3 ? z[l] - zj : 0.0;
        const double square = SPH_NAME(square_of)(dim, nearest, grid, &dx, &dy, &dz);
        sum[l] += rind_sph_weight(square, inverse_h);
      }
    }
  }
  for (int l = 0; l < RIND_SPH_LANES; ++l)
    lanes->sum[0][l] = sum[l];
}

RIND_SPH_INLINE SPH_TARGET void SPH_NAME(add_gradients)(int dim, bool nearest,
                                                        const rind_sph_list *list,
                                                        const rind_sph_numbers *numbers,
                                                        const rind_sph_range *range, int num_ranges,
                                                        rind_sph_lanes *lanes) {
  const rind_sph_grid *grid = &list->grid;
  const double inverse_h = numbers->inverse_h;
  double x[RIND_SPH_LANES], y[RIND_SPH_LANES], z[RIND_SPH_LANES], excess[RIND_SPH_LANES];
  double along_x[RIND_SPH_LANES] = {0}, along_y[RIND_SPH_LANES] = {0};
  double along_z[RIND_SPH_LANES] = {0};
  for (int l = 0; l < RIND_SPH_LANES; ++l) {
    x[l] = lanes->at[0][l];
    y[l] = lanes->at[1][l];
    z[l] = dim == 3 ? lanes->at[2][l] : 0.0;
    excess[l] = lanes->excess[l];
  }
  rind_sph_search search = SPH_NAME(begin)(dim, numbers, range, num_ranges, lanes);
  while (search.range < search.end) {
    rind_sph_near near;
    const int num = SPH_NAME(find)(dim, nearest, true, list, &search, &near);
    for (int j = 0; j < num; ++j) {
      const double xj = near.at[0][j], yj = near.at[1][j], zj = dim == 3 ? near.at[2][j] : 0.0;
      const double excess_j = near.excess[j];
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
  }
  for (int l = 0; l < RIND_SPH_LANES; ++l) {
    lanes->sum[0][l] = along_x[l];
    lanes->sum[1][l] = along_y[l];
    lanes->sum[2][l] = along_z[l];
  }
}

SPH_TARGET static void SPH_NAME(density)(const rind_sph_list *list, const rind_sph_numbers *numbers,
                                         const rind_sph_range *range, int num_ranges,
                                         rind_sph_lanes *lanes) {
  if (list->grid.any_nearest)
    SPH_NAME(add_densities)(list->grid.dim, true, list, numbers, range, num_ranges, lanes);
  else if (list->grid.dim == 2)
    SPH_NAME(add_densities)(2, false, list, numbers, range, num_ranges, lanes);
  else
    SPH_NAME(add_densities)(3, false, list, numbers, range, num_ranges, lanes);
}

SPH_TARGET static void SPH_NAME(gradient)(const rind_sph_list *list,
                                          const rind_sph_numbers *numbers,
                                          const rind_sph_range *range, int num_ranges,
                                          rind_sph_lanes *lanes) {
  if (list->grid.any_nearest)
    SPH_NAME(add_gradients)(list->grid.dim, true, list, numbers, range, num_ranges, lanes);
  else if (list->grid.dim == 2)
    SPH_NAME(add_gradients)(2, false, list, numbers, range, num_ranges, lanes);
  else
    SPH_NAME(add_gradients)(3, false, list, numbers, range, num_ranges, lanes);
}

#undef SPH_NAME
#undef SPH_TARGET
