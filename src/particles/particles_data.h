/* particles_data.h - what a set of particles is inside. */
#pragma once
#include <core.h>
#include <locator.h>
#include <rind/particles.h>

#include <cloud.h>

struct rind_particles {
  rind_context *context;     /* borrowed, the forest's */
  const rind_forest *forest; /* borrowed */
  int64_t revision;          /* of the forest, when placed */
  int dim;
  int num_blocks;
  rind_cloud_box *box; /* [num_blocks] */
  rind_locator locator;
  rind_particles_options options; /* no zeros left */
  int64_t num_groups;             /* a block */
  int num_attributes;
  int64_t count;
  int64_t num_global;
  double *position[3]; /* [count]; [2] is NULL in 2D */
  int64_t *id;
  double **attribute; /* [num_attributes] */
  int64_t *first_in_block;
  int64_t *first_in_group;
  struct rind_particles_device *device; /* or NULL */
};

/* Particles on their way into a set: those of given that stay on this rank, then the records that
 * came, one after the other: position [dim], id, attributes, 8 bytes each. */
typedef struct rind_arrivals {
  rind_particle_arrays given; /* borrowed, with ids */
  int32_t *given_block;       /* [given.count], local; below 0: it has left */
  char *records;
  int64_t num_records;
  int32_t *record_block; /* [num_records] */
  size_t record_bytes;
  int64_t num_wrapped; /* of this rank */
  int64_t num_sent;
} rind_arrivals;

/* Collective. Finds where every given particle belongs, sends those that belong elsewhere, and
 * takes in what comes. The set has forest, locator, boxes and num_attributes. */
rind_error rind_particles_place(const rind_particles *particles, const rind_particle_arrays *given,
                                rind_arrivals *arrivals);
void rind_arrivals_free(rind_arrivals *arrivals);

/* The arrays of a set that has none, sorted. RIND_ERROR_INVALID for an id twice in a group. Not
 * collective. */
rind_error rind_particles_fill(rind_particles *particles, const rind_arrivals *arrivals);

/* Checks and completes options. */
rind_error rind_particles_take_options(rind_particles *particles,
                                       const rind_particles_options *options);

/* What is on the device goes. */
void rind_particles_free_device(rind_particles *particles);

/* Bytes of a record. */
static inline size_t rind_record_bytes(const rind_particles *particles) {
  return sizeof(double) * ((size_t)particles->dim + 1 + (size_t)particles->num_attributes);
}

/* The group of a position inside its block. */
static inline int64_t rind_particles_group(const rind_particles *particles, int block,
                                           const double position[3]) {
  const rind_cloud_box *box = &particles->box[block];
  const int cells = particles->options.cells;
  const bool centres = particles->options.groups == RIND_GROUPS_CENTRES;
  const int64_t side = centres ? (int64_t)cells + 1 : cells;
  int64_t group = 0;
  for (int a = particles->dim - 1; a >= 0; --a) {
    const double u = (position[a] - box->lower[a]) * box->per[a];
    group = group * side + (centres ? rind_cloud_group(u, cells) : rind_cloud_cell(u, cells));
  }
  return group;
}
