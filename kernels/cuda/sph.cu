/* sph.cu - density, loss and gradient of particles on the device, a thread a particle.
 *
 * Particles are sorted by cell (a stable sort, so by number within a cell). A thread walks over the
 * rows of cells that its particle sees in the order of the host: it first marks which of up to 64
 * neighbours are near enough, then adds what those give. What it leaves out is exactly 0, so the
 * sums have the host's bits. The loss is summed in slices that no order of additions changes. */
#include <device_memory.h>
#include <device_sph.h>
#include <sph_sort.cuh>

#include <cstdlib>
#include <cuda_runtime.h>

namespace {

constexpr int threads_a_block = 128, warps_a_block = threads_a_block / 32;
/* More cells a particle than this are searched for, not tabulated. */
constexpr size_t most_cells_a_particle = 4, few_cells = 1 << 16;

/* What kernels add to, and the host reads. */
struct found {
  unsigned bad; /* the first bad particle, or UINT_MAX */
  unsigned largest_cell;
  unsigned long long largest_excess; /* the bits of a double >= 0 */
  unsigned long long pair_slots;
  double slice[RIND_SPH_SLICES];
};

/* A particle's place; loads of 16 bytes. */
template <int dim> struct place;
template <> struct alignas(16) place<2> { double x, y; };
template <> struct alignas(32) place<3> { double x, y, z, unused; };

/* A list on the device, as kernels see it. */
struct list {
  rind_sph_grid grid;
  rind_sph_numbers numbers;
  int count;
  const uint32_t *cell;  /* [count], sorted */
  const uint32_t *index; /* [count], which particle each is */
  const uint32_t *start; /* [num_cells + 1], or NULL */
  double *excess;        /* [count], sorted */
  found *result;
};

template <typename Real> struct arrays { const Real *at[3]; };

template <typename Real>
__global__ void __launch_bounds__(threads_a_block)
    find_cells(rind_sph_grid grid, int count, arrays<Real> from, uint32_t *cell, uint32_t *index,
               found *result) {
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

/* The first of the sorted cells that is at least so. */
__device__ uint32_t search(const uint32_t *cell, int count, uint32_t wanted) {
  uint32_t low = 0, high = (uint32_t)count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (cell[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The table of starts, and places in the order of the cells. */
template <int dim, typename Real>
__global__ void __launch_bounds__(threads_a_block)
    sort_places(list l, arrays<Real> from, place<dim> *at, uint32_t *start, uint32_t num_starts) {
  const uint32_t p = blockIdx.x * threads_a_block + threadIdx.x;
  if (start && p < num_starts) start[p] = search(l.cell, l.count, p);
  if (p >= (uint32_t)l.count) return;
  const uint32_t i = l.index[p];
  place<dim> here;
  here.x = rind_sph_wrap(&l.grid, 0, (double)from.at[0][i]);
  here.y = rind_sph_wrap(&l.grid, 1, (double)from.at[1][i]);
  if constexpr (dim == 3) {
    here.z = rind_sph_wrap(&l.grid, 2, (double)from.at[2][i]);
    here.unused = 0;
  }
  at[p] = here;
}

__device__ uint32_t first_from(const list &l, uint32_t cell) {
  return l.start ? l.start[cell] : search(l.cell, l.count, cell);
}

/* The distances from a neighbour, seen shifted, to (x, y, z); returns their square. */
template <int dim, bool nearest>
__device__ double distances(const list &l, const place<dim> &here, const place<dim> &there,
                            const double shift[3], double &dx, double &dy, double &dz) {
  dx = here.x - (there.x + shift[0]);
  dy = here.y - (there.y + shift[1]);
  dz = 0;
  if constexpr (dim == 3) dz = here.z - (there.z + shift[2]);
  if constexpr (nearest) {
    if (l.grid.nearest[0]) dx = rind_sph_nearest(dx, l.grid.length[0]);
    if (l.grid.nearest[1]) dy = rind_sph_nearest(dy, l.grid.length[1]);
    if (dim == 3 && l.grid.nearest[2]) dz = rind_sph_nearest(dz, l.grid.length[2]);
  }
  return rind_sph_square(dim, dx, dy, dz);
}

/* Calls add(j, square, dx, dy, dz) for all neighbours of particle p that may be near enough, in
 * the order of sums. */
template <int dim, bool nearest, typename Add>
__device__ void for_neighbours(const list &l, const place<dim> *at, int p, const Add &add) {
  const place<dim> here = at[p];
  const double far = l.numbers.far;
  uint32_t cell[3];
  rind_sph_place_of(&l.grid, l.cell[p], cell);
  for (int row = 0; row < rind_sph_num_rows(dim); ++row) {
    rind_sph_piece piece[2];
    const int num_pieces = rind_sph_pieces(&l.grid, cell, row, piece);
    for (int k = 0; k < num_pieces; ++k) {
      const uint32_t last = first_from(l, piece[k].high + 1);
      double shift[3], dx, dy, dz;
      for (int a = 0; a < dim; ++a)
        shift[a] = piece[k].image[a] * l.grid.length[a];
      for (uint32_t first = first_from(l, piece[k].low); first < last; first += 64) {
        const int num = last - first < 64 ? (int)(last - first) : 64;
        unsigned long long near = 0;
        for (int j = 0; j < num; ++j)
          if (distances<dim, nearest>(l, here, at[first + j], shift, dx, dy, dz) < far)
            near |= 1ull << j;
        for (; near; near &= near - 1) {
          const uint32_t j = first + (uint32_t)__ffsll((long long)near) - 1;
          const double square = distances<dim, nearest>(l, here, at[j], shift, dx, dy, dz);
          add(j, square, dx, dy, dz);
        }
      }
    }
  }
}

/* The largest of a thread block's numbers; one thread tells the result. */
__device__ void add_largest(unsigned long long number, found *result) {
  __shared__ unsigned long long of_warp[warps_a_block];
  for (int step = 16; step > 0; step /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffu, number, step);
    number = other > number ? other : number;
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = number;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < warps_a_block; ++w)
    number = of_warp[w] > number ? of_warp[w] : number;
  atomicMax(&result->largest_excess, number);
}

template <int dim, bool nearest, typename Real>
__global__ void __launch_bounds__(threads_a_block)
    add_densities(list l, const place<dim> *at, Real *density) {
  const int p = blockIdx.x * threads_a_block + threadIdx.x;
  unsigned long long excess = 0;
  if (p < l.count) {
    double sum = 0;
    for_neighbours<dim, nearest>(l, at, p, [&](uint32_t, double square, double, double, double) {
      sum += rind_sph_weight(square, l.numbers.inverse_h);
    });
    const double here = l.numbers.density_scale * sum;
    l.excess[p] = here - l.numbers.rest_density;
    if (density) density[l.index[p]] = (Real)here;
    excess = (unsigned long long)__double_as_longlong(fabs(l.excess[p]));
  }
  add_largest(excess, l.result);
}

/* A thread block's slices of the loss, added to the result. */
__device__ void add_loss(const list &l, int p) {
  __shared__ double of_warp[warps_a_block][RIND_SPH_SLICES];
  const double largest = __longlong_as_double((long long)l.result->largest_excess);
  const rind_sph_slicer slicer = rind_sph_slicer_of(largest * largest, (double)l.count);
  double slice[RIND_SPH_SLICES] = {0, 0, 0, 0};
  if (p < l.count) rind_sph_slice(&slicer, l.excess[p] * l.excess[p], slice);
  for (int s = 0; s < RIND_SPH_SLICES; ++s) {
    for (int step = 16; step > 0; step /= 2)
      slice[s] += __shfl_xor_sync(0xffffffffu, slice[s], step);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][s] = slice[s];
  }
  __syncthreads();
  if (threadIdx.x >= RIND_SPH_SLICES) return;
  double sum = 0;
  for (int w = 0; w < warps_a_block; ++w)
    sum += of_warp[w][threadIdx.x];
  atomicAdd(&l.result->slice[threadIdx.x], sum);
}

__global__ void __launch_bounds__(threads_a_block) add_losses(list l) {
  add_loss(l, blockIdx.x * threads_a_block + threadIdx.x);
}

template <typename Real> struct gradients { Real *along[3]; };

template <int dim, bool nearest, typename Real>
__global__ void __launch_bounds__(threads_a_block)
    add_gradients(list l, const place<dim> *at, gradients<Real> to) {
  const int p = blockIdx.x * threads_a_block + threadIdx.x;
  add_loss(l, p);
  if (p >= l.count) return;
  const double excess = l.excess[p];
  double along[3] = {0, 0, 0};
  for_neighbours<dim, nearest>(
      l, at, p, [&](uint32_t j, double square, double dx, double dy, double dz) {
        const double pull = (excess + l.excess[j]) * rind_sph_slope(square, l.numbers.inverse_h);
        along[0] += pull * dx;
        along[1] += pull * dy;
        if (dim == 3) along[2] += pull * dz;
      });
  const uint32_t i = l.index[p];
  for (int a = 0; a < dim; ++a)
    if (to.along[a]) to.along[a][i] = (Real)(l.numbers.gradient_scale * along[a]);
}

/* Statistics, of which nothing else depends. */
__global__ void __launch_bounds__(threads_a_block) count_pairs(list l) {
  const int p = blockIdx.x * threads_a_block + threadIdx.x;
  if (p >= l.count) return;
  uint32_t cell[3], seen = 0;
  rind_sph_place_of(&l.grid, l.cell[p], cell);
  for (int row = 0; row < rind_sph_num_rows(l.grid.dim); ++row) {
    rind_sph_piece piece[2];
    const int num_pieces = rind_sph_pieces(&l.grid, cell, row, piece);
    for (int k = 0; k < num_pieces; ++k)
      seen += first_from(l, piece[k].high + 1) - first_from(l, piece[k].low);
  }
  atomicAdd(&l.result->pair_slots, (unsigned long long)seen);
  atomicMax(&l.result->largest_cell, first_from(l, l.cell[p] + 1) - first_from(l, l.cell[p]));
}

int blocks_for(size_t threads) {
  return (int)((threads + threads_a_block - 1) / threads_a_block);
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
  found *result;                /* on the device */
  found *seen;                  /* pinned */
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
  return sph->grid.dim == 2 ? sizeof(place<2>) : sizeof(place<3>);
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
               sph->scratch_bytes + sph->start_room * sizeof(uint32_t) + sizeof(found);
  return cudaSuccess;
}

list list_of(const rind_device_sph *sph) {
  return {sph->grid,    sph->numbers,  sph->count,
          sph->cell[1], sph->index[1], sph->num_starts ? sph->start : nullptr,
          sph->excess,  sph->result};
}

template <int dim, bool nearest, typename Real>
void enqueue_passes(const rind_device_sph *sph, void *density, void *const gradient[3],
                    cudaStream_t stream) {
  const list l = list_of(sph);
  const place<dim> *at = (const place<dim> *)sph->at;
  const int blocks = blocks_for((size_t)sph->count);
  add_densities<dim, nearest, Real><<<blocks, threads_a_block, 0, stream>>>(l, at, (Real *)density);
  if (!gradient[0] && !gradient[1] && !gradient[2]) {
    add_losses<<<blocks, threads_a_block, 0, stream>>>(l);
    return;
  }
  const gradients<Real> to = {{(Real *)gradient[0], (Real *)gradient[1], (Real *)gradient[2]}};
  add_gradients<dim, nearest, Real><<<blocks, threads_a_block, 0, stream>>>(l, at, to);
}

/* Cells, sort, places, passes. */
template <int dim, typename Real>
cudaError_t enqueue(rind_device_sph *sph, const void *const position[3], void *density,
                    void *const gradient[3], cudaStream_t stream) {
  arrays<Real> from = {{nullptr, nullptr, nullptr}};
  for (int a = 0; a < dim; ++a)
    from.at[a] = (const Real *)position[a];
  const size_t count = (size_t)sph->count;
  find_cells<Real><<<blocks_for(count), threads_a_block, 0, stream>>>(
      sph->grid, sph->count, from, sph->cell[0], sph->index[0], sph->result);
  const cudaError_t error = rind_sph_sort_pairs(
      sph->scratch, sph->scratch_bytes, sph->cell[0], sph->cell[1], sph->index[0], sph->index[1],
      sph->count, bits_of(rind_sph_num_cells(&sph->grid) - 1), stream);
  if (error != cudaSuccess) return error;
  const size_t threads = count > sph->num_starts ? count : sph->num_starts;
  sort_places<dim, Real><<<blocks_for(threads), threads_a_block, 0, stream>>>(
      list_of(sph), from, (place<dim> *)sph->at, sph->num_starts ? sph->start : nullptr,
      (uint32_t)sph->num_starts);
  if (sph->grid.any_nearest)
    enqueue_passes<dim, true, Real>(sph, density, gradient, stream);
  else
    enqueue_passes<dim, false, Real>(sph, density, gradient, stream);
  return cudaGetLastError();
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
  *sph->seen = found{UINT32_MAX, 0, 0, 0, {0, 0, 0, 0}};
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
    count_pairs<<<blocks_for((size_t)sph->count), threads_a_block, 0, on>>>(list_of(sph));
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = fetch(sph, on);
  *largest_cell = sph->seen->largest_cell;
  *pair_slots = (int64_t)sph->seen->pair_slots;
  return (int)error;
}
