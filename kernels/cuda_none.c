/* cuda_none.c - stands in for the device code where there is no CUDA compiler. */
#include <device_gather.h>
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

int rind_device_allocate_pinned(size_t bytes, void **data) {
  (void)bytes;
  (void)data;
  return 1;
}

void rind_device_free_pinned(void *data) {
  (void)data;
}

int rind_device_copy_async(void *to, const void *from, size_t bytes, void *stream) {
  (void)to;
  (void)from;
  (void)bytes;
  (void)stream;
  return 1;
}

int rind_device_wait(void *stream) {
  (void)stream;
  return 1;
}

int rind_device_gather_create(const rind_gather *gather, const rind_gather_stages *stages,
                              ptrdiff_t elements, ptrdiff_t origin, const rind_program_frame *frame,
                              rind_device_gather **made) {
  (void)gather;
  (void)stages;
  (void)elements;
  (void)origin;
  (void)frame;
  (void)made;
  return 1;
}

void rind_device_gather_destroy(rind_device_gather **gather) {
  (void)gather;
}

int64_t rind_device_gather_bytes(const rind_device_gather *gather) {
  (void)gather;
  return 0;
}

int rind_device_gather_run(const rind_device_gather *gather, int first, int last,
                           void *const *to_base, const void *const *own_base,
                           const void *const *source_base, void *stream) {
  (void)gather;
  (void)first;
  (void)last;
  (void)to_base;
  (void)own_base;
  (void)source_base;
  (void)stream;
  return 1;
}

const char *rind_device_error_text(int code) {
  (void)code;
  return "this build has no CUDA";
}
