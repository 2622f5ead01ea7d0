/* gather_host.c - the fused gather on the host: one pass over the ghosts, each written once. */
#include <gather.h>

#define GATHER_STORE(to, value) (*(to) = (value))

#define GATHER_TO double
#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f64_f64
#include <gather_body.h>

#define GATHER_TO float
#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f32_f32
#include <gather_body.h>

/* Partial sums that travelled in the accumulator's type, and values of walls. */
#define GATHER_TO float
#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f32_f64
#include <gather_body.h>

/* Partial sums that leave in it. */
#define GATHER_TO double
#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f64_f32
#include <gather_body.h>

static void gather_fills(const rind_gather *gather, int first, int last, void *const *to_base,
                         const void *const *own_base, const void *const *source_base) {
  const bool to_double = gather->to_type == RIND_FLOAT64;
  const bool from_double = gather->source_type == RIND_FLOAT64;
  if (to_double && from_double)
    gather_fills_f64_f64(gather, first, last, to_base, own_base, source_base);
  else if (to_double)
    gather_fills_f64_f32(gather, first, last, to_base, own_base, source_base);
  else if (!from_double)
    gather_fills_f32_f32(gather, first, last, to_base, own_base, source_base);
  else
    gather_fills_f32_f64(gather, first, last, to_base, own_base, source_base);
}

void rind_gather_host(const rind_gather *gather, int first, int last, void *const *to_base,
                      const void *const *own_base, const void *const *source_base, int threads) {
  if (threads <= 1 || last - first <= 1) {
    gather_fills(gather, first, last, to_base, own_base, source_base);
    return;
  }
  const int64_t count = last - first, chunks = count < 4 * threads ? count : 4 * threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    gather_fills(gather, first + (int)(count * chunk / chunks),
                 first + (int)(count * (chunk + 1) / chunks), to_base, own_base, source_base);
}
