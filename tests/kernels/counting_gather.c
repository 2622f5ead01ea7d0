/* counting_gather.c - counts the stores of the very bodies that the library runs. */
#include <counting_gather.h>

static const void *counted_base;
static int *counted;

static void count_store(const void *to, size_t bytes) {
  ++counted[((const char *)to - (const char *)counted_base) / (ptrdiff_t)bytes];
}

#define GATHER_STORE(to, value) (count_store((to), sizeof *(to)), *(to) = (value))
#define GATHER_STORE_QUAD(to, value)                                                               \
  do {                                                                                             \
    for (int at = 0; at < QUAD_WIDTH; ++at)                                                        \
      count_store((to) + at, sizeof *(to));                                                        \
    QUAD_STORE_CELLS(to, value);                                                                   \
  } while (0)

#define GATHER_WAY(word) word##_counted
void rind_gather_fills_counted(const rind_gather *gather, int first, int last, void *const *to_base,
                               const void *const *own_base, const void *const *source_base);
#include <way_fills_body.h>

void counting_gather(const rind_gather *gather, void *const *to_base, const void *const *own_base,
                     const void *const *source_base, int *counts) {
  counted_base = to_base[0];
  counted = counts;
  rind_gather_fills_counted(gather, 0, gather->num_fills, to_base, own_base, source_base);
}
