/* segment_none.c - stands in for cuda/segment.cu where there is no CUDA compiler. */
#include <device_segment.h>

int rind_device_segment_create(const rind_segment_plan *plan, int64_t rows_at_once,
                               rind_device_segment **made) {
  (void)plan;
  (void)rows_at_once;
  (void)made;
  return 1;
}

void rind_device_segment_destroy(rind_device_segment **segment) {
  (void)segment;
}

bool rind_device_reaches(const void *data) {
  (void)data;
  return false;
}

int rind_device_segment_sum(const rind_device_segment *segment, const rind_segment_call *call,
                            const void *values, void *sums, void *stream) {
  (void)segment;
  (void)call;
  (void)values;
  (void)sums;
  (void)stream;
  return 1;
}

int rind_device_segment_gather(const rind_device_segment *segment, const rind_segment_call *call,
                               const void *sums, void *values, void *stream) {
  (void)segment;
  (void)call;
  (void)sums;
  (void)values;
  (void)stream;
  return 1;
}
