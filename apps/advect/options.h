/* options.h - what the command line of rind-advect asks for. */
#pragma once
#include <mpi.h>
#include <rind/rind.h>
#include <stdbool.h>

#include "problem.h"
#include "progress.h"
#include "solver.h"

typedef struct advect_options {
  int dim, cells, level, refine;
  int trees[3], periodic[3];
  int region; /* advect_region */
  double variation, radius;
  int steps; /* 0: as cfl asks */
  double time, cfl;
  int type;    /* rind_type */
  int limiter; /* advect_limiter */
  const char *output, *picture, *data, *dataset;
  int progress; /* app_progress_mode */
  bool device, fused_ghosts;
  bool json;
} advect_options;

/* Collective. As app_parse. */
bool options_parse(MPI_Comm comm, int argc, char *const *argv, advect_options *options,
                   int *status);
