/* gather_ahead_test.c - blocks are asked for in the order in which fills touch them, each once and
 * before it is touched, at once or in steps, and runs end where to look again; their lines are
 * those that fills touch. The very functions that the library runs, but for what asks. */
#define rind_gather_list_touches counted_list_touches
#define rind_gather_visit_row counted_visit_row
#define rind_gather_look_ahead counted_look_ahead
#define rind_gather_ask_until counted_ask_until
#define rind_gather_ask_step counted_ask_step
#define rind_gather_count_steps counted_count_steps
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
#include <gather_touches.c>

enum { BLOCKS = 12, MOST_FILLS = 200, NUM_CASES = 2000, NUM_LISTS = 4, MOST_LINES = 70 };
enum { BLOCK_BYTES = 100, ROWS = 2, WORDS = 2 };

static rind_gather_row row[ROWS]; /* the second has a list */
static rind_gather_cells cells;
static rind_gather_fill fill[MOST_FILLS];
static uint8_t pair[MOST_FILLS];
static bool begins[MOST_FILLS]; /* what runs together */
static rind_gather_touch touch[2 * MOST_FILLS];
static rind_gather_place place[BLOCKS];
static uint64_t of_row[2 * ROWS * WORDS], of_touch[2 * MOST_FILLS * WORDS];
static char memory[BLOCKS * BLOCK_BYTES];
static void *base[BLOCKS];

/* Lists of lines: none, one, as many as are asked for at once, more. They are linked backwards
 * behind the first, which shows what is asked for by links. */
static const int num_lines[NUM_LISTS] = {0, 1, 64, MOST_LINES};
static rind_gather_line line[NUM_LISTS][MOST_LINES];
static rind_gather_line_list list[NUM_LISTS];

static int asked[2 * MOST_FILLS * MOST_LINES], num_asked, num_near; /* where, in order */

static void note(const char *address, bool near) {
  num_near += near;
  asked[num_asked++] = (int)(address - memory);
}

static void make_lists(void) {
  for (int b = 0; b < BLOCKS; ++b)
    base[b] = memory + b * BLOCK_BYTES;
  for (int i = 0; i < NUM_LISTS; ++i) {
    list[i] = (rind_gather_line_list){num_lines[i], num_lines[i] > 0 ? line[i] : NULL};
    for (int l = 0; l < num_lines[i]; ++l)
      line[i][l] = (rind_gather_line){(l * 7 + i) % BLOCK_BYTES, l > 1 ? &line[i][l - 1] : NULL};
    if (num_lines[i] > 1) line[i][0].next = &line[i][num_lines[i] - 1];
  }
}

/* How many lines of count touches from the first on. */
static int count_lines(const rind_gather_ahead *ahead, int first, int count) {
  int sum = 0;
  for (int t = first; t < first + count; ++t)
    sum += ahead->touch[t].list->num_lines;
  return sum;
}

/* True if the lines that were asked for are those of count touches from the first on. */
static bool asked_for(const rind_gather_ahead *ahead, int first, int count) {
  int a = 0;
  if (num_asked != count_lines(ahead, first, count) || num_near != (ahead->near ? num_asked : 0))
    return false;
  for (int t = first; t < first + count; ++t) {
    const rind_gather_line_list *of = ahead->touch[t].list;
    for (int l = 0; l < of->num_lines; ++l) {
      const bool by_links = !ahead->near && of->num_lines > 64 && l > 0;
      const ptrdiff_t at = of->line[by_links ? of->num_lines - l : l].at;
      if (asked[a++] != ahead->touch[t].block * BLOCK_BYTES + at) return false;
    }
  }
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

/* The touches found one by one, and the lines of each. Returns how many agree, or -1. */
static int check_touches(const rind_gather *gather, int again, int count) {
  static uint64_t lines[2 * MOST_FILLS * WORDS];
  int last[BLOCKS], newest[BLOCKS], listed = 0;
  memset(lines, 0, sizeof lines);
  for (int b = 0; b < BLOCKS; ++b)
    last[b] = -1;
  for (int f = 0, first = 0; f < gather->num_fills; ++f) {
    if (begins[f]) first = f;
    const int touched[2] = {fill[f].to, fill[f].source};
    for (int b = 0; b < 2; ++b) {
      if (last[touched[b]] < 0 || (again > 0 && listed - last[touched[b]] > again)) {
        if (listed == count || touch[listed].fill != first || touch[listed].block != touched[b])
          return -1;
        newest[touched[b]] = listed++;
      }
      last[touched[b]] = listed;
      for (int w = 0; w < WORDS; ++w)
        lines[newest[touched[b]] * WORDS + w] |= of_row[(2 * fill[f].row + b) * WORDS + w];
    }
  }
  const size_t bytes = (size_t)listed * WORDS * sizeof *lines;
  return memcmp(lines, of_touch, bytes) == 0 ? listed : -1;
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
          num_asked, count_lines(ahead, begin, ahead_of));
    if (end <= f) return;
  }
}

/* In steps: as many lines before each, of four touches behind those that are due, one list after
 * the other from the first that was not due; none of what is touched by then. */
static void check_steps(const rind_gather *gather, int first, int last, int number) {
  static int wanted[2 * MOST_FILLS * MOST_LINES], all[2 * MOST_FILLS * MOST_LINES];
  const rind_gather_ahead *ahead = gather->ahead;
  rind_gather_looking looking = {0};
  int num_wanted = 0, at = 0, num_all = 0, inside = 0;
  for (int t = 0; t < ahead->num_touches; ++t) {
    inside += ahead->touch[t].fill < last;
    for (int l = 0; l < ahead->touch[t].list->num_lines; ++l)
      all[num_all++] = ahead->touch[t].block * BLOCK_BYTES + (int)ahead->touch[t].list->line[l].at;
  }
  num_asked = num_near = 0;
  for (int f = first, end = first; f < last; ++f) {
    if (f == end) end = rind_gather_look_ahead(gather, f, last, &looking, base);
    if (f > first && !begins[f]) continue;
    int due = 0;
    while (due < ahead->num_touches && ahead->touch[due].fill <= f)
      ++due;
    const int until = due + 4 < inside ? due + 4 : inside;
    if (at < count_lines(ahead, 0, due)) at = count_lines(ahead, 0, due);
    for (int l = 0; l < ahead->lines_a_step && at < count_lines(ahead, 0, until); ++l)
      wanted[num_wanted++] = all[at++];
    CHECK(looking.steps, "case %d: at %d asks for all lines at once", number, f);
    rind_gather_ask_step(gather, last, &looking, base);
    CHECK(num_asked == num_wanted && num_near == num_asked &&
              memcmp(asked, wanted, (size_t)num_asked * sizeof *asked) == 0,
          "case %d: at %d of [%d, %d) asked for %d lines in steps of %d, not %d", number, f, first,
          last, num_asked, ahead->lines_a_step, num_wanted);
  }
}

static void check_count_of_steps(const rind_gather *gather, int number) {
  int steps = 0;
  for (int f = 0; f < gather->num_fills; ++f)
    steps += begins[f];
  CHECK(rind_gather_count_steps(gather) == steps, "case %d: %d steps, not %d", number,
        rind_gather_count_steps(gather), steps);
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
          count_lines(ahead, begin, most - begin));
    f = end > f ? end : f + 1;
  }
}

static void check_case(int number) {
  rind_gather gather = make_gather();
  const int again = random_int(6);
  const rind_gather_lines lines = {WORDS, of_row, of_touch};
  const int count = rind_gather_list_touches(&gather, again, BLOCKS, place, NULL, NULL);
  memset(touch, -1, sizeof touch);
  memset(of_touch, 0, sizeof of_touch);
  for (int w = 0; w < 2 * ROWS * WORDS; ++w)
    of_row[w] = (uint64_t)1 << random_int(64) | (uint64_t)1 << random_int(64);
  const int written = rind_gather_list_touches(&gather, again, BLOCKS, place, touch, &lines);
  CHECK(count == written && check_touches(&gather, again, count) == count,
        "case %d, again after %d: %d and %d touches, of which %d are right", number, again, count,
        written, check_touches(&gather, again, count));
  for (int t = 0; t < count; ++t)
    touch[t].list = &list[random_int(NUM_LISTS)];
  rind_gather_looking looking = {0};
  CHECK(rind_gather_look_ahead(&gather, 0, gather.num_fills, &looking, base) == gather.num_fills,
        "case %d: looks where nothing is asked for", number);
  check_count_of_steps(&gather, number);
  for (int near = 0; near < 2; ++near) {
    const rind_gather_ahead ahead = {.near = near,
                                     .lines_a_step = 1 + random_int(2 * MOST_LINES),
                                     .num_lists = NUM_LISTS,
                                     .num_touches = count,
                                     .list = list,
                                     .touch = touch};
    void (*const check)(const rind_gather *, int, int, int) = near ? check_steps : check_run;
    gather.ahead = &ahead;
    check(&gather, 0, gather.num_fills, number);
    const int first = random_int(gather.num_fills + 1);
    check(&gather, first, first + random_int(gather.num_fills - first + 1), number);
    check_batches(&gather, number);
  }
}

/* What a row of a box, or packed points, visits. */
enum { MOST_VISITED = 200 };
typedef struct visited {
  ptrdiff_t offset[2][MOST_VISITED]; /* of the destination, of the source */
  int count[2];
} visited;

static void note_visit(void *user, bool of_source, ptrdiff_t offset) {
  visited *v = user;
  if (v->count[of_source] < MOST_VISITED) v->offset[of_source][v->count[of_source]++] = offset;
}

static bool has_visited(const visited *v, bool of_source, ptrdiff_t offset) {
  for (int i = 0; i < v->count[of_source]; ++i)
    if (v->offset[of_source][i] == offset) return true;
  return false;
}

/* True if all visits are of the count offsets, and each is visited. */
static bool visits(const visited *v, bool of_source, const ptrdiff_t *offset, int count) {
  for (int i = 0; i < count; ++i)
    if (!has_visited(v, of_source, offset[i])) return false;
  for (int i = 0; i < v->count[of_source]; ++i) {
    int found = 0;
    while (found < count && offset[found] != v->offset[of_source][i])
      ++found;
    if (found == count) return false;
  }
  return v->count[of_source] < MOST_VISITED;
}

/* Two cells with two lanes: an own term first, one of the source, and an own term last. */
static void check_visits(void) {
  static const ptrdiff_t offset[3] = {3, 11, 6};
  static const ptrdiff_t own[] = {0, 100, 40, 140, 53, 73, 56, 76}, source[] = {11, 13};
  const rind_gather_row box = {.num_lanes = 2,
                               .num_terms = 3,
                               .num_own_first = 1,
                               .num_own_last = 1,
                               .extent = {1, 2, 1, 1},
                               .to_stride = {7, 40, 7, 7},
                               .own_stride = {7, 20, 7, 7},
                               .source_stride = {7, 2, 7, 7},
                               .to_offset = {0, 100},
                               .own_offset = {50, 50},
                               .offset = offset};
  static const rind_gather_point point[2] = {{{4, 5}, 1}, {{9, 9}, 2}};
  static const rind_gather_point_term term[3] = {{-3, 0}, {8, 0}, {12, 0}};
  static const ptrdiff_t cell[] = {4, 5, 9, 54, 55, 59}, ghost[] = {-3, 8, 12, 17, 28, 32};
  const rind_gather_points points = {.num_points = 2, .point = point, .term = term};
  const rind_gather_row packed = {.num_terms = 4,
                                  .extent = {2, 1, 1, 1},
                                  .to_stride = {50},
                                  .source_stride = {20},
                                  .points = &points};
  visited v = {.count = {0}};
  rind_gather_visit_row(&box, note_visit, &v);
  CHECK(visits(&v, false, own, 8) && visits(&v, true, source, 2), "other cells of a box");
  v = (visited){.count = {0}};
  rind_gather_visit_row(&packed, note_visit, &v);
  CHECK(visits(&v, false, cell, 6) && visits(&v, true, ghost, 6), "other cells of points");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  make_lists();
  check_visits();
  for (int number = 0; number < NUM_CASES; ++number)
    check_case(number);
  return check_end();
}
