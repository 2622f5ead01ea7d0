/* sph_case.h - particles of the benchmark: in arrays of one rank where the options want them, or in
 * a set on a forest. */
#pragma once
#include "sph_options.h"

#include <rind/forest.h>
#include <rind/particles.h>

/* What the benchmark's model is. */
#define SPH_DENSITY 10.0
#define SPH_H 0.5

typedef struct sph_case {
  int dim;
  int64_t count; /* of all particles */
  int64_t local; /* of this rank's, which the arrays hold */
  size_t type_bytes;
  rind_type type;
  bool device;
  double length;             /* of the box, each axis */
  void *at[3];               /* [local]; a set has its own */
  void *density;             /* [local] */
  void *along[3];            /* [local], gradient */
  rind_forest *forest;       /* NULL: plain arrays */
  rind_particles *particles; /* NULL: plain arrays */
  rind_sph *sph;
} sph_case;

/* Collective. Complains by itself and returns the exit status; on errors nothing is made. */
int sph_case_create(rind_context *context, const sph_options *options, sph_case *made);
void sph_case_destroy(sph_case *c);

/* Collective. On rank 0 *values becomes a copy of one of the arrays as doubles, from malloc, in the
 * order in which particles were drawn; on the others NULL. False without memory. */
bool sph_case_read(const sph_case *c, const void *array, double **values);
