/* segment_pieces.c - cuts segments into pieces of about as many values. */
#include <segments.h>

#include <stdlib.h>

/* Places of 2 bytes in a vector of 16, at which each piece's begin. */
enum { ALIGNED = 8 };

/* Where the next of each goes. Without tables it only counts. */
typedef struct cutter {
  rind_segment_plan *plan;
  rind_segment_piece open; /* num_chunks 0: none */
} cutter;

static int64_t chunks_of(int64_t values) {
  return values == 0 ? 1 : (values + RIND_SEGMENT_CHUNK - 1) / RIND_SEGMENT_CHUNK;
}

static void put_place(const cutter *cut, int64_t segment) {
  rind_segment_plan *plan = cut->plan;
  if (!plan->piece) return;
  const int64_t at = cut->open.first_chunk + cut->open.num_chunks;
  plan->chunk_begin[at] = (uint16_t)cut->open.num_values;
  plan->chunk_segment[at] = (uint16_t)(segment - cut->open.first_segment);
}

static void open_piece(cutter *cut, int64_t first_value, int64_t segment, int64_t scratch) {
  cut->open = (rind_segment_piece){.first_value = first_value,
                                   .first_segment = segment,
                                   .first_chunk = cut->plan->num_places,
                                   .scratch = scratch,
                                   .is_simple = scratch < 0,
                                   .longer = (int32_t)cut->plan->num_longs - 1};
}

static void close_piece(cutter *cut, int64_t next_segment) {
  rind_segment_plan *plan = cut->plan;
  if (cut->open.num_chunks == 0) return;
  put_place(cut, next_segment);
  if (plan->piece) plan->piece[plan->num_pieces] = cut->open;
  ++plan->num_pieces;
  plan->num_places += (cut->open.num_chunks + ALIGNED) / ALIGNED * ALIGNED;
  cut->open.num_chunks = 0;
}

static void put_chunks(cutter *cut, int64_t segment, int64_t values) {
  for (int64_t left = values, c = chunks_of(values); c > 0; --c, left -= RIND_SEGMENT_CHUNK) {
    put_place(cut, segment);
    ++cut->open.num_chunks;
    cut->open.num_values += (int32_t)(left < RIND_SEGMENT_CHUNK ? left : RIND_SEGMENT_CHUNK);
  }
}

static void put_long(cutter *cut, int64_t segment, int64_t begin, int64_t values) {
  rind_segment_plan *plan = cut->plan;
  close_piece(cut, segment);
  if (plan->longs)
    plan->longs[plan->num_longs] =
        (rind_segment_long){segment, plan->num_scratch, chunks_of(values)};
  ++plan->num_longs;
  for (int64_t done = 0; done < values; done += RIND_SEGMENT_VALUES) {
    const int64_t left = values - done;
    const int64_t some = left < RIND_SEGMENT_VALUES ? left : RIND_SEGMENT_VALUES;
    open_piece(cut, begin + done, segment, plan->num_scratch);
    put_chunks(cut, segment, some);
    plan->num_scratch += cut->open.num_chunks;
    close_piece(cut, segment);
  }
}

static void put_segment(cutter *cut, int64_t segment, int64_t begin, int64_t values) {
  const int64_t chunks = chunks_of(values);
  if (values > RIND_SEGMENT_VALUES) {
    put_long(cut, segment, begin, values);
    return;
  }
  if (cut->open.num_values + values > RIND_SEGMENT_VALUES ||
      cut->open.num_chunks + chunks > RIND_SEGMENT_CHUNKS)
    close_piece(cut, segment);
  if (cut->open.num_chunks == 0) open_piece(cut, begin, segment, -1);
  put_chunks(cut, segment, values);
  if (chunks > 1) cut->open.is_simple = 0;
  if (cut->open.num_chunks % RIND_SEGMENT_TURN == 0 &&
      cut->open.num_values > RIND_SEGMENT_VALUES / 8 * 7)
    close_piece(cut, segment + 1);
}

static void cut_all(rind_segment_plan *plan, const int64_t *begin) {
  cutter cut = {.plan = plan};
  plan->num_pieces = plan->num_places = plan->num_longs = plan->num_scratch = 0;
  for (int64_t s = 0; s < plan->num_segments; ++s)
    put_segment(&cut, s, begin[s], begin[s + 1] - begin[s]);
  close_piece(&cut, plan->num_segments);
}

bool rind_segment_plan_create(int64_t num_segments, const int64_t *begin, rind_segment_plan *plan) {
  *plan = (rind_segment_plan){.num_segments = num_segments, .num_values = begin[num_segments]};
  cut_all(plan, begin);
  plan->chunk_begin = calloc((size_t)plan->num_places + 1, sizeof *plan->chunk_begin);
  plan->chunk_segment = calloc((size_t)plan->num_places + 1, sizeof *plan->chunk_segment);
  plan->longs = malloc((size_t)plan->num_longs * sizeof *plan->longs + 1);
  rind_segment_piece *piece = malloc((size_t)plan->num_pieces * sizeof *piece + 1);
  plan->piece = piece;
  if (!plan->chunk_begin || !plan->chunk_segment || !plan->longs || !plan->piece) {
    rind_segment_plan_destroy(plan);
    return false;
  }
  cut_all(plan, begin);
  return true;
}

void rind_segment_plan_destroy(rind_segment_plan *plan) {
  free(plan->piece);
  free(plan->chunk_begin);
  free(plan->chunk_segment);
  free(plan->longs);
  *plan = (rind_segment_plan){0};
}
