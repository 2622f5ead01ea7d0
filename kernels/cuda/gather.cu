/* gather.cu - the gather engine on the device: one thread a value of a fill, a warp a unit of 32.
 *
 * Bits are the host's: products and sums in the order of the row, in double, never fused. */
#include <device_gather.h>

#include <algorithm>
#include <cstdlib>
#include <cuda_runtime.h>
#include <new>
#include <vector>

namespace {

constexpr int unit_values = 32, threads_a_block = 256, warps_a_block = threads_a_block / 32;

/* Values first .. first + 31 of a fill; value v is lane v % lanes of cell v / lanes. */
struct unit {
  int fill;
  int first;
};

struct engine {
  const rind_gather_row *row; /* weight and offset point into device memory */
  const rind_gather_fill *fill;
  const unit *units;
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

template <typename To, typename Source>
__device__ void run_unit(const engine &e, int number, void *const *to_base,
                         const void *const *own_base, const void *const *source_base) {
  const unit u = e.units[number];
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
  int num_stages;
  int *first_unit; /* host, [num_fills + 1] */
  void *memory;    /* all that is on the device */
  size_t bytes;
  int max_blocks;
};

namespace {

/* Parts of one allocation. */
struct arena {
  std::vector<char> host;
  size_t add(const void *data, size_t bytes) {
    const size_t at = (host.size() + 15) / 16 * 16;
    host.resize(at + bytes);
    if (bytes > 0) std::copy((const char *)data, (const char *)data + bytes, host.data() + at);
    return at;
  }
};

int fail(rind_device_gather *made, cudaError_t error) {
  rind_device_gather_destroy(&made);
  cudaGetLastError();
  return (int)error;
}

int make(const rind_gather *gather, const rind_gather_stages *stages, ptrdiff_t elements,
         ptrdiff_t origin, rind_device_gather **result) {
  int num_rows = 0;
  for (int f = 0; f < gather->num_fills; ++f)
    num_rows = std::max(num_rows, gather->fill[f].row + 1);
  rind_device_gather *made = new rind_device_gather();
  made->to_type = gather->to_type;
  made->source_type = gather->source_type;
  made->first_unit = (int *)malloc(((size_t)gather->num_fills + 1) * sizeof(int));
  if (!made->first_unit) return fail(made, cudaErrorMemoryAllocation);
  std::vector<unit> units;
  for (int f = 0; f < gather->num_fills; ++f) {
    made->first_unit[f] = (int)units.size();
    const int64_t values = values_of(gather->row[gather->fill[f].row]);
    if (values > INT32_MAX || (int64_t)units.size() + values / unit_values + 1 > INT32_MAX)
      return fail(made, cudaErrorInvalidValue);
    for (int64_t first = 0; first < values; first += unit_values)
      units.push_back({f, (int)first});
  }
  made->first_unit[gather->num_fills] = (int)units.size();
  arena parts;
  std::vector<rind_gather_row> rows(gather->row, gather->row + num_rows);
  std::vector<size_t> weight(num_rows), offset(num_rows);
  for (int r = 0; r < num_rows; ++r) {
    const size_t terms = (size_t)rows[r].num_terms;
    weight[r] = parts.add(rows[r].weight, terms * rows[r].num_lanes * sizeof(double));
    offset[r] = parts.add(rows[r].offset, terms * sizeof(ptrdiff_t));
  }
  const size_t row_at = parts.add(rows.data(), rows.size() * sizeof rows[0]);
  const size_t fill_at = parts.add(gather->fill, (size_t)gather->num_fills * sizeof *gather->fill);
  const size_t unit_at = parts.add(units.data(), units.size() * sizeof(unit));
  size_t batch_at = 0, stage_at = 0;
  if (stages) {
    std::vector<int> stage_unit(stages->num_stages + 1);
    for (int s = 0; s <= stages->num_stages; ++s)
      stage_unit[s] = made->first_unit[stages->stage_fill[s]];
    batch_at = parts.add(stages->batch_stage, ((size_t)stages->num_batches + 1) * sizeof(int));
    stage_at = parts.add(stage_unit.data(), stage_unit.size() * sizeof(int));
  }
  made->bytes = parts.host.size();
  cudaError_t error = cudaMalloc(&made->memory, std::max<size_t>(made->bytes, 16));
  if (error != cudaSuccess) return fail(made, error);
  char *base = (char *)made->memory;
  rind_gather_row *placed = (rind_gather_row *)(parts.host.data() + row_at);
  for (int r = 0; r < num_rows; ++r) {
    placed[r].weight = (const double *)(base + weight[r]);
    placed[r].offset = (const ptrdiff_t *)(base + offset[r]);
  }
  error = cudaMemcpy(base, parts.host.data(), made->bytes, cudaMemcpyHostToDevice);
  if (error != cudaSuccess) return fail(made, error);
  made->on_device = {(const rind_gather_row *)(base + row_at),
                     (const rind_gather_fill *)(base + fill_at), (const unit *)(base + unit_at)};
  if (!stages) {
    *result = made;
    return 0;
  }
  int device = 0, processors = 0;
  error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  made->stages.num_batches = stages->num_batches;
  made->stages.batch_stage = (const int *)(base + batch_at);
  made->stages.stage_unit = (const int *)(base + stage_at);
  made->stages.elements = elements;
  made->stages.origin = origin;
  made->num_stages = stages->num_stages;
  made->sums_floats = elements > 0;
  made->max_blocks = elements > 0 ? 8 * processors : stages->num_batches;
  made->max_blocks = std::min(made->max_blocks, stages->num_batches);
  if (error == cudaSuccess && elements > 0 && stages->num_batches > 0)
    error = cudaMalloc((void **)&made->stages.scratch,
                       (size_t)made->max_blocks * (size_t)elements * sizeof(double));
  if (error != cudaSuccess) return fail(made, error);
  *result = made;
  return 0;
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
                                         const rind_gather_stages *stages, ptrdiff_t elements,
                                         ptrdiff_t origin, rind_device_gather **made) {
  try {
    return make(gather, stages, elements, origin, made);
  } catch (const std::bad_alloc &) {
    return (int)cudaErrorMemoryAllocation;
  }
}

extern "C" void rind_device_gather_destroy(rind_device_gather **gather) {
  if (!gather || !*gather) return;
  cudaFree((*gather)->memory);
  cudaFree((*gather)->stages.scratch);
  free((*gather)->first_unit);
  delete *gather;
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
