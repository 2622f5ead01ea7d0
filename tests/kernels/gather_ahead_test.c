/* gather_ahead_test.c - blocks are asked for in the order in which fills touch them, and runs end
 * where to look again. */
#include <check.h>
#include <gather.h>
#include <gather_ahead.h>
#include <random_rows.h>
#include <rind/error.h>

#include <string.h>

enum { BLOCKS = 12, MOST_FILLS = 200, NUM_CASES = 2000 };

static rind_gather_row row[2]; /* the second has a list */
static rind_gather_cells cells;
static rind_gather_fill fill[MOST_FILLS];
static uint8_t pair[MOST_FILLS];
static bool begins[MOST_FILLS]; /* what runs together */
static rind_gather_touch touch[2 * MOST_FILLS];
static int32_t place[BLOCKS];
static double block[BLOCKS];
static void *const base[BLOCKS] = {&block[0], &block[1], &block[2],  &block[3],
                                   &block[4], &block[5], &block[6],  &block[7],
                                   &block[8], &block[9], &block[10], &block[11]};

/* Groups of one, two, four, or as many fills as a list has, each between any blocks. */
static rind_gather make_gather(void) {
  static const rind_gather_pair ways[] = {RIND_GATHER_ALONE, RIND_GATHER_BOTH,  RIND_GATHER_RUNS,
                                          RIND_GATHER_TAKEN, RIND_GATHER_CELLS, RIND_GATHER_FOUR};
  int count = 0;
  const int groups = random_int(40);
  cells.num_rows = 1 + random_int(5);
  row[1].cells = &cells;
  for (int g = 0; g < groups; ++g) {
    const rind_gather_pair how = ways[random_int(6)];
    const int length = how == RIND_GATHER_ALONE   ? 1
                       : how == RIND_GATHER_CELLS ? cells.num_rows
                       : how == RIND_GATHER_FOUR  ? 4
                                                  : 2;
    for (int i = 0; i < length; ++i, ++count) {
      fill[count] =
          (rind_gather_fill){how == RIND_GATHER_CELLS, random_int(BLOCKS), random_int(BLOCKS)};
      pair[count] = i == 0 ? (uint8_t)how : RIND_GATHER_ALONE;
      begins[count] = i == 0;
    }
  }
  return (rind_gather){RIND_FLOAT64, RIND_FLOAT64, row, fill, count, pair, NULL};
}

/* The touches found one by one. Returns how many agree, or -1. */
static int check_touches(const rind_gather *gather, int again, int count) {
  int last[BLOCKS], listed = 0;
  for (int b = 0; b < BLOCKS; ++b)
    last[b] = -1;
  for (int f = 0, first = 0; f < gather->num_fills; ++f) {
    if (begins[f]) first = f;
    const int touched[2] = {fill[f].to, fill[f].source};
    for (int b = 0; b < 2; ++b) {
      if (last[touched[b]] < 0 || (again > 0 && listed - last[touched[b]] > again)) {
        if (listed == count || touch[listed].fill != first || touch[listed].block != touched[b])
          return -1;
        ++listed;
      }
      last[touched[b]] = listed;
    }
  }
  return listed;
}

/* From fill first on: each stop is the next touch, and none goes beyond last. */
static void check_run(const rind_gather *gather, int first, int last, int number) {
  const rind_gather_ahead *ahead = gather->ahead;
  gather_looking looking = {0};
  for (int f = first, end; f < last; f = end) {
    int wanted = last;
    for (int t = ahead->num_touches - 1; t >= 0; --t)
      if (ahead->touch[t].fill > f && ahead->touch[t].fill < last) wanted = ahead->touch[t].fill;
    end = rind_gather_look_ahead(gather, f, last, &looking, base);
    CHECK(end == wanted, "case %d: from %d of [%d, %d) to %d, not %d", number, f, first, last, end,
          wanted);
    CHECK(looking.asked >= looking.next && looking.asked <= ahead->num_touches,
          "case %d: asked for %d of %d blocks, at %d", number, looking.asked, ahead->num_touches,
          looking.next);
    if (end <= f) return;
  }
}

/* Batch by batch: before each, what the next one touches. */
static void check_batches(const rind_gather *gather, int number) {
  const rind_gather_ahead *ahead = gather->ahead;
  gather_looking looking = {0};
  for (int f = random_int(gather->num_fills + 1), most = 0; f < gather->num_fills;) {
    const int end = f + random_int(gather->num_fills - f + 1);
    int before = 0, behind = 0;
    for (int t = 0; t < ahead->num_touches; ++t) {
      before += ahead->touch[t].fill < end;
      behind += ahead->touch[t].fill <= f;
    }
    rind_gather_ask_until(gather, f, end, &looking, base);
    if (most == 0) most = behind;
    if (before > most) most = before;
    CHECK(looking.asked == most, "case %d: from %d to %d asked for %d blocks, not %d", number, f,
          end, looking.asked, most);
    f = end > f ? end : f + 1;
  }
}

static void check_case(int number) {
  static const ptrdiff_t line[2] = {0, 0};
  rind_gather gather = make_gather();
  const int again = random_int(6);
  const int count = rind_gather_list_touches(&gather, again, BLOCKS, place, NULL);
  memset(touch, -1, sizeof touch);
  const int written = rind_gather_list_touches(&gather, again, BLOCKS, place, touch);
  CHECK(count == written && check_touches(&gather, again, count) == count,
        "case %d, again after %d: %d and %d touches, of which %d are right", number, again, count,
        written, check_touches(&gather, again, count));
  gather_looking looking = {0};
  CHECK(rind_gather_look_ahead(&gather, 0, gather.num_fills, &looking, base) == gather.num_fills,
        "case %d: looks where nothing is asked for", number);
  for (int near = 0; near < 2; ++near) {
    const rind_gather_ahead ahead = {
        .near = near, .num_lines = 2, .num_touches = count, .line = line, .touch = touch};
    gather.ahead = &ahead;
    check_run(&gather, 0, gather.num_fills, number);
    const int first = random_int(gather.num_fills + 1);
    check_run(&gather, first, first + random_int(gather.num_fills - first + 1), number);
    check_batches(&gather, number);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < NUM_CASES; ++number)
    check_case(number);
  return check_end();
}
