/* program_partners.h - blocks that read lone cells of each other. */
#pragma once
#include <program_table.h>

/* Blocks that are the same in some way. */
typedef struct rind_program_classes {
  int count;
  int *number; /* of each block; -1: none */
  int *block;  /* the first of each class */
  int *uses;
} rind_program_classes;

/* The classes, most used first; NULL without memory. To be freed. */
int *rind_program_classes_by_use(const rind_program_classes *classes);

typedef struct rind_program_partners {
  const rind_program_maker *maker;
  const rind_program_table *table;
  const int *number; /* of each block's rows */
  bool (*lone)[RIND_PROGRAM_NONE];
  int *block_of;
  int num_indices;
} rind_program_partners;

/* rows: blocks by their rows. False without memory. To be freed in any case. */
bool rind_program_partners_find(const rind_program_maker *maker, const rind_program_table *table,
                                const rind_program_classes *rows, rind_program_partners *partners);
void rind_program_partners_free(rind_program_partners *partners);

/* The block in a slot, if it and this one have lone cells of each other, and this block's slot
 * there; or -1. */
int rind_program_partner(const rind_program_partners *partners, int block, int slot,
                         int *slot_there);

/* All blocks in an order where partners follow each other in groups of so many. False without
 * memory. */
bool rind_program_partners_order(const rind_program_partners *partners, int group, int *order);
