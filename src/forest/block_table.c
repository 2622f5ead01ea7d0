/* block_table.c - a hash table of blocks. */
#include <block_table.h>

#include <stdlib.h>

static uint64_t hash_of(int32_t tree, int32_t level, const int32_t coordinate[3]) {
  const uint64_t low = (uint64_t)(uint32_t)tree << 32 | (uint32_t)coordinate[0];
  const uint64_t high = (uint64_t)(uint32_t)coordinate[1] << 32 | (uint32_t)coordinate[2];
  uint64_t hash = low * 0x9e3779b97f4a7c15u + (uint64_t)(uint32_t)level;
  hash = (hash ^ hash >> 32) + high;
  hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 32) * 0x94d049bb133111ebu;
  return hash ^ hash >> 31;
}

static const uint64_t upper_half = 0xffffffff00000000u;

bool rind_block_table_create(const rind_block *block, int num_blocks, rind_block_table *table) {
  size_t num_slots = 16;
  while (num_slots < 2 * (size_t)num_blocks)
    num_slots *= 2;
  uint64_t *slot = calloc(num_slots, sizeof *slot);
  if (!slot) return false;
  *table = (rind_block_table){.block = block, .slot = slot, .mask = num_slots - 1};
  for (int b = 0; b < num_blocks; ++b) {
    const uint64_t hash = hash_of(block[b].tree, block[b].level, block[b].coordinate);
    size_t at = hash & table->mask;
    while (slot[at] != 0)
      at = (at + 1) & table->mask;
    slot[at] = (hash & upper_half) | (uint32_t)(b + 1);
  }
  return true;
}

void rind_block_table_destroy(rind_block_table *table) {
  free(table->slot);
  *table = (rind_block_table){.slot = NULL};
}

int rind_block_table_find(const rind_block_table *table, int32_t tree, int32_t level,
                          const int32_t coordinate[3]) {
  const uint64_t hash = hash_of(tree, level, coordinate);
  for (size_t at = hash & table->mask; table->slot[at] != 0; at = (at + 1) & table->mask) {
    if (((table->slot[at] ^ hash) & upper_half) != 0) continue;
    const int b = (int)(uint32_t)table->slot[at] - 1;
    const rind_block *block = &table->block[b];
    if (block->tree == tree && block->level == level && block->coordinate[0] == coordinate[0] &&
        block->coordinate[1] == coordinate[1] && block->coordinate[2] == coordinate[2])
      return b;
  }
  return -1;
}
