/* way_batches_body.h - rows that add to what is there, batch by batch. Included after defining
 *     GATHER_WAY(word)            word with the ending of what it is compiled for
 *     GATHER_STORE(to, value), GATHER_STORE_QUAD(to, value)    as gather_body.h says */
#include <core.h>
#include <gather_ahead.h>
#include <gather_inline.h>
#include <gather_ways.h>
#include <quad.h>

#define CLEAR_TYPE double
#define CLEAR_NAME(word) word##_f64
#include <clear_body.h>

#define CLEAR_TYPE float
#define CLEAR_NAME(word) word##_f32
#include <clear_body.h>

/* Four lanes that are two pairs of neighbours in memory. */
static bool has_pairs(const rind_gather_row *row) {
  return row->to_offset[1] == row->to_offset[0] + 1 && row->to_offset[3] == row->to_offset[2] + 1;
}

/* Where the blocks of a batch of floats are summed. */
typedef struct batch_sums {
  int count;
  int32_t block[RIND_GATHER_BLOCKS];
  double *sums[RIND_GATHER_BLOCKS]; /* interior cell (0, 0, 0) */
} batch_sums;

static double *sums_of(const batch_sums *sums, int32_t block) {
  int i = 0;
  while (sums->block[i] != block)
    ++i;
  return sums->sums[i];
}

enum { FOUR = 4, TWICE = QUAD_WIDTH / 2 }; /* pairs in a quad */

/* The pairs at to of one or two blocks. */
static inline quad load_twice(double *const *to, ptrdiff_t low, ptrdiff_t high) {
  return quad_of(to[0][low], to[0][high], to[TWICE - 1][low], to[TWICE - 1][high], 0);
}

#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f64
#include <batch_body.h>
#include <four_body.h>

#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f32
#include <batch_body.h>
#include <four_body.h>

/* Before batch b: asks for what the next one touches. */
static inline void ask_for_next(const rind_gather *gather, const int *first_fill, int b, int last,
                                void *const *base, rind_gather_looking *looking) {
  const int end = b + 2 < last ? b + 2 : last;
  rind_gather_ask_until(gather, first_fill[b], first_fill[end], looking, base);
}

#include <shell_body.h>
#include <swap_body.h>

/* The fills [first, last) of a run. sums: in place of the destinations, or NULL. */
static void run_some_f64(const rind_gather *gather, int first, int last, void *const *to_base,
                         const void *const *source_base, const batch_sums *sums,
                         rind_gather_looking *looking, int end_of_run) {
  const uint8_t *how = gather->pair;
  int next = first;
  while (next < last) {
    const int f = next;
    if (looking->steps) rind_gather_ask_step(gather, end_of_run, looking, to_base);
    if (how && how[f] == RIND_GATHER_FOUR && last - f >= FOUR) {
      run_four_f64(gather, f, to_base, source_base, sums);
      next += FOUR;
      continue;
    }
    if (how && how[f] != RIND_GATHER_ALONE && !sums)
      next = run_swaps(gather, f, looking->steps && f + 2 < last ? f + 2 : last, to_base);
    if (next > f) continue;
    const rind_gather_fill fill = gather->fill[f];
    const rind_gather_row *row = &gather->row[fill.row];
    if (how && how[f] == RIND_GATHER_TAKEN && last - f >= 2) {
      add_row_f64(row, to_base[fill.to], source_base[fill.source], true);
      next += 2;
      continue;
    }
    run_fill_f64(row, sums ? sums_of(sums, fill.to) : to_base[fill.to],
                 row->num_terms > 0 ? source_base[fill.source] : NULL);
    ++next;
  }
}

static void run_fills_f64(const rind_gather *gather, int first, int last, void *const *to_base,
                          const void *const *source_base, const batch_sums *sums) {
  rind_gather_looking looking = {0};
  for (int f = first, end; f < last; f = end) {
    end = rind_gather_look_ahead(gather, f, last, &looking, to_base);
    run_some_f64(gather, f, end, to_base, source_base, sums, &looking, last);
  }
}

static void run_fills_f32(const rind_gather *gather, int first, int last, void *const *to_base,
                          const void *const *source_base, const batch_sums *sums) {
  const uint8_t *how = gather->pair;
  for (int f = first; f < last; ++f) {
    if (how && how[f] == RIND_GATHER_FOUR && last - f >= FOUR) {
      run_four_f32(gather, f, to_base, source_base, sums);
      f += FOUR - 1;
      continue;
    }
    const rind_gather_fill fill = gather->fill[f];
    const rind_gather_row *row = &gather->row[fill.row];
    run_fill_f32(row, sums ? sums_of(sums, fill.to) : to_base[fill.to],
                 row->num_terms > 0 ? source_base[fill.source] : NULL);
  }
}

static void run_fills(const rind_gather *gather, int first, int last, void *const *to_base,
                      const void *const *source_base, const batch_sums *sums) {
  if (gather->source_type == RIND_FLOAT64)
    run_fills_f64(gather, first, last, to_base, source_base, sums);
  else
    run_fills_f32(gather, first, last, to_base, source_base, sums);
}

static void clear_floats(const rind_gather *gather, int first, int last, float *to) {
  for (int f = first; f < last; ++f) {
    const rind_gather_row *row = &gather->row[gather->fill[f].row];
    RIND_ASSERT(row->body == RIND_GATHER_CLEAR);
    clear_row_f32(row, to + row->to_offset[0]);
  }
}

/* The cells of points, from floats to sums or back. */
static void convert_points(const rind_gather_row *row, float *block, double *sums, bool back) {
  const rind_gather_points *points = row->points;
  for (int p = 0; p < points->num_points; ++p)
    for (int lane = 0; lane < 2; ++lane)
      for (int v = 0; v < row->extent[0]; ++v) {
        const ptrdiff_t at = points->point[p].to[lane] + v * row->to_stride[0];
        if (back)
          block[at] = (float)sums[at];
        else
          sums[at] = (double)block[at];
      }
}

/* One lane's cells, from floats to sums, or back from sums to floats. */
GATHER_INLINE void convert_loops(const rind_gather_row *row, float *restrict block,
                                 double *restrict sums, const int extent, const ptrdiff_t stride,
                                 const bool back) {
  for (int k = 0; k < row->extent[3]; ++k)
    for (int j = 0; j < row->extent[2]; ++j) {
      const ptrdiff_t first = k * row->to_stride[3] + j * row->to_stride[2];
      float *b = block + first;
      double *s = sums + first;
      for (int i = 0; i < row->extent[1]; ++i) {
        for (int cell = 0; cell < extent; ++cell)
          if (back)
            b[cell * stride] = (float)s[cell * stride];
          else
            s[cell * stride] = (double)b[cell * stride];
        b += row->to_stride[1];
        s += row->to_stride[1];
      }
    }
}

GATHER_INLINE void convert(const rind_gather_row *row, int lane, float *block, double *sums,
                           const bool back) {
  const int extent = row->extent[0];
  const ptrdiff_t stride = row->to_stride[0], offset = row->to_offset[lane];
  if (stride == 1 && extent == 8)
    convert_loops(row, block + offset, sums + offset, 8, 1, back);
  else if (stride == 1 && extent == 4)
    convert_loops(row, block + offset, sums + offset, 4, 1, back);
  else if (stride == 1)
    convert_loops(row, block + offset, sums + offset, extent, 1, back);
  else if (extent == 8)
    convert_loops(row, block + offset, sums + offset, 8, stride, back);
  else
    convert_loops(row, block + offset, sums + offset, extent, stride, back);
}

static void widen(const rind_gather_row *row, float *block, double *sums) {
  if (row->points) convert_points(row, block, sums, false);
  for (int lane = 0; !row->points && lane < row->num_lanes; ++lane)
    convert(row, lane, block, sums, false);
}

static void narrow(const rind_gather_row *row, float *block, double *sums) {
  if (row->points) convert_points(row, block, sums, true);
  for (int lane = 0; !row->points && lane < row->num_lanes; ++lane)
    convert(row, lane, block, sums, true);
}

static batch_sums list_sums(const rind_gather *gather, int first, int last, double *memory,
                            const rind_gather_scratch *scratch) {
  batch_sums sums = {0};
  for (int f = first; f < last; ++f) {
    const int32_t block = gather->fill[f].to;
    int i = 0;
    while (i < sums.count && sums.block[i] != block)
      ++i;
    if (i < sums.count) continue;
    RIND_ASSERT(i < scratch->blocks);
    sums.block[i] = block;
    sums.sums[i] = memory + i * scratch->elements;
    ++sums.count;
  }
  return sums;
}

/* Sums the cells that the batch touches in double; each is rounded once, after its last row. */
static void run_batch_in_double(const rind_gather *gather, int first, int last,
                                void *const *to_base, const void *const *source_base,
                                const rind_gather_scratch *scratch, double *memory) {
  const rind_gather_fill *fill = gather->fill;
  const rind_gather_row *row = gather->row, *box = scratch->box;
  const batch_sums sums = list_sums(gather, first, last, memory, scratch);
  for (int f = first; !box && f < last; ++f)
    widen(&row[fill[f].row], to_base[fill[f].to], sums_of(&sums, fill[f].to));
  for (int i = 0; box && i < sums.count; ++i)
    widen(box, to_base[sums.block[i]], sums.sums[i]);
  run_fills(gather, first, last, to_base, source_base, &sums);
  for (int f = first; !box && f < last; ++f)
    narrow(&row[fill[f].row], to_base[fill[f].to], sums_of(&sums, fill[f].to));
  for (int i = 0; box && i < sums.count; ++i)
    narrow(box, to_base[sums.block[i]], sums.sums[i]);
}

/* The batches [first, last). sums: the thread's interior cell (0, 0, 0), or NULL. */
void GATHER_WAY(rind_gather_batches)(const rind_gather *gather, const int *first_fill, int first,
                                     int last, void *const *to_base, const void *const *source_base,
                                     const rind_gather_scratch *scratch, double *sums) {
  const rind_gather_shells *shells = scratch ? scratch->shells : NULL;
  rind_gather_looking looking = {0};
  for (int b = first; b < last; ++b) {
    if (shells) b = run_shells(gather, first_fill, shells, b, last, to_base, source_base, &looking);
    if (b == last) break;
    if (sums) ask_for_next(gather, first_fill, b, last, to_base, &looking);
    const int begin = first_fill[b], end = first_fill[b + 1];
    if (begin == end) continue;
    if (sums)
      run_batch_in_double(gather, begin, end, to_base, source_base, scratch, sums);
    else if (gather->to_type == RIND_FLOAT64)
      run_fills(gather, begin, end, to_base, source_base, NULL);
    else
      clear_floats(gather, begin, end, to_base[gather->fill[begin].to]);
  }
}
