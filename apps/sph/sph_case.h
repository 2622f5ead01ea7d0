/* sph_case.h - particles of the benchmark, in arrays where the options want them. */
#pragma once
#include "sph_options.h"

/* What the benchmark's model is. */
#define SPH_DENSITY 10.0
#define SPH_H 0.5

typedef struct sph_case {
  int dim;
  int64_t count;
  size_t type_bytes;
  rind_type type;
  bool device;
  double length;  /* of the box, each axis */
  void *at[3];    /* [count] */
  void *density;  /* [count] */
  void *along[3]; /* [count], gradient */
} sph_case;

/* False, with nothing made, if there is no memory; on the device too. */
bool sph_case_create(const sph_options *options, sph_case *made);
void sph_case_destroy(sph_case *c);

/* A copy of one of the arrays as doubles, from malloc; NULL without memory. */
double *sph_case_read(const sph_case *c, const void *array);
