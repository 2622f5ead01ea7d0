/* sph.cu - particles on the device: sorted by cell (a stable sort, so by number within a cell),
 * then handed to the passes of sph_passes.cu. */
#include <device_sph.h>
#include <sph_device.cuh>
#include <sph_sort.cuh>

#include <cstdlib>
#include <cuda_runtime.h>

namespace {

constexpr int threads_a_block = rind_sph_threads;
/* More cells a particle than this are searched for, not tabulated. */
constexpr size_t most_cells_a_particle = 4, few_cells = 1 << 16;

template <typename Real> struct arrays { const Real *at[3]; };

template <typename Real>
__global__ void __launch_bounds__(threads_a_block)
    find_cells(rind_sph_grid grid, int count, arrays<Real> from, uint32_t *cell, uint32_t *index,
               rind_sph_found *result) {
  const int i = blockIdx.x * threads_a_block + threadIdx.x;
  if (i >= count) return;
  uint32_t number = 0;
  for (int a = grid.dim - 1; a >= 0; --a) {
    const double x = (double)from.at[a][i];
    if (!rind_sph_is_finite(x)) {
      atomicMin(&result->bad, (unsigned)i);
      number = 0;
      break;
    }
    number = number * grid.cells[a] + rind_sph_cell_along(&grid, a, rind_sph_wrap(&grid, a, x));
  }
  cell[i] = number;
  index[i] = (uint32_t)i;
}

/* The table of starts, and places in the order of the cells. */
template <int dim, typename Real>
__global__ void __launch_bounds__(threads_a_block)
    sort_places(rind_sph_device_list l, arrays<Real> from, rind_sph_at<dim> *at, uint32_t *start,
                uint32_t num_starts) {
  const uint32_t p = blockIdx.x * threads_a_block + threadIdx.x;
  if (start && p < num_starts) start[p] = rind_sph_search(l.cell, l.count, p);
  if (p >= (uint32_t)l.count) return;
  const uint32_t i = l.index[p];
  rind_sph_at<dim> here;
  here.x = rind_sph_wrap(&l.grid, 0, (double)from.at[0][i]);
  here.y = rind_sph_wrap(&l.grid, 1, (double)from.at[1][i]);
  if constexpr (dim == 3) {
    here.z = rind_sph_wrap(&l.grid, 2, (double)from.at[2][i]);
    here.unused = 0;
  }
  at[p] = here;
}

/* Statistics, of which nothing else depends. */
__global__ void __launch_bounds__(threads_a_block) count_pairs(rind_sph_device_list l) {
  const int p = blockIdx.x * threads_a_block + threadIdx.x;
  if (p >= l.count) return;
  uint32_t cell[3], seen = 0;
  rind_sph_place_of(&l.grid, l.cell[p], cell);
  for (int row = 0; row < rind_sph_num_rows(l.grid.dim); ++row) {
    rind_sph_piece piece[2];
    const int num_pieces = rind_sph_pieces(&l.grid, cell, row, piece);
    for (int k = 0; k < num_pieces; ++k)
      seen += rind_sph_first_from(l, piece[k].high + 1) - rind_sph_first_from(l, piece[k].low);
  }
  atomicAdd(&l.result->pair_slots, (unsigned long long)seen);
  atomicMax(&l.result->largest_cell,
            rind_sph_first_from(l, l.cell[p] + 1) - rind_sph_first_from(l, l.cell[p]));
}

} // namespace

struct rind_device_sph {
  rind_sph_grid grid;
  rind_sph_numbers numbers;
  rind_type type;
  int count; /* of the last run */
  int capacity;
  size_t num_starts; /* of the last run; 0: cells are searched for */
  size_t start_room, scratch_bytes, bytes;
  uint32_t *cell[2], *index[2]; /* [capacity]; as given, sorted */
  uint32_t *start;              /* [start_room] */
  void *at;                     /* [capacity] places */
  double *excess;               /* [capacity] */
  void *scratch;                /* of the sort */
  rind_sph_found *result;       /* on the device */
  rind_sph_found *seen;         /* pinned */
};

namespace {

void release(rind_device_sph *sph) {
  for (int k = 0; k < 2; ++k) {
    cudaFree(sph->cell[k]);
    cudaFree(sph->index[k]);
    sph->cell[k] = sph->index[k] = nullptr;
  }
  cudaFree(sph->start);
  cudaFree(sph->at);
  cudaFree(sph->excess);
  cudaFree(sph->scratch);
  sph->start = nullptr;
  sph->at = sph->scratch = nullptr;
  sph->excess = nullptr;
  sph->capacity = 0;
  sph->start_room = 0;
}

size_t place_bytes(const rind_device_sph *sph) {
  return sph->grid.dim == 2 ? sizeof(rind_sph_at<2>) : sizeof(rind_sph_at<3>);
}

int bits_of(uint32_t largest) {
  int bits = 1;
  while (largest >>= 1)
    ++bits;
  return bits;
}

/* Room for so many particles; what was there is dropped. */
cudaError_t reserve(rind_device_sph *sph, int count) {
  const size_t cells = rind_sph_num_cells(&sph->grid);
  const bool tabulated = cells <= few_cells || cells <= most_cells_a_particle * (size_t)count;
  sph->num_starts = tabulated ? cells + 1 : 0;
  if (count <= sph->capacity && sph->num_starts <= sph->start_room) return cudaSuccess;
  release(sph);
  const size_t room = (size_t)count + (size_t)count / 8 + 16;
  cudaError_t error = rind_sph_sort_bytes((int)room, &sph->scratch_bytes);
  for (int k = 0; k < 2 && error == cudaSuccess; ++k) {
    error = cudaMalloc(&sph->cell[k], room * sizeof(uint32_t));
    if (error == cudaSuccess) error = cudaMalloc(&sph->index[k], room * sizeof(uint32_t));
  }
  if (error == cudaSuccess) error = cudaMalloc(&sph->at, room * place_bytes(sph));
  if (error == cudaSuccess) error = cudaMalloc(&sph->excess, room * sizeof(double));
  if (error == cudaSuccess) error = cudaMalloc(&sph->scratch, sph->scratch_bytes);
  if (error == cudaSuccess && tabulated)
    error = cudaMalloc(&sph->start, sph->num_starts * sizeof(uint32_t));
  if (error != cudaSuccess) {
    release(sph);
    cudaGetLastError();
    return error;
  }
  sph->capacity = (int)room;
  sph->start_room = sph->num_starts;
  sph->bytes = room * (4 * sizeof(uint32_t) + place_bytes(sph) + sizeof(double)) +
               sph->scratch_bytes + sph->start_room * sizeof(uint32_t) + sizeof(rind_sph_found);
  return cudaSuccess;
}

rind_sph_device_list list_of(const rind_device_sph *sph) {
  return {sph->grid,    sph->numbers,  sph->count,
          sph->cell[1], sph->index[1], sph->num_starts ? sph->start : nullptr,
          sph->excess,  sph->result};
}

/* Cells, sort, places, passes. */
template <int dim, typename Real>
cudaError_t enqueue(rind_device_sph *sph, const void *const position[3], void *density,
                    void *const gradient[3], cudaStream_t stream) {
  arrays<Real> from = {{nullptr, nullptr, nullptr}};
  for (int a = 0; a < dim; ++a)
    from.at[a] = (const Real *)position[a];
  const size_t count = (size_t)sph->count;
  find_cells<Real><<<rind_sph_blocks(count), threads_a_block, 0, stream>>>(
      sph->grid, sph->count, from, sph->cell[0], sph->index[0], sph->result);
  const cudaError_t error = rind_sph_sort_pairs(
      sph->scratch, sph->scratch_bytes, sph->cell[0], sph->cell[1], sph->index[0], sph->index[1],
      sph->count, bits_of(rind_sph_num_cells(&sph->grid) - 1), stream);
  if (error != cudaSuccess) return error;
  const size_t threads = count > sph->num_starts ? count : sph->num_starts;
  sort_places<dim, Real><<<rind_sph_blocks(threads), threads_a_block, 0, stream>>>(
      list_of(sph), from, (rind_sph_at<dim> *)sph->at, sph->num_starts ? sph->start : nullptr,
      (uint32_t)sph->num_starts);
  return rind_sph_enqueue_passes(list_of(sph), sph->at, sph->type, density, gradient, stream);
}

cudaError_t enqueue_any(rind_device_sph *sph, const void *const position[3], void *density,
                        void *const gradient[3], cudaStream_t stream) {
  if (sph->grid.dim == 2)
    return sph->type == RIND_FLOAT64 ? enqueue<2, double>(sph, position, density, gradient, stream)
                                     : enqueue<2, float>(sph, position, density, gradient, stream);
  return sph->type == RIND_FLOAT64 ? enqueue<3, double>(sph, position, density, gradient, stream)
                                   : enqueue<3, float>(sph, position, density, gradient, stream);
}

/* Copies the result to where the host sees it, and waits. */
cudaError_t fetch(const rind_device_sph *sph, cudaStream_t stream) {
  cudaError_t error =
      cudaMemcpyAsync(sph->seen, sph->result, sizeof *sph->seen, cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  return error;
}

} // namespace

extern "C" int rind_device_sph_create(const rind_sph_grid *grid, const rind_sph_numbers *numbers,
                                      rind_type type, rind_device_sph **made) {
  rind_device_sph *sph = (rind_device_sph *)calloc(1, sizeof *sph);
  if (!sph) return (int)cudaErrorMemoryAllocation;
  sph->grid = *grid;
  sph->numbers = *numbers;
  sph->type = type;
  cudaError_t error = cudaMalloc((void **)&sph->result, sizeof *sph->result);
  if (error == cudaSuccess) error = cudaMallocHost((void **)&sph->seen, sizeof *sph->seen);
  if (error != cudaSuccess) {
    rind_device_sph_destroy(&sph);
    cudaGetLastError();
    return (int)error;
  }
  *made = sph;
  return 0;
}

extern "C" void rind_device_sph_destroy(rind_device_sph **sph) {
  if (!sph || !*sph) return;
  release(*sph);
  cudaFree((*sph)->result);
  cudaFreeHost((*sph)->seen);
  free(*sph);
  *sph = nullptr;
}

extern "C" int64_t rind_device_sph_bytes(const rind_device_sph *sph) {
  return sph ? (int64_t)sph->bytes : 0;
}

extern "C" int rind_device_sph_run(rind_device_sph *sph, int count, const void *const position[3],
                                   void *density, void *const gradient[3], void *stream,
                                   rind_device_sph_result *result) {
  const cudaStream_t on = (cudaStream_t)stream;
  cudaError_t error = reserve(sph, count);
  if (error != cudaSuccess) return (int)error;
  sph->count = count;
  *sph->seen = rind_sph_found{UINT32_MAX, 0, 0, 0, {0, 0, 0, 0}};
  error = cudaMemcpyAsync(sph->result, sph->seen, sizeof *sph->seen, cudaMemcpyHostToDevice, on);
  if (error == cudaSuccess && count > 0) error = enqueue_any(sph, position, density, gradient, on);
  if (error == cudaSuccess) error = fetch(sph, on);
  if (error != cudaSuccess) return (int)error;
  result->bad = sph->seen->bad == UINT32_MAX ? -1 : (int64_t)sph->seen->bad;
  result->loss = rind_sph_total(sph->seen->slice);
  return 0;
}

extern "C" int rind_device_sph_count(const rind_device_sph *sph, void *stream,
                                     int64_t *largest_cell, int64_t *pair_slots) {
  *largest_cell = *pair_slots = 0;
  if (sph->count == 0) return 0;
  const cudaStream_t on = (cudaStream_t)stream;
  sph->seen->largest_cell = 0;
  sph->seen->pair_slots = 0;
  cudaError_t error =
      cudaMemcpyAsync(sph->result, sph->seen, sizeof *sph->seen, cudaMemcpyHostToDevice, on);
  if (error == cudaSuccess) {
    count_pairs<<<rind_sph_blocks((size_t)sph->count), threads_a_block, 0, on>>>(list_of(sph));
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = fetch(sph, on);
  *largest_cell = sph->seen->largest_cell;
  *pair_slots = (int64_t)sph->seen->pair_slots;
  return (int)error;
}
