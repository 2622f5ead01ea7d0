/* cloud_scene.h - small adaptive forests, and particles whose numbers are made of their ids. */
#pragma once
#include <core.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>

#include <world.h>

enum { NUM_CLOUDS = 6, CLOUD_ATTRIBUTES = 2 };

/* The last two are wrapped around a mesh of the test's. */
typedef struct cloud_scene {
  int number;
  int dim;
  rind_context *context;
  rind_forest *forest;
  void *mesh;      /* or NULL */
  double lower[3]; /* the domain */
  double upper[3];
  int periodic[3];
} cloud_scene;

/* Collective over comm. */
void cloud_scene_create(MPI_Comm comm, int number, int threads, cloud_scene *scene);
void cloud_scene_destroy(cloud_scene *scene);
/* Collective. Splits more of the blocks; not for wrapped ones. */
void cloud_scene_refine(cloud_scene *scene, uint64_t seed);

/* In [0, 1), made of both. */
double cloud_random(uint64_t seed, int64_t id);

/* Arrays of a rank's own. */
typedef struct cloud_given {
  int64_t count;
  int64_t *id;
  double *position[3];
  double *attribute[CLOUD_ATTRIBUTES];
  rind_particle_arrays arrays;
} cloud_given;

/* The particles of this rank out of total: those with id % size == rank, or all if size is 1, in a
 * shuffled order. A tenth lie on borders and corners of blocks of the scene, which all gives, a
 * tenth as near to them as can be. */
void cloud_give(const cloud_scene *scene, const world *all, int64_t total, cloud_given *given);
void cloud_given_free(cloud_given *given);
/* What particle id is given as. */
void cloud_position(const cloud_scene *scene, const world *all, int64_t id, double x[3]);
double cloud_attribute(int attribute, int64_t id);

/* The numbers of all blocks that hold x by their faces: one of them, if all is well. */
int cloud_find(const cloud_scene *scene, const world *all, const double x[3], int *num_found);

/* Concatenates arrays [count] of 8 bytes an item over all ranks; to be freed. */
void *cloud_collect(MPI_Comm comm, const void *items, int64_t count, int64_t *total);
