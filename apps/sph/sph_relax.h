/* sph_relax.h - moves particles of a box to where the loss is least. */
#pragma once
#include <rind/sph.h>

/* Called after every step; return 0 to go on. */
typedef int (*sph_relax_function)(int step, double loss, double gradient_norm, void *user);

/* Particles [count] along each axis, on the host in double. */
typedef struct sph_relax_problem {
  rind_sph *sph; /* whose points they are */
  int dim;
  int64_t count;
  double *at[3];
  double reach; /* no particle goes farther in a step */
  int steps;    /* at most so many */
  sph_relax_function report;
  void *user;
} sph_relax_problem;

/* By L-BFGS (Nocedal 1980; Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.4) with
 * steps halved until the loss falls enough. *steps: those that were made; fewer than asked for
 * where no step lowers the loss any more. */
rind_error sph_relax(const sph_relax_problem *problem, int *steps);
