/* bench_device_none.c - stands in for bench_device.cu where there is no CUDA compiler. */
#include <bench_device.h>

void bench_device_use(int device) {
  (void)device;
}

bench_device_copy *bench_device_copy_create(void *data, size_t type_bytes, const bench_box *box,
                                            int num_boxes) {
  (void)data;
  (void)type_bytes;
  (void)box;
  (void)num_boxes;
  return NULL;
}

void bench_device_copy_destroy(bench_device_copy *copy) {
  (void)copy;
}

int bench_device_copy_run(const bench_device_copy *copy) {
  (void)copy;
  return 1;
}

void *bench_device_keep(const void *host, size_t bytes) {
  (void)host;
  (void)bytes;
  return NULL;
}

void bench_device_drop(void *data) {
  (void)data;
}

double bench_device_bandwidth(size_t bytes) {
  (void)bytes;
  return 0.0;
}
