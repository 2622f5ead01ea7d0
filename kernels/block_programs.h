/* block_programs.h - a gather cell by cell: what all rows of a block do, in the order of memory.
 *
 * Blocks whose rows are the same share a program. Its cells are in slices of 32, one a thread of a
 * warp, cells of a slice in ascending order of address. Items run in any order; they have slices of
 *
 *     copies   cell = term 0
 *     adds     cell = cell + term 0, or, without a term, cell = cell
 *     sums     cell = sum of weight * term, in order
 *
 * Bits are those of the rows: rows that add to one cell are one sum, in double, rounded once. Where
 * the frame says so, cells of the block that no row writes are written back as they are, so that
 * whole sectors of memory are written. */
#pragma once
#include <gather.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RIND_PROGRAM_LANES = 32,
  RIND_PROGRAM_NO_CELL = INT32_MIN, /* in cell: this lane has nothing to do */
  RIND_PROGRAM_OWN = 0,             /* slot of the block itself; source s has slot s + 1 */
  RIND_PROGRAM_NO_TERM = -1,        /* in slot */
  RIND_PROGRAM_TAKES = 1 << 16,     /* added to a slot: the term's cell is 0 afterwards */
  RIND_PROGRAM_MAX_SOURCES = 63
};

/* What a term reads: element offset, from the block's or source's base, of a slot. */
typedef struct rind_program_term {
  int32_t offset;
  int32_t slot;
} rind_program_term;

/* Term t of lane l is term[first_term + 32 t + l], its weight weight[first_weight + 32 t + l]. */
typedef struct rind_program_sum {
  int32_t first_term;
  int32_t first_weight;
  int32_t num_terms; /* of the longest lane; the others end with RIND_PROGRAM_NO_TERM */
} rind_program_sum;

/* A run of slices of one block: those of copies, then of adds, then of sums. Cell l of slice s is
 * cell[first_cell + 32 s + l]; term 0 of a copy or add term[first_term + 32 s + l]. */
typedef struct rind_program_item {
  int32_t first_cell;
  int32_t first_term;
  int32_t num_copies;
  int32_t num_adds;
  int32_t num_sums;
  int32_t first_sum;
  int32_t to;         /* index into to_base and own_base */
  int32_t first_slot; /* of source, indices into source_base */
  int32_t num_slots;
} rind_program_item;

typedef struct rind_programs {
  bool adds; /* rows add to their cells: there are no copies, else no adds */
  int num_items, num_sources, num_sums, num_cells, num_terms, num_weights;
  int max_slices; /* of an item */
  rind_program_item *item;
  int32_t *source;
  rind_program_sum *sum;
  int32_t *cell; /* elements from the block's base */
  rind_program_term *term;
  double *weight;
  int num_rest;
  int *rest; /* fills, or batches, that are in no program, ascending */
} rind_programs;

/* A block's memory. lowest <= element < lowest + elements, from interior cell (0, 0, 0) of
 * component 0; the interior is extent with stride. sector: elements of a sector of memory, at whose
 * beginning element e with (e + phase) % sector == 0 lies in every block; 0: cells are not written
 * back. Only for blocks without gaps between cells. */
typedef struct rind_program_frame {
  ptrdiff_t lowest;
  ptrdiff_t elements;
  int32_t extent[RIND_GATHER_DIMS];
  ptrdiff_t stride[RIND_GATHER_DIMS];
  int32_t sector;
  int32_t phase;
} rind_program_frame;

/* Batches first_fill [num_batches + 1] as in rind_gather_host_batches, or NULL: fills in any order
 * whose rows write different cells. Rows without terms, rows of cells too far for 32 bits and
 * blocks beyond max_bytes of programs become the rest. False without memory. */
bool rind_programs_make(const rind_gather *gather, const int *first_fill, int num_batches,
                        const rind_program_frame *frame, size_t max_bytes, rind_programs *made);
void rind_programs_free(rind_programs *programs);

#ifdef __cplusplus
}
#endif
