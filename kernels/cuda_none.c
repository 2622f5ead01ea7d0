/* cuda_none.c - stands in for the device code where there is no CUDA compiler. */
#include <device_memory.h>

int rind_device_count(void) {
  return 0;
}

int rind_device_allocate(size_t bytes, void **data) {
  (void)bytes;
  (void)data;
  return 1;
}

void rind_device_free(void *data) {
  (void)data;
}

int rind_device_copy(void *to, const void *from, size_t bytes) {
  (void)to;
  (void)from;
  (void)bytes;
  return 1;
}

const char *rind_device_error_text(int code) {
  (void)code;
  return "this build has no CUDA";
}
