/* sph_grid.c - the grid of a box, and the scales of a model. */
#include <sph_list.h>

#include <stdio.h>

static bool refuse(char *text, size_t length, const char *what, int axis, double value) {
  snprintf(text, length, "%s of axis %d is %.17g", what, axis, value);
  return false;
}

/* One axis; cells of 2 h or more. */
static void make_axis(rind_sph_grid *grid, int axis, double h) {
  const double reach = 2.0 * h, length = grid->length[axis];
  const double most = grid->dim == 2 ? RIND_SPH_MOST_CELLS_2D : RIND_SPH_MOST_CELLS_3D;
  const double fitting = floor(length / reach);
  grid->nearest[axis] = grid->periodic[axis] && length < 2.0 * reach;
  grid->any_nearest = grid->any_nearest || grid->nearest[axis];
  if (!grid->nearest[axis] && fitting > 1)
    grid->cells[axis] = (uint32_t)(fitting < most ? fitting : most);
  grid->inverse_size[axis] = grid->cells[axis] / length;
}

bool rind_sph_grid_make(int dim, double h, const double lower[3], const double upper[3],
                        const int periodic[3], rind_sph_grid *grid, char *text, size_t length) {
  rind_sph_grid made = {.dim = dim, .cells = {1, 1, 1}};
  for (int a = 0; a < dim; ++a) {
    if (!rind_sph_is_finite(lower[a])) return refuse(text, length, "the lower border", a, lower[a]);
    if (!rind_sph_is_finite(upper[a]) || !(upper[a] > lower[a]) ||
        !rind_sph_is_finite(upper[a] - lower[a])) {
      snprintf(text, length, "the box of axis %d is from %.17g to %.17g: it should have a length",
               a, lower[a], upper[a]);
      return false;
    }
    made.lower[a] = lower[a];
    made.upper[a] = upper[a];
    made.length[a] = upper[a] - lower[a];
    made.periodic[a] = periodic[a] != 0;
    make_axis(&made, a, h);
  }
  *grid = made;
  return true;
}

rind_sph_numbers rind_sph_numbers_of(int dim, double h, double mass, double rest_density) {
  const double pi = 3.14159265358979323846, squared = h * h;
  const double scale = dim == 2 ? 10.0 / (7.0 * pi * squared) : 1.0 / (pi * squared * h);
  return (rind_sph_numbers){.inverse_h = 1.0 / h,
                            .density_scale = mass * scale,
                            .gradient_scale = 2.0 * mass * scale / squared,
                            .rest_density = rest_density,
                            .far = 4.0 * squared * (1.0 + 1e-12)};
}
