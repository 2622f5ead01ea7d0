/* problem.c - the two flows with their exact solutions. */
#include "problem.h"

#include <math.h>
#include <stddef.h>

static const double pi = 3.14159265358979323846;
/* Radii, of the largest disc in the domain, between which the rotation comes to rest. */
static const double inner = 0.8, outer = 0.96;
/* Distance of the bell's centre from the middle, in shortest extents; in 3D its coordinates. */
static const double bell_distance = 0.2, bell_corner = 0.35;

const char *const region_words[] = {"auto", "path", "half", "gradient", NULL};

static double shortest(const advect_problem *problem) {
  double least = problem->extent[0];
  for (int a = 1; a < problem->dim; ++a)
    least = fmin(least, problem->extent[a]);
  return least;
}

double problem_speed(const advect_problem *problem, double t) {
  return problem->dim == 2 ? 1 : cos(pi * t / problem->end);
}

/* How far the square q of a radius is on the way from inner to outer, 0 to 1; *width is their
 * squares' difference. */
static double way(const advect_problem *problem, double q, double *start, double *width) {
  const double radius = shortest(problem) / 2;
  *start = inner * inner * radius * radius;
  *width = (outer * outer - inner * inner) * radius * radius;
  return fmin(fmax((q - *start) / *width, 0), 1);
}

/* Angular velocity at the square q of a radius, in turns. */
static double turns(const advect_problem *problem, double q) {
  double start, width;
  const double s = way(problem, q, &start, &width);
  return 1 - s * s * s * (10 + s * (6 * s - 15));
}

double problem_stream(const advect_problem *problem, double x, double y) {
  /* -pi times the integral of turns over q. */
  double start, width;
  const double dx = (x - 0.5) * problem->extent[0], dy = (y - 0.5) * problem->extent[1];
  const double q = dx * dx + dy * dy, s = way(problem, q, &start, &width);
  if (q <= start) return -pi * q;
  const double s4 = s * s * s * s;
  return -pi * (start + width * (s - s4 * (2.5 + s * (s - 3))));
}

double problem_potential_square(double x) {
  /* Exactly 0 at the walls. */
  const double sine = x > 0 && x < 1 ? sin(pi * x) : 0;
  return sine * sine / sqrt(pi);
}

double problem_potential_edge(double a, double b) {
  return (cos(2 * pi * a) - cos(2 * pi * b)) / (2 * pi);
}

/* Smooth up to its third derivative, 1 in the middle, 0 from radius on. */
static double bell(double distance, double radius) {
  if (distance >= radius) return 0;
  const double half = (1 + cos(pi * distance / radius)) / 2;
  return half * half;
}

/* x in extents. */
static double initial(const advect_problem *problem, const double x[3]) {
  if (problem->data != NULL) return dataset_at(problem->data, x[0], x[1]);
  double square = 0;
  const double size = shortest(problem);
  for (int a = 0; a < problem->dim; ++a) {
    double centre = 0.5 * problem->extent[a];
    if (problem->dim == 3) centre = bell_corner * problem->extent[a];
    if (problem->dim == 2 && a == 1) centre += bell_distance * size;
    const double d = x[a] * problem->extent[a] - centre;
    square += d * d;
  }
  return bell(sqrt(square), problem->radius * size);
}

static double exact_at(const advect_problem *problem, const double x[3], double t) {
  if (problem->dim == 3 || t == 0) return initial(problem, x);
  const double dx = (x[0] - 0.5) * problem->extent[0], dy = (x[1] - 0.5) * problem->extent[1];
  double whole;
  const double angle = 2 * pi * modf(turns(problem, dx * dx + dy * dy) * t, &whole);
  const double c = cos(angle), s = sin(angle);
  const double from[3] = {0.5 + (c * dx + s * dy) / problem->extent[0],
                          0.5 + (c * dy - s * dx) / problem->extent[1], 0};
  return initial(problem, from);
}

double problem_exact(const advect_problem *problem, const double lower[3], const double side[3],
                     double t) {
  /* Bells are smooth: the middle will do. Data are averaged over about every pixel in the box. */
  int samples = 1;
  if (problem->data != NULL) {
    const double pixels = fmax(side[0] * problem->data->columns, side[1] * problem->data->rows);
    samples = (int)fmin(fmax(ceil(pixels), 1), 16);
  }
  double sum = 0;
  for (int j = 0; j < (problem->dim == 2 ? samples : 1); ++j)
    for (int i = 0; i < samples; ++i) {
      const double x[3] = {lower[0] + side[0] * (i + 0.5) / samples,
                           lower[1] + side[1] * (j + 0.5) / samples, lower[2] + side[2] / 2};
      sum += exact_at(problem, x, t);
    }
  return sum / (samples * samples);
}

double problem_cut(const advect_problem *problem) {
  return problem->dim == 2 ? 0 : bell_corner;
}

void problem_range(const advect_problem *problem, double *least, double *greatest) {
  *least = problem->data != NULL ? problem->data->least : 0;
  *greatest = problem->data != NULL ? problem->data->greatest : 1;
}

/* Whether the initial field varies enough over the block's cells. */
static int varies(const advect_problem *problem, const double lower[3], const double side[3]) {
  const int n = problem->cells, depth = problem->dim == 3 ? n : 1;
  double low = HUGE_VAL, high = -HUGE_VAL, least, greatest;
  problem_range(problem, &least, &greatest);
  const double cell[3] = {side[0] / n, side[1] / n, side[2] / depth};
  for (int k = 0; k < depth; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double corner[3] = {lower[0] + i * cell[0], lower[1] + j * cell[1],
                                  lower[2] + k * cell[2]};
        const double value = problem_exact(problem, corner, cell, 0);
        low = fmin(low, value);
        high = fmax(high, value);
      }
  return high - low > problem->variation * (greatest - least);
}

/* Whether the block meets the ring that the bell travels along, in 3D the ball that it stays in. */
static int on_path(const advect_problem *problem, const double lower[3], const double side[3]) {
  double nearest = 0, farthest = 0;
  for (int a = 0; a < problem->dim; ++a) {
    const double low = (lower[a] - 0.5) * problem->extent[a];
    const double high = low + side[a] * problem->extent[a];
    const double near = low > 0 ? low : (high < 0 ? -high : 0), far = fmax(fabs(low), fabs(high));
    nearest += near * near;
    farthest += far * far;
  }
  const double size = shortest(problem), reach = problem->radius * size;
  if (problem->dim == 3) return sqrt(nearest) < 0.3 * size;
  return sqrt(nearest) < bell_distance * size + reach &&
         sqrt(farthest) > bell_distance * size - reach;
}

int problem_refine(const rind_block *block, void *user) {
  const advect_problem *problem = user;
  double lower[3] = {0}, side[3] = {0};
  for (int a = 0; a < problem->dim; ++a) {
    lower[a] = block->lower[a] / problem->extent[a];
    side[a] = block->side[a] / problem->extent[a];
  }
  switch (problem->region) {
  case REGION_HALF:
    return lower[0] + side[0] / 2 < 0.5;
  case REGION_GRADIENT:
    return varies(problem, lower, side);
  case REGION_PATH:
    return on_path(problem, lower, side);
  case REGION_AUTO:
    return problem->data != NULL ? varies(problem, lower, side) : on_path(problem, lower, side);
  }
  return 0;
}
