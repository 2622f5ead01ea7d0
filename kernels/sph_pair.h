/* sph_pair.h - what one pair of particles adds, for host and device: the same operations in the
 * same order on both.
 *
 * The cubic spline is s ((2 - q)^3 / 4 - (1 - q)^3) with negative brackets 0 and q = r/h; its slope
 * over r is s/h^2 times 9/4 q - 3 below q = 1 and -3/4 (2 - q)^2 / q above. Scales are applied to
 * the sums. From q = 2 on all is exactly 0, so that such pairs may be left out. */
#pragma once
#include <sph_grid.h>

typedef struct rind_sph_numbers {
  double inverse_h;
  double density_scale;  /* mass s */
  double gradient_scale; /* 2 mass s / h^2 */
  double rest_density;
  double far; /* squares of distances from here on are beyond q = 2 in any rounding */
} rind_sph_numbers;

/* d, or d less a period: the nearest image. */
RIND_SPH_INLINE double rind_sph_nearest(double d, double length) {
  return d - length * rint(d / length);
}

RIND_SPH_INLINE double rind_sph_square(int dim, double dx, double dy, double dz) {
  const double flat = dx * dx + dy * dy;
  return dim == 3 ? flat + dz * dz : flat;
}

/* Of the density. */
RIND_SPH_INLINE double rind_sph_weight(double square, double inverse_h) {
  const double q = sqrt(square) * inverse_h;
  const double to_two = 2.0 - q > 0.0 ? 2.0 - q : 0.0;
  const double to_one = 1.0 - q > 0.0 ? 1.0 - q : 0.0;
  return 0.25 * (to_two * to_two * to_two) - to_one * to_one * to_one;
}

/* Of the gradient, to be multiplied by the distance along an axis. */
RIND_SPH_INLINE double rind_sph_slope(double square, double inverse_h) {
  const double q = sqrt(square) * inverse_h;
  const double to_two = 2.0 - q > 0.0 ? 2.0 - q : 0.0;
  const double near = 2.25 * q - 3.0;
  const double far = -0.75 * (to_two * to_two) / (q > 1.0 ? q : 1.0);
  return q < 1.0 ? near : far;
}
