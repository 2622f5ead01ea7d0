/* deposit_device_none.c - stands in for deposit_device.cu where there is no CUDA compiler. */
#include <deposit_device.h>

int deposit_device_create(const deposit_input *input, deposit_device **made) {
  (void)input;
  (void)made;
  return 1;
}

void deposit_device_destroy(deposit_device **device) {
  (void)device;
}

int deposit_device_run(deposit_device *device, bool with_gradient, bool with_counts) {
  (void)device;
  (void)with_gradient;
  (void)with_counts;
  return 1;
}

int deposit_device_fetch(const deposit_device *device, deposit_summary *summary, double *bins,
                         double *gradient) {
  (void)device;
  (void)summary;
  (void)bins;
  (void)gradient;
  return 1;
}

size_t deposit_device_bytes(const deposit_device *device) {
  (void)device;
  return 0;
}

const char *deposit_device_error_text(int code) {
  (void)code;
  return "this build has no CUDA";
}
