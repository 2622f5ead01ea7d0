/* set_on_device.h - what of a set is on the device, and the calls that use it. */
#pragma once
#include <particles_data.h>

/* All in device memory. */
typedef struct rind_particles_device {
  rind_cloud_box *box;
  double *position[3];
  double **attribute; /* [num_attributes], the list on the host */
  int64_t *first_in_group;
  int64_t *group;   /* [count] */
  double *sums;     /* scratch of a deposit */
  double *slope[3]; /* [count], results before they are copied */
  double *value;
} rind_particles_device;

/* The set's arrays as the kernels see them; RIND_ERROR_STATE if they are not on the device. */
rind_error rind_particles_device_cloud(const rind_particles *particles, rind_cloud *cloud);
