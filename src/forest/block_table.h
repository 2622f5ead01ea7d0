/* block_table.h - finds a block by tree, level and coordinates. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rind/forest.h>

/* Open addressing, at most half full. */
typedef struct rind_block_table {
  const rind_block *block; /* borrowed */
  uint64_t *slot;          /* upper half: of the hash; lower half: block index + 1, 0: free */
  size_t mask;             /* slots - 1, a power of two less 1 */
} rind_block_table;

/* Holds blocks 0 to num_blocks - 1 of block. False without memory. */
bool rind_block_table_create(const rind_block *block, int num_blocks, rind_block_table *table);
void rind_block_table_destroy(rind_block_table *table);
/* -1 if there is none. */
int rind_block_table_find(const rind_block_table *table, int32_t tree, int32_t level,
                          const int32_t coordinate[3]);
