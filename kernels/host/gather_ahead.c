/* gather_ahead.c - asks for the lines of blocks before fills touch them. */
#include <gather_ahead.h>
#include <gather_inline.h>

/* Lines that processors take at once: more of them do not all come, unless they are asked for more
 * slowly (docs/adr/0015-lines-ahead.md). */
enum { AT_ONCE = 64 };

/* How many touches behind the fill that runs are asked for, at once or in steps. */
enum { AHEAD = 2, AHEAD_IN_STEPS = 4 };

GATHER_INLINE void ask_lines(bool near, const rind_gather_line *line, int count,
                             const char *block) {
  if (near)
    for (int l = 0; l < count; ++l)
      GATHER_ASK_NEAR(block + line[l].at);
  else
    for (int l = 0; l < count; ++l)
      GATHER_ASK(block + line[l].at);
}

/* Lines of longer lists wait for the load of where the next one stands. */
GATHER_INLINE void ask(const rind_gather_ahead *ahead, const rind_gather_touch *touch,
                       void *const *base) {
  const char *block = base[touch->block];
  const rind_gather_line_list *list = touch->list;
  if (ahead->near || list->num_lines <= AT_ONCE)
    ask_lines(ahead->near, list->line, list->num_lines, block);
  else
    for (const rind_gather_line *line = list->line; line; line = line->next)
      GATHER_ASK(block + line->at);
}

/* The first touch behind fill f. */
static int touch_behind(const rind_gather_ahead *ahead, int f) {
  int low = 0, high = ahead->num_touches;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (ahead->touch[middle].fill <= f)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int rind_gather_look_ahead(const rind_gather *gather, int f, int last, rind_gather_looking *looking,
                           void *const *base) {
  const rind_gather_ahead *ahead = gather->ahead;
  if (!ahead) return last;
  if (!looking->began)
    *looking =
        (rind_gather_looking){.began = true, .steps = ahead->near, .next = touch_behind(ahead, f)};
  int next = looking->next;
  while (next < ahead->num_touches && ahead->touch[next].fill <= f)
    ++next;
  looking->next = next;
  int asked = looking->asked;
  if (asked < next) {
    asked = next;
    looking->line = 0;
  }
  const rind_gather_touch *touch = ahead->touch;
  while (!looking->steps && asked < ahead->num_touches && touch[asked].fill < last &&
         (asked < next + AHEAD || touch[asked].fill == touch[asked - 1].fill))
    ask(ahead, &touch[asked++], base);
  looking->asked = asked;
  return next < ahead->num_touches && touch[next].fill < last ? touch[next].fill : last;
}

void rind_gather_ask_step(const rind_gather *gather, int last, rind_gather_looking *looking,
                          void *const *base) {
  const rind_gather_ahead *ahead = gather->ahead;
  const int behind = looking->next + AHEAD_IN_STEPS;
  const int end = behind < ahead->num_touches ? behind : ahead->num_touches;
  int left = ahead->lines_a_step;
  while (left > 0 && looking->asked < end && ahead->touch[looking->asked].fill < last) {
    const rind_gather_touch *touch = &ahead->touch[looking->asked];
    const rind_gather_line_list *list = touch->list;
    const int rest = list->num_lines - looking->line, count = left < rest ? left : rest;
    ask_lines(ahead->near, &list->line[looking->line], count, base[touch->block]);
    left -= count;
    looking->line += count;
    if (looking->line < list->num_lines) return;
    ++looking->asked;
    looking->line = 0;
  }
}

void rind_gather_ask_until(const rind_gather *gather, int f, int end, rind_gather_looking *looking,
                           void *const *base) {
  const rind_gather_ahead *ahead = gather->ahead;
  if (!ahead) return;
  if (!looking->began)
    *looking = (rind_gather_looking){.began = true, .asked = touch_behind(ahead, f)};
  for (; looking->asked < ahead->num_touches && ahead->touch[looking->asked].fill < end;
       ++looking->asked)
    ask(ahead, &ahead->touch[looking->asked], base);
}
