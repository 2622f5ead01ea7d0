/* program_kernels.cuh - programs of blocks on the device: a warp runs some slices at once. */
#pragma once
#include <kept_values.cuh>
#include <program_sums.cuh>

namespace {

/* The rows of one block read cells that those of its neighbours read too, at about the same time,
 * so values pass through the first cache. */
template <typename To, bool whole_lines>
__device__ void run_copies(const bases_on_the_way &way, const int2 *moves, int num_slices) {
  int2 move[copies_at_once];
  To value[copies_at_once];
#pragma unroll
  for (int u = 0; u < copies_at_once; ++u)
    move[u] =
        u < num_slices ? moves[lanes * u] : make_int2(RIND_PROGRAM_NO_CELL, RIND_PROGRAM_NONE);
  const place<To> at = arrive<To>(way);
#pragma unroll
  for (int u = 0; u < copies_at_once; ++u)
    value[u] = is_there(move[u].y) ? load_kept<whole_lines>(source_of<To, const To>(at, move[u].y))
                                   : (To)0;
#pragma unroll
  for (int u = 0; u < copies_at_once; ++u)
    if (move[u].x != RIND_PROGRAM_NO_CELL) store_kept(at.to + move[u].x, value[u]);
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
    value[u] = is_there(term[u]) ? load_kept<true>(source_of<To, To>(at, term[u])) : (To)0;
#pragma unroll
  for (int u = 0; u < pairs_at_once; ++u) {
    const To ghost = __shfl_xor_sync(whole_warp, value[u], RIND_PROGRAM_PAIRS);
    const To sum = (To)__dadd_rn((double)value[u], (double)ghost);
    if (is_there(term[u]))
      store_kept(source_of<To, To>(at, term[u]), RIND_PROGRAM_TAKEN(term[u]) ? (To)0 : sum);
  }
}

/* A task of a fill. */
template <typename To, typename Source, bool whole_lines>
__device__ void run_forward(const bases_on_the_way &way) {
  const task &now = way.of;
  if (kind_of(now) == kind_sum)
    run_sums<To, Source, whole_lines, false>(way, now.first, terms_of(now));
  else
    run_copies<To, whole_lines>(way, way.t.move + now.first + threadIdx.x % lanes, slices_of(now));
}

/* One of an adjoint. */
template <typename To, typename Source> __device__ void run_backward(const bases_on_the_way &way) {
  const task &now = way.of;
  const int lane = threadIdx.x % lanes;
  if (kind_of(now) == kind_pairs)
    run_pairs<To>(way, way.t.pair + now.first + lane, slices_of(now));
  else if (kind_of(now) == kind_sum)
    run_sums<To, Source, true, true>(way, now.first, terms_of(now));
  else if (kind_of(now) == kind_short)
    run_short<To, Source>(way, now.first, slices_of(now), terms_of(now));
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
template <typename To, typename Source, bool whole_lines>
__global__ void __launch_bounds__(threads_a_block, 4) run_fill(tables t, base_tables bases) {
  __shared__ const void *base_of_slot[warps_a_block][num_slots];
  task now;
  const void *loaded;
  if (begin_task(t, bases, &now, &loaded))
    run_forward<To, Source, whole_lines>(
        {t, bases, now, loaded, base_of_slot[threadIdx.x / lanes]});
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
