/* sph_sort.c - sorts keys by their digits, from the lowest to the highest. */
#include <sph_list.h>

#include <string.h>

/* As many heaps as lines of a first-level cache. */
enum { MOST_DIGIT_BITS = 10, KEY_SHIFT = 32 };

/* One pass. */
static void sort_digit(const uint64_t *from, uint64_t *to, int count, int shift, int bits) {
  const uint64_t mask = (UINT64_C(1) << bits) - 1;
  int32_t place[1 << MOST_DIGIT_BITS];
  memset(place, 0, sizeof place);
  for (int i = 0; i < count; ++i)
    ++place[from[i] >> shift & mask];
  int32_t before = 0;
  for (uint64_t d = 0; d <= mask; ++d) {
    const int32_t here = place[d];
    place[d] = before;
    before += here;
  }
  for (int i = 0; i < count; ++i)
    to[place[from[i] >> shift & mask]++] = from[i];
}

void rind_sph_sort(uint64_t **entry, uint64_t **other, int count, int bits) {
  const int passes = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
  for (int pass = 0; pass < passes && count > 1; ++pass) {
    const int from = bits * pass / passes, to = bits * (pass + 1) / passes;
    sort_digit(*entry, *other, count, KEY_SHIFT + from, to - from);
    uint64_t *sorted = *other;
    *other = *entry;
    *entry = sorted;
  }
}
