/* segments.h - segments cut into pieces of work, the same for host and device, and the host's
 * loops.
 *
 * A segment of n values is summed as a tree whose nodes have up to 128 children: the values, then
 * the sums of chunks of 128, and so on. A node's four lanes add every fourth child, from 0.0, in
 * order; the node is (lane 0 + lane 2) + (lane 1 + lane 3). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rind/field.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RIND_SEGMENT_LANES = 4,
  RIND_SEGMENT_CHUNK = 128,   /* children of a node */
  RIND_SEGMENT_VALUES = 2048, /* most of a piece, and each of a longer segment but its last */
  RIND_SEGMENT_CHUNKS = 512,  /* most of a piece */
  RIND_SEGMENT_TURN = 128     /* a piece with nearly all values ends where its chunks are so many */
};

/* Consecutive chunks: of whole segments, or of one that is too long for a piece. */
typedef struct rind_segment_piece {
  int64_t first_value, first_segment;
  int64_t first_chunk; /* in the tables of chunks, a multiple of 8 */
  int64_t scratch;     /* of a longer segment: where its chunks' sums go; else -1 */
  int32_t num_values, num_chunks;
  int32_t is_simple; /* every chunk is a segment */
  int32_t longer;    /* which longer segment */
} rind_segment_piece;

/* A segment longer than a piece. */
typedef struct rind_segment_long {
  int64_t segment;
  int64_t scratch, num_chunks;
} rind_segment_long;

typedef struct rind_segment_plan {
  int64_t num_segments, num_values;
  int64_t num_pieces, num_places, num_longs;
  int64_t num_scratch; /* doubles a row */
  rind_segment_piece *piece;
  /* A piece has num_chunks + 1 places, and some that are 0. */
  uint16_t *chunk_begin;   /* [num_places], from the piece's first value */
  uint16_t *chunk_segment; /* [num_places], from the piece's first segment */
  rind_segment_long *longs;
} rind_segment_plan;

/* Cuts segments of begin[num_segments + 1] into pieces. False without memory. */
bool rind_segment_plan_create(int64_t num_segments, const int64_t *begin, rind_segment_plan *plan);
void rind_segment_plan_destroy(rind_segment_plan *plan);

/* Arrays of a call, strides in elements. */
typedef struct rind_segment_call {
  rind_type type;
  int64_t num_rows;
  ptrdiff_t value_stride, sum_stride;
  bool accumulate;
} rind_segment_call;

/* scratch: [num_rows * plan->num_scratch]. */
void rind_segment_sum_host(const rind_segment_plan *plan, const rind_segment_call *call,
                           const void *values, void *sums, double *scratch, int threads);
void rind_segment_gather_host(const rind_segment_plan *plan, const rind_segment_call *call,
                              const void *sums, void *values, int threads);

#ifdef __cplusplus
}
#endif
