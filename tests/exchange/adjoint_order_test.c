/* adjoint_order_test.c - links that run by four: what reaches a block, and its zeros, stay in
 * order. */
#include <adjoint_order.h>
#include <check.h>

#include <string.h>

enum { MOST = 300, SETS = 6, BLOCKS = 40, CASES = 300 };
enum { NUM_WIDE = 3 }; /* sets 0, 1 and 2 */

static unsigned long long state = 7;

static int random_int(int bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (unsigned)bound);
}

static bool is_zero(const rind_contribution *item) {
  return !item->shipped && item->source < 0;
}

/* Links in any order, some there and back, some of boxes; zeros behind all that reads the block's
 * ghosts. number tells where an item was. */
static int make_items(rind_contribution *item, int links, int blocks) {
  int count = 0;
  for (int i = 0; i < links; ++i) {
    rind_contribution *made = &item[count++];
    *made = (rind_contribution){.block = random_int(blocks),
                                .source = random_int(blocks),
                                .set = random_int(3) ? random_int(NUM_WIDE) : random_int(SETS),
                                .shipped = random_int(10) == 0};
    if (random_int(5) == 0) made->source = made->block;
    if (made->set < NUM_WIDE || made->shipped || !random_int(3)) continue;
    item[count++] =
        (rind_contribution){.block = made->source, .source = made->block, .set = SETS - 1};
  }
  for (int b = 0; b < blocks; ++b) {
    int last = -1;
    for (int i = 0; i < count; ++i)
      if (!item[i].shipped && item[i].source == b) last = i;
    if (last < 0) continue;
    memmove(item + last + 2, item + last + 1, (size_t)(count - last - 1) * sizeof *item);
    item[last + 1] = (rind_contribution){.block = b, .source = -1, .set = SETS - 1};
    ++count;
  }
  for (int i = 0; i < count; ++i)
    item[i].number = i;
  return count;
}

static bool goes_back(const rind_contribution *there, const rind_contribution *back) {
  return there->set >= NUM_WIDE && back->set >= NUM_WIDE && !there->shipped && !back->shipped &&
         there->source == back->block && back->source == there->block &&
         there->block != there->source;
}

/* place[i]: where item i is now. */
static void check_order(const rind_contribution *old, const int *place, int count, int number) {
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      const bool same = !is_zero(&old[i]) && !is_zero(&old[j]) && old[i].block == old[j].block;
      const bool cleared = is_zero(&old[j]) && !old[i].shipped && old[i].source == old[j].block;
      if (same) CHECK(place[i] < place[j], "case %d: links %d and %d", number, i, j);
      if (cleared) CHECK(place[i] < place[j], "case %d: link %d and zeros %d", number, i, j);
    }
}

static bool clears_own(const rind_contribution *own, const rind_contribution *zeros) {
  return is_zero(zeros) && zeros->block == own->block && own->set >= NUM_WIDE && !own->shipped &&
         own->source == own->block;
}

/* Links there and back that followed each other, the first two of several, and a block's own with
 * its zeros. */
static void check_pairs(const rind_contribution *old, const int *place, int count, int number) {
  for (int i = 0; i + 1 < count; ++i)
    if (goes_back(&old[i], &old[i + 1]) || clears_own(&old[i], &old[i + 1])) {
      CHECK(place[i + 1] == place[i] + 1, "case %d: links %d and %d are apart", number, i, i + 1);
      ++i;
    }
}

static bool is_four(const rind_contribution *item) {
  for (int i = 1; i < 4; ++i) {
    if (item[i].set != item[0].set || is_zero(&item[i])) return false;
    for (int j = 0; j < i; ++j)
      if (item[i].block == item[j].block) return false;
  }
  return item[0].set < NUM_WIDE;
}

static int count_fours(const rind_contribution *item, int count) {
  int fours = 0;
  for (int i = 0; i + 4 <= count;) {
    const bool four = is_four(&item[i]);
    fours += four;
    i += four ? 4 : 1;
  }
  return fours;
}

static void check_case(int number, long *fours, long *fours_before) {
  static const bool wide[SETS] = {true, true, true};
  static rind_contribution old[3 * MOST], item[3 * MOST];
  static int place[3 * MOST];
  const int blocks = 1 + random_int(BLOCKS), count = make_items(old, random_int(MOST), blocks);
  memcpy(item, old, (size_t)count * sizeof *old);
  CHECK(rind_adjoint_find_fours(item, count, true, wide, SETS, blocks), "case %d: no memory",
        number);
  memset(place, 0xff, sizeof place);
  for (int i = 0; i < count; ++i)
    place[item[i].number] = i;
  for (int i = 0; i < count; ++i)
    CHECK(place[i] >= 0, "case %d: item %d of %d is gone", number, i, count);
  check_order(old, place, count, number);
  check_pairs(old, place, count, number);
  *fours_before += count_fours(old, count);
  *fours += count_fours(item, count);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  long fours = 0, before = 0;
  for (int number = 0; number < CASES; ++number)
    check_case(number, &fours, &before);
  CHECK(fours > 10 * before && fours > 10 * CASES, "%ld fours, %ld before", fours, before);
  return check_end();
}
