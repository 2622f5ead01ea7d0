/* program_cells.h - one block's rows as a program. */
#pragma once
#include <block_programs.h>

/* A row of a block, and the slot that its source has there. */
typedef struct rind_program_row {
  int32_t row;
  int32_t slot;
} rind_program_row;

typedef struct rind_program_maker {
  const rind_gather *gather;
  const rind_program_frame *frame;
  const unsigned char *interior; /* [frame->elements]: 1 for interior cells; NULL without sectors */
  bool adds;                     /* rows add to their cells */
  rind_programs *made;
  struct {
    int moves, sums, cells, terms, weights;
  } room; /* of these arrays of made */
} rind_program_maker;

/* Appends the program of num_rows rows of one block, and makes its item but for the block. False
 * without memory, or where made would have more than INT32_MAX of something. */
bool rind_program_add(rind_program_maker *maker, const rind_program_row *rows, int num_rows,
                      rind_program_item *item);
