/* sph_options.h - the options of rind-sph. */
#pragma once
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include <rind/sph.h>

typedef struct sph_options {
  int64_t particles, seed;
  int dim;
  int threads, repeats;
  int split;  /* leaves of more particles are split; 0: none are */
  int forest; /* level of a set's forest; -1: plain arrays on one rank, chosen on more */
  int type;
  bool device, json;
  int relax;     /* steps; 0: time calls instead */
  double target; /* part of the loss at which relaxing ends */
  int progress;
  const char *picture, *output; /* or NULL */
} sph_options;

/* As app_parse. */
bool sph_options_parse(MPI_Comm comm, int argc, char *const *argv, sph_options *options,
                       int *status);
