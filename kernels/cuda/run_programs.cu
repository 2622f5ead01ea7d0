/* run_programs.cu - programs of blocks: a thread block an item, a warp a slice.
 *
 * Bits are the host's: products and sums in the order of the terms, in double, never fused. */
#include <device_memory.h>
#include <device_programs.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

namespace {

constexpr int lanes = RIND_PROGRAM_LANES, max_threads = lanes * RIND_PROGRAM_WARPS;
constexpr unsigned whole_warp = 0xffffffffu;
/* Terms of a sum whose loads are under way at once. */
constexpr int terms_at_once = 4;

struct tables {
  const rind_program_item *item;
  const int32_t *source;
  const rind_program_move *move;
  const rind_program_sum *sum;
  const int32_t *cell;
  const int32_t *term;
  const double *weight;
};

/* What a thread knows of its item. Lane l has the bases of slots l and 32 + l. */
template <typename To> struct place {
  To *to;
  const void *low, *high;
  bool is_wide; /* there are slots from 32 on */
};

/* The base of a term's slot; all lanes call it. */
template <typename To> __device__ const void *base_of(const place<To> &at, int32_t term) {
  const int slot = RIND_PROGRAM_SLOT(term);
  const unsigned long long low = __shfl_sync(whole_warp, (unsigned long long)at.low, slot % lanes);
  if (!at.is_wide) return (const void *)low;
  const unsigned long long high =
      __shfl_sync(whole_warp, (unsigned long long)at.high, slot % lanes);
  return (const void *)(slot < lanes ? low : high);
}

__device__ bool is_there(int32_t term) {
  return RIND_PROGRAM_SLOT(term) != RIND_PROGRAM_NONE;
}

/* This lane's moves in count slices. */
template <int count>
__device__ void load_moves(const rind_program_move *move, int num_slices,
                           rind_program_move *loaded) {
#pragma unroll
  for (int u = 0; u < count; ++u)
    loaded[u] = u < num_slices ? move[lanes * u]
                               : rind_program_move{RIND_PROGRAM_NO_CELL, RIND_PROGRAM_NONE};
}

/* Values pass by the first cache, which keeps the tables. */
template <typename To>
__device__ void run_copies(const place<To> &at, const rind_program_move *moves, int num_slices) {
  rind_program_move move[RIND_PROGRAM_COPIES];
  To value[RIND_PROGRAM_COPIES];
  load_moves<RIND_PROGRAM_COPIES>(moves, num_slices, move);
#pragma unroll
  for (int u = 0; u < RIND_PROGRAM_COPIES; ++u) {
    const To *source = (const To *)base_of(at, move[u].term);
    if (move[u].cell != RIND_PROGRAM_NO_CELL)
      value[u] = __ldcg(source + RIND_PROGRAM_OFFSET(move[u].term));
  }
#pragma unroll
  for (int u = 0; u < RIND_PROGRAM_COPIES; ++u)
    if (move[u].cell != RIND_PROGRAM_NO_CELL) __stcg(at.to + move[u].cell, value[u]);
}

template <typename To, typename Source>
__device__ void run_adds(const place<To> &at, const rind_program_move *moves, int num_slices) {
  rind_program_move move[RIND_PROGRAM_ADDS];
  Source *source[RIND_PROGRAM_ADDS];
  To before[RIND_PROGRAM_ADDS];
  Source added[RIND_PROGRAM_ADDS];
  load_moves<RIND_PROGRAM_ADDS>(moves, num_slices, move);
#pragma unroll
  for (int u = 0; u < RIND_PROGRAM_ADDS; ++u) {
    source[u] = (Source *)base_of(at, move[u].term) + RIND_PROGRAM_OFFSET(move[u].term);
    if (move[u].cell != RIND_PROGRAM_NO_CELL) before[u] = __ldcg(at.to + move[u].cell);
    if (is_there(move[u].term)) added[u] = __ldcg(source[u]);
  }
#pragma unroll
  for (int u = 0; u < RIND_PROGRAM_ADDS; ++u) {
    if (is_there(move[u].term)) before[u] = (To)__dadd_rn((double)before[u], (double)added[u]);
    if (move[u].cell != RIND_PROGRAM_NO_CELL) __stcg(at.to + move[u].cell, before[u]);
    if (RIND_PROGRAM_TAKEN(move[u].term)) __stcg(source[u], (Source)0);
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
    const void *base = base_of(at, term[n]);
    const int offset = RIND_PROGRAM_OFFSET(term[n]);
    value[n] = factor[n] = 0.0;
    if (!is_there(term[n])) continue;
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
  for (int n = 0; n < terms_at_once; ++n) {
    Source *source = (Source *)base_of(at, term[n]) + RIND_PROGRAM_OFFSET(term[n]);
    if (RIND_PROGRAM_TAKEN(term[n])) __stcg(source, (Source)0);
  }
}

/* A slice of sums; the terms of the next additions are on their way meanwhile. */
template <typename To, typename Source, bool adds>
__device__ void run_sums(const tables &t, const place<To> &at, const rind_program_sum &head) {
  const int lane = threadIdx.x % lanes;
  const int32_t cell = t.cell[head.first_cell + lane];
  const int32_t *term = t.term + head.first_term + lane;
  const double *weight = t.weight + head.first_term + lane;
  int32_t now[terms_at_once], next[terms_at_once];
  double sum = 0.0;
  load_terms(term, 0, head.num_terms, now);
  for (int n = 0; n < head.num_terms; n += terms_at_once) {
    load_terms(term, n + terms_at_once, head.num_terms, next);
    sum = add_terms<To, Source>(at, now, weight + (ptrdiff_t)lanes * n, sum, n == 0);
    if (adds) take_terms<To, Source>(at, now);
#pragma unroll
    for (int u = 0; u < terms_at_once; ++u)
      now[u] = next[u];
  }
  if (cell != RIND_PROGRAM_NO_CELL) __stcg(at.to + cell, (To)sum);
}

/* Of the slot's source, or of the block itself. */
__device__ const void *load_base(const tables &t, const rind_program_item &item, int slot,
                                 const void *const *own_base, const void *const *source_base) {
  if (slot > item.num_slots) return nullptr;
  return slot == RIND_PROGRAM_OWN ? own_base[item.to]
                                  : source_base[t.source[item.first_slot + slot - 1]];
}

/* A warp runs as many slices of moves as it can at once, or a slice of sums. */
template <typename To, typename Source, bool adds>
__global__ void __launch_bounds__(max_threads, 4)
    run_items(tables t, void *const *to_base, const void *const *own_base,
              const void *const *source_base) {
  constexpr int at_once = adds ? RIND_PROGRAM_ADDS : RIND_PROGRAM_COPIES;
  const rind_program_item item = t.item[blockIdx.x];
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes, warps = blockDim.x / lanes;
  const bool is_wide = item.num_slots >= lanes;
  const place<To> at = {(To *)to_base[item.to], load_base(t, item, lane, own_base, source_base),
                        is_wide ? load_base(t, item, lanes + lane, own_base, source_base) : nullptr,
                        is_wide};
  const int num_groups = (item.num_moves + at_once - 1) / at_once;
  for (int group = warp; group < num_groups + item.num_sums; group += warps) {
    const int first = group * at_once;
    const rind_program_move *moves = t.move + item.first_move + lanes * first + lane;
    if (group >= num_groups)
      run_sums<To, Source, adds>(t, at, t.sum[item.first_sum + group - num_groups]);
    else if (adds)
      run_adds<To, Source>(at, moves, item.num_moves - first);
    else
      run_copies<To>(at, moves, item.num_moves - first);
  }
}

} // namespace

struct rind_device_programs {
  rind_type to_type, source_type;
  bool adds;
  int num_items, threads;
  tables on_device;
  void *memory;
  size_t bytes;
};

namespace {

/* Where an array of count items begins, after which bytes is its end. */
size_t place_array(size_t count, size_t item_bytes, size_t *bytes) {
  const size_t at = (*bytes + 255) / 256 * 256;
  *bytes = at + count * item_bytes;
  return at;
}

cudaError_t copy_tables(const rind_programs *from, rind_device_programs *made) {
  enum { NUM_TABLES = 7 };
  const struct {
    const void *data;
    size_t count, item_bytes;
  } table[NUM_TABLES] = {{from->item, (size_t)from->num_items, sizeof *from->item},
                         {from->source, (size_t)from->num_sources, sizeof *from->source},
                         {from->move, (size_t)from->num_moves, sizeof *from->move},
                         {from->sum, (size_t)from->num_sums, sizeof *from->sum},
                         {from->cell, (size_t)from->num_cells, sizeof *from->cell},
                         {from->term, (size_t)from->num_terms, sizeof *from->term},
                         {from->weight, (size_t)from->num_terms, sizeof *from->weight}};
  size_t at[NUM_TABLES];
  for (int i = 0; i < NUM_TABLES; ++i)
    at[i] = place_array(table[i].count, table[i].item_bytes, &made->bytes);
  char *host = (char *)malloc(made->bytes);
  if (!host) return cudaErrorMemoryAllocation;
  for (int i = 0; i < NUM_TABLES; ++i)
    if (table[i].count > 0)
      memcpy(host + at[i], table[i].data, table[i].count * table[i].item_bytes);
  cudaError_t error = cudaMalloc(&made->memory, made->bytes);
  if (error == cudaSuccess) error = (cudaError_t)rind_device_copy(made->memory, host, made->bytes);
  free(host);
  const char *base = (const char *)made->memory;
  made->on_device = {(const rind_program_item *)(base + at[0]),
                     (const int32_t *)(base + at[1]),
                     (const rind_program_move *)(base + at[2]),
                     (const rind_program_sum *)(base + at[3]),
                     (const int32_t *)(base + at[4]),
                     (const int32_t *)(base + at[5]),
                     (const double *)(base + at[6])};
  return error;
}

template <typename To, typename Source>
void launch(const rind_device_programs *p, void *const *to, const void *const *own,
            const void *const *source, cudaStream_t stream) {
  if (p->adds)
    run_items<To, Source, true>
        <<<p->num_items, p->threads, 0, stream>>>(p->on_device, to, own, source);
  else
    run_items<To, Source, false>
        <<<p->num_items, p->threads, 0, stream>>>(p->on_device, to, own, source);
}

} // namespace

extern "C" int rind_device_programs_create(const rind_programs *programs, rind_type to_type,
                                           rind_type source_type, rind_device_programs **made) {
  rind_device_programs *fresh = (rind_device_programs *)calloc(1, sizeof *fresh);
  if (!fresh) return (int)cudaErrorMemoryAllocation;
  fresh->to_type = to_type;
  fresh->source_type = source_type;
  fresh->num_items = programs->num_items;
  fresh->adds = programs->adds;
  fresh->threads = lanes * programs->max_warps;
  if (fresh->threads > max_threads) fresh->threads = max_threads;
  const cudaError_t error = copy_tables(programs, fresh);
  if (error != cudaSuccess) {
    rind_device_programs_destroy(&fresh);
    cudaGetLastError();
    return (int)error;
  }
  *made = fresh;
  return 0;
}

extern "C" void rind_device_programs_destroy(rind_device_programs **programs) {
  if (!programs || !*programs) return;
  cudaFree((*programs)->memory);
  free(*programs);
  *programs = nullptr;
}

extern "C" int64_t rind_device_programs_bytes(const rind_device_programs *programs) {
  return programs ? (int64_t)programs->bytes : 0;
}

extern "C" int rind_device_programs_run(const rind_device_programs *p, void *const *to_base,
                                        const void *const *own_base, const void *const *source_base,
                                        void *stream) {
  const bool to_double = p->to_type == RIND_FLOAT64, from_double = p->source_type == RIND_FLOAT64;
  cudaStream_t on = (cudaStream_t)stream;
  if (to_double && from_double)
    launch<double, double>(p, to_base, own_base, source_base, on);
  else if (to_double)
    launch<double, float>(p, to_base, own_base, source_base, on);
  else if (from_double)
    launch<float, double>(p, to_base, own_base, source_base, on);
  else
    launch<float, float>(p, to_base, own_base, source_base, on);
  return (int)cudaGetLastError();
}
