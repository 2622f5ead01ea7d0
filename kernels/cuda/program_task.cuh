/* program_task.cuh - what a warp does at once of a block's program, and where the block's memory
 * is. */
#pragma once
#include <block_programs.h>
#include <early_kernel.cuh>

#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int lanes = RIND_PROGRAM_LANES, warps_a_block = 8;
constexpr int threads_a_block = lanes * warps_a_block;
constexpr unsigned whole_warp = 0xffffffffu;
/* Slices whose loads are under way at once: of copies, of pairs; of plain sums of up to two terms
 * beside the cell, of longer ones; of other sums of up to short_terms. */
constexpr int copies_at_once = 6, pairs_at_once = 8, plain_at_once = 5, long_plain_at_once = 2;
constexpr int short_at_once = 3, short_terms = 2;

/* Another sum is shared by some lanes: those of adjoints have more terms. A round is a term for
 * each lane, and the loads of so many rounds are under way at once. */
__host__ __device__ constexpr int lanes_a_sum(bool adds) {
  return adds ? 4 : 1;
}

constexpr int rounds_at_once = 5;

/* A warp's lanes each load a base: those of the slots before last_lane, and where to write. */
constexpr int num_slots = 64, last_lane = lanes - 1;

enum kind { kind_copies, kind_pairs, kind_plain, kind_short, kind_sum };

/* What a warp does at once: some slices of copies, of pairs, of plain or of short sums, or some
 * other sums. */
struct __align__(16) task {
  int32_t first; /* element of move, of pair, or of term */
  int32_t what;  /* bits 0 to 2: kind; 3 to 8: slots; 9 to 12: slices; from 13: terms */
  int32_t to;
  int32_t first_slot;
};

task make_task(kind of, int first, int num_slices, int num_terms, const rind_program_item &item) {
  return {first, of | item.num_slots << 3 | num_slices << 9 | num_terms << 13, item.to,
          item.first_slot};
}

__device__ int kind_of(const task &t) {
  return t.what & 7;
}

__device__ int slots_of(const task &t) {
  return t.what >> 3 & 63;
}

__device__ int slices_of(const task &t) {
  return t.what >> 9 & 15;
}

__device__ int terms_of(const task &t) {
  return t.what >> 13;
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

/* Passes the bases to the other lanes, and waits for the values. Called when a task's own loads are
 * under way. */
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
  wait_for_earlier_kernel();
  return {to, way.base};
}

__device__ bool is_there(int32_t term) {
  return RIND_PROGRAM_SLOT(term) != RIND_PROGRAM_NONE;
}

/* A term's cell, of those that are not of the block itself. */
template <typename To, typename Source>
__device__ Source *source_of(const place<To> &at, int32_t term) {
  return (Source *)at.base[RIND_PROGRAM_SLOT(term)] + RIND_PROGRAM_OFFSET(term);
}

} // namespace
