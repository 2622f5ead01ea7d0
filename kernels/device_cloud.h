/* device_cloud.h - cloud in cell on the device, with the bits of the host. All arrays, those of a
 * rind_cloud and the tables of pointers too, are in device memory. Codes are 0 or a device error
 * code for rind_device_error_text; without CUDA (cuda_none.c) every call fails. */
#pragma once
#include <cloud.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues the sums of values (NULL: 1 each) into all cells of the grid, ghosts included. sums
 * [num_blocks * num_groups * 2^dim] is scratch. */
int rind_device_cloud_deposit(const rind_cloud *cloud, const double *values,
                              const rind_cloud_grid *grid, double *sums, void *stream);
/* Enqueues rind_cloud_gather_host for the particles of all blocks, count of them; group [count] is
 * each one's block times num_groups plus its group in it. */
int rind_device_cloud_gather(const rind_cloud *cloud, const int64_t *group, int64_t count,
                             const double *values, const rind_cloud_grid *grid, bool accumulate,
                             double *const by_position[3], double *by_value, void *stream);

#ifdef __cplusplus
}
#endif
