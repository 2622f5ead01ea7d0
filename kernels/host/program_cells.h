/* program_cells.h - one block's rows, cell by cell, and as a program. */
#pragma once
#include <block_programs.h>

/* A row of a block, and the slot that its source has there. */
typedef struct rind_program_row {
  int32_t row;
  int32_t slot;
} rind_program_row;

typedef struct rind_program_rows {
  const rind_program_row *row;
  int num_rows;
} rind_program_rows;

/* One term of one cell. */
typedef struct rind_program_entry {
  int32_t to;
  int32_t term;
  double weight;
  bool copies; /* the whole row is this copy */
} rind_program_entry;

typedef enum rind_program_cell_kind {
  RIND_CELL_MOVE,
  RIND_CELL_PLAIN,
  RIND_CELL_SUM
} rind_program_cell_kind;

/* A cell's entries are the num_terms ones from first on; none: it is written back. lone: the slot
 * of the only cell that it takes or is a copy of, if few cells beside it do the same; or
 * RIND_PROGRAM_OWN. run: these have the same number. */
typedef struct rind_program_cell {
  int32_t to;
  int32_t first;
  int32_t num_terms;
  int32_t kind;
  int32_t lone;
  int32_t run;
} rind_program_cell;

/* A block's cells, ascending. */
typedef struct rind_program_list {
  rind_program_entry *entry;
  rind_program_cell *cell;
  int num_cells;
} rind_program_list;

/* What becomes of pairs of this block and the block in a slot: this block's program runs those of
 * both, or the other's does. slot: this block's slot there. */
typedef enum rind_program_way {
  RIND_PAIRS_NONE,
  RIND_PAIRS_HERE,
  RIND_PAIRS_THERE
} rind_program_way;

typedef struct rind_program_link {
  int32_t way;
  int32_t kind; /* of the other block's rows */
  int32_t slot;
} rind_program_link;

typedef struct rind_program_maker {
  const rind_gather *gather;
  const rind_program_frame *frame;
  bool adds; /* rows add to their cells */
  rind_programs *made;
  struct {
    int moves, sums, cells, terms, weights, pairs;
  } room; /* of these arrays of made */
} rind_program_maker;

/* No program of these rows, without pairs, has less. */
size_t rind_program_least_bytes(const rind_program_maker *maker, rind_program_rows rows);

/* False without memory, or where there would be more than INT32_MAX of something. */
bool rind_program_list_cells(const rind_program_maker *maker, rind_program_rows rows,
                             rind_program_list *list);
void rind_program_list_free(rind_program_list *list);

/* Appends the program of cells to made, and makes its item but for the block. link
 * [num_links]: of slot 1, 2, ..; other [num_links]: the cells of these blocks. False without
 * memory, or where made would have more than INT32_MAX of something. */
bool rind_program_add(rind_program_maker *maker, const rind_program_list *own,
                      const rind_program_link *link, const rind_program_list *other, int num_links,
                      rind_program_item *item);

/* The pairs of a program, for rind_program_add. */
bool rind_program_add_pairs(rind_program_maker *maker, const rind_program_list *own,
                            const rind_program_link *link, const rind_program_list *other,
                            int num_links, rind_program_item *item);

/* Room for count more items of so many bytes; false without memory or beyond an int. */
bool rind_program_reserve(void **array, int num, int count, int *room, size_t bytes);
