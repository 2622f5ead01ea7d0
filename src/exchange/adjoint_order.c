/* adjoint_order.c - links wait until three more with the same rows have come. */
#include <adjoint_order.h>

#include <core.h>
#include <stdlib.h>
#include <string.h>

enum { FOUR = RIND_GATHER_BLOCKS, MAX_WAITING = 64 };

/* One link, or two that stay together: between the same blocks, there and back, or a block's own
 * and the zeros of its ghosts. */
typedef struct waiting_link {
  rind_contribution item[2];
  int turn[2]; /* among all that reaches the block */
  int count;
} waiting_link;

typedef struct waiting_room {
  const bool *wide;
  int *arrived; /* [blocks], items for a block that have come */
  int *done;    /* [blocks], how many of them are in their place */
  int *readers; /* [blocks], items that wait and read the block's ghosts */
  int *of_set;  /* [sets], wide links that wait */
  rind_contribution *placed;
  int num_placed;
  int num_waiting;
  waiting_link waiting[MAX_WAITING + 1]; /* as they came */
} waiting_room;

static bool makes_zeros(const rind_contribution *item) {
  return !item->shipped && item->source < 0;
}

static bool is_wide(const waiting_room *room, const rind_contribution *item) {
  return !makes_zeros(item) && room->wide[item->set];
}

static bool is_wide_link(const waiting_room *room, const waiting_link *link) {
  return is_wide(room, &link->item[0]);
}

static bool ends_with_zeros(const waiting_link *link) {
  return makes_zeros(&link->item[link->count - 1]);
}

/* Adds one to, or takes it from, the counts of what waits. */
static void count_waiting(waiting_room *room, const waiting_link *link, int one) {
  if (is_wide_link(room, link)) room->of_set[link->item[0].set] += one;
  if (ends_with_zeros(link)) return;
  for (int i = 0; i < link->count; ++i)
    if (!link->item[i].shipped && link->item[i].source >= 0)
      room->readers[link->item[i].source] += one;
}

/* True if nothing that waits has to come first. */
static bool is_ready(const waiting_room *room, const waiting_link *link) {
  if (ends_with_zeros(link) && room->readers[link->item[0].block] > 0) return false;
  for (int i = 0; i < link->count; ++i)
    if (!makes_zeros(&link->item[i]) && link->turn[i] != room->done[link->item[i].block])
      return false;
  return true;
}

static void place(waiting_room *room, const waiting_link *link) {
  for (int i = 0; i < link->count; ++i) {
    room->placed[room->num_placed++] = link->item[i];
    if (!makes_zeros(&link->item[i])) ++room->done[link->item[i].block];
  }
}

static void place_waiting(waiting_room *room, int w) {
  const waiting_link link = room->waiting[w];
  count_waiting(room, &link, -1);
  --room->num_waiting;
  memmove(&room->waiting[w], &room->waiting[w + 1],
          (size_t)(room->num_waiting - w) * sizeof *room->waiting);
  place(room, &link);
}

/* Places four links of a wide set if as many are ready. */
static bool place_four(waiting_room *room, int32_t set) {
  int found[FOUR], count = 0;
  if (room->of_set[set] < FOUR) return false;
  for (int w = 0; w < room->num_waiting && count < FOUR; ++w) {
    const waiting_link *link = &room->waiting[w];
    if (link->item[0].set == set && is_wide_link(room, link) && is_ready(room, link))
      found[count++] = w;
  }
  for (int i = 0; count == FOUR && i < FOUR; ++i)
    place_waiting(room, found[i] - i);
  return count == FOUR;
}

/* Places what no longer has to wait. */
static void settle(waiting_room *room) {
  for (bool again = true; again;) {
    for (int w = 0; w < room->num_waiting;)
      if (!is_wide_link(room, &room->waiting[w]) && is_ready(room, &room->waiting[w]))
        place_waiting(room, w);
      else
        ++w;
    again = false;
    for (int w = 0; w < room->num_waiting && !again; ++w)
      again = is_wide_link(room, &room->waiting[w]) && is_ready(room, &room->waiting[w]) &&
              place_four(room, room->waiting[w].item[0].set);
  }
}

static void let_in(waiting_room *room, const rind_contribution *item, int count) {
  waiting_link link = {.item = {item[0], item[count - 1]}, .count = count};
  for (int i = 0; i < count; ++i)
    if (!makes_zeros(&item[i])) link.turn[i] = room->arrived[item[i].block]++;
  const bool wide = is_wide_link(room, &link), ready = is_ready(room, &link);
  if (!wide && ready) {
    place(room, &link);
    return;
  }
  count_waiting(room, &link, 1);
  room->waiting[room->num_waiting++] = link;
  if (wide && ready && place_four(room, item->set)) settle(room);
  if (room->num_waiting <= MAX_WAITING) return;
  place_waiting(room, 0);
  settle(room);
}

/* Places all that waits. */
static void empty(waiting_room *room) {
  while (room->num_waiting > 0) {
    place_waiting(room, 0);
    settle(room);
  }
}

static bool go_there_and_back(const waiting_room *room, const rind_contribution *there,
                              const rind_contribution *back) {
  return there->batch == back->batch && !there->shipped && !back->shipped &&
         there->source == back->block && back->source == there->block &&
         there->block != there->source && !is_wide(room, there) && !is_wide(room, back);
}

/* A block's own link and the zeros behind it, which read and write the same ghosts. */
static bool make_own_zeros(const waiting_room *room, const rind_contribution *own,
                           const rind_contribution *zeros) {
  return makes_zeros(zeros) && zeros->block == own->block && !own->shipped &&
         own->source == own->block && !is_wide(room, own);
}

bool rind_adjoint_find_fours(rind_contribution *item, int num_items, bool in_pairs,
                             const bool *wide, int num_sets, int num_blocks) {
  const size_t blocks = (size_t)num_blocks, sets = (size_t)num_sets;
  waiting_room *room = rind_allocate(1, sizeof *room);
  int *counts = rind_allocate(3 * blocks + sets, sizeof *counts);
  rind_contribution *placed = rind_allocate((size_t)num_items, sizeof *placed);
  const bool have = room && counts && placed;
  if (have) {
    *room = (waiting_room){.wide = wide,
                           .arrived = counts,
                           .done = counts + blocks,
                           .readers = counts + 2 * blocks,
                           .of_set = counts + 3 * blocks,
                           .placed = placed};
    for (int i = 0, count; i < num_items; i += count) {
      if (i > 0 && item[i].batch != item[i - 1].batch) empty(room);
      count = in_pairs && i + 1 < num_items &&
                      (go_there_and_back(room, &item[i], &item[i + 1]) ||
                       make_own_zeros(room, &item[i], &item[i + 1]))
                  ? 2
                  : 1;
      let_in(room, &item[i], count);
    }
    empty(room);
    memcpy(item, placed, (size_t)num_items * sizeof *item);
  }
  free(room);
  free(counts);
  free(placed);
  return have;
}

bool rind_adjoint_join_batches(rind_contribution *item, int num_items, const bool *wide,
                               const bool *reached, int num_blocks) {
  bool *joins = rind_allocate((size_t)num_blocks, sizeof *joins);
  int32_t *batch = rind_allocate((size_t)num_blocks, sizeof *batch), newest[2] = {0};
  int count[2] = {0};
  const bool have = joins && batch;
  for (int i = 0; have && i < num_items; ++i)
    joins[item[i].block] = joins[item[i].block] || wide[item[i].set];
  for (int32_t block = 0; have && block < num_blocks; ++block) {
    const int of = reached[block];
    batch[block] = block;
    if (!joins[block]) continue;
    if (count[of]++ % FOUR == 0) newest[of] = block;
    batch[block] = newest[of];
  }
  for (int i = 0; have && i < num_items; ++i)
    item[i].batch = batch[item[i].block];
  free(joins);
  free(batch);
  return have;
}
