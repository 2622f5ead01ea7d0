/* program_sums.cuh - sums of programs: plain ones, short ones, and those of many terms.
 *
 * Bits are the host's: products and sums in the order of the terms, in double, never fused. */
#pragma once
#include <kept_values.cuh>
#include <program_task.cuh>

namespace {

/* Plain sums of up to max_terms terms beside the cell. Values of a row may be read by terms of
 * different numbers, so they pass through the first cache: none of them has changed before it is
 * read here. */
template <typename To, typename Source, int at_once, int max_terms>
__device__ void run_plain(const bases_on_the_way &way, const int32_t *cells, int num_slices,
                          int num_terms) {
  int32_t cell[at_once], term[at_once][max_terms];
  To before[at_once];
  Source added[at_once][max_terms];
#pragma unroll
  for (int u = 0; u < at_once; ++u) {
    const int32_t *slice = cells + lanes * (1 + num_terms) * u;
    cell[u] = u < num_slices ? slice[0] : RIND_PROGRAM_NO_CELL;
#pragma unroll
    for (int n = 0; n < max_terms; ++n)
      term[u][n] = u < num_slices && n < num_terms ? slice[lanes * (1 + n)] : RIND_PROGRAM_NONE;
  }
  const place<To> at = arrive<To>(way);
#pragma unroll
  for (int u = 0; u < at_once; ++u) {
    if (cell[u] != RIND_PROGRAM_NO_CELL) before[u] = load_kept<true>(at.to + cell[u]);
#pragma unroll
    for (int n = 0; n < max_terms; ++n)
      if (is_there(term[u][n]))
        added[u][n] = load_kept<true>(source_of<To, Source>(at, term[u][n]));
  }
#pragma unroll
  for (int u = 0; u < at_once; ++u) {
    double sum = (double)before[u];
#pragma unroll
    for (int n = 0; n < max_terms; ++n) {
      if (!is_there(term[u][n])) continue;
      sum = __dadd_rn(sum, (double)added[u][n]);
      if (RIND_PROGRAM_TAKEN(term[u][n]))
        store_kept(source_of<To, Source>(at, term[u][n]), (Source)0);
    }
    if (cell[u] != RIND_PROGRAM_NO_CELL) store_kept(at.to + cell[u], (To)sum);
  }
}

/* What a term's cell holds; through the first cache, since cells of a slice read the same ones. */
template <typename To, typename Source, bool whole_lines>
__device__ double load_term(const place<To> &at, int32_t term) {
  return RIND_PROGRAM_SLOT(term) == RIND_PROGRAM_OWN
             ? (double)load_kept<whole_lines>(source_of<To, const To>(at, term))
             : (double)load_kept<whole_lines>(source_of<To, const Source>(at, term));
}

/* Sums of up to short_terms terms with weights beside the cell. */
template <typename To, typename Source>
__device__ void run_short(const bases_on_the_way &way, int first, int num_slices, int num_terms) {
  int32_t cell[short_at_once], term[short_at_once][short_terms];
  double before[short_at_once], added[short_at_once][short_terms];
  double weight[short_at_once][short_terms];
  const int lane = threadIdx.x % lanes;
#pragma unroll
  for (int u = 0; u < short_at_once; ++u) {
    const int slice = first + lanes * (1 + num_terms) * u + lane;
    cell[u] = u < num_slices ? way.t.term[slice] : RIND_PROGRAM_NO_CELL;
#pragma unroll
    for (int n = 0; n < short_terms; ++n) {
      const bool there = u < num_slices && n < num_terms;
      term[u][n] = there ? way.t.term[slice + lanes * (1 + n)] : RIND_PROGRAM_NONE;
      weight[u][n] = there ? way.t.weight[slice + lanes * (1 + n)] : 0.0;
    }
  }
  const place<To> at = arrive<To>(way);
#pragma unroll
  for (int u = 0; u < short_at_once; ++u) {
    if (cell[u] != RIND_PROGRAM_NO_CELL) before[u] = (double)load_kept<true>(at.to + cell[u]);
#pragma unroll
    for (int n = 0; n < short_terms; ++n)
      if (is_there(term[u][n])) added[u][n] = load_term<To, Source, true>(at, term[u][n]);
  }
#pragma unroll
  for (int u = 0; u < short_at_once; ++u) {
    double sum = before[u];
#pragma unroll
    for (int n = 0; n < short_terms; ++n) {
      if (!is_there(term[u][n])) continue;
      sum = __dadd_rn(sum, __dmul_rn(weight[u][n], added[u][n]));
      if (RIND_PROGRAM_TAKEN(term[u][n]))
        store_kept(source_of<To, Source>(at, term[u][n]), (Source)0);
    }
    if (cell[u] != RIND_PROGRAM_NO_CELL) store_kept(at.to + cell[u], (To)sum);
  }
}

/* A lane's terms of some rounds from number first on. */
__device__ void load_terms(const int32_t *term, int first, int num_rounds, int32_t *loaded) {
#pragma unroll
  for (int n = 0; n < rounds_at_once; ++n)
    loaded[n] = first + n < num_rounds ? term[(ptrdiff_t)lanes * (first + n)] : RIND_PROGRAM_NONE;
}

/* A round of products, of which each of a sum's lanes has one: added in order, by all of them. */
template <int share>
__device__ double add_round(double sum, double product, bool there, bool is_first) {
  if (share == 1) return !there ? sum : is_first ? product : __dadd_rn(sum, product);
  const unsigned lanes_with_terms = __ballot_sync(whole_warp, there);
  const unsigned of_sum = lanes_with_terms >> (threadIdx.x % lanes / share * share);
#pragma unroll
  for (int l = 0; l < share; ++l) {
    const double next = __shfl_sync(whole_warp, product, l, share);
    if ((of_sum >> l & 1) != 0) sum = is_first && l == 0 ? next : __dadd_rn(sum, next);
  }
  return sum;
}

/* All values are loaded before the first is added. */
template <typename To, typename Source, bool whole_lines, int share>
__device__ double add_terms(const place<To> &at, const int32_t *term, const double *weight,
                            double sum, bool is_first) {
  double value[rounds_at_once], factor[rounds_at_once];
#pragma unroll
  for (int n = 0; n < rounds_at_once; ++n) {
    value[n] = factor[n] = 0.0;
    if (!is_there(term[n])) continue;
    factor[n] = weight[(ptrdiff_t)lanes * n];
    value[n] = load_term<To, Source, whole_lines>(at, term[n]);
  }
#pragma unroll
  for (int n = 0; n < rounds_at_once; ++n)
    sum = add_round<share>(sum, __dmul_rn(factor[n], value[n]), is_there(term[n]),
                           is_first && n == 0);
  return sum;
}

template <typename To, typename Source>
__device__ void take_terms(const place<To> &at, const int32_t *term) {
#pragma unroll
  for (int n = 0; n < rounds_at_once; ++n)
    if (RIND_PROGRAM_TAKEN(term[n])) store_kept(source_of<To, Source>(at, term[n]), (Source)0);
}

/* Sums of many terms, as many as the warp has room for: lane l of the share of a sum has its terms
 * l, l + share, .. The terms of the next additions are on their way meanwhile. */
template <typename To, typename Source, bool whole_lines, bool adds>
__device__ void run_sums(const bases_on_the_way &way, int first, int num_rounds) {
  constexpr int share = lanes_a_sum(adds);
  const int lane = threadIdx.x % lanes;
  const int32_t cell = way.t.term[first + lane];
  const int32_t *term = way.t.term + first + lanes + lane;
  const double *weight = way.t.weight + first + lanes + lane;
  int32_t now[rounds_at_once], next[rounds_at_once];
  double sum = 0.0;
  load_terms(term, 0, num_rounds, now);
  const place<To> at = arrive<To>(way);
#pragma unroll 1
  for (int n = 0; n < num_rounds; n += rounds_at_once) {
    load_terms(term, n + rounds_at_once, num_rounds, next);
    sum = add_terms<To, Source, whole_lines, share>(at, now, weight + (ptrdiff_t)lanes * n, sum,
                                                    n == 0);
    if (adds) take_terms<To, Source>(at, now);
#pragma unroll
    for (int u = 0; u < rounds_at_once; ++u)
      now[u] = next[u];
  }
  if (cell != RIND_PROGRAM_NO_CELL && lane % share == 0) store_kept(at.to + cell, (To)sum);
}

} // namespace
