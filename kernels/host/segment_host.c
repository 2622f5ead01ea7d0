/* segment_host.c - sums over segments and their adjoint on the host: threads take pieces. */
#include <segments.h>

#define SEGMENT_TYPE double
#define SEGMENT_NAME(word) word##_f64
#include <segment_body.h>

#define SEGMENT_TYPE float
#define SEGMENT_NAME(word) word##_f32
#include <segment_body.h>

void rind_segment_sum_host(const rind_segment_plan *plan, const rind_segment_call *call,
                           const void *values, void *sums, double *scratch, int threads) {
  if (call->type == RIND_FLOAT64)
    sum_f64(plan, call, values, sums, scratch, threads);
  else
    sum_f32(plan, call, values, sums, scratch, threads);
}

void rind_segment_gather_host(const rind_segment_plan *plan, const rind_segment_call *call,
                              const void *sums, void *values, int threads) {
  if (call->type == RIND_FLOAT64)
    gather_f64(plan, call, sums, values, threads);
  else
    gather_f32(plan, call, sums, values, threads);
}
