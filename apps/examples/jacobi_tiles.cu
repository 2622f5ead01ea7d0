/* jacobi_tiles.cu - sweeps of Jacobi's method whose kernel gathers its ghosts: none is stored. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#include <rind/forest_p4est.h>
#include <rind/rind.h>
#include <rind/tiles.cuh>

enum { CELLS = 8, THREADS = 128, SWEEPS = 4 };

static rind_context *context;

/* A call failed: say why and stop all ranks. */
static void must(rind_error error) {
  if (error == RIND_OK) return;
  fprintf(stderr, "%s: %s\n", rind_error_name(error), rind_last_error(context));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must_cuda(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int refine_here(const rind_block *block, void *) {
  return block->lower[0] < 0.5;
}

static double start(const rind_block *block, int i, int j, int k) {
  const double h = block->side[0] / CELLS;
  return (block->lower[0] + i * h) * (block->lower[1] + j * h) + 3 * (block->lower[2] + k * h);
}

/* Mean of the six neighbours of the cell at u[0]. */
__host__ __device__ static double mean(const double *u, const ptrdiff_t stride[3]) {
  const ptrdiff_t x = stride[0], y = stride[1], z = stride[2];
  return (((((u[-x] + u[x]) + u[-y]) + u[y]) + u[-z]) + u[z]) / 6;
}

/* A thread block a block; to: interior cell (0, 0, 0) of each block of the other field. */
__global__ void sweep(rind_tile_view tiles, void *const *to) {
  extern __shared__ __align__(16) unsigned char memory[];
  const double *u = rind_tile_load<double>(tiles, blockIdx.x, memory);
  for (int cell = threadIdx.x; cell < CELLS * CELLS * CELLS; cell += blockDim.x) {
    const int i = cell % CELLS, j = cell / CELLS % CELLS, k = cell / CELLS / CELLS;
    const ptrdiff_t at =
        i * tiles.cell_stride[0] + j * tiles.cell_stride[1] + k * tiles.cell_stride[2];
    ((double *)to[blockIdx.x])[at] = mean(u + at, tiles.cell_stride);
  }
}

/* The same with a fill, on the host. */
static void sweep_host(rind_exchange *exchange, rind_field *from, rind_field *to) {
  const ptrdiff_t *stride = rind_field_layout(from)->cell_stride;
  must(rind_fill(exchange, from));
  for (int b = 0; b < rind_field_num_blocks(from); ++b) {
    const double *u = (const double *)rind_field_pointer(from, b);
    double *v = (double *)rind_field_pointer(to, b);
    for (int k = 0; k < CELLS; ++k)
      for (int j = 0; j < CELLS; ++j)
        for (int i = 0; i < CELLS; ++i) {
          const ptrdiff_t at = i * stride[0] + j * stride[1] + k * stride[2];
          v[at] = mean(u + at, stride);
        }
  }
}

/* Cells of two fields on the host that are not the same. */
static long count_different(const rind_field *a, const rind_field *b) {
  const ptrdiff_t *stride = rind_field_layout(a)->cell_stride;
  long different = 0;
  for (int block = 0; block < rind_field_num_blocks(a); ++block) {
    const double *u = (const double *)rind_field_pointer(a, block);
    const double *v = (const double *)rind_field_pointer(b, block);
    for (int k = 0; k < CELLS; ++k)
      for (int j = 0; j < CELLS; ++j)
        for (int i = 0; i < CELLS; ++i) {
          const ptrdiff_t at = i * stride[0] + j * stride[1] + k * stride[2];
          different += memcmp(&u[at], &v[at], sizeof u[at]) != 0;
        }
  }
  return different;
}

/* Two fields of a space, their exchange, and tiles if it is the device. */
struct world {
  rind_field *field[2];
  rind_exchange *exchange;
  rind_tiles *tiles;
  rind_tile_view view[2];
};

static void make_world(rind_forest *forest, rind_schedule *schedule, rind_space space, world *w) {
  rind_layout layout = {};
  layout.cells = CELLS;
  layout.ghosts = 1;
  layout.components = 1;
  layout.space = space;
  *w = {};
  for (int f = 0; f < 2; ++f)
    must(rind_field_create(forest, &layout, &w->field[f]));
  must(rind_exchange_create(schedule, rind_field_layout(w->field[0]), nullptr, &w->exchange));
  if (space == RIND_HOST) return;
  must(rind_tiles_create(w->exchange, 0, &w->tiles));
  for (int f = 0; f < 2; ++f)
    must(rind_tiles_get_view(w->tiles, w->field[f], &w->view[f]));
}

static void free_world(world *w) {
  rind_tiles_destroy(&w->tiles);
  rind_exchange_destroy(&w->exchange);
  for (int f = 0; f < 2; ++f)
    rind_field_destroy(&w->field[f]);
}

static void set_start(const rind_forest *forest, rind_field *field) {
  const ptrdiff_t *stride = rind_field_layout(field)->cell_stride;
  for (int b = 0; b < rind_field_num_blocks(field); ++b) {
    double *u = (double *)rind_field_pointer(field, b);
    for (int k = 0; k < CELLS; ++k)
      for (int j = 0; j < CELLS; ++j)
        for (int i = 0; i < CELLS; ++i)
          u[i * stride[0] + j * stride[1] + k * stride[2]] =
              start(rind_forest_block(forest, b), i, j, k);
  }
}

int main(int argc, char **argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    fprintf(stderr, "jacobi_tiles: there is no GPU\n");
    return 77;
  }
  MPI_Init(&argc, &argv);
  must(rind_context_create(MPI_COMM_WORLD, nullptr, &context));
  rind_brick brick = {};
  brick.dim = 3;
  brick.level = 1;
  rind_forest *forest = nullptr;
  must(rind_forest_create_brick(context, &brick, &forest));
  must(rind_forest_refine(forest, 2, refine_here, nullptr));

  /* The six faces, 0 at all walls. */
  rind_rules rules = {};
  rules.regions = RIND_REGIONS_FACES;
  for (int wall = 0; wall < 6; ++wall)
    rules.wall[wall] = RIND_WALL_ODD;
  rind_schedule *schedule = nullptr;
  must(rind_schedule_create(forest, CELLS, 1, &rules, &schedule));
  world host, device;
  make_world(forest, schedule, RIND_HOST, &host);
  make_world(forest, schedule, RIND_DEVICE, &device);
  set_start(forest, host.field[0]);
  must(rind_field_copy(host.field[0], device.field[0]));

  for (int s = 0; s < SWEEPS; ++s) {
    const int from = s % 2, to = 1 - from;
    const rind_tile_view &view = device.view[from];
    /* Ghosts that read blocks of other ranks are stored as ever; of one rank there are none. */
    must(rind_fill_remote(device.exchange, device.field[from]));
    if (view.num_blocks > 0)
      sweep<<<view.num_blocks, THREADS, view.tile_bytes>>>(view, device.view[to].pointer);
    must_cuda(cudaGetLastError());
    sweep_host(host.exchange, host.field[from], host.field[to]);
  }

  /* host.field[1] is free for the device's result. */
  must(rind_context_wait(context));
  must(rind_field_copy(device.field[0], host.field[1]));
  long different = count_different(host.field[0], host.field[1]), sum = 0;
  MPI_Reduce(&different, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rind_context_rank(context) == 0)
    printf("%d sweeps over %lld blocks, %ld cells differ from the host's\n", SWEEPS,
           (long long)rind_forest_num_global_blocks(forest), sum);
  free_world(&device);
  free_world(&host);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
  MPI_Finalize();
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("jacobi_tiles: cannot write to standard output");
    return 1;
  }
  return different > 0;
}
