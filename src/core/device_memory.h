/* device_memory.h - device memory, as the rest of the library sees it. Without CUDA (cuda_none.c)
 * there is no device and every call but free fails. */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of devices this process can use; 0 without CUDA, a driver or a GPU. */
int rind_device_count(void);
/* The calling thread's current device; -1 without any. */
int rind_device_current(void);
/* Makes a device current. */
int rind_device_select(int device);
/* 0, or a device error code for rind_device_error_text. Memory is zeroed. */
int rind_device_allocate(size_t bytes, void **data);
void rind_device_free(void *data);
/* 1 if kernels can write there: device or managed memory. */
int rind_device_holds(const void *data);
/* Copies bytes between any two spaces; done on return. */
int rind_device_copy(void *to, const void *from, size_t bytes);
/* Host memory that the device can reach, zeroed. */
int rind_device_allocate_pinned(size_t bytes, void **data);
void rind_device_free_pinned(void *data);
/* Enqueues a copy on a stream. */
int rind_device_copy_async(void *to, const void *from, size_t bytes, void *stream);
/* Waits for all that is enqueued on a stream. */
int rind_device_wait(void *stream);
const char *rind_device_error_text(int code);

#ifdef __cplusplus
}
#endif
