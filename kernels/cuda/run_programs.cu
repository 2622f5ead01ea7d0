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

constexpr int max_threads = 256, lanes = RIND_PROGRAM_LANES;
constexpr int slot_mask = RIND_PROGRAM_TAKES - 1;
constexpr unsigned whole_warp = 0xffffffffu;
/* Slices whose loads a warp has under way at once, and terms of a sum. */
constexpr int copies_at_once = 6, adds_at_once = 4, terms_at_once = 4;

struct tables {
  const rind_program_item *item;
  const int32_t *source;
  const rind_program_sum *sum;
  const int32_t *cell;
  const rind_program_term *term;
  const double *weight;
};

/* What a thread knows of its item. Lane l has the bases of slots l and 32 + l. */
template <typename To> struct place {
  To *to;
  const void *low, *high;
  bool is_wide;        /* there are slots from 32 on */
  const int32_t *cell; /* of this lane, slice 0 */
  const rind_program_term *term;
  int warp, warps;
};

/* The base of a slot; all lanes call it. */
template <typename To> __device__ const void *base_of(const place<To> &at, int slot) {
  const unsigned long long low = __shfl_sync(whole_warp, (unsigned long long)at.low, slot % lanes);
  if (!at.is_wide) return (const void *)low;
  const unsigned long long high =
      __shfl_sync(whole_warp, (unsigned long long)at.high, slot % lanes);
  return (const void *)(slot < lanes ? low : high);
}

/* Values pass by the first cache, which keeps the tables. */
template <typename To> __device__ void run_copies(const place<To> &at, int num_slices) {
  for (int first = at.warp; first < num_slices; first += copies_at_once * at.warps) {
    int32_t cell[copies_at_once];
    rind_program_term term[copies_at_once];
    To value[copies_at_once];
#pragma unroll
    for (int u = 0; u < copies_at_once; ++u) {
      const int slice = first + u * at.warps;
      const bool there = slice < num_slices;
      cell[u] = there ? at.cell[lanes * slice] : RIND_PROGRAM_NO_CELL;
      term[u] = there ? at.term[lanes * slice] : rind_program_term{0, RIND_PROGRAM_NO_TERM};
    }
#pragma unroll
    for (int u = 0; u < copies_at_once; ++u) {
      const To *source = (const To *)base_of(at, term[u].slot & slot_mask);
      if (cell[u] != RIND_PROGRAM_NO_CELL) value[u] = __ldcg(source + term[u].offset);
    }
#pragma unroll
    for (int u = 0; u < copies_at_once; ++u)
      if (cell[u] != RIND_PROGRAM_NO_CELL) __stcg(at.to + cell[u], value[u]);
  }
}

template <typename To, typename Source>
__device__ void run_adds(const place<To> &at, int num_slices) {
  for (int first = at.warp; first < num_slices; first += adds_at_once * at.warps) {
    int32_t cell[adds_at_once];
    rind_program_term term[adds_at_once];
    Source *source[adds_at_once];
    To before[adds_at_once];
    Source added[adds_at_once];
#pragma unroll
    for (int u = 0; u < adds_at_once; ++u) {
      const int slice = first + u * at.warps;
      const bool there = slice < num_slices;
      cell[u] = there ? at.cell[lanes * slice] : RIND_PROGRAM_NO_CELL;
      term[u] = there ? at.term[lanes * slice] : rind_program_term{0, RIND_PROGRAM_NO_TERM};
    }
#pragma unroll
    for (int u = 0; u < adds_at_once; ++u) {
      source[u] = (Source *)base_of(at, term[u].slot & slot_mask) + term[u].offset;
      if (cell[u] != RIND_PROGRAM_NO_CELL) before[u] = __ldcg(at.to + cell[u]);
      if (term[u].slot != RIND_PROGRAM_NO_TERM) added[u] = __ldcg(source[u]);
    }
#pragma unroll
    for (int u = 0; u < adds_at_once; ++u) {
      if (term[u].slot != RIND_PROGRAM_NO_TERM)
        before[u] = (To)__dadd_rn((double)before[u], (double)added[u]);
      if (cell[u] != RIND_PROGRAM_NO_CELL) __stcg(at.to + cell[u], before[u]);
      if (term[u].slot != RIND_PROGRAM_NO_TERM && (term[u].slot & RIND_PROGRAM_TAKES))
        __stcg(source[u], (Source)0);
    }
  }
}

/* Terms of a lane's sum from number first on; those beyond its end are RIND_PROGRAM_NO_TERM. */
__device__ void load_terms(const rind_program_term *term, int first, int num_terms,
                           rind_program_term *loaded) {
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n)
    loaded[n] = first + n < num_terms ? term[(ptrdiff_t)lanes * (first + n)]
                                      : rind_program_term{0, RIND_PROGRAM_NO_TERM};
}

/* All values are loaded before the first is added. */
template <typename To, typename Source>
__device__ double add_terms(const place<To> &at, const rind_program_term *term,
                            const double *weight, double sum, bool is_first) {
  double value[terms_at_once], factor[terms_at_once];
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n) {
    const void *base = base_of(at, term[n].slot & slot_mask);
    value[n] = factor[n] = 0.0;
    if (term[n].slot == RIND_PROGRAM_NO_TERM) continue;
    factor[n] = weight[(ptrdiff_t)lanes * n];
    value[n] = term[n].slot == RIND_PROGRAM_OWN
                   ? (double)__ldcg((const To *)base + term[n].offset)
                   : (double)__ldcg((const Source *)base + term[n].offset);
  }
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n) {
    if (term[n].slot == RIND_PROGRAM_NO_TERM) continue;
    const double product = __dmul_rn(factor[n], value[n]);
    sum = is_first && n == 0 ? product : __dadd_rn(sum, product);
  }
  return sum;
}

template <typename To, typename Source>
__device__ void take_terms(const place<To> &at, const rind_program_term *term) {
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n) {
    Source *source = (Source *)base_of(at, term[n].slot & slot_mask) + term[n].offset;
    if (term[n].slot != RIND_PROGRAM_NO_TERM && (term[n].slot & RIND_PROGRAM_TAKES))
      __stcg(source, (Source)0);
  }
}

template <typename To, typename Source, bool adds>
__device__ void run_sums(const tables &t, const rind_program_item &item, const place<To> &at) {
  const int before = item.num_copies + item.num_adds, lane = threadIdx.x % lanes;
  for (int s = at.warp; s < item.num_sums; s += at.warps) {
    const int32_t cell = at.cell[lanes * (before + s)];
    const rind_program_sum head = t.sum[item.first_sum + s];
    const rind_program_term *term = t.term + head.first_term + lane;
    const double *weight = t.weight + head.first_weight + lane;
    rind_program_term now[terms_at_once], next[terms_at_once];
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
}

/* Of the slot's source, or of the block itself. */
__device__ const void *load_base(const tables &t, const rind_program_item &item, int slot,
                                 const void *const *own_base, const void *const *source_base) {
  if (slot > item.num_slots) return nullptr;
  return slot == RIND_PROGRAM_OWN ? own_base[item.to]
                                  : source_base[t.source[item.first_slot + slot - 1]];
}

/* Programs have copies, or adds. */
template <typename To, typename Source, bool adds>
__global__ void __launch_bounds__(max_threads, 4)
    run_items(tables t, void *const *to_base, const void *const *own_base,
              const void *const *source_base) {
  const rind_program_item item = t.item[blockIdx.x];
  const int lane = threadIdx.x % lanes;
  const bool is_wide = item.num_slots >= lanes;
  const place<To> at = {(To *)to_base[item.to],
                        load_base(t, item, lane, own_base, source_base),
                        is_wide ? load_base(t, item, lanes + lane, own_base, source_base) : nullptr,
                        is_wide,
                        t.cell + item.first_cell + lane,
                        t.term + item.first_term + lane,
                        (int)threadIdx.x / lanes,
                        (int)blockDim.x / lanes};
  if (adds)
    run_adds<To, Source>(at, item.num_adds);
  else
    run_copies<To>(at, item.num_copies);
  run_sums<To, Source, adds>(t, item, at);
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
  enum { NUM_TABLES = 6 };
  const struct {
    const void *data;
    size_t count, item_bytes;
  } table[NUM_TABLES] = {{from->item, (size_t)from->num_items, sizeof *from->item},
                         {from->source, (size_t)from->num_sources, sizeof *from->source},
                         {from->sum, (size_t)from->num_sums, sizeof *from->sum},
                         {from->cell, (size_t)from->num_cells, sizeof *from->cell},
                         {from->term, (size_t)from->num_terms, sizeof *from->term},
                         {from->weight, (size_t)from->num_weights, sizeof *from->weight}};
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
  made->on_device = {(const rind_program_item *)(base + at[0]), (const int32_t *)(base + at[1]),
                     (const rind_program_sum *)(base + at[2]),  (const int32_t *)(base + at[3]),
                     (const rind_program_term *)(base + at[4]), (const double *)(base + at[5])};
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
  fresh->threads = lanes * programs->max_slices;
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
