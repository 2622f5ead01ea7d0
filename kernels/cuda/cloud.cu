/* cloud.cu - cloud in cell on the device: a thread sums for one corner of one group, then one cell
 * adds the corners that meet in it. */
#include <device_cloud.h>

#include <cuda_runtime.h>

namespace {

enum { THREADS = 256 };

unsigned num_launched(int64_t items) {
  return (unsigned)((items + THREADS - 1) / THREADS);
}

/* Grids have at most 2^31 - 1 thread blocks. */
bool is_launchable(int64_t items) {
  return items <= (int64_t)THREADS * 2147483647;
}

__device__ int64_t item_of_thread() {
  return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    sum_corners(rind_cloud cloud, const double *values, double *sums) {
  const int64_t item = item_of_thread();
  const int64_t entry = item >> DIM;
  const int corner = (int)(item & ((1 << DIM) - 1));
  if (entry >= cloud.num_blocks * cloud.num_groups) return;
  const int64_t first = cloud.first_in_group[entry], last = cloud.first_in_group[entry + 1];
  double total = 0.0;
  if (first < last) {
    const rind_cloud_box *box = &cloud.box[entry / cloud.num_groups];
    int at[3];
    double lower[DIM], per[DIM];
    rind_cloud_split(entry % cloud.num_groups, cloud.cells, at);
    for (int a = 0; a < DIM; ++a) {
      lower[a] = box->lower[a];
      per[a] = box->per[a];
    }
    for (int64_t chunk = first; chunk < last; chunk += RIND_CLOUD_CHUNK) {
      const int64_t end = chunk + RIND_CLOUD_CHUNK < last ? chunk + RIND_CLOUD_CHUNK : last;
      double sum = 0.0;
      for (int64_t p = chunk; p < end; ++p) {
        double weight = 1.0;
        for (int a = 0; a < DIM; ++a) {
          const double f = rind_cloud_fraction(cloud.position[a][p], lower[a], per[a], at[a]);
          const double w = corner >> a & 1 ? f : 1.0 - f;
          weight = a == 0 ? w : weight * w;
        }
        sum += weight * (values ? values[p] : 1.0);
      }
      total += sum;
    }
  }
  sums[item] = total;
}

__device__ void store(const rind_cloud_grid &grid, int block, ptrdiff_t at, double value) {
  if (grid.type == RIND_FLOAT64)
    static_cast<double *>(grid.pointer[block])[grid.offset + at] = value;
  else
    static_cast<float *>(grid.pointer[block])[grid.offset + at] = (float)value;
}

/* A thread is a stored cell; the groups around it ascend, so its own corners descend. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    add_corners(rind_cloud cloud, rind_cloud_grid grid, const double *sums) {
  const int width = cloud.cells + 2 * grid.ghosts;
  const int64_t per_block = (int64_t)width * width * (DIM == 3 ? width : 1);
  const int64_t item = item_of_thread();
  const int block = (int)(item / per_block);
  if (block >= cloud.num_blocks) return;
  int64_t rest = item % per_block;
  int cell[3] = {0, 0, 0};
  ptrdiff_t to = 0;
  bool inside = true;
  for (int a = 0; a < DIM; ++a) {
    cell[a] = (int)(rest % width) - grid.ghosts;
    rest /= width;
    to += cell[a] * grid.cell_stride[a];
    inside = inside && cell[a] >= -1 && cell[a] <= cloud.cells;
  }
  double sum = 0.0;
  for (int c = (1 << DIM) - 1; inside && c >= 0; --c) {
    int64_t group = 0;
    bool exists = true;
    for (int a = DIM - 1; a >= 0; --a) {
      const int k = cell[a] + 1 - (c >> a & 1);
      exists = exists && k >= 0 && k <= cloud.cells;
      group = group * (cloud.cells + 1) + k;
    }
    if (exists) sum += sums[((block * cloud.num_groups + group) << DIM) + c];
  }
  store(grid, block, to, sum);
}

__device__ double load(const rind_cloud_grid &grid, int block, ptrdiff_t at) {
  if (grid.type == RIND_FLOAT64)
    return static_cast<const double *>(grid.pointer[block])[grid.offset + at];
  return static_cast<const float *>(grid.pointer[block])[grid.offset + at];
}

struct outputs {
  double *by_position[3];
  double *by_value;
};

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    gather(rind_cloud cloud, const int64_t *group, int64_t count, const double *values,
           rind_cloud_grid grid, bool accumulate, outputs out) {
  const int64_t p = item_of_thread();
  if (p >= count) return;
  const int block = (int)(group[p] / cloud.num_groups);
  const rind_cloud_box *box = &cloud.box[block];
  int at[3];
  double f[3] = {0.0, 0.0, 0.0}, h[8], w[8];
  rind_cloud_split(group[p] % cloud.num_groups, cloud.cells, at);
  ptrdiff_t origin = 0;
  for (int a = 0; a < DIM; ++a) {
    f[a] = rind_cloud_fraction(cloud.position[a][p], box->lower[a], box->per[a], at[a]);
    origin += (at[a] - 1) * grid.cell_stride[a];
  }
  for (int c = 0; c < 1 << DIM; ++c) {
    ptrdiff_t offset = origin;
    for (int a = 0; a < DIM; ++a)
      offset += (c >> a & 1) * grid.cell_stride[a];
    h[c] = load(grid, block, offset);
  }
  for (int a = 0; a < DIM; ++a) {
    if (!out.by_position[a]) continue;
    const double value = (values ? values[p] : 1.0) * box->per[a] * rind_cloud_slope(DIM, a, f, h);
    out.by_position[a][p] = accumulate ? out.by_position[a][p] + value : value;
  }
  if (!out.by_value) return;
  double sum = 0.0;
  rind_cloud_weights(DIM, f, w);
  for (int c = 0; c < 1 << DIM; ++c)
    sum += w[c] * h[c];
  out.by_value[p] = sum;
}

} // namespace

extern "C" int rind_device_cloud_deposit(const rind_cloud *cloud, const double *values,
                                         const rind_cloud_grid *grid, double *sums, void *stream) {
  const cudaStream_t on = static_cast<cudaStream_t>(stream);
  const int64_t width = cloud->cells + 2 * grid->ghosts;
  const int64_t corners = cloud->num_blocks * cloud->num_groups << cloud->dim;
  const int64_t cells = cloud->num_blocks * width * width * (cloud->dim == 3 ? width : 1);
  if (cloud->num_blocks == 0) return 0;
  if (!is_launchable(corners) || !is_launchable(cells)) return cudaErrorInvalidConfiguration;
  if (cloud->dim == 2) {
    sum_corners<2><<<num_launched(corners), THREADS, 0, on>>>(*cloud, values, sums);
    add_corners<2><<<num_launched(cells), THREADS, 0, on>>>(*cloud, *grid, sums);
  } else {
    sum_corners<3><<<num_launched(corners), THREADS, 0, on>>>(*cloud, values, sums);
    add_corners<3><<<num_launched(cells), THREADS, 0, on>>>(*cloud, *grid, sums);
  }
  return (int)cudaGetLastError();
}

extern "C" int rind_device_cloud_gather(const rind_cloud *cloud, const int64_t *group,
                                        int64_t count, const double *values,
                                        const rind_cloud_grid *grid, bool accumulate,
                                        double *const by_position[3], double *by_value,
                                        void *stream) {
  const cudaStream_t on = static_cast<cudaStream_t>(stream);
  const outputs out = {{by_position[0], by_position[1], by_position[2]}, by_value};
  if (count == 0) return 0;
  if (!is_launchable(count)) return cudaErrorInvalidConfiguration;
  if (cloud->dim == 2)
    gather<2><<<num_launched(count), THREADS, 0, on>>>(*cloud, group, count, values, *grid,
                                                       accumulate, out);
  else
    gather<3><<<num_launched(count), THREADS, 0, on>>>(*cloud, group, count, values, *grid,
                                                       accumulate, out);
  return (int)cudaGetLastError();
}
