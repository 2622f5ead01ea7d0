/* gather_ahead_test.c - blocks are asked for in the order in which fills touch them, each once and
 * before it is touched, and runs end where to look again. The very functions that the library runs,
 * but for what asks. */
#define rind_gather_list_touches counted_list_touches
#define rind_gather_look_ahead counted_look_ahead
#define rind_gather_ask_until counted_ask_until
#include <check.h>
#include <gather.h>
#include <gather_ahead.h>
#include <random_rows.h>
#include <rind/error.h>

#include <gather_inline.h>
#include <string.h>

static void note(const char *address, bool near);
#undef GATHER_ASK_NEAR
#undef GATHER_ASK
#define GATHER_ASK_NEAR(address) note(address, true)
#define GATHER_ASK(address) note(address, false)
#include <gather_ahead.c>

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

static int asked[4 * MOST_FILLS], num_asked, num_near; /* blocks, in order, once a line */

static void note(const char *address, bool near) {
  num_near += near;
  asked[num_asked++] = (int)((const double *)(const void *)address - block);
}

/* True if the first lines that were asked for are those of count touches from the first on. */
static bool asked_for(const rind_gather_ahead *ahead, int first, int count) {
  if (num_asked != count * ahead->num_lines || num_near != (ahead->near ? num_asked : 0))
    return false;
  for (int a = 0; a < num_asked; ++a)
    if (asked[a] != ahead->touch[first + a / ahead->num_lines].block) return false;
  return true;
}

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
  rind_gather_looking looking = {0};
  int begin = 0;
  while (begin < ahead->num_touches && ahead->touch[begin].fill <= first)
    ++begin;
  num_asked = num_near = 0;
  for (int f = first, end; f < last; f = end) {
    int due = 0, inside = 0, wanted = last;
    for (int t = ahead->num_touches - 1; t >= 0; --t)
      if (ahead->touch[t].fill > f && ahead->touch[t].fill < last) wanted = ahead->touch[t].fill;
    end = rind_gather_look_ahead(gather, f, last, &looking, base);
    CHECK(end == wanted, "case %d: from %d of [%d, %d) to %d, not %d", number, f, first, last, end,
          wanted);
    for (int t = begin; t < ahead->num_touches; ++t) {
      inside += ahead->touch[t].fill < last;
      due += ahead->touch[t].fill <= f;
    }
    /* Two more than are due, and what is touched together with the last of them. */
    int ahead_of = due + 2 < inside ? due + 2 : inside;
    while (ahead_of > due && ahead_of < inside &&
           ahead->touch[begin + ahead_of].fill == ahead->touch[begin + ahead_of - 1].fill)
      ++ahead_of;
    CHECK(asked_for(ahead, begin, ahead_of),
          "case %d: at %d of [%d, %d) asked for %d lines, not %d", number, f, first, last,
          num_asked, ahead_of * ahead->num_lines);
    if (end <= f) return;
  }
}

/* Batch by batch: before each, what the next one touches. */
static void check_batches(const rind_gather *gather, int number) {
  const rind_gather_ahead *ahead = gather->ahead;
  rind_gather_looking looking = {0};
  num_asked = num_near = 0;
  for (int f = random_int(gather->num_fills + 1), most = 0, begin = -1; f < gather->num_fills;) {
    const int end = f + random_int(gather->num_fills - f + 1);
    int before = 0, behind = 0;
    for (int t = 0; t < ahead->num_touches; ++t) {
      before += ahead->touch[t].fill < end;
      behind += ahead->touch[t].fill <= f;
    }
    rind_gather_ask_until(gather, f, end, &looking, base);
    if (begin < 0) begin = most = behind;
    if (before > most) most = before;
    CHECK(asked_for(ahead, begin, most - begin),
          "case %d: from %d to %d asked for %d lines, not %d", number, f, end, num_asked,
          (most - begin) * ahead->num_lines);
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
  rind_gather_looking looking = {0};
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
