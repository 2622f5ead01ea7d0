/* device_step_none.c - stands in for device_step.cu where there is no CUDA compiler. */
#include "device_step.h"

int device_step_choose(int number) {
  (void)number;
  return 1;
}

const char *device_step_text(int code) {
  (void)code;
  return "this build has no CUDA";
}

int device_step_allocate(size_t bytes, void **memory) {
  (void)bytes, (void)memory;
  return 1;
}

void device_step_free(void *memory) {
  (void)memory;
}

size_t device_step_shared(const device_step_options *options) {
  (void)options;
  return 0;
}

size_t device_step_most_shared(void) {
  return 0;
}

int device_step_create(const device_step_options *options, const double *tables,
                       device_step **made) {
  (void)options, (void)tables, (void)made;
  return 1;
}

void device_step_destroy(device_step **step) {
  (void)step;
}

int device_step_run(const device_step *step, const void *from, const void *old, void *to, double dt,
                    const rind_tile_view *tiles) {
  (void)step, (void)from, (void)old, (void)to, (void)dt, (void)tiles;
  return 1;
}

int device_step_mark(device_step *step, int mark) {
  (void)step, (void)mark;
  return 1;
}

int device_step_seconds(device_step *step, double *fill, double *compute) {
  (void)step, (void)fill, (void)compute;
  return 1;
}
