/* segment_body.h - sums of a piece and their adjoint for one type. The including file defines
 * SEGMENT_TYPE and SEGMENT_NAME(word). */

/* A node whose children are values. */
static double SEGMENT_NAME(add)(const SEGMENT_TYPE *value, int64_t count) {
  double lane0 = 0.0, lane1 = 0.0, lane2 = 0.0, lane3 = 0.0;
  int64_t i = 0;
  for (; i + RIND_SEGMENT_LANES <= count; i += RIND_SEGMENT_LANES) {
    lane0 += (double)value[i];
    lane1 += (double)value[i + 1];
    lane2 += (double)value[i + 2];
    lane3 += (double)value[i + 3];
  }
  if (i < count) lane0 += (double)value[i];
  if (i + 1 < count) lane1 += (double)value[i + 1];
  if (i + 2 < count) lane2 += (double)value[i + 2];
  return (lane0 + lane2) + (lane1 + lane3);
}

static void SEGMENT_NAME(store)(SEGMENT_TYPE *to, double value, bool accumulate) {
  *to = (SEGMENT_TYPE)(accumulate ? (double)*to + value : value);
}

static void SEGMENT_NAME(sum_piece)(const rind_segment_plan *plan, const rind_segment_piece *piece,
                                    const SEGMENT_TYPE *values, SEGMENT_TYPE *sums, double *scratch,
                                    bool accumulate) {
  const uint16_t *begin = plan->chunk_begin + piece->first_chunk;
  const uint16_t *segment = plan->chunk_segment + piece->first_chunk;
  values += piece->first_value;
  sums += piece->first_segment;
  double partial[RIND_SEGMENT_CHUNKS];
  if (piece->scratch >= 0) {
    for (int c = 0; c < piece->num_chunks; ++c)
      scratch[piece->scratch + c] = SEGMENT_NAME(add)(values + begin[c], begin[c + 1] - begin[c]);
    return;
  }
  if (piece->is_simple) {
    for (int c = 0; c < piece->num_chunks; ++c)
      SEGMENT_NAME(store)
    (sums + c, SEGMENT_NAME(add)(values + begin[c], begin[c + 1] - begin[c]), accumulate);
    return;
  }
  for (int c = 0; c < piece->num_chunks;) {
    const int s = segment[c];
    int chunks = 0;
    for (; c < piece->num_chunks && segment[c] == s; ++c)
      partial[chunks++] = SEGMENT_NAME(add)(values + begin[c], begin[c + 1] - begin[c]);
    SEGMENT_NAME(store)(sums + s, chunks == 1 ? partial[0] : add_f64(partial, chunks), accumulate);
  }
}

static void SEGMENT_NAME(gather_piece)(const rind_segment_plan *plan,
                                       const rind_segment_piece *piece, const SEGMENT_TYPE *sums,
                                       SEGMENT_TYPE *values, bool accumulate) {
  const uint16_t *begin = plan->chunk_begin + piece->first_chunk;
  const uint16_t *segment = plan->chunk_segment + piece->first_chunk;
  values += piece->first_value;
  sums += piece->first_segment;
  for (int c = 0; c < piece->num_chunks; ++c) {
    const SEGMENT_TYPE sum = sums[segment[c]];
    if (accumulate)
      for (int i = begin[c]; i < begin[c + 1]; ++i)
        values[i] = (SEGMENT_TYPE)((double)values[i] + (double)sum);
    else
      for (int i = begin[c]; i < begin[c + 1]; ++i)
        values[i] = sum;
  }
}

/* The longs of all rows, whose chunks are summed. */
static void SEGMENT_NAME(finish_long)(const rind_segment_long *one, SEGMENT_TYPE *sums,
                                      double *scratch, bool accumulate) {
  double *node = scratch + one->scratch;
  for (int64_t left = one->num_chunks; left > 1;) {
    const int64_t nodes = (left + RIND_SEGMENT_CHUNK - 1) / RIND_SEGMENT_CHUNK;
    for (int64_t i = 0; i < nodes; ++i) {
      const int64_t first = i * RIND_SEGMENT_CHUNK, more = left - first;
      node[i] = add_f64(node + first, more < RIND_SEGMENT_CHUNK ? more : RIND_SEGMENT_CHUNK);
    }
    left = nodes;
  }
  SEGMENT_NAME(store)(sums + one->segment, node[0], accumulate);
}

static void SEGMENT_NAME(sum)(const rind_segment_plan *plan, const rind_segment_call *call,
                              const SEGMENT_TYPE *values, SEGMENT_TYPE *sums, double *scratch,
                              int threads) {
  const int64_t pieces = plan->num_pieces, longs = plan->num_longs;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < call->num_rows * pieces; ++i)
      SEGMENT_NAME(sum_piece)
    (plan, &plan->piece[i % pieces], values + i / pieces * call->value_stride,
     sums + i / pieces * call->sum_stride, scratch + i / pieces * plan->num_scratch,
     call->accumulate);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < call->num_rows * longs; ++i)
      SEGMENT_NAME(finish_long)
    (&plan->longs[i % longs], sums + i / longs * call->sum_stride,
     scratch + i / longs * plan->num_scratch, call->accumulate);
  }
}

static void SEGMENT_NAME(gather)(const rind_segment_plan *plan, const rind_segment_call *call,
                                 const SEGMENT_TYPE *sums, SEGMENT_TYPE *values, int threads) {
  const int64_t pieces = plan->num_pieces;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int64_t i = 0; i < call->num_rows * pieces; ++i)
    SEGMENT_NAME(gather_piece)
  (plan, &plan->piece[i % pieces], sums + i / pieces * call->sum_stride,
   values + i / pieces * call->value_stride, call->accumulate);
}

#undef SEGMENT_TYPE
#undef SEGMENT_NAME
