/* sph_data.h - the insides of a rind_sph. */
#pragma once
#include <rind/sph.h>

#include <core.h>
#include <device_sph.h>
#include <sph_halo.h>
#include <sph_list.h>

struct rind_sph {
  rind_context *context;           /* borrowed */
  const rind_particles *particles; /* borrowed; NULL: plain arrays */
  const rind_forest *forest;       /* that grid and halo are of; borrowed */
  rind_sph_halo halo;              /* of particles; else zero */
  rind_sph_model model;
  rind_sph_options options;
  rind_sph_grid grid;
  rind_sph_numbers numbers;
  rind_sph_points points; /* borrowed */
  bool has_points;
  bool has_run;
  rind_sph_list list; /* host */
  double *density;    /* [density_room], of a set: own ones and the halo's */
  int64_t density_room;
  rind_device_sph *device; /* NULL on the host */
};

/* What a call wants; NULL: not this. */
typedef struct rind_sph_wanted {
  void *density;
  void *const *gradient; /* [3] */
  double *loss;
} rind_sph_wanted;

/* Takes the particles of a set as points, and those around them as halo; collective. The grid and
 * the halo are made anew when the forest has changed. */
rind_error rind_sph_take_set(rind_sph *sph);

/* Checks the model; 0 in mass becomes 1. */
rind_error rind_sph_check_model(rind_context *context, int dim, rind_sph_model *model);
