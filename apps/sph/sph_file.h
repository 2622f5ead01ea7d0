/* sph_file.h - particles as a VTKHDF file. */
#pragma once
#include <stdint.h>

/* An array of the particles, float64. */
typedef struct sph_array {
  const char *name;     /* letters, digits and _ */
  int components;       /* 1 or 3 */
  const double *values; /* [count][components] */
} sph_array;

/* Writes count points as vertices of an UnstructuredGrid, which ParaView 5.11 and later open; the
 * name should end in .hdf. position [count][3]. False if the file could not be written. On one
 * rank. */
int sph_file_write(const char *path, int64_t count, const double *position, const sph_array *arrays,
                   int num_arrays);
