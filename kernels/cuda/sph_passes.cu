/* sph_passes.cu - density, loss and gradient on the device, a thread a particle.
 *
 * A thread walks over the rows of cells that its particle sees in the order of the host: it first
 * marks which of up to 64 neighbours are near enough, then adds what those give. What it leaves out
 * is exactly 0, so the sums have the host's bits. The loss is summed in slices that no order of
 * additions changes. */
#include <sph_device.cuh>

namespace {

constexpr int threads_a_block = rind_sph_threads, warps_a_block = threads_a_block / 32;

/* The distances from a neighbour, seen shifted, to (x, y, z); returns their square. */
template <int dim, bool nearest>
__device__ double distances(const rind_sph_device_list &l, const rind_sph_at<dim> &here,
                            const rind_sph_at<dim> &there, const double shift[3], double &dx,
                            double &dy, double &dz) {
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
__device__ void for_neighbours(const rind_sph_device_list &l, const rind_sph_at<dim> *at, int p,
                               const Add &add) {
  const rind_sph_at<dim> here = at[p];
  const double far = l.numbers.far;
  uint32_t cell[3];
  rind_sph_place_of(&l.grid, l.cell[p], cell);
  for (int row = 0; row < rind_sph_num_rows(dim); ++row) {
    rind_sph_piece piece[2];
    const int num_pieces = rind_sph_pieces(&l.grid, cell, row, piece);
    for (int k = 0; k < num_pieces; ++k) {
      const uint32_t last = rind_sph_first_from(l, piece[k].high + 1);
      double shift[3], dx, dy, dz;
      for (int a = 0; a < dim; ++a)
        shift[a] = piece[k].image[a] * l.grid.length[a];
      for (uint32_t first = rind_sph_first_from(l, piece[k].low); first < last; first += 64) {
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
__device__ void add_largest(unsigned long long number, rind_sph_found *result) {
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
    add_densities(rind_sph_device_list l, const rind_sph_at<dim> *at, Real *density) {
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
__device__ void add_loss(const rind_sph_device_list &l, int p) {
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

__global__ void __launch_bounds__(threads_a_block) add_losses(rind_sph_device_list l) {
  add_loss(l, blockIdx.x * threads_a_block + threadIdx.x);
}

template <typename Real> struct gradients { Real *along[3]; };

template <int dim, bool nearest, typename Real>
__global__ void __launch_bounds__(threads_a_block)
    add_gradients(rind_sph_device_list l, const rind_sph_at<dim> *at, gradients<Real> to) {
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

template <int dim, bool nearest, typename Real>
void enqueue_passes(const rind_sph_device_list &l, const rind_sph_at<dim> *at, void *density,
                    void *const gradient[3], cudaStream_t stream) {
  const int blocks = rind_sph_blocks((size_t)l.count);
  add_densities<dim, nearest, Real><<<blocks, threads_a_block, 0, stream>>>(l, at, (Real *)density);
  if (!gradient[0] && !gradient[1] && !gradient[2]) {
    add_losses<<<blocks, threads_a_block, 0, stream>>>(l);
    return;
  }
  const gradients<Real> to = {{(Real *)gradient[0], (Real *)gradient[1], (Real *)gradient[2]}};
  add_gradients<dim, nearest, Real><<<blocks, threads_a_block, 0, stream>>>(l, at, to);
}

template <int dim, typename Real>
void enqueue_type(const rind_sph_device_list &l, const void *at, void *density,
                  void *const gradient[3], cudaStream_t stream) {
  if (l.grid.any_nearest)
    enqueue_passes<dim, true, Real>(l, (const rind_sph_at<dim> *)at, density, gradient, stream);
  else
    enqueue_passes<dim, false, Real>(l, (const rind_sph_at<dim> *)at, density, gradient, stream);
}

} // namespace

cudaError_t rind_sph_enqueue_passes(const rind_sph_device_list &list, const void *at,
                                    rind_type type, void *density, void *const gradient[3],
                                    cudaStream_t stream) {
  const bool flat = list.grid.dim == 2, doubles = type == RIND_FLOAT64;
  if (flat && doubles)
    enqueue_type<2, double>(list, at, density, gradient, stream);
  else if (flat)
    enqueue_type<2, float>(list, at, density, gradient, stream);
  else if (doubles)
    enqueue_type<3, double>(list, at, density, gradient, stream);
  else
    enqueue_type<3, float>(list, at, density, gradient, stream);
  return cudaGetLastError();
}
