/* device_array.h - arrays on the device for results; without CUDA there are none. */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On a device, count doubles. NULL if there is no memory, or no device. */
double *device_array_create(int device, size_t count);
void device_array_destroy(double *array);
/* Waits for the device. 0, or not if it failed. */
int device_array_fetch(double *to, const double *array, size_t count);

#ifdef __cplusplus
}
#endif
