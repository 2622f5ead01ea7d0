/* gather_host.c - the fused gather on the host: one pass over the ghosts, each written once. */
#include <gather.h>

#define GATHER_WAY(word) word##_plain
#define GATHER_STORE(to, value) (*(to) = (value))
#define GATHER_STORE_QUAD(to, value) QUAD_STORE_CELLS(to, value)
#include <way_fills_body.h>

void rind_gather_host(const rind_gather *gather, int first, int last, void *const *to_base,
                      const void *const *own_base, const void *const *source_base, int threads) {
  rind_gather_fills_way *const run =
      rind_gather_is_wide() ? rind_gather_fills_wide : rind_gather_fills_plain;
  if (threads <= 1 || last - first <= 1) {
    run(gather, first, last, to_base, own_base, source_base);
    return;
  }
  const int64_t count = last - first, chunks = count < 4 * threads ? count : 4 * threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    run(gather, first + (int)(count * chunk / chunks), first + (int)(count * (chunk + 1) / chunks),
        to_base, own_base, source_base);
}
