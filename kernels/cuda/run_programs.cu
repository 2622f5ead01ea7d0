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

#ifndef BLOCKS
#define BLOCKS 6
#endif
constexpr int max_threads = 256, lanes = RIND_PROGRAM_LANES;
/* Slices whose loads a warp has under way at once. */
constexpr int copies_at_once = 6, adds_at_once = 4;
/* Terms of a sum likewise. */
constexpr int terms_at_once = 4;

struct tables {
  const rind_program_item *item;
  const rind_program_piece *piece;
  const int32_t *source;
  const rind_program_sum *sum;
  const int32_t *cell;
  const rind_program_term *term;
  const double *weight;
};

/* What the threads of an item share. */
template <typename To> struct place {
  To *to;
  const void *const *base; /* of each slot */
  const int32_t *cell;     /* of this lane, slice 0 */
  const rind_program_term *term;
  int warp, warps;
};

template <typename To> __device__ void run_copies(const place<To> &at, int num_slices) {
  for (int first = at.warp; first < num_slices; first += copies_at_once * at.warps) {
    int32_t cell[copies_at_once];
    To value[copies_at_once];
#pragma unroll
    for (int u = 0; u < copies_at_once; ++u) {
      const int slice = first + u * at.warps;
      cell[u] = slice < num_slices ? at.cell[lanes * slice] : RIND_PROGRAM_NO_CELL;
      if (cell[u] == RIND_PROGRAM_NO_CELL) continue;
      const rind_program_term term = at.term[lanes * slice];
      value[u] = ((const To *)at.base[term.slot])[term.offset];
    }
#pragma unroll
    for (int u = 0; u < copies_at_once; ++u)
      if (cell[u] != RIND_PROGRAM_NO_CELL) at.to[cell[u]] = value[u];
  }
}

template <typename To, typename Source>
__device__ void run_adds(const place<To> &at, int begin, int end) {
  for (int first = begin + at.warp; first < end; first += adds_at_once * at.warps) {
    int32_t cell[adds_at_once];
    Source *taken[adds_at_once];
    To sum[adds_at_once];
#pragma unroll
    for (int u = 0; u < adds_at_once; ++u) {
      const int slice = first + u * at.warps;
      cell[u] = slice < end ? at.cell[lanes * slice] : RIND_PROGRAM_NO_CELL;
      taken[u] = nullptr;
      if (cell[u] == RIND_PROGRAM_NO_CELL) continue;
      const rind_program_term term = at.term[lanes * slice];
      sum[u] = at.to[cell[u]];
      if (term.slot == RIND_PROGRAM_NO_TERM) continue;
      Source *source = (Source *)at.base[term.slot & ~RIND_PROGRAM_TAKES] + term.offset;
      sum[u] = (To)__dadd_rn((double)sum[u], (double)*source);
      if (term.slot & RIND_PROGRAM_TAKES) taken[u] = source;
    }
#pragma unroll
    for (int u = 0; u < adds_at_once; ++u) {
      if (cell[u] != RIND_PROGRAM_NO_CELL) at.to[cell[u]] = sum[u];
      if (taken[u]) *taken[u] = (Source)0;
    }
  }
}

/* Some terms of a sum: all are loaded before the first is added. */
template <typename To, typename Source>
__device__ void add_terms(const place<To> &at, const rind_program_term *term, const double *weight,
                          int num_terms, double &sum, bool is_first) {
  double value[terms_at_once], factor[terms_at_once];
  Source *taken[terms_at_once];
  int there = 0;
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n) {
    taken[n] = nullptr;
    value[n] = factor[n] = 0.0;
    if (n >= num_terms) continue;
    const rind_program_term next = term[lanes * n];
    if (next.slot == RIND_PROGRAM_NO_TERM) continue;
    there = n + 1;
    factor[n] = weight[lanes * n];
    if (next.slot == RIND_PROGRAM_OWN) {
      value[n] = (double)((const To *)at.base[0])[next.offset];
      continue;
    }
    Source *source = (Source *)at.base[next.slot & ~RIND_PROGRAM_TAKES] + next.offset;
    value[n] = (double)*source;
    if (next.slot & RIND_PROGRAM_TAKES) taken[n] = source;
  }
#pragma unroll
  for (int n = 0; n < terms_at_once; ++n) {
    if (n >= there) continue;
    const double product = __dmul_rn(factor[n], value[n]);
    sum = is_first && n == 0 ? product : __dadd_rn(sum, product);
    if (taken[n]) *taken[n] = (Source)0;
  }
}

template <typename To, typename Source>
__device__ void run_sums(const tables &t, const place<To> &at, const rind_program_piece &piece) {
  const int before = piece.num_copies + piece.num_adds, lane = threadIdx.x % lanes;
  for (int s = at.warp; s < piece.num_sums; s += at.warps) {
    const int32_t cell = at.cell[lanes * (before + s)];
    if (cell == RIND_PROGRAM_NO_CELL) continue;
    const rind_program_sum head = t.sum[piece.first_sum + s];
    const rind_program_term *term = t.term + head.first_term + lane;
    const double *weight = t.weight + head.first_weight + lane;
    double sum = 0.0;
    for (int n = 0; n < head.num_terms; n += terms_at_once)
      add_terms<To, Source>(at, term + (ptrdiff_t)lanes * n, weight + (ptrdiff_t)lanes * n,
                            head.num_terms - n, sum, n == 0);
    at.to[cell] = (To)sum;
  }
}

/* Programs have copies, or adds. */
template <typename To, typename Source, bool adds>
__global__ void __launch_bounds__(max_threads, BLOCKS)
    run_items(tables t, void *const *to_base, const void *const *own_base,
              const void *const *source_base) {
  __shared__ const void *base[RIND_PROGRAM_MAX_SOURCES + 1];
  const rind_program_item item = t.item[blockIdx.x];
  const rind_program_piece piece = t.piece[item.piece];
  for (int s = threadIdx.x; s <= item.num_slots; s += blockDim.x)
    base[s] = s == 0 ? own_base[item.to] : source_base[t.source[item.first_slot + s - 1]];
  __syncthreads();
  const int lane = threadIdx.x % lanes;
  const place<To> at = {(To *)to_base[item.to],           base,
                        t.cell + piece.first_cell + lane, t.term + piece.first_term + lane,
                        (int)threadIdx.x / lanes,         (int)blockDim.x / lanes};
  if (adds)
    run_adds<To, Source>(at, 0, piece.num_adds);
  else
    run_copies<To>(at, piece.num_copies);
  run_sums<To, Source>(t, at, piece);
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
                         {from->piece, (size_t)from->num_pieces, sizeof *from->piece},
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
  made->on_device = {(const rind_program_item *)(base + at[0]),
                     (const rind_program_piece *)(base + at[1]),
                     (const int32_t *)(base + at[2]),
                     (const rind_program_sum *)(base + at[3]),
                     (const int32_t *)(base + at[4]),
                     (const rind_program_term *)(base + at[5]),
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
