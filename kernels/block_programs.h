/* block_programs.h - a gather cell by cell: what all rows of a block do, in the order of memory.
 *
 * Blocks whose rows are the same share a program:
 *
 *     copy         cell = term, or 0 where there is no term
 *     sum          cell = sum of weight * term, in order
 *     plain sum    the same, all weights 1, the first term the cell itself
 *     pair         cell += ghost, ghost = 0
 *
 * in slices of 32, a thread of a warp each; copies and plain sums in ascending order of address.
 * Items run in any order. Bits are those of the rows: rows that add to one cell are one sum, in
 * double, rounded once. Where the frame says so, cells that no copy writes are written back as they
 * are, so that whole sectors of memory are written.
 *
 * A pair is a plain sum of one ghost that is taken. One of two neighbours runs the pairs of both:
 * its cell and its own ghost beside it, which goes to the other's cell, are then read at once, and
 * written at once. */
#pragma once
#include <gather.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RIND_PROGRAM_LANES = 32,
  RIND_PROGRAM_NEIGHBOURS = 4,      /* items in a row that read the same lines of memory */
  RIND_PROGRAM_PAIRS = 16,          /* in a slice */
  RIND_PROGRAM_PLAIN_TERMS = 3,     /* at most, of a plain sum, beside the cell itself */
  RIND_PROGRAM_NO_CELL = INT32_MIN, /* this lane has nothing to do */
  RIND_PROGRAM_OWN = 0,             /* slot of the block itself; source s has slot s + 1 */
  RIND_PROGRAM_NONE = 63,           /* slot of a term that is not there */
  RIND_PROGRAM_MAX_SOURCES = 62,
  RIND_PROGRAM_REACH = 1 << 24 /* offsets are from -REACH to REACH - 1 */
};

/* A cell that is read: its slot, its offset in elements from the slot's base, and whether it is 0
 * afterwards. Bits 0 to 5 hold the slot, 6 whether it is taken, the others the offset. */
static inline int32_t rind_program_term(int slot, bool taken, ptrdiff_t offset) {
  return (int32_t)((uint32_t)(int32_t)offset << 7 | (taken ? 64u : 0u) | (uint32_t)slot);
}

#define RIND_PROGRAM_SLOT(term) ((term)&63)
#define RIND_PROGRAM_TAKEN(term) ((term)&64)
#define RIND_PROGRAM_OFFSET(term) ((term) >> 7)

/* A copy. Cells are offsets too. */
typedef struct rind_program_move {
  int32_t cell;
  int32_t term;
} rind_program_move;

/* Lane l of a slice of sums writes cell[first_cell + l]; its term t is term[first_term + 32 t + l],
 * of weight weight[first_weight + 32 t + l]. */
typedef struct rind_program_sum {
  int32_t first_cell;
  int32_t first_term;
  int32_t first_weight; /* -1: plain */
  int32_t num_terms;    /* of the longest lane; the others end with slot RIND_PROGRAM_NONE */
} rind_program_sum;

/* Slices of one block: lane l of slice s of copies is move[first_move + 32 s + l]. Plain sums are
 * the first of the sums. Lane l of slice s of pairs has pair[first_pair + 32 s + l], a term: a cell
 * for l < 16, and the ghost that comes to it in lane l + 16. */
typedef struct rind_program_item {
  int32_t first_move;
  int32_t num_moves;
  int32_t first_sum;
  int32_t num_sums;
  int32_t first_pair;
  int32_t num_pairs;
  int32_t to;         /* index into to_base and own_base */
  int32_t first_slot; /* of source, indices into source_base */
  int32_t num_slots;
} rind_program_item;

typedef struct rind_programs {
  bool adds; /* to the cells: there are no copies */
  int num_items, num_sources, num_moves, num_sums, num_cells, num_terms, num_weights, num_pairs;
  rind_program_item *item;
  int32_t *source;
  rind_program_move *move;
  rind_program_sum *sum;
  int32_t *cell;
  int32_t *term;
  double *weight;
  int32_t *pair;
  int num_rest;
  int *rest; /* fills, or batches, that are in no program, ascending */
} rind_programs;

/* A block's memory, lowest <= element < lowest + elements from interior cell (0, 0, 0) of component
 * 0. sector: elements of a sector of memory, at whose beginning element e with
 * (e + phase) % sector == 0 lies in every block; 0: cells are not written back. Only for blocks
 * without gaps between cells. */
typedef struct rind_program_frame {
  ptrdiff_t lowest;
  ptrdiff_t elements;
  int32_t sector;
  int32_t phase;
  bool same_blocks;       /* sources are the destinations' blocks, by the same numbers */
  ptrdiff_t block_stride; /* elements from one of these blocks to the next; 0: they lie anywhere */
} rind_program_frame;

/* Batches first_fill [num_batches + 1] as in rind_gather_host_batches, or NULL: fills in any order
 * whose rows write different cells. Rows without terms in batches, rows of cells too
 * far for 32 bits and blocks beyond max_bytes of programs become the rest. False without memory. */
bool rind_programs_make(const rind_gather *gather, const int *first_fill, int num_batches,
                        const rind_program_frame *frame, size_t max_bytes, rind_programs *made);
void rind_programs_free(rind_programs *programs);

/* Whether the copies of the program that most blocks have touch at least two thirds of the sectors
 * in the lines of memory, 128 bytes, that they touch in blocks which are alike. False without
 * memory. */
bool rind_programs_fill_lines(const rind_programs *programs, int value_bytes, bool *fill_lines);

#ifdef __cplusplus
}
#endif
