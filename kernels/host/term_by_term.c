/* term_by_term.c - the reference gather: one sweep over the box a term. In equal types of 64 bits
 * its bits are the fused gather's; with 32-bit fields it rounds after each term. */
#include <gather.h>

#define TERM_TO double
#define TERM_FROM double
#define TERM_NAME sweep_f64_f64
#include <term_body.h>

#define TERM_TO float
#define TERM_FROM float
#define TERM_NAME sweep_f32_f32
#include <term_body.h>

#define TERM_TO float
#define TERM_FROM double
#define TERM_NAME sweep_f32_f64
#include <term_body.h>

#define TERM_TO double
#define TERM_FROM float
#define TERM_NAME sweep_f64_f32
#include <term_body.h>

static void run_term(const rind_gather *gather, const rind_gather_row *row, int term, int lane,
                     void *to, const void *own, const void *source) {
  const bool is_own = term < row->num_own_first || term >= row->num_terms - row->num_own_last;
  const double weight = row->weight[term * row->num_lanes + lane];
  const ptrdiff_t to_offset = row->to_offset[lane];
  const ptrdiff_t offset = row->offset[term] + (is_own ? row->own_offset[lane] : 0);
  const ptrdiff_t *stride = is_own ? row->own_stride : row->source_stride;
  const void *from = is_own ? own : source;
  const bool to_double = gather->to_type == RIND_FLOAT64;
  const bool from_double = (is_own ? gather->to_type : gather->source_type) == RIND_FLOAT64;
  if (to_double && from_double)
    sweep_f64_f64(row, (double *)to + to_offset, (const double *)from + offset, stride, weight,
                  term == 0);
  else if (to_double)
    sweep_f64_f32(row, (double *)to + to_offset, (const float *)from + offset, stride, weight,
                  term == 0);
  else if (!from_double)
    sweep_f32_f32(row, (float *)to + to_offset, (const float *)from + offset, stride, weight,
                  term == 0);
  else
    sweep_f32_f64(row, (float *)to + to_offset, (const double *)from + offset, stride, weight,
                  term == 0);
}

static void run_fill(const rind_gather *gather, const rind_gather_fill *fill, void *const *to_base,
                     const void *const *own_base, const void *const *source_base) {
  const rind_gather_row *row = &gather->row[fill->row];
  for (int term = 0; term < row->num_terms; ++term)
    for (int lane = 0; lane < row->num_lanes; ++lane)
      run_term(gather, row, term, lane, to_base[fill->to], own_base[fill->to],
               source_base[fill->source]);
}

void rind_gather_host_term_by_term(const rind_gather *gather, int first, int last,
                                   void *const *to_base, const void *const *own_base,
                                   const void *const *source_base, int threads) {
  if (threads <= 1) {
    for (int f = first; f < last; ++f)
      run_fill(gather, &gather->fill[f], to_base, own_base, source_base);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int f = first; f < last; ++f)
    run_fill(gather, &gather->fill[f], to_base, own_base, source_base);
}
