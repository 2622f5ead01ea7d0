/* gather_ahead.c - which blocks fills touch first, and their lines, asked for one block ahead. */
#include <gather_ahead.h>
#include <gather_inline.h>

/* How many fills from f on run together. */
static int count_together(const rind_gather *gather, int f) {
  switch (gather->pair ? gather->pair[f] : RIND_GATHER_ALONE) {
  case RIND_GATHER_ALONE:
    return 1;
  case RIND_GATHER_CELLS:
    return gather->row[gather->fill[f].row].cells->num_rows;
  case RIND_GATHER_FOUR:
    return RIND_GATHER_BLOCKS;
  default:
    return 2;
  }
}

int rind_gather_list_touches(const rind_gather *gather, int again, int num_blocks, int32_t *place,
                             rind_gather_touch *touch) {
  int32_t count = 0;
  for (int block = 0; block < num_blocks; ++block)
    place[block] = -1;
  for (int f = 0, end; f < gather->num_fills; f = end) {
    end = f + count_together(gather, f);
    for (int g = f; g < end; ++g) {
      const int32_t block[2] = {gather->fill[g].to, gather->fill[g].source};
      for (int b = 0; b < 2; ++b) {
        int32_t *at = &place[block[b]];
        if (*at < 0 || (again > 0 && count - *at > again)) {
          if (touch) touch[count] = (rind_gather_touch){f, block[b]};
          ++count;
        }
        *at = count;
      }
    }
  }
  return count;
}

/* Inlined, as GCC leaves out calls of functions that do nothing else. */
GATHER_INLINE void ask(const rind_gather_ahead *ahead, const char *base) {
  for (int l = 0; ahead->near && l < ahead->num_lines; ++l)
    GATHER_ASK_NEAR(base + ahead->line[l]);
  for (int l = 0; !ahead->near && l < ahead->num_lines; ++l)
    GATHER_ASK(base + ahead->line[l]);
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
    ask(ahead, base[touch[asked++].block]);
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
    ask(ahead, base[ahead->touch[looking->asked].block]);
}
