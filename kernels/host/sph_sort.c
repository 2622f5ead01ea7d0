/* sph_sort.c - sorts keys by their digits, from the lowest to the highest. */
#include <sph_list.h>

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One pass; true if it moved anything. */
static bool sort_digit(const rind_sph_key *from, rind_sph_key *to, int count, int shift) {
  int32_t place[DIGITS];
  memset(place, 0, sizeof place);
  for (int i = 0; i < count; ++i)
    ++place[from[i].key >> shift & (DIGITS - 1)];
  int32_t before = 0;
  for (int d = 0; d < DIGITS; ++d) {
    const int32_t here = place[d];
    if (here == count) return false;
    place[d] = before;
    before += here;
  }
  for (int i = 0; i < count; ++i)
    to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
  return true;
}

void rind_sph_sort(rind_sph_key *key, rind_sph_key *other, int count, int bits) {
  rind_sph_key *from = key, *to = other;
  for (int shift = 0; shift < bits && count > 1; shift += DIGIT_BITS)
    if (sort_digit(from, to, count, shift)) {
      rind_sph_key *swapped = from;
      from = to;
      to = swapped;
    }
  if (from != key) memcpy(key, from, (size_t)count * sizeof *key);
}
