/* program_table.h - the rows of a gather, block by block. */
#pragma once
#include <program_cells.h>

/* Those of block b are [first[b], first[b + 1]). */
typedef struct rind_program_table {
  int num_blocks;
  int *first;
  int *fill;             /* of the gather, [first[num_blocks]] */
  rind_program_row *row; /* their rows, and the slots of their sources in the block */
  int32_t *source;       /* distinct ones of block b, from first[b] on */
  int *num_sources;      /* of each block; -1: it cannot be in a program */
} rind_program_table;

/* Blocks are the batches, or without first_fill all fills to one destination. False without memory.
 * To be freed in any case. */
bool rind_program_table_make(const rind_gather *gather, const int *first_fill, int num_batches,
                             rind_program_table *table);
void rind_program_table_free(rind_program_table *table);

static inline rind_program_rows rind_program_rows_of(const rind_program_table *table, int block) {
  const int first = table->first[block];
  return (rind_program_rows){&table->row[first], table->first[block + 1] - first};
}
