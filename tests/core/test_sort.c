/* test_sort.c - sorting by place gives what sorting by place and value gives. */
#include <check.h>
#include <core.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 300, CASES = 200 };

/* Twelve bytes, so that items do not end where larger ones would. */
typedef struct item {
  int32_t place, value, name;
} item;

static int compare_values(const void *left, const void *right) {
  const item *a = left, *b = right;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->name < b->name ? -1 : a->name > b->name;
}

static int compare_all(const void *left, const void *right) {
  const item *a = left, *b = right;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  return compare_values(left, right);
}

static void check_case(int number) {
  item sorted[MOST], expected[MOST];
  int32_t place[MOST];
  const int count = rand() % MOST, num_places = 1 + rand() % (number % 2 ? 5 : 2 * MOST);
  for (int i = 0; i < count; ++i) {
    expected[i] = (item){rand() % num_places, rand() % 10, i};
    place[i] = expected[i].place;
  }
  memcpy(sorted, expected, sizeof sorted);
  if (count > 0) qsort(expected, (size_t)count, sizeof *expected, compare_all);
  CHECK(rind_sort_by_place(sorted, count, sizeof *sorted, place, num_places, compare_values),
        "case %d: no memory", number);
  CHECK(memcmp(sorted, expected, (size_t)count * sizeof *sorted) == 0,
        "case %d: %d items at %d places are in another order", number, count, num_places);
  /* By name is the order in which they are given. */
  for (int i = 0; i < count; ++i)
    sorted[i] = (item){place[i], 0, i};
  memcpy(expected, sorted, sizeof sorted);
  if (count > 0) qsort(expected, (size_t)count, sizeof *expected, compare_all);
  CHECK(rind_sort_by_place(sorted, count, sizeof *sorted, place, num_places, NULL) &&
            memcmp(sorted, expected, (size_t)count * sizeof *sorted) == 0,
        "case %d: %d items do not stay in order", number, count);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  srand(5);
  for (int number = 0; number < CASES; ++number)
    check_case(number);
  return check_end();
}
