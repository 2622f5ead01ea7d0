/* program_kinds.h - blocks that can have the same program. */
#pragma once
#include <program_partners.h>

typedef struct rind_program_kinds {
  rind_program_classes rows; /* by rows */
  rind_program_classes all;  /* by rows, and by what becomes of pairs */
  rind_program_link *link;   /* beside the table's sources; NULL: no pairs */
  int *order;                /* of blocks: neighbours follow each other */
} rind_program_kinds;

/* Blocks of which max_bytes cannot hold a program, those of the kinds used most taken first, have
 * no kind, and then there are no pairs. False without memory. To be freed in any case. */
bool rind_program_kinds_find(const rind_program_maker *maker, const rind_program_table *table,
                             size_t max_bytes, rind_program_kinds *kinds);
/* The same blocks without pairs. */
void rind_program_kinds_drop_pairs(const rind_program_table *table, rind_program_kinds *kinds);
void rind_program_kinds_free(rind_program_kinds *kinds);

/* Of a block's slots from 1 on; NULL without. */
static inline const rind_program_link *
rind_program_links_of(const rind_program_kinds *kinds, const rind_program_table *table, int block) {
  return kinds->link ? &kinds->link[table->first[block]] : NULL;
}
