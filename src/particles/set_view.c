/* set_view.c - what a set of particles tells. */
#include <particles_data.h>

const rind_forest *rind_particles_forest(const rind_particles *particles) {
  return particles ? particles->forest : NULL;
}

int64_t rind_particles_count(const rind_particles *particles) {
  return particles ? particles->count : 0;
}

int64_t rind_particles_num_global(const rind_particles *particles) {
  return particles ? particles->num_global : 0;
}

int rind_particles_num_attributes(const rind_particles *particles) {
  return particles ? particles->num_attributes : 0;
}

double *rind_particles_position(const rind_particles *particles, int axis) {
  return particles && axis >= 0 && axis < particles->dim ? particles->position[axis] : NULL;
}

double *rind_particles_attribute(const rind_particles *particles, int attribute) {
  return particles && attribute >= 0 && attribute < particles->num_attributes
             ? particles->attribute[attribute]
             : NULL;
}

const int64_t *rind_particles_id(const rind_particles *particles) {
  return particles ? particles->id : NULL;
}

rind_particles_options rind_particles_get_options(const rind_particles *particles) {
  return particles ? particles->options : (rind_particles_options){.cells = 0};
}

int64_t rind_particles_num_groups(const rind_particles *particles) {
  return particles ? particles->num_groups : 0;
}

const int64_t *rind_particles_first_in_block(const rind_particles *particles) {
  return particles ? particles->first_in_block : NULL;
}

const int64_t *rind_particles_first_in_group(const rind_particles *particles) {
  return particles ? particles->first_in_group : NULL;
}
