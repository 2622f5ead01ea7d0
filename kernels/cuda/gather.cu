/* gather.cu - the gather engine on the device: one thread a value of a fill, a warp a unit of 32.
 *
 * Bits are the host's: products and sums in the order of the row, in double, never fused. */
#include <device_gather.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

namespace {

constexpr int unit_values = 32, threads_a_block = 256, warps_a_block = threads_a_block / 32;

/* Values first .. first + 31 of a fill; value v is lane v % lanes of cell v / lanes. Fill ~p:
 * windows of pair p. */
struct unit {
  int fill;
  int first;
};

/* Two copies to one block whose runs of ghosts meet: the run after a row of interior cells, high,
 * and the one before the next row, low. A window is what lies between two rows, in whole sectors.
 */
struct pair {
  int low, high;     /* fills */
  int loop;          /* of the rows that carry the runs; the loops after it are as in the fills */
  int run;           /* ghosts in a run */
  int window_values; /* threads a window: a power of two */
};

struct engine {
  const rind_gather_row *row; /* weight and offset point into device memory */
  const rind_gather_fill *fill;
  const unit *units;
  const pair *pairs;
};

/* Where a value lies: its lane, and its cell's offset in each slot. */
struct place {
  int lane;
  ptrdiff_t to, own, source;
};

__device__ bool find_place(const rind_gather_row &row, unsigned value, place &at) {
  const unsigned lanes = row.num_lanes, e0 = row.extent[0], e1 = row.extent[1], e2 = row.extent[2];
  unsigned cell = lanes == 1 ? value : value / lanes;
  at.lane = lanes == 1 ? 0 : value % lanes;
  const unsigned i = cell % e0;
  cell /= e0;
  const unsigned j = cell % e1;
  cell /= e1;
  const unsigned k = cell % e2, l = cell / e2;
  if (l >= (unsigned)row.extent[3]) return false;
  at.to = i * row.to_stride[0] + j * row.to_stride[1] + k * row.to_stride[2] +
          l * row.to_stride[3] + row.to_offset[at.lane];
  at.own = i * row.own_stride[0] + j * row.own_stride[1] + k * row.own_stride[2] +
           l * row.own_stride[3] + row.own_offset[at.lane];
  at.source = i * row.source_stride[0] + j * row.source_stride[1] + k * row.source_stride[2] +
              l * row.source_stride[3];
  return true;
}

/* The sum of a row at a place, in the order of its terms. */
template <typename Own, typename Source>
__device__ double sum_of(const rind_gather_row &row, const place &at, const Own *own,
                         const Source *source) {
  const int terms = row.num_terms, lanes = row.num_lanes;
  const int last = terms - row.num_own_last;
  const double *weight = row.weight + at.lane;
  double sum = 0.0;
  for (int t = 0; t < terms; ++t) {
    const bool is_own = t < row.num_own_first || t >= last;
    const double value =
        is_own ? (double)own[row.offset[t] + at.own] : (double)source[row.offset[t] + at.source];
    const double product = __dmul_rn(weight[(ptrdiff_t)t * lanes], value);
    sum = t == 0 ? product : __dadd_rn(sum, product);
  }
  return sum;
}

/* One value of a fill. */
template <typename To, typename Source>
__device__ void run_value(const rind_gather_row &row, unsigned value, To *to, const To *own,
                          const Source *source) {
  place at;
  if (!find_place(row, value, at)) return;
  switch (row.body) {
  case RIND_GATHER_COPY:
    to[at.to] = (To)source[at.source + row.offset[0]];
    break;
  case RIND_GATHER_CLEAR:
    to[at.to] = (To)0;
    break;
  case RIND_GATHER_ADD: {
    const Source *from = source + at.source + row.offset[1];
    to[at.to] = (To)__dadd_rn((double)to[at.to], __dmul_rn(row.weight[1], (double)*from));
    if (row.takes) *const_cast<Source *>(from) = (Source)0;
    break;
  }
  default:
    to[at.to] = (To)sum_of(row, at, own, source);
  }
}

/* One value of a window: a ghost of either run, or an interior cell beside them that keeps its
 * value. Rows -1 and extent have runs on one side alone. */
template <typename T>
__device__ void run_window(const engine &e, const pair &p, unsigned value, void *const *to_base,
                           const void *const *source_base) {
  constexpr int sector = 32 / sizeof(T);
  const rind_gather_fill low = e.fill[p.low], high = e.fill[p.high];
  const rind_gather_row &row = e.row[high.row], &row_low = e.row[low.row];
  const int loop = p.loop, rows = row.extent[loop];
  unsigned window = value / p.window_values;
  const int j = (int)(window % (unsigned)(rows + 1)) - 1;
  window /= (unsigned)(rows + 1);
  ptrdiff_t at = j * row.to_stride[loop];
  for (int d = loop + 1; d < RIND_GATHER_DIMS; ++d) {
    at += (ptrdiff_t)(window % (unsigned)row.extent[d]) * row.to_stride[d];
    window /= (unsigned)row.extent[d];
  }
  if (window > 0) return;
  T *to = (T *)to_base[high.to] + row.to_offset[0] + at;
  const int before = (int)((size_t)to / sizeof(T) % sector);
  const int i = (int)(value % (unsigned)p.window_values) - before;
  if (i + before >= (before + 2 * p.run + sector - 1) / sector * sector) return;
  if (i < p.run ? j < 0 : j + 1 >= rows) return;
  T kept;
  if (i < 0 || i >= 2 * p.run)
    kept = to[i];
  else if (i < p.run)
    kept = ((const T *)source_base[high.source])[row.offset[0] + at + i];
  else
    kept = ((const T *)
                source_base[low.source])[row_low.offset[0] + at + row.to_stride[loop] + i - p.run];
  to[i] = kept;
}

template <typename To, typename Source>
__device__ void run_unit(const engine &e, int number, void *const *to_base,
                         const void *const *own_base, const void *const *source_base) {
  const unit u = e.units[number];
  if (u.fill < 0) {
    run_window<To>(e, e.pairs[~u.fill], (unsigned)u.first + threadIdx.x % 32, to_base, source_base);
    return;
  }
  const rind_gather_fill fill = e.fill[u.fill];
  const rind_gather_row &row = e.row[fill.row];
  run_value<To, Source>(row, (unsigned)u.first + threadIdx.x % 32, (To *)to_base[fill.to],
                        (const To *)own_base[fill.to], (const Source *)source_base[fill.source]);
}

template <typename To, typename Source>
__global__ void __launch_bounds__(threads_a_block)
    gather_units(engine e, int first, int last, void *const *to_base, const void *const *own_base,
                 const void *const *source_base) {
  const int number = first + blockIdx.x * warps_a_block + threadIdx.x / 32;
  if (number < last) run_unit<To, Source>(e, number, to_base, own_base, source_base);
}

/* Batches of an adjoint: a thread block takes one after the other. */
struct batches {
  int num_batches;
  const int *batch_stage;
  const int *stage_unit; /* [num_stages + 1] */
  double *scratch;       /* [thread blocks * elements], or NULL */
  ptrdiff_t elements, origin;
};

/* All stages of a batch; to is the destination of all its fills. */
template <typename To, typename Source>
__device__ void run_stages(const engine &e, const batches &b, int batch, To *to,
                           const void *const *source_base) {
  for (int stage = b.batch_stage[batch]; stage < b.batch_stage[batch + 1]; ++stage) {
    for (int number = b.stage_unit[stage] + threadIdx.x / 32; number < b.stage_unit[stage + 1];
         number += warps_a_block) {
      const unit u = e.units[number];
      const rind_gather_fill fill = e.fill[u.fill];
      run_value<To, Source>(e.row[fill.row], (unsigned)u.first + threadIdx.x % 32, to, to,
                            (const Source *)source_base[fill.source]);
    }
    __syncthreads();
  }
}

/* Cells that a batch writes: into the sums, or rounded from them. A cell of several rows is moved
 * as often, with the same value. */
template <typename Cell>
__device__ void move_cells(const engine &e, const batches &b, int batch, double *sums, Cell *cells,
                           bool back) {
  const int first = b.stage_unit[b.batch_stage[batch]];
  const int last = b.stage_unit[b.batch_stage[batch + 1]];
  for (int number = first + threadIdx.x / 32; number < last; number += warps_a_block) {
    const unit u = e.units[number];
    place at;
    if (!find_place(e.row[e.fill[u.fill].row], (unsigned)u.first + threadIdx.x % 32, at)) continue;
    if (back)
      cells[at.to] = (Cell)sums[at.to];
    else
      sums[at.to] = (double)cells[at.to];
  }
  __syncthreads();
}

template <typename Cell, typename Source>
__global__ void __launch_bounds__(threads_a_block)
    gather_batches(engine e, batches b, void *const *to_base, const void *const *source_base) {
  for (int batch = blockIdx.x; batch < b.num_batches; batch += gridDim.x) {
    const int unit_of_batch = b.stage_unit[b.batch_stage[batch]];
    Cell *cells = (Cell *)to_base[e.fill[e.units[unit_of_batch].fill].to];
    if (sizeof(Cell) == sizeof(double)) {
      run_stages<Cell, Source>(e, b, batch, cells, source_base);
    } else {
      double *sums = b.scratch + blockIdx.x * b.elements + b.origin;
      move_cells(e, b, batch, sums, cells, false);
      run_stages<double, Source>(e, b, batch, sums, source_base);
      move_cells(e, b, batch, sums, cells, true);
    }
  }
}

int64_t values_of(const rind_gather_row &row) {
  int64_t values = row.num_lanes;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    values *= row.extent[d];
  return values;
}

} // namespace

struct rind_device_gather {
  rind_type to_type, source_type;
  bool sums_floats;
  engine on_device;
  batches stages;
  int *first_unit; /* host, [num_fills + 1] */
  void *memory;    /* all that is on the device */
  size_t bytes;
  int max_blocks;
};

namespace {

/* Parts of one allocation, on the host first. */
struct arena {
  char *host;
  size_t bytes, room;
};

/* A part of so many bytes, data copied to it if there is any; its place, or SIZE_MAX. */
size_t add(arena *parts, const void *data, size_t bytes) {
  const size_t at = (parts->bytes + 15) / 16 * 16;
  if (at + bytes > parts->room) {
    const size_t room = 2 * (at + bytes) + 1024;
    char *moved = (char *)realloc(parts->host, room);
    if (!moved) return SIZE_MAX;
    parts->host = moved;
    parts->room = room;
  }
  if (data && bytes > 0) memcpy(parts->host + at, data, bytes);
  parts->bytes = at + bytes;
  return at;
}

/* Where the parts lie; SIZE_MAX: there was no memory. */
struct places {
  size_t row, fill, units, pairs, batch, stage;
};

/* Pairs under construction. */
struct pairing {
  pair *made;   /* [num_pairs] */
  int *pair_of; /* [num_fills], -1: in none */
  int num_pairs;
};

/* The loop of a copy's rows if each holds one run of ghosts of stride 1, and the run's length. */
bool find_run(const rind_gather_row *row, int *loop, int *run) {
  if (row->body != RIND_GATHER_COPY) return false;
  *loop = row->to_stride[0] == 1 && row->extent[0] > 1;
  *run = *loop ? row->extent[0] : 1;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (row->extent[d] > 1 && row->to_stride[d] != row->source_stride[d]) return false;
  return row->extent[*loop] > 1;
}

/* True if high's runs end where low's of the next rows begin, with at least a sector of cells
 * between low's and high's of a row. */
bool meet(const rind_gather_row *low, const rind_gather_row *high, int sector, pair *made) {
  int loop = 0, run = 0, loop_low = 0, run_low = 0;
  if (!find_run(high, &loop, &run) || !find_run(low, &loop_low, &run_low)) return false;
  if (loop != loop_low || run != run_low) return false;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (low->extent[d] != high->extent[d] ||
        (low->extent[d] > 1 && low->to_stride[d] != high->to_stride[d]))
      return false;
  const ptrdiff_t pitch = high->to_stride[loop];
  if (high->to_offset[0] + run != low->to_offset[0] + pitch || pitch - 2 * run < sector)
    return false;
  int values = 8;
  while (values < 2 * run + 2 * (sector - 1))
    values *= 2;
  if (values > unit_values) return false;
  *made = {0, 0, loop, run, values};
  return true;
}

void free_pairs(pairing *pairs) {
  free(pairs->made);
  free(pairs->pair_of);
}

/* Fill f and a fill of older ones to the same block, if their runs meet. */
bool match(const rind_gather *gather, int f, int other, pair *made) {
  const int sector = gather->to_type == RIND_FLOAT64 ? 4 : 8;
  const rind_gather_row *row = &gather->row[gather->fill[f].row];
  const rind_gather_row *row_of = &gather->row[gather->fill[other].row];
  if (meet(row, row_of, sector, made)) {
    made->low = f;
    made->high = other;
    return true;
  }
  if (!meet(row_of, row, sector, made)) return false;
  made->low = other;
  made->high = f;
  return true;
}

/* Matches the copies to each block; false without memory. */
bool find_pairs(const rind_gather *gather, pairing *pairs) {
  const int num_fills = gather->num_fills;
  int num_to = 0, loop, run;
  for (int f = 0; f < num_fills; ++f)
    if (gather->fill[f].to >= num_to) num_to = gather->fill[f].to + 1;
  int *newest = (int *)malloc(((size_t)num_to + 1) * sizeof(int));
  int *older = (int *)malloc(((size_t)num_fills + 1) * sizeof(int));
  pairs->made = (pair *)malloc(((size_t)num_fills / 2 + 1) * sizeof(pair));
  pairs->pair_of = (int *)malloc(((size_t)num_fills + 1) * sizeof(int));
  const bool have = newest && older && pairs->made && pairs->pair_of;
  for (int to = 0; have && to < num_to; ++to)
    newest[to] = -1;
  for (int f = 0; have && f < num_fills; ++f) {
    const rind_gather_fill *fill = &gather->fill[f];
    pair made = {};
    pairs->pair_of[f] = -1;
    if (!find_run(&gather->row[fill->row], &loop, &run)) continue;
    int other = newest[fill->to];
    while (other >= 0 && (pairs->pair_of[other] >= 0 || !match(gather, f, other, &made)))
      other = older[other];
    if (other >= 0) {
      pairs->made[pairs->num_pairs] = made;
      pairs->pair_of[f] = pairs->pair_of[other] = pairs->num_pairs++;
    }
    older[f] = newest[fill->to];
    newest[fill->to] = f;
  }
  free(newest);
  free(older);
  return have;
}

/* Windows of a pair, in values. */
int64_t window_values(const rind_gather *gather, const pair *p) {
  const rind_gather_row *row = &gather->row[gather->fill[p->high].row];
  int64_t values = (int64_t)p->window_values * (row->extent[p->loop] + 1);
  for (int d = p->loop + 1; d < RIND_GATHER_DIMS; ++d)
    values *= row->extent[d];
  return values;
}

int count_rows(const rind_gather *gather) {
  int num_rows = 0;
  for (int f = 0; f < gather->num_fills; ++f)
    if (gather->fill[f].row >= num_rows) num_rows = gather->fill[f].row + 1;
  return num_rows;
}

/* first_unit of every fill; false if there are more units than an int counts. */
bool count_units(const rind_gather *gather, const pairing *pairs, int *first_unit) {
  int64_t units = 0;
  for (int f = 0; f < gather->num_fills; ++f) {
    first_unit[f] = (int)units;
    const int p = pairs->pair_of ? pairs->pair_of[f] : -1;
    const int64_t values = p < 0                      ? values_of(gather->row[gather->fill[f].row])
                           : f == pairs->made[p].high ? window_values(gather, &pairs->made[p])
                                                      : 0;
    units += (values + unit_values - 1) / unit_values;
    if (values > INT32_MAX || units > INT32_MAX) return false;
  }
  first_unit[gather->num_fills] = (int)units;
  return true;
}

/* Rows whose weights and offsets are places in the arena, fills, and their units. */
bool lay_out(const rind_gather *gather, const pairing *pairs, const int *first_unit, arena *parts,
             places *at) {
  const int num_rows = count_rows(gather), num_fills = gather->num_fills;
  at->row = add(parts, gather->row, (size_t)num_rows * sizeof *gather->row);
  at->fill = add(parts, gather->fill, (size_t)num_fills * sizeof *gather->fill);
  at->units = add(parts, nullptr, (size_t)first_unit[num_fills] * sizeof(unit));
  at->pairs = add(parts, pairs->made, (size_t)pairs->num_pairs * sizeof(pair));
  if (at->row == SIZE_MAX || at->fill == SIZE_MAX || at->units == SIZE_MAX || at->pairs == SIZE_MAX)
    return false;
  unit *units = (unit *)(parts->host + at->units);
  for (int f = 0; f < num_fills; ++f)
    for (int u = first_unit[f]; u < first_unit[f + 1]; ++u)
      units[u] = {pairs->pair_of && pairs->pair_of[f] >= 0 ? ~pairs->pair_of[f] : f,
                  (u - first_unit[f]) * unit_values};
  for (int r = 0; r < num_rows; ++r) {
    const rind_gather_row *from = &gather->row[r];
    const size_t terms = (size_t)from->num_terms, lanes = (size_t)from->num_lanes;
    const size_t weight = add(parts, from->weight, terms * lanes * sizeof(double));
    const size_t offset = add(parts, from->offset, terms * sizeof(ptrdiff_t));
    if (weight == SIZE_MAX || offset == SIZE_MAX) return false;
    rind_gather_row *row = (rind_gather_row *)(parts->host + at->row) + r;
    row->weight = (const double *)weight;
    row->offset = (const ptrdiff_t *)offset;
  }
  return true;
}

bool lay_out_stages(const rind_gather_stages *stages, const int *first_unit, arena *parts,
                    places *at) {
  const size_t num_stages = (size_t)stages->num_stages + 1;
  at->batch = add(parts, stages->batch_stage, ((size_t)stages->num_batches + 1) * sizeof(int));
  at->stage = add(parts, nullptr, num_stages * sizeof(int));
  if (at->batch == SIZE_MAX || at->stage == SIZE_MAX) return false;
  int *stage_unit = (int *)(parts->host + at->stage);
  for (size_t s = 0; s < num_stages; ++s)
    stage_unit[s] = first_unit[stages->stage_fill[s]];
  return true;
}

/* Places become addresses. */
cudaError_t move_to_device(const rind_gather *gather, arena *parts, const places &at,
                           rind_device_gather *made) {
  made->bytes = parts->bytes;
  cudaError_t error = cudaMalloc(&made->memory, parts->bytes > 0 ? parts->bytes : 16);
  if (error != cudaSuccess) return error;
  char *base = (char *)made->memory;
  rind_gather_row *row = (rind_gather_row *)(parts->host + at.row);
  for (int r = 0; r < count_rows(gather); ++r) {
    row[r].weight = (const double *)(base + (size_t)row[r].weight);
    row[r].offset = (const ptrdiff_t *)(base + (size_t)row[r].offset);
  }
  made->on_device = {(const rind_gather_row *)(base + at.row),
                     (const rind_gather_fill *)(base + at.fill), (const unit *)(base + at.units),
                     (const pair *)(base + at.pairs)};
  made->stages.batch_stage = (const int *)(base + at.batch);
  made->stages.stage_unit = (const int *)(base + at.stage);
  return cudaMemcpy(base, parts->host, parts->bytes, cudaMemcpyHostToDevice);
}

/* As many thread blocks as there are batches; with sums of floats no more than run at once. */
cudaError_t size_batches(const rind_gather_stages *stages, ptrdiff_t elements, ptrdiff_t origin,
                         rind_device_gather *made) {
  enum { BLOCKS_A_PROCESSOR = 8 };
  int device = 0, processors = 0;
  made->stages.num_batches = stages->num_batches;
  made->max_blocks = stages->num_batches;
  if (elements == 0 || stages->num_batches == 0) return cudaSuccess;
  made->stages.elements = elements;
  made->stages.origin = origin;
  made->sums_floats = true;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  if (made->max_blocks > BLOCKS_A_PROCESSOR * processors)
    made->max_blocks = BLOCKS_A_PROCESSOR * processors;
  return cudaMalloc((void **)&made->stages.scratch,
                    (size_t)made->max_blocks * (size_t)elements * sizeof(double));
}

cudaError_t fill_in(const rind_gather *gather, const rind_gather_stages *stages,
                    const pairing *pairs, ptrdiff_t elements, ptrdiff_t origin, arena *parts,
                    rind_device_gather *made) {
  places at = {};
  made->to_type = gather->to_type;
  made->source_type = gather->source_type;
  made->first_unit = (int *)malloc(((size_t)gather->num_fills + 1) * sizeof(int));
  if (!made->first_unit) return cudaErrorMemoryAllocation;
  if (!count_units(gather, pairs, made->first_unit)) return cudaErrorInvalidValue;
  if (!lay_out(gather, pairs, made->first_unit, parts, &at) ||
      (stages && !lay_out_stages(stages, made->first_unit, parts, &at)))
    return cudaErrorMemoryAllocation;
  const cudaError_t error = move_to_device(gather, parts, at, made);
  return error != cudaSuccess || !stages ? error : size_batches(stages, elements, origin, made);
}

template <typename To, typename Source>
void launch(const rind_device_gather *g, int first, int last, void *const *to,
            const void *const *own, const void *const *source, cudaStream_t stream) {
  const int blocks = (last - first + warps_a_block - 1) / warps_a_block;
  gather_units<To, Source>
      <<<blocks, threads_a_block, 0, stream>>>(g->on_device, first, last, to, own, source);
}

} // namespace

extern "C" int rind_device_gather_create(const rind_gather *gather,
                                         const rind_gather_stages *stages, bool write_back,
                                         ptrdiff_t elements, ptrdiff_t origin,
                                         rind_device_gather **made) {
  arena parts = {};
  rind_device_gather *fresh = (rind_device_gather *)calloc(1, sizeof *fresh);
  if (!fresh) return (int)cudaErrorMemoryAllocation;
  pairing pairs = {};
  cudaError_t error = cudaErrorMemoryAllocation;
  if (!write_back || gather->to_type != gather->source_type || find_pairs(gather, &pairs))
    error = fill_in(gather, stages, &pairs, elements, origin, &parts, fresh);
  free_pairs(&pairs);
  free(parts.host);
  if (error != cudaSuccess) {
    rind_device_gather_destroy(&fresh);
    cudaGetLastError();
    return (int)error;
  }
  *made = fresh;
  return 0;
}

extern "C" void rind_device_gather_destroy(rind_device_gather **gather) {
  if (!gather || !*gather) return;
  cudaFree((*gather)->memory);
  cudaFree((*gather)->stages.scratch);
  free((*gather)->first_unit);
  free(*gather);
  *gather = nullptr;
}

extern "C" int64_t rind_device_gather_bytes(const rind_device_gather *gather) {
  return (int64_t)gather->bytes;
}

extern "C" int rind_device_gather_run(const rind_device_gather *g, int first, int last,
                                      void *const *to_base, const void *const *own_base,
                                      const void *const *source_base, void *stream) {
  cudaStream_t on = (cudaStream_t)stream;
  const bool from_double = g->source_type == RIND_FLOAT64;
  if (g->stages.num_batches > 0) {
    const int blocks = g->max_blocks;
    if (g->sums_floats)
      gather_batches<float, float>
          <<<blocks, threads_a_block, 0, on>>>(g->on_device, g->stages, to_base, source_base);
    else if (from_double)
      gather_batches<double, double>
          <<<blocks, threads_a_block, 0, on>>>(g->on_device, g->stages, to_base, source_base);
    else
      return (int)cudaErrorInvalidValue;
    return (int)cudaGetLastError();
  }
  const int begin = g->first_unit[first], end = g->first_unit[last];
  if (begin == end) return 0;
  const bool to_double = g->to_type == RIND_FLOAT64;
  if (to_double && from_double)
    launch<double, double>(g, begin, end, to_base, own_base, source_base, on);
  else if (to_double)
    launch<double, float>(g, begin, end, to_base, own_base, source_base, on);
  else if (from_double)
    launch<float, double>(g, begin, end, to_base, own_base, source_base, on);
  else
    launch<float, float>(g, begin, end, to_base, own_base, source_base, on);
  return (int)cudaGetLastError();
}
