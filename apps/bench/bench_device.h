/* bench_device.h - what is measured beside fills on the device; without CUDA none of it exists. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A box of copies in a packed array, from its first element. */
typedef struct bench_box {
  int64_t to, from;
  int32_t extent[3];
  int64_t to_stride[3], from_stride[3];
} bench_box;

/* Makes a device the one that the functions below use; -1: none. */
void bench_device_use(int device);

typedef struct bench_device_copy bench_device_copy;

/* The fill that a user writes by hand: one launch, a thread a ghost. data is on the device. NULL
 * without memory. */
bench_device_copy *bench_device_copy_create(void *data, size_t type_bytes, const bench_box *box,
                                            int num_boxes);
void bench_device_copy_destroy(bench_device_copy *copy);
/* 0, or an error. Enqueues on the default stream. */
int bench_device_copy_run(const bench_device_copy *copy);

/* A copy of host memory on the device; NULL without memory. */
void *bench_device_keep(const void *host, size_t bytes);
void bench_device_drop(void *data);

/* Bytes a second, read plus written, of copies on the device; 0 without one. */
double bench_device_bandwidth(size_t bytes);

#ifdef __cplusplus
}
#endif
