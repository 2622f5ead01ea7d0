/* device_segment.h - sums over segments on the device. Without CUDA (segment_none.c) there is no
 * device and every call but destroy fails. Codes are 0 or a device error code for
 * rind_device_error_text. */
#pragma once
#include <segments.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rind_device_segment rind_device_segment;

/* Copies the plan there, with scratch for rows_at_once rows. */
int rind_device_segment_create(const rind_segment_plan *plan, int64_t rows_at_once,
                               rind_device_segment **made);
/* Accepts NULL. */
void rind_device_segment_destroy(rind_device_segment **segment);
/* Whether the device reaches the memory. */
bool rind_device_reaches(const void *data);
/* Enqueue; at most rows_at_once rows. */
int rind_device_segment_sum(const rind_device_segment *segment, const rind_segment_call *call,
                            const void *values, void *sums, void *stream);
int rind_device_segment_gather(const rind_device_segment *segment, const rind_segment_call *call,
                               const void *sums, void *values, void *stream);

#ifdef __cplusplus
}
#endif
