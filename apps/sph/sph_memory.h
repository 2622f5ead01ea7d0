/* sph_memory.h - arrays in device memory for rind-sph; without CUDA there is none. */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NULL without memory or a device. */
void *sph_device_create(size_t bytes);
void sph_device_destroy(void *data);
/* Copies between any two spaces; 0, or an error. */
int sph_device_copy(void *to, const void *from, size_t bytes);
/* The device's name, or NULL. Valid until the next call. */
const char *sph_device_name(void);

#ifdef __cplusplus
}
#endif
