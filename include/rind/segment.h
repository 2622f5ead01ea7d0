/* rind/segment.h - sums over segments of rows, and their adjoint.
 *
 * Segments are consecutive runs of a row of values, given once, as a list of the segment that each
 * value belongs to or as offsets:
 *
 *     sums[r][j] = sum over k in [begin[j], begin[j+1]) of values[r][k]        rind_segment_sum
 *     values[r][k] = sums[r][j] for k in [begin[j], begin[j+1])                rind_segment_gather
 *
 * Lengths may be 0 to billions. The order of additions depends on nothing but the segment's length:
 * four lanes add every fourth of 128 values (docs/segments.md), in double; so host and device, any
 * number of threads and any place in the list give the same bits, rounded once when stored. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <rind/context.h>
#include <rind/error.h>
#include <rind/export.h>
#include <rind/field.h>

typedef struct rind_segment rind_segment;

/* Arrays of a call: row r's values begin at r * value_stride, its sums at r * sum_stride. */
typedef struct rind_segment_rows {
  int64_t num_rows;
  ptrdiff_t value_stride; /* elements; 0: the number of values */
  ptrdiff_t sum_stride;   /* elements; 0: the number of segments */
  rind_type type;         /* of values and sums */
  int accumulate;         /* add to what is there */
} rind_segment_rows;

RIND_BEGIN_DECLS

/* Not collective, like all of this header. index[num_values], on the host: the segment that each
 * value belongs to, in any order. Values that rind_segment_sum takes are in the order of segments,
 * those of one segment in the order of the list: rind_segment_permutation says which goes where.
 * Borrows context; space is where the calls' arrays lie. RIND_ERROR_INVALID where a number is
 * negative or an index is not from 0 to num_segments - 1. */
RIND_API rind_error rind_segment_create(rind_context *context, rind_space space,
                                        int64_t num_segments, const int64_t *index,
                                        int64_t num_values, rind_segment **segment);
/* begin[num_segments + 1], on the host, from 0 and never falling. */
RIND_API rind_error rind_segment_create_offsets(rind_context *context, rind_space space,
                                                int64_t num_segments, const int64_t *begin,
                                                rind_segment **segment);
/* Accepts NULL and pointers to NULL. */
RIND_API void rind_segment_destroy(rind_segment **segment);

RIND_API int64_t rind_segment_num_segments(const rind_segment *segment);
RIND_API int64_t rind_segment_num_values(const rind_segment *segment);
/* [num_segments + 1], on the host. Borrowed. */
RIND_API const int64_t *rind_segment_begin(const rind_segment *segment);
/* [num_values], on the host: value k in the order of segments is value permutation[k] of the list.
 * NULL if the list was sorted: nothing moves. Borrowed. */
RIND_API const int64_t *rind_segment_permutation(const rind_segment *segment);

/* rows NULL: one row of doubles. On the device it is enqueued on the context's stream. One call at
 * a time with the same segments. Values and sums may not overlap. RIND_ERROR_INVALID for negative
 * numbers or strides shorter than a row, RIND_ERROR_OVERFLOW where the arrays exceed the address
 * space, RIND_ERROR_MISMATCH for arrays that the device cannot reach. */
RIND_API rind_error rind_segment_sum(rind_segment *segment, const rind_segment_rows *rows,
                                     const void *values, void *sums);
/* The adjoint of rind_segment_sum. */
RIND_API rind_error rind_segment_gather(rind_segment *segment, const rind_segment_rows *rows,
                                        const void *sums, void *values);

RIND_END_DECLS
