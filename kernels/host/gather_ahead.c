/* gather_ahead.c - asks for the lines of blocks before fills touch them. */
#include <gather_ahead.h>
#include <gather_inline.h>

/* Lines that processors take at once: more of them do not all come, unless they are asked for more
 * slowly (docs/adr/0015-lines-ahead.md). */
enum { AT_ONCE = 64 };

/* Lines of longer lists wait for the load of where the next one stands. */
GATHER_INLINE void ask(const rind_gather_ahead *ahead, const rind_gather_touch *touch,
                       void *const *base) {
  const char *block = base[touch->block];
  const rind_gather_line_list *list = touch->list;
  const rind_gather_line *line = list->line;
  if (ahead->near)
    for (int l = 0; l < list->num_lines; ++l)
      GATHER_ASK_NEAR(block + line[l].at);
  else if (list->num_lines <= AT_ONCE)
    for (int l = 0; l < list->num_lines; ++l)
      GATHER_ASK(block + line[l].at);
  else
    for (; line; line = line->next)
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
  enum { BLOCKS = 2 };
  const rind_gather_ahead *ahead = gather->ahead;
  if (!ahead) return last;
  if (!looking->began)
    *looking = (rind_gather_looking){.began = true, .next = touch_behind(ahead, f)};
  int next = looking->next;
  while (next < ahead->num_touches && ahead->touch[next].fill <= f)
    ++next;
  looking->next = next;
  int asked = looking->asked > next ? looking->asked : next;
  const rind_gather_touch *touch = ahead->touch;
  while (asked < ahead->num_touches && touch[asked].fill < last &&
         (asked < next + BLOCKS || touch[asked].fill == touch[asked - 1].fill))
    ask(ahead, &touch[asked++], base);
  looking->asked = asked;
  return next < ahead->num_touches && touch[next].fill < last ? touch[next].fill : last;
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
