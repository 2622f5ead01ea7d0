/* device_sph.h - density, loss and gradient of particles on the device, with the bits of the host.
 * Without CUDA (cuda_none.c) every call but destroy fails. Codes are 0 or a device error code for
 * rind_device_error_text. */
#pragma once
#include <sph_list.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rind_device_sph rind_device_sph;

/* What a run found. */
typedef struct rind_device_sph_result {
  int64_t bad; /* the first particle that is not finite, or -1: then nothing else is right */
  double loss;
} rind_device_sph_result;

int rind_device_sph_create(const rind_sph_grid *grid, const rind_sph_numbers *numbers,
                           rind_type type, rind_device_sph **made);
/* Accepts NULL. */
void rind_device_sph_destroy(rind_device_sph **sph);
/* Bytes of device memory. */
int64_t rind_device_sph_bytes(const rind_device_sph *sph);

/* Arrays [count] of the type in device memory. density, gradient (or an entry of it) may be NULL:
 * not wanted. Waits for the stream. */
int rind_device_sph_run(rind_device_sph *sph, int count, const void *const position[3],
                        void *density, void *const gradient[3], void *stream,
                        rind_device_sph_result *result);

/* Of the last run. */
int rind_device_sph_count(const rind_device_sph *sph, void *stream, int64_t *largest_cell,
                          int64_t *pair_slots);

#ifdef __cplusplus
}
#endif
