/* sph_picture.h - a picture of a relaxation: particles before and after, and the loss between. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct sph_view {
  const double *x, *y;   /* [count], in a square from 0 to length */
  const double *density; /* [count] */
} sph_view;

/* loss [num_losses], of the beginning and after each step. False, with errno set or 0, if the file
 * could not be written. */
bool sph_picture_write(const char *path, int64_t count, double length, double rest_density,
                       const sph_view *before, const sph_view *after, const double *loss,
                       int num_losses);
