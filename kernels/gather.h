/* gather.h - the gather engine's view of a schedule: rows bound to a layout.
 *
 * A gather runs fills. Each fill writes extent[0] x ... x extent[3] values (the fourth loop is the
 * components); value i is the sum over terms of weight * value at
 *   own_base[fill.block] or source_base[fill.source], + offset[term] + i . stride of the slot.
 * Terms are added in order, in double, without contraction, and rounded once at the store. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <rind/field.h>

enum { RIND_GATHER_DIMS = 4 };

/* A pattern bound to a layout. Loops are sorted and merged by the binder: dimension 0 is innermost.
 */
typedef struct rind_gather_row {
  int32_t num_terms;
  int32_t num_own_first; /* terms of the destination block at the beginning of the row */
  int32_t num_own_last;  /* and at its end; the others are of the source */
  int32_t num_dims;      /* loops with an extent above 1, the others have extent 1 */
  int32_t extent[RIND_GATHER_DIMS];
  ptrdiff_t to_stride[RIND_GATHER_DIMS];
  ptrdiff_t own_stride[RIND_GATHER_DIMS];
  ptrdiff_t source_stride[RIND_GATHER_DIMS];
  ptrdiff_t to_offset;
  const double *weight;    /* [num_terms] */
  const ptrdiff_t *offset; /* [num_terms], elements from the slot's base */
} rind_gather_row;

typedef struct rind_gather_fill {
  int32_t row;
  int32_t to;     /* index into to_base and own_base */
  int32_t source; /* index into source_base */
} rind_gather_fill;

/* Destination and own cells have to_type, source cells source_type. */
typedef struct rind_gather {
  rind_type to_type;
  rind_type source_type;
  const rind_gather_row *row;
  const rind_gather_fill *fill; /* [num_fills] */
  int num_fills;
} rind_gather;

/* Runs the fills [first, last) of gather. Bases point at interior cell (0, 0, 0) of blocks, or at
 * the first value of a message's box. threads > 1: OpenMP over fills; the bits do not change. */
void rind_gather_host(const rind_gather *gather, int first, int last, void *const *to_base,
                      const void *const *own_base, const void *const *source_base, int threads);

/* The same rows, one sweep over the box a term, partial sums kept in to_type: the reference. */
void rind_gather_host_term_by_term(const rind_gather *gather, int first, int last,
                                   void *const *to_base, const void *const *own_base,
                                   const void *const *source_base, int threads);
