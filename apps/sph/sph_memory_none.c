/* sph_memory_none.c - stands in where there is no CUDA. */
#include "sph_memory.h"

void *sph_device_create(size_t bytes) {
  (void)bytes;
  return NULL;
}

void sph_device_destroy(void *data) {
  (void)data;
}

int sph_device_copy(void *to, const void *from, size_t bytes) {
  (void)to;
  (void)from;
  (void)bytes;
  return 1;
}

const char *sph_device_name(void) {
  return NULL;
}
