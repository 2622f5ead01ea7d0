/* problem.h - what is advected and by which flow: initial field, exact solution, stream function
 * and vector potential, where the forest is refined.
 *
 * 2D: solid-body rotation about the middle of the domain, one turn per unit of time, that comes to
 * rest smoothly before the walls. 3D: the deformation flow of LeVeque (SIAM J. Numer. Anal. 33,
 * 1996, example 9.5) on the domain stretched to the unit cube; it turns back at half time, so that
 * the initial field returns at the end.
 *
 * Places are given as fractions of the domain's extent. */
#pragma once
#include <rind/forest.h>

#include "dataset.h"

typedef enum advect_region { REGION_AUTO, REGION_PATH, REGION_HALF, REGION_GRADIENT } advect_region;
/* "auto", "path", "half", "gradient", NULL. */
extern const char *const region_words[];

typedef struct advect_problem {
  int dim;
  double extent[3];           /* of the domain, its lower corner at the origin */
  double end;                 /* time */
  double radius;              /* of the bell, as a fraction of the shortest extent */
  const advect_dataset *data; /* NULL: a bell; borrowed */
  advect_region region;
  double variation; /* REGION_GRADIENT: split blocks over which the initial field varies by more
                       than this fraction of its range */
  int cells;        /* a block and axis, for sampling */
} advect_problem;

/* What the velocity is multiplied with at time t. */
double problem_speed(const advect_problem *problem, double t);

/* Mean over a box of the exact solution at time t: 0 or, in 3D, 0 or end. */
double problem_exact(const advect_problem *problem, const double lower[3], const double side[3],
                     double t);

/* Stream function psi at a place (x, y), in extents: velocity = (d psi/dy, -d psi/dx). */
double problem_stream(const advect_problem *problem, double x, double y);

/* Factors of the vector potential on the unit cube, (0, -S(x) I(y) S(z), S(x) S(y) I(z)), where I
 * is already integrated along an edge from a to b. */
double problem_potential_square(double x);
double problem_potential_edge(double a, double b);

/* A rind_refine_function; user is the problem. */
int problem_refine(const rind_block *block, void *user);

/* Where pictures show blocks in 3D, along the line of sight: at the bell's centre. In extents. */
double problem_cut(const advect_problem *problem);

/* Least and greatest value of the initial field. */
void problem_range(const advect_problem *problem, double *least, double *greatest);
