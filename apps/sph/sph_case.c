/* sph_case.c - particles of the benchmark. */
#include "sph_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "sph_memory.h"

static void *create(const sph_case *c) {
  const size_t bytes = (size_t)c->count * c->type_bytes;
  return c->device ? sph_device_create(bytes) : calloc(bytes + 1, 1);
}

static void destroy(const sph_case *c, void *array) {
  if (c->device)
    sph_device_destroy(array);
  else
    free(array);
}

/* Axis a of the points drawn as one sequence, to where it belongs. */
static bool place(const sph_case *c, const double *drawn, int axis) {
  char *values = malloc((size_t)c->count * c->type_bytes + 1);
  if (values == NULL) return false;
  for (int64_t i = 0; i < c->count; ++i) {
    const double x = c->length * drawn[i * c->dim + axis];
    if (c->type == RIND_FLOAT64)
      ((double *)values)[i] = x;
    else
      ((float *)values)[i] = (float)x;
  }
  const size_t bytes = (size_t)c->count * c->type_bytes;
  bool good = true;
  if (c->device)
    good = sph_device_copy(c->at[axis], values, bytes) == 0;
  else
    memcpy(c->at[axis], values, bytes);
  free(values);
  return good;
}

bool sph_case_create(const sph_options *options, sph_case *made) {
  sph_case c = {.dim = options->dim,
                .count = options->particles,
                .type = (rind_type)options->type,
                .device = options->device};
  c.type_bytes = rind_type_bytes(c.type);
  const double volume = (double)c.count / SPH_DENSITY;
  c.length = c.dim == 2 ? sqrt(volume) : cbrt(volume);
  const size_t numbers = (size_t)c.count * (size_t)c.dim;
  double *drawn = malloc(numbers * sizeof *drawn);
  c.density = create(&c);
  bool good = drawn != NULL && c.density != NULL;
  app_random random;
  app_random_seed(&random, (uint64_t)options->seed);
  if (good) app_random_fill(&random, drawn, numbers);
  for (int a = 0; good && a < c.dim; ++a) {
    c.at[a] = create(&c);
    c.along[a] = create(&c);
    good = c.at[a] != NULL && c.along[a] != NULL && place(&c, drawn, a);
  }
  free(drawn);
  if (good)
    *made = c;
  else
    sph_case_destroy(&c);
  return good;
}

void sph_case_destroy(sph_case *c) {
  for (int a = 0; a < 3; ++a) {
    destroy(c, c->at[a]);
    destroy(c, c->along[a]);
  }
  destroy(c, c->density);
  memset(c, 0, sizeof *c);
}

double *sph_case_read(const sph_case *c, const void *array) {
  const size_t bytes = (size_t)c->count * c->type_bytes;
  double *values = malloc((size_t)c->count * sizeof *values + 1);
  void *raw = malloc(bytes + 1);
  bool good = values != NULL && raw != NULL;
  if (good && c->device)
    good = sph_device_copy(raw, array, bytes) == 0;
  else if (good)
    memcpy(raw, array, bytes);
  for (int64_t i = 0; good && i < c->count; ++i)
    values[i] = c->type == RIND_FLOAT64 ? ((double *)raw)[i] : (double)((float *)raw)[i];
  free(raw);
  if (good) return values;
  free(values);
  return NULL;
}
