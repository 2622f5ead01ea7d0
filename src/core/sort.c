/* sort.c - sorts what is nearly sorted by a number: by places first, which takes linear time. */
#include <core.h>

#include <stdlib.h>
#include <string.h>

/* first [num_places + 1]: where the items of each place begin. */
static void count_places(const int32_t *place, int count, int num_places, int *first) {
  for (int i = 0; i < count; ++i)
    ++first[place[i] + 1];
  for (int p = 0; p < num_places; ++p)
    first[p + 1] += first[p];
}

bool rind_sort_by_place(void *items, int count, size_t bytes, const int32_t *place, int num_places,
                        rind_compare *compare) {
  int *first = rind_allocate((size_t)num_places + 1, sizeof *first);
  char *sorted = rind_allocate((size_t)count, bytes), *item = items;
  const bool have = first && sorted;
  if (have) {
    count_places(place, count, num_places, first);
    for (int i = 0; i < count; ++i)
      memcpy(sorted + (size_t)first[place[i]]++ * bytes, item + (size_t)i * bytes, bytes);
    memcpy(items, sorted, (size_t)count * bytes);
    /* Now first[p] is where place p ends. */
    for (int p = 0, begin = 0; compare && p < num_places; begin = first[p++])
      if (first[p] - begin > 1)
        qsort(item + (size_t)begin * bytes, (size_t)(first[p] - begin), bytes, compare);
  }
  free(first);
  free(sorted);
  return have;
}
