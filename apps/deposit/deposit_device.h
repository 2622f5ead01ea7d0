/* deposit_device.h - the deposit benchmark on the device; without CUDA there is none. Codes are 0
 * or an error for deposit_device_error_text. */
#pragma once
#include <deposit.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deposit_device deposit_device;

/* Copies the input there. */
int deposit_device_create(const deposit_input *input, deposit_device **made);
void deposit_device_destroy(deposit_device **device);
/* The loss; with_gradient: also its gradient. Done on return. with_counts: the summary's counts,
 * which take time. */
int deposit_device_run(deposit_device *device, bool with_gradient, bool with_counts);
/* Copies of what the last run left. bins and gradient may be NULL. */
int deposit_device_fetch(const deposit_device *device, deposit_summary *summary, double *bins,
                         double *gradient);
/* Bytes beyond input and gradient. */
size_t deposit_device_bytes(const deposit_device *device);
const char *deposit_device_error_text(int code);

#ifdef __cplusplus
}
#endif
