/* set_on_device.c - copies of a set on the device. */
#include <set_on_device.h>

#include <device_memory.h>

#include <stdlib.h>

static void free_device(rind_particles_device *device, int num_attributes) {
  if (!device) return;
  rind_space_free(RIND_DEVICE, device->box);
  for (int a = 0; a < 3; ++a) {
    rind_space_free(RIND_DEVICE, device->position[a]);
    rind_space_free(RIND_DEVICE, device->slope[a]);
  }
  for (int k = 0; device->attribute && k < num_attributes; ++k)
    rind_space_free(RIND_DEVICE, device->attribute[k]);
  free(device->attribute);
  rind_space_free(RIND_DEVICE, device->first_in_group);
  rind_space_free(RIND_DEVICE, device->group);
  rind_space_free(RIND_DEVICE, device->sums);
  rind_space_free(RIND_DEVICE, device->value);
  free(device);
}

void rind_particles_free_device(rind_particles *particles) {
  free_device(particles->device, particles->num_attributes);
  particles->device = NULL;
}

/* *copy = count items of from; NULL: of zeros. */
static rind_error put(rind_context *context, const void *from, size_t count, size_t bytes,
                      void **copy) {
  size_t all = 0;
  RIND_REQUIRE(context, rind_size_multiply(count, bytes, &all), RIND_ERROR_OVERFLOW,
               "%zu items of %zu bytes: more than memory can hold", count, bytes);
  RIND_TRY(rind_space_allocate(context, RIND_DEVICE, all, copy));
  if (!from || all == 0) return RIND_OK;
  const int code = rind_device_copy(*copy, from, all);
  RIND_REQUIRE(context, code == 0, RIND_ERROR_DEVICE, "copying particles failed: %s",
               rind_device_error_text(code));
  return RIND_OK;
}

static rind_error put_doubles(rind_context *context, const double *from, int64_t count,
                              double **copy) {
  void *memory = NULL;
  const rind_error error = put(context, from, (size_t)count, sizeof(double), &memory);
  *copy = memory;
  return error;
}

static rind_error put_integers(rind_context *context, const int64_t *from, int64_t count,
                               int64_t **copy) {
  void *memory = NULL;
  const rind_error error = put(context, from, (size_t)count, sizeof(int64_t), &memory);
  *copy = memory;
  return error;
}

/* Each particle's group. */
static rind_error put_groups(const rind_particles *set, rind_particles_device *made) {
  int64_t *group = malloc(((size_t)set->count + 1) * sizeof *group);
  RIND_REQUIRE(set->context, group, RIND_ERROR_MEMORY, "no memory for %lld groups",
               (long long)set->count);
  for (int64_t k = 0; k < set->num_blocks * set->num_groups; ++k)
    for (int64_t p = set->first_in_group[k]; p < set->first_in_group[k + 1]; ++p)
      group[p] = k;
  const rind_error error = put_integers(set->context, group, set->count, &made->group);
  free(group);
  return error;
}

static rind_error copy_set(const rind_particles *set, rind_particles_device *made) {
  rind_context *context = set->context;
  const int64_t groups = set->num_blocks * set->num_groups;
  void *box = NULL;
  const rind_error error = put(context, set->box, (size_t)set->num_blocks, sizeof *set->box, &box);
  made->box = box;
  RIND_TRY(error);
  for (int a = 0; a < set->dim; ++a) {
    RIND_TRY(put_doubles(context, set->position[a], set->count, &made->position[a]));
    RIND_TRY(put_doubles(context, NULL, set->count, &made->slope[a]));
  }
  made->attribute = rind_allocate((size_t)set->num_attributes, sizeof *made->attribute);
  RIND_REQUIRE(context, made->attribute, RIND_ERROR_MEMORY, "no memory for %d attributes",
               set->num_attributes);
  for (int k = 0; k < set->num_attributes; ++k)
    RIND_TRY(put_doubles(context, set->attribute[k], set->count, &made->attribute[k]));
  RIND_TRY(put_integers(context, set->first_in_group, groups + 1, &made->first_in_group));
  RIND_TRY(put_groups(set, made));
  RIND_TRY(put_doubles(context, NULL, set->count, &made->value));
  return put_doubles(context, NULL, groups << set->dim, &made->sums);
}

rind_error rind_particles_to_device(rind_particles *particles) {
  if (!particles) return RIND_ERROR_INVALID;
  rind_context *context = particles->context;
  RIND_REQUIRE(context, rind_context_device(context) != RIND_NO_DEVICE, RIND_ERROR_UNSUPPORTED,
               "there is no CUDA device here, or no CUDA in this build");
  RIND_TRY(rind_context_wait(context));
  rind_particles_device *made = rind_allocate(1, sizeof *made);
  RIND_REQUIRE(context, made, RIND_ERROR_MEMORY, "no memory for particles on the device");
  rind_particles_free_device(particles);
  const int before = rind_context_enter_device(context, RIND_DEVICE);
  const rind_error error = copy_set(particles, made);
  rind_context_leave_device(before);
  if (error == RIND_OK)
    particles->device = made;
  else
    free_device(made, particles->num_attributes);
  return error;
}

rind_error rind_particles_device_cloud(const rind_particles *particles, rind_cloud *cloud) {
  const rind_particles_device *device = particles->device;
  RIND_REQUIRE(particles->context, device, RIND_ERROR_STATE,
               "the field is on the device, the particles are not: rind_particles_to_device first");
  cloud->box = device->box;
  for (int a = 0; a < 3; ++a)
    cloud->position[a] = device->position[a];
  cloud->first_in_group = device->first_in_group;
  return RIND_OK;
}
