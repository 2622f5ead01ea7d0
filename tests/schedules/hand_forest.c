/* hand_forest.c - small forests from a list of blocks, links found by brute force. */
#include "hand_forest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A forest's arrays as they grow. */
typedef struct workspace {
  rind_block block[HAND_BLOCKS];
  int32_t first_link[HAND_BLOCKS + 1];
  rind_link link[HAND_LINKS];
  uint8_t walls[HAND_BLOCKS];
  int num_links;
} workspace;

static void add_block(hand_forest *forest, int level, int side, const int lower[3]) {
  hand_block *block = &forest->block[forest->num_blocks++];
  *block = (hand_block){.level = level, .side = side, .along = {0, 1, 2}};
  memcpy(block->lower, lower, sizeof block->lower);
}

void hand_forest_grid(hand_forest *forest, int dim, const int blocks[3], const int periodic[3],
                      unsigned refined) {
  *forest = (hand_forest){.dim = dim, .balance = RIND_BALANCE_FULL};
  const int deep = dim == 3 ? blocks[2] : 1;
  for (int a = 0; a < 3; ++a) {
    forest->size[a] = a < dim ? 4 * blocks[a] : 1;
    forest->periodic[a] = a < dim && periodic[a];
  }
  for (int k = 0, bit = 0; k < deep; ++k)
    for (int j = 0; j < blocks[1]; ++j)
      for (int i = 0; i < blocks[0]; ++i, ++bit) {
        const int lower[3] = {4 * i, 4 * j, 4 * k};
        if (!(refined >> bit & 1u)) {
          add_block(forest, 1, 4, lower);
          continue;
        }
        for (int child = 0; child < 1 << dim; ++child) {
          const int at[3] = {lower[0] + 2 * (child & 1), lower[1] + 2 * (child >> 1 & 1),
                             lower[2] + 2 * (child >> 2)};
          add_block(forest, 2, 2, at);
        }
      }
}

void hand_forest_turn(hand_forest *forest, unsigned seed) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int b = 0; b < forest->num_blocks; ++b) {
    seed = seed * 1664525u + 1013904223u;
    const unsigned draw = seed >> 16;
    const int *order = orders[draw % (forest->dim == 3 ? 6 : 2)];
    for (int a = 0; a < 3; ++a) {
      forest->block[b].along[a] = order[a];
      forest->block[b].backwards[a] = a < forest->dim && (draw >> (8 + a) & 1u);
    }
  }
}

/* Where a box of space lies in a block's own frame, in half sides of the block. */
static bool own_box(const hand_forest *forest, const hand_block *block, const int lower[3],
                    int side, int origin[3], int *extent) {
  const int half = block->side / 2;
  *extent = side / half;
  for (int a = 0; a < 3; ++a) {
    const int s = block->along[a];
    origin[a] = 0;
    if (a >= forest->dim) continue;
    const int ahead = block->backwards[a] ? block->lower[s] + block->side - lower[s] - side
                                          : lower[s] - block->lower[s];
    origin[a] = ahead / half;
    if (origin[a] < -4 || origin[a] > 2) return false;
  }
  return true;
}

/* Whether the box [origin, origin + extent] and a region's ghosts share more than a boundary. */
static bool meets(int dim, const int origin[3], int extent, int region) {
  const int o[3] = {region % 3 - 1, region / 3 % 3 - 1, region / 9 - 1};
  for (int a = 0; a < dim; ++a) {
    const int low = o[a] < 0 ? -1 : o[a] > 0 ? 2 : 0, high = o[a] < 0 ? 0 : o[a] > 0 ? 3 : 2;
    if (origin[a] >= high || origin[a] + extent <= low) return false;
  }
  return true;
}

static void add_link(workspace *work, const hand_block *from, const hand_block *to, int neighbour,
                     int region, const int origin[3]) {
  rind_link *link = &work->link[work->num_links++];
  *link = (rind_link){.neighbour = neighbour,
                      .region = (int8_t)region,
                      .relation = (int8_t)(to->level - from->level)};
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c)
      if (to->along[c] == from->along[a]) {
        link->origin[a] = (int8_t)origin[a];
        link->axis[a] = (int8_t)c;
        link->flip[a] = (int8_t)(from->backwards[a] != to->backwards[c]);
      }
}

static int compare_links(const void *a, const void *b) {
  const rind_link *x = a, *y = b;
  if (x->region != y->region) return x->region - y->region;
  for (int axis = 2; axis >= 0; --axis)
    if (x->origin[axis] != y->origin[axis]) return x->origin[axis] - y->origin[axis];
  return 0;
}

int hand_forest_lacks(const hand_forest *forest, int global, int region) {
  const int o[3] = {region % 3 - 1, region / 3 % 3 - 1, region / 9 - 1};
  if (forest->irregular == 0 || o[0] * o[0] + o[1] * o[1] + o[2] * o[2] == 1) return 0;
  const unsigned draw =
      (forest->irregular + (unsigned)global * 27u + (unsigned)region) * 2654435761u;
  return (int)(draw >> 20 & 1u);
}

/* Calls with work NULL mark the neighbours of block b in touches[]; else adds its links. */
static void find_links(const hand_forest *forest, int b, workspace *work, bool *touches) {
  const hand_block *from = &forest->block[b];
  const int shifts = forest->dim == 3 ? 27 : 9;
  for (int n = 0; n < forest->num_blocks; ++n)
    for (int shift = 0; shift < shifts; ++shift) {
      const int t[3] = {shift % 3 - 1, shift / 3 % 3 - 1, shifts == 27 ? shift / 9 - 1 : 0};
      const hand_block *to = &forest->block[n];
      int lower[3], origin[3], extent;
      bool exists = true;
      for (int a = 0; a < 3; ++a) {
        exists = exists && (t[a] == 0 || forest->periodic[a]);
        lower[a] = to->lower[a] + t[a] * forest->size[a];
      }
      if (!exists || !own_box(forest, from, lower, to->side, origin, &extent)) continue;
      for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
        const bool flat = forest->dim == 2 && region / 9 != 1;
        if (region == RIND_REGION_SELF || flat || !meets(forest->dim, origin, extent, region))
          continue;
        if (work && hand_forest_lacks(forest, b, region)) continue;
        if (work)
          add_link(work, from, to, forest->local_of[n], region, origin);
        else
          touches[n] = true;
      }
    }
}

static uint8_t walls_of(const hand_forest *forest, const hand_block *block) {
  unsigned walls = 0;
  for (int a = 0; a < forest->dim; ++a) {
    const int s = block->along[a];
    if (forest->periodic[s]) continue;
    const bool lower = block->lower[s] == 0,
               upper = block->lower[s] + block->side == forest->size[s];
    const bool first = block->backwards[a] ? upper : lower,
               last = block->backwards[a] ? lower : upper;
    walls |= (unsigned)first << (2 * a) | (unsigned)last << (2 * a + 1);
  }
  return (uint8_t)walls;
}

static int owner_of(const hand_forest *forest, int b, int ranks) {
  return (int)((long)b * ranks / forest->num_blocks);
}

static rind_block describe(const hand_forest *forest, int b, int ranks) {
  const hand_block *from = &forest->block[b];
  rind_block block = {.global = b, .level = from->level, .owner = owner_of(forest, b, ranks)};
  while (block.index < b && owner_of(forest, b - block.index - 1, ranks) == block.owner)
    ++block.index;
  for (int a = 0; a < forest->dim; ++a) {
    block.coordinate[a] = from->lower[a] / from->side;
    block.lower[a] = from->lower[a];
    block.side[a] = from->side;
  }
  return block;
}

rind_error hand_forest_create(rind_context *context, hand_forest *forest, rind_forest **made) {
  const int ranks = rind_context_size(context), rank = rind_context_rank(context);
  bool touches[HAND_BLOCKS] = {false};
  rind_forest_arrays arrays = {
      .dim = forest->dim, .balance = forest->balance, .num_global = forest->num_blocks};
  workspace *work = calloc(1, sizeof *work);
  if (!work) return RIND_ERROR_MEMORY;
  for (int b = 0; b < forest->num_blocks; ++b)
    if (owner_of(forest, b, ranks) == rank) find_links(forest, b, NULL, touches);
  int count = 0;
  for (int remote = 0; remote < 2; ++remote)
    for (int b = 0; b < forest->num_blocks; ++b) {
      const bool local = owner_of(forest, b, ranks) == rank;
      if (remote == 0) forest->local_of[b] = -1;
      if (local == remote || (remote && !touches[b])) continue;
      forest->local_of[b] = count;
      forest->global_of[count] = b;
      work->walls[count] = walls_of(forest, &forest->block[b]);
      work->block[count++] = describe(forest, b, ranks);
      ++*(remote ? &arrays.num_remote : &arrays.num_local);
    }
  for (int b = 0; b < arrays.num_local; ++b) {
    find_links(forest, forest->global_of[b], work, NULL);
    const int first = work->first_link[b];
    qsort(work->link + first, (size_t)(work->num_links - first), sizeof *work->link, compare_links);
    work->first_link[b + 1] = work->num_links;
  }
  arrays.block = work->block;
  arrays.first_link = work->first_link;
  arrays.link = work->link;
  arrays.walls = work->walls;
  const rind_error error = rind_forest_create_arrays(context, &arrays, NULL, made);
  free(work);
  return error;
}

void hand_forest_centre(const hand_forest *forest, int global, int cells, const int cell[3],
                        long centre[3]) {
  const hand_block *block = &forest->block[global];
  centre[0] = centre[1] = centre[2] = 0;
  for (int a = 0; a < forest->dim; ++a) {
    const int s = block->along[a];
    const long inside = (2L * cell[a] + 1) * block->side;
    centre[s] = 2L * cells * block->lower[s] +
                (block->backwards[a] ? 2L * cells * block->side - inside : inside);
  }
}
