/* sph_data.h - the insides of a rind_sph. */
#pragma once
#include <rind/sph.h>

#include <core.h>
#include <device_sph.h>
#include <sph_list.h>

struct rind_sph {
  rind_context *context; /* borrowed */
  rind_sph_model model;
  rind_sph_options options;
  rind_sph_grid grid;
  rind_sph_numbers numbers;
  rind_sph_points points; /* borrowed */
  bool has_points;
  bool has_run;
  rind_sph_list list; /* host */
  double *density;    /* [density_room] */
  int64_t density_room;
  rind_device_sph *device; /* NULL on the host */
};

/* Checks the model; 0 in mass becomes 1. */
rind_error rind_sph_check_model(rind_context *context, int dim, rind_sph_model *model);
