/* device_programs.h - programs of blocks on the device: copied there once, one launch a run. Codes
 * are 0 or a device error code. */
#pragma once
#include <block_programs.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rind_device_programs rind_device_programs;

/* programs has items. frame: what they were made for. */
int rind_device_programs_create(const rind_programs *programs, const rind_program_frame *frame,
                                rind_type to_type, rind_type source_type,
                                rind_device_programs **made);
/* Accepts NULL. */
void rind_device_programs_destroy(rind_device_programs **programs);
int64_t rind_device_programs_bytes(const rind_device_programs *programs);

/* Enqueues all items. The bases are arrays in device memory. */
int rind_device_programs_run(const rind_device_programs *programs, void *const *to_base,
                             const void *const *own_base, const void *const *source_base,
                             void *stream);

#ifdef __cplusplus
}
#endif
