/* cloud_options.h - what rind-particles is asked to do. */
#pragma once
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "plummer.h"

typedef struct cloud_options {
  int dim;
  int64_t particles;
  int seed;
  int cloud; /* cloud_kind */
  double radius;
  int cells;
  int level;
  int refine;
  int64_t limit; /* particles a block */
  int periodic;
  int type; /* rind_type */
  int threads;
  bool device;
  int repeat;
  const char *picture;
  const char *output;
  int progress;
  bool json;
} cloud_options;

/* Collective. False: leave with *status. */
bool cloud_options_parse(MPI_Comm comm, int argc, char *const *argv, cloud_options *options,
                         int *status);
