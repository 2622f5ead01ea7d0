/* cloud_host.c - cloud in cell on the host: a block is one thread's. */
#include <cloud.h>

#include <string.h>

/* Threads take the next block; which one took it does not matter. */
static int take(int *next) {
  int block;
#pragma omp atomic capture
  block = (*next)++;
  return block;
}

/* What the particles [first, last) of a group give to its corners. */
static inline void sum_chunk(int dim, const rind_cloud *cloud, const rind_cloud_box *box,
                             const int at[3], const double *values, int64_t first, int64_t last,
                             double sum[8]) {
  for (int c = 0; c < 1 << dim; ++c)
    sum[c] = 0.0;
  for (int64_t p = first; p < last; ++p) {
    double f[3], w[8];
    for (int a = 0; a < dim; ++a)
      f[a] = rind_cloud_fraction(cloud->position[a][p], box->lower[a], box->per[a], at[a]);
    rind_cloud_weights(dim, f, w);
    const double value = values ? values[p] : 1.0;
    for (int c = 0; c < 1 << dim; ++c)
      sum[c] += w[c] * value;
  }
}

/* sums has cells -1 to cells along each axis. */
static inline void sum_block(int dim, const rind_cloud *cloud, int block, const double *values,
                             double *sums) {
  const ptrdiff_t width = cloud->cells + 2;
  const ptrdiff_t stride[3] = {1, width, width * width};
  const int64_t *first = cloud->first_in_group + block * cloud->num_groups;
  memset(sums, 0, (size_t)(dim == 2 ? width * width : width * width * width) * sizeof *sums);
  for (int64_t k = 0; k < cloud->num_groups; ++k) {
    if (first[k] == first[k + 1]) continue;
    int at[3];
    double total[8] = {0};
    rind_cloud_split(k, cloud->cells, at);
    for (int64_t p = first[k]; p < first[k + 1]; p += RIND_CLOUD_CHUNK) {
      const int64_t left = first[k + 1] - p;
      double sum[8];
      sum_chunk(dim, cloud, &cloud->box[block], at, values, p,
                p + (left < RIND_CLOUD_CHUNK ? left : RIND_CLOUD_CHUNK), sum);
      for (int c = 0; c < 1 << dim; ++c)
        total[c] += sum[c];
    }
    double *corner = sums + at[0] + at[1] * stride[1] + (dim == 3 ? at[2] * stride[2] : 0);
    for (int c = 0; c < 1 << dim; ++c)
      corner[(c & 1) + (c >> 1 & 1) * stride[1] + (c >> 2) * stride[2]] += total[c];
  }
}

static void store(const rind_cloud_grid *grid, int block, ptrdiff_t at, double value) {
  if (grid->type == RIND_FLOAT64)
    ((double *)grid->pointer[block])[grid->offset + at] = value;
  else
    ((float *)grid->pointer[block])[grid->offset + at] = (float)value;
}

/* Ghosts beyond the first layer get nothing. */
static void store_block(int dim, int cells, const rind_cloud_grid *grid, int block,
                        const double *sums) {
  const int low = -grid->ghosts, high = cells + grid->ghosts;
  const ptrdiff_t width = cells + 2;
  for (int k = dim == 3 ? low : 0; k < (dim == 3 ? high : 1); ++k)
    for (int j = low; j < high; ++j)
      for (int i = low; i < high; ++i) {
        const bool inside = i >= -1 && i <= cells && j >= -1 && j <= cells && k >= -1 && k <= cells;
        const ptrdiff_t from =
            i + 1 + width * (j + 1) + (dim == 3 ? width * width * (ptrdiff_t)(k + 1) : 0);
        const ptrdiff_t to = i * grid->cell_stride[0] + j * grid->cell_stride[1] +
                             (dim == 3 ? k * grid->cell_stride[2] : 0);
        store(grid, block, to, inside ? sums[from] : 0.0);
      }
}

void rind_cloud_deposit_host(const rind_cloud *cloud, const double *values,
                             const rind_cloud_grid *grid, int threads, double *scratch) {
  const ptrdiff_t width = cloud->cells + 2;
  const ptrdiff_t size = cloud->dim == 2 ? width * width : width * width * width;
  int next = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t)
    for (int block = take(&next); block < cloud->num_blocks; block = take(&next)) {
      double *sums = scratch + t * size;
      if (cloud->dim == 2)
        sum_block(2, cloud, block, values, sums);
      else
        sum_block(3, cloud, block, values, sums);
      store_block(cloud->dim, cloud->cells, grid, block, sums);
    }
}

static double load(const rind_cloud_grid *grid, int block, ptrdiff_t at) {
  if (grid->type == RIND_FLOAT64) return ((const double *)grid->pointer[block])[grid->offset + at];
  return ((const float *)grid->pointer[block])[grid->offset + at];
}

static inline void gather_group(int dim, const rind_cloud *cloud, int block, const int at[3],
                                int64_t first, int64_t last, const double h[8],
                                const double *values, bool accumulate, double *const by_position[3],
                                double *by_value) {
  const rind_cloud_box *box = &cloud->box[block];
  for (int64_t p = first; p < last; ++p) {
    double f[3], w[8];
    for (int a = 0; a < dim; ++a)
      f[a] = rind_cloud_fraction(cloud->position[a][p], box->lower[a], box->per[a], at[a]);
    for (int a = 0; a < dim; ++a) {
      if (!by_position[a]) continue;
      const double value =
          (values ? values[p] : 1.0) * box->per[a] * rind_cloud_slope(dim, a, f, h);
      by_position[a][p] = accumulate ? by_position[a][p] + value : value;
    }
    if (!by_value) continue;
    double sum = 0.0;
    rind_cloud_weights(dim, f, w);
    for (int c = 0; c < 1 << dim; ++c)
      sum += w[c] * h[c];
    by_value[p] = sum;
  }
}

static inline void gather_block(int dim, const rind_cloud *cloud, int block, const double *values,
                                const rind_cloud_grid *grid, bool accumulate,
                                double *const by_position[3], double *by_value) {
  const int64_t *first = cloud->first_in_group + block * cloud->num_groups;
  for (int64_t k = 0; k < cloud->num_groups; ++k) {
    if (first[k] == first[k + 1]) continue;
    int at[3];
    double h[8];
    rind_cloud_split(k, cloud->cells, at);
    for (int c = 0; c < 1 << dim; ++c) {
      ptrdiff_t offset = 0;
      for (int a = 0; a < dim; ++a)
        offset += (at[a] - 1 + (c >> a & 1)) * grid->cell_stride[a];
      h[c] = load(grid, block, offset);
    }
    gather_group(dim, cloud, block, at, first[k], first[k + 1], h, values, accumulate, by_position,
                 by_value);
  }
}

void rind_cloud_gather_host(const rind_cloud *cloud, const double *values,
                            const rind_cloud_grid *grid, int threads, bool accumulate,
                            double *const by_position[3], double *by_value) {
  int next = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t)
    for (int block = take(&next); block < cloud->num_blocks; block = take(&next))
      if (cloud->dim == 2)
        gather_block(2, cloud, block, values, grid, accumulate, by_position, by_value);
      else
        gather_block(3, cloud, block, values, grid, accumulate, by_position, by_value);
}
