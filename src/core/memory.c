/* memory.c - checked sizes and memory of either space. */
#include <core.h>
#include <device_memory.h>

#include <stdlib.h>

bool rind_size_multiply(size_t a, size_t b, size_t *product) {
  if (a != 0 && b > SIZE_MAX / a) return false;
  *product = a * b;
  return true;
}

void *rind_allocate(size_t count, size_t bytes) {
  return calloc(count > 0 ? count : 1, bytes > 0 ? bytes : 1);
}

rind_error rind_space_allocate(rind_context *context, rind_space space, size_t bytes, void **data) {
  if (space == RIND_HOST) {
    void *memory = rind_allocate(bytes, 1);
    RIND_REQUIRE(context, memory, RIND_ERROR_MEMORY, "no %zu bytes of host memory to be had",
                 bytes);
    rind_use_huge_pages(memory, bytes);
    *data = memory;
    return RIND_OK;
  }
  RIND_REQUIRE(context, rind_device_count() > 0, RIND_ERROR_UNSUPPORTED,
               "there is no CUDA device here, or no CUDA in this build: use RIND_HOST");
  const int code = rind_device_allocate(bytes, data);
  RIND_REQUIRE(context, code == 0, RIND_ERROR_MEMORY, "no %zu bytes of device memory: %s", bytes,
               rind_device_error_text(code));
  return RIND_OK;
}

void rind_space_free(rind_space space, void *data) {
  if (!data) return;
  if (space == RIND_HOST)
    free(data);
  else
    rind_device_free(data);
}
