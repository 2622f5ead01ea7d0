/* program_kernels.cuh - programs of blocks on the device: a warp runs some slices at once.
 *
 * Bits are the host's: products and sums in the order of the terms, in double, never fused. */
#pragma once
#include <block_programs.h>
#include <kept_values.cuh>

#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int lanes = RIND_PROGRAM_LANES, warps_a_block = 8;
constexpr int threads_a_block = lanes * warps_a_block;
constexpr unsigned whole_warp = 0xffffffffu;
/* Slices whose loads are under way at once: of copies, of pairs, of plain sums, and of plain sums
 * that have more than two terms beside the cell. */
constexpr int copies_at_once = 6, pairs_at_once = 8, plain_at_once = 5, long_plain_at_once = 2;
/* Terms of another sum whose loads are under way at once. */
constexpr int terms_at_once = 4;
/* A warp's lanes each load a base: those of the slots before last_lane, and where to write. */
constexpr int num_slots = 64, last_lane = lanes - 1;

enum kind { kind_copies, kind_pairs, kind_plain, kind_sum };

/* What a warp does at once: some slices of copies, of pairs or of plain sums, or a slice of other
 * sums. */
struct __align__(16) task {
  int32_t first; /* element of move, of pair, or of term */
  int32_t what;  /* bits 0 and 1: kind; 2 to 7: slots; 8 to 11: slices; from 12: terms */
  int32_t to;
  int32_t first_slot;
};

task make_task(kind of, int first, int num_slices, int num_terms, const rind_program_item &item) {
  return {first, of | item.num_slots << 2 | num_slices << 8 | num_terms << 12, item.to,
          item.first_slot};
}

__device__ int kind_of(const task &t) {
  return t.what & 3;
}

__device__ int slots_of(const task &t) {
  return t.what >> 2 & 63;
}

__device__ int slices_of(const task &t) {
  return t.what >> 8 & 15;
}

__device__ int terms_of(const task &t) {
  return t.what >> 12;
}

struct tables {
  int num_tasks;
  const task *tasks;
  const int32_t *source;
  const int2 *move; /* cell, term */
  const int32_t *pair;
  const int32_t *term; /* a slice of sums: its cells, and then its terms */
  const double *weight;
};

struct base_tables {
  void *const *to;
  const void *const *own;
  const void *const *source;
  ptrdiff_t stride; /* bytes from a base to the next, in what is then one table; or 0 */
};

__device__ const void *base_of(const base_tables &bases, const void *const *table, int number) {
  return bases.stride != 0 ? (const char *)bases.to[0] + number * bases.stride : table[number];
}

/* What a warp knows of its task. */
template <typename To> struct place {
  To *to;
  const void *const *base; /* of each slot */
};

/* What a lane has loaded of its task's bases. */
struct bases_on_the_way {
  const tables &t;
  const base_tables &from;
  const task &of;
  const void *loaded;
  const void **base; /* of this warp, [num_slots] */
};

/* Passes the bases to the other lanes. Called when a task's own loads are under way. */
template <typename To> __device__ place<To> arrive(const bases_on_the_way &way) {
  const int lane = threadIdx.x % lanes;
  To *to = (To *)__shfl_sync(whole_warp, (unsigned long long)way.loaded, last_lane);
  way.base[lane] = way.loaded;
  if (slots_of(way.of) >= last_lane) {
    __syncwarp();
#pragma unroll 1
    for (int slot = last_lane + lane; slot <= slots_of(way.of); slot += lanes)
      way.base[slot] =
          base_of(way.from, way.from.source, way.t.source[way.of.first_slot + slot - 1]);
  }
  __syncwarp();
  return {to, way.base};
}

__device__ bool is_there(int32_t term) {
  return RIND_PROGRAM_SLOT(term) != RIND_PROGRAM_NONE;
}

/* The rows of one block read cells that those of its neighbours read too, at about the same time,
 * so values pass through the first cache. */
template <typename To>
__device__ void run_copies(const bases_on_the_way &way, const int2 *moves, int num_slices) {
  int2 move[copies_at_once];
  To value[copies_at_once];
#pragma unroll
  for (int u = 0; u < copies_at_once; ++u)
    move[u] = u < num_slices ? moves[lanes * u] : make_int2(RIND_PROGRAM_NO_CELL, 0);
  const place<To> at = arrive<To>(way);
#pragma unroll
  for (int u = 0; u < copies_at_once; ++u)
    if (move[u].x != RIND_PROGRAM_NO_CELL)
      value[u] = load_kept((const To *)at.base[RIND_PROGRAM_SLOT(move[u].y)] +
                           RIND_PROGRAM_OFFSET(move[u].y));
#pragma unroll
  for (int u = 0; u < copies_at_once; ++u)
    if (move[u].x != RIND_PROGRAM_NO_CELL) store_kept(at.to + move[u].x, value[u]);
}

/* A term's cell, of those that are not of the block itself. */
template <typename To, typename Source>
__device__ Source *source_of(const place<To> &at, int32_t term) {
  return (Source *)at.base[RIND_PROGRAM_SLOT(term)] + RIND_PROGRAM_OFFSET(term);
}

/* A cell's lane and its ghost's are half a warp apart. */
template <typename To>
__device__ void run_pairs(const bases_on_the_way &way, const int32_t *pairs, int num_slices) {
  int32_t term[pairs_at_once];
  To value[pairs_at_once];
#pragma unroll
  for (int u = 0; u < pairs_at_once; ++u)
    term[u] = u < num_slices ? pairs[lanes * u] : RIND_PROGRAM_NONE;
  const place<To> at = arrive<To>(way);
#pragma unroll
  for (int u = 0; u < pairs_at_once; ++u)
    value[u] = is_there(term[u]) ? load_kept(source_of<To, To>(at, term[u])) : (To)0;
#pragma unroll
  for (int u = 0; u < pairs_at_once; ++u) {
    const To ghost = __shfl_xor_sync(whole_warp, value[u], RIND_PROGRAM_PAIRS);
    const To sum = (To)__dadd_rn((double)value[u], (double)ghost);
    if (is_there(term[u]))
      store_kept(source_of<To, To>(at, term[u]), RIND_PROGRAM_TAKEN(term[u]) ? (To)0 : sum);
  }
}

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
    if (cell[u] != RIND_PROGRAM_NO_CELL) before[u] = load_kept(at.to + cell[u]);
#pragma unroll
    for (int n = 0; n < max_terms; ++n)
      if (is_there(term[u][n])) added[u][n] = load_kept(source_of<To, Source>(at, term[u][n]));
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

/* A lane's terms from number first on. */
__device__ void load_terms(const int32_t *term, int first, int num_terms, int32_t *loaded) {
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n)
    loaded[n] = first + n < num_terms ? term[(ptrdiff_t)lanes * (first + n)] : RIND_PROGRAM_NONE;
}

/* All values are loaded before the first is added. */
template <typename To, typename Source>
__device__ double add_terms(const place<To> &at, const int32_t *term, const double *weight,
                            double sum, bool is_first) {
  double value[terms_at_once], factor[terms_at_once];
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n) {
    value[n] = factor[n] = 0.0;
    if (!is_there(term[n])) continue;
    const void *base = at.base[RIND_PROGRAM_SLOT(term[n])];
    const int offset = RIND_PROGRAM_OFFSET(term[n]);
    factor[n] = weight[(ptrdiff_t)lanes * n];
    value[n] = RIND_PROGRAM_SLOT(term[n]) == RIND_PROGRAM_OWN
                   ? (double)__ldcg((const To *)base + offset)
                   : (double)__ldcg((const Source *)base + offset);
  }
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n) {
    if (!is_there(term[n])) continue;
    const double product = __dmul_rn(factor[n], value[n]);
    sum = is_first && n == 0 ? product : __dadd_rn(sum, product);
  }
  return sum;
}

template <typename To, typename Source>
__device__ void take_terms(const place<To> &at, const int32_t *term) {
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n)
    if (RIND_PROGRAM_TAKEN(term[n])) store_kept(source_of<To, Source>(at, term[n]), (Source)0);
}

/* A slice of sums; the terms of the next additions are on their way meanwhile. */
template <typename To, typename Source, bool adds>
__device__ void run_sum(const bases_on_the_way &way, int first, int num_terms) {
  const int lane = threadIdx.x % lanes;
  const int32_t cell = way.t.term[first + lane];
  const int32_t *term = way.t.term + first + lanes + lane;
  const double *weight = way.t.weight + first + lanes + lane;
  int32_t now[terms_at_once], next[terms_at_once];
  double sum = 0.0;
  load_terms(term, 0, num_terms, now);
  const place<To> at = arrive<To>(way);
#pragma unroll 1
  for (int n = 0; n < num_terms; n += terms_at_once) {
    load_terms(term, n + terms_at_once, num_terms, next);
    sum = add_terms<To, Source>(at, now, weight + (ptrdiff_t)lanes * n, sum, n == 0);
    if (adds) take_terms<To, Source>(at, now);
#pragma unroll
    for (int u = 0; u < terms_at_once; ++u)
      now[u] = next[u];
  }
  if (cell != RIND_PROGRAM_NO_CELL) store_kept(at.to + cell, (To)sum);
}

/* A task of a fill. */
template <typename To, typename Source> __device__ void run_forward(const bases_on_the_way &way) {
  const task &now = way.of;
  if (kind_of(now) == kind_sum)
    run_sum<To, Source, false>(way, now.first, terms_of(now));
  else
    run_copies<To>(way, way.t.move + now.first + threadIdx.x % lanes, slices_of(now));
}

/* One of an adjoint. */
template <typename To, typename Source> __device__ void run_backward(const bases_on_the_way &way) {
  const task &now = way.of;
  const int lane = threadIdx.x % lanes;
  if (kind_of(now) == kind_pairs)
    run_pairs<To>(way, way.t.pair + now.first + lane, slices_of(now));
  else if (kind_of(now) == kind_sum)
    run_sum<To, Source, true>(way, now.first, terms_of(now));
  else if (terms_of(now) <= 2)
    run_plain<To, Source, plain_at_once, 2>(way, way.t.term + now.first + lane, slices_of(now),
                                            terms_of(now));
  else
    run_plain<To, Source, long_plain_at_once, RIND_PROGRAM_PLAIN_TERMS>(
        way, way.t.term + now.first + lane, slices_of(now), terms_of(now));
}

/* Which base this lane loads: an index into own (slot 0), source or to (last_lane); -1: none. */
__device__ int load_source(const tables &t, const task &of) {
  const int slot = threadIdx.x % lanes;
  if (slot == RIND_PROGRAM_OWN || slot == last_lane) return of.to;
  return slot <= slots_of(of) ? t.source[of.first_slot + slot - 1] : -1;
}

__device__ const void *load_base(const base_tables &bases, int source) {
  const int slot = threadIdx.x % lanes;
  if (source < 0) return nullptr;
  return base_of(bases,
                 slot == last_lane          ? (const void *const *)bases.to
                 : slot == RIND_PROGRAM_OWN ? bases.own
                                            : bases.source,
                 source);
}

/* What a warp starts with, if it has a task. */
__device__ bool begin_task(const tables &t, const base_tables &bases, task *now,
                           const void **loaded) {
  const int number = blockIdx.x * warps_a_block + threadIdx.x / lanes;
  if (number >= t.num_tasks) return false;
  *now = t.tasks[number];
  *loaded = load_base(bases, load_source(t, *now));
  return true;
}

/* A thread block copies and sums: a task a warp. */
template <typename To, typename Source>
__global__ void __launch_bounds__(threads_a_block, 4) run_fill(tables t, base_tables bases) {
  __shared__ const void *base_of_slot[warps_a_block][num_slots];
  task now;
  const void *loaded;
  if (begin_task(t, bases, &now, &loaded))
    run_forward<To, Source>({t, bases, now, loaded, base_of_slot[threadIdx.x / lanes]});
}

/* A thread block adds: a task a warp. */
template <typename To, typename Source>
__global__ void __launch_bounds__(threads_a_block, 4) run_adjoint(tables t, base_tables bases) {
  __shared__ const void *base_of_slot[warps_a_block][num_slots];
  task now;
  const void *loaded;
  if (begin_task(t, bases, &now, &loaded))
    run_backward<To, Source>({t, bases, now, loaded, base_of_slot[threadIdx.x / lanes]});
}

} // namespace
