/* gather_batches.c - rows that add to what is there, batch by batch: the adjoint on the host. */
#include <core.h>
#include <gather.h>

#define GATHER_WAY(word) word##_plain
#define GATHER_STORE(to, value) (*(to) = (value))
#define GATHER_STORE_QUAD(to, value) QUAD_STORE_CELLS(to, value)
#include <way_batches_body.h>

void rind_gather_host_batches(const rind_gather *gather, const int *first, int num_batches,
                              void *const *to_base, const void *const *source_base, int threads,
                              const rind_gather_scratch *scratch) {
  RIND_ASSERT(!scratch || gather->to_type == RIND_FLOAT64);
  double *memory = scratch ? scratch->memory + scratch->origin : NULL;
  rind_gather_batches_way *const run =
      rind_gather_is_wide() ? rind_gather_batches_wide : rind_gather_batches_plain;
  if (threads <= 1 || num_batches <= 1) {
    run(gather, first, 0, num_batches, to_base, source_base, scratch, memory);
    return;
  }
  const int64_t count = num_batches, chunks = 4 * (int64_t)threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    double *sums = scratch ? memory + thread * scratch->blocks * scratch->elements : NULL;
    for (int64_t chunk = thread; chunk < chunks; chunk += threads)
      run(gather, first, (int)(count * chunk / chunks), (int)(count * (chunk + 1) / chunks),
          to_base, source_base, scratch, sums);
  }
}
