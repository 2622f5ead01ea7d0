/* device_step.cu - launches of the stencil on the device, and the time they take. */
#include "device_step.h"

#include <cstdlib>
#include <cuda_runtime.h>

#include "device_march.cuh"

/* Stages whose marks may be under way. */
enum { RING = 128 };

struct device_step {
  device_step_options options;
  rind_layout layout;
  int source, known, threads;
  size_t shared;
  double *tables;
  cudaEvent_t event[RING][DEVICE_MARKS];
  int first, next; /* stages that are marked and not yet added up; they count on */
  double fill, compute;
};

namespace {

size_t table_bytes(const device_step_options *options) {
  return options->layout->dim == 3 ? options->table_size * sizeof(double) : 0;
}

/* Faces across an axis of the columns of a thread block. */
int plane_of(const rind_layout *layout) {
  const int width = layout->cells < WIDTH ? layout->cells : WIDTH;
  return (width + 1) * width;
}

size_t across_bytes(const device_step_options *options) {
  return 4 * (size_t)plane_of(options->layout) * rind_type_bytes(options->layout->type);
}

size_t copy_bytes(const rind_layout *layout) {
  return (rind_layout_block_elements(layout) * rind_type_bytes(layout->type) + 15) / 16 * 16;
}

template <typename T> using kernel = void (*)(stage<T>, rind_tile_view);

template <typename T, int dim, int known> kernel<T> kernel_of(int source) {
  return source == FROM_TILE   ? run_stage<T, dim, FROM_TILE, known>
         : source == FROM_COPY ? run_stage<T, dim, FROM_COPY, known>
                               : run_stage<T, dim, FROM_FIELD, 0>;
}

template <typename T> kernel<T> kernel_of(const device_step *step) {
  return step->layout.dim == 2 ? kernel_of<T, 2, 0>(step->source)
         : step->known == 16   ? kernel_of<T, 3, 16>(step->source)
         : step->known == 8    ? kernel_of<T, 3, 8>(step->source)
                               : kernel_of<T, 3, 0>(step->source);
}

/* Blocks for which there are kernels that know their size. */
int known_cells(const device_step_options *o, const double *tables) {
  const int cells = o->layout->cells;
  if (o->layout->dim == 2 || o->limited || (cells != 8 && cells != 16)) return 0;
  for (int b = 0; b < o->num_blocks; ++b)
    if (tables[(size_t)(b + 1) * o->table_size - 1] == 0) return 0;
  return cells;
}

cudaError_t set_up(device_step *step, const double *tables) {
  const device_step_options *o = &step->options;
  const size_t bytes = (size_t)o->num_blocks * o->table_size * sizeof(double);
  const size_t all = device_step_shared(o);
  step->known = known_cells(o, tables);
  step->threads = (plane_of(&step->layout) + 31) / 32 * 32;
  step->source = o->fused ? FROM_TILE : all <= device_step_most_shared() ? FROM_COPY : FROM_FIELD;
  step->shared = step->source == FROM_FIELD ? table_bytes(o) + across_bytes(o) : all;
  const void *chosen = step->layout.type == RIND_FLOAT64 ? (const void *)kernel_of<double>(step)
                                                         : (const void *)kernel_of<float>(step);
  cudaError_t error =
      cudaFuncSetAttribute(chosen, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)step->shared);
  if (error == cudaSuccess && step->source != FROM_FIELD)
    error = cudaFuncSetAttribute(chosen, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxShared);
  if (error == cudaSuccess) error = cudaMalloc((void **)&step->tables, bytes > 0 ? bytes : 1);
  if (error == cudaSuccess) error = cudaMemcpy(step->tables, tables, bytes, cudaMemcpyHostToDevice);
  for (int r = 0; r < RING; ++r)
    for (int m = 0; m < DEVICE_MARKS && error == cudaSuccess; ++m)
      error = cudaEventCreate(&step->event[r][m]);
  return error;
}

template <typename T>
cudaError_t launch(const device_step *step, const void *from, const void *old, void *to, double dt,
                   const rind_tile_view *tiles) {
  const rind_layout *layout = &step->layout;
  const int columns = (layout->cells + WIDTH - 1) / WIDTH;
  const rind_tile_view none = {};
  stage<T> s = {};
  s.cells = layout->cells;
  s.limited = step->options.limited;
  s.block_elements = (int)rind_layout_block_elements(layout);
  s.interior = (int)rind_layout_interior_offset(layout);
  s.block_stride = layout->block_stride;
  s.copy_bytes = step->source == FROM_FIELD ? 0 : copy_bytes(layout);
  s.table_size = (int)step->options.table_size;
  s.tables = step->tables;
  s.from = (const T *)from;
  s.old = (const T *)old;
  s.to = (T *)to;
  s.dt = (T)dt;
  const dim3 grid(step->options.num_blocks, step->source == FROM_FIELD ? columns * columns : 1);
  if (step->options.num_blocks == 0) return cudaSuccess;
  const kernel<T> chosen = kernel_of<T>(step);
  chosen<<<grid, step->threads, step->shared>>>(s, tiles ? *tiles : none);
  return cudaGetLastError();
}

/* The oldest stage of the ring. */
cudaError_t add_up(device_step *step) {
  cudaEvent_t *event = step->event[step->first % RING];
  float fill = 0, compute = 0;
  cudaError_t error = cudaEventSynchronize(event[DEVICE_MARK_END]);
  if (error == cudaSuccess)
    error = cudaEventElapsedTime(&fill, event[DEVICE_MARK_BEGIN], event[DEVICE_MARK_FILLED]);
  if (error == cudaSuccess)
    error = cudaEventElapsedTime(&compute, event[DEVICE_MARK_FILLED], event[DEVICE_MARK_END]);
  step->fill += 1e-3 * fill;
  step->compute += 1e-3 * compute;
  ++step->first;
  return error;
}

} // namespace

extern "C" int device_step_choose(int number) {
  return (int)cudaSetDevice(number);
}

extern "C" const char *device_step_text(int code) {
  return cudaGetErrorString((cudaError_t)code);
}

extern "C" int device_step_allocate(size_t bytes, void **memory) {
  return (int)cudaMalloc(memory, bytes > 0 ? bytes : 1);
}

extern "C" void device_step_free(void *memory) {
  cudaFree(memory);
}

extern "C" size_t device_step_shared(const device_step_options *options) {
  return copy_bytes(options->layout) + table_bytes(options) + across_bytes(options);
}

extern "C" size_t device_step_most_shared(void) {
  int device = 0, most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return (size_t)most;
}

extern "C" int device_step_create(const device_step_options *options, const double *tables,
                                  device_step **made) {
  device_step *step = (device_step *)calloc(1, sizeof *step);
  if (!step) return (int)cudaErrorMemoryAllocation;
  step->options = *options;
  step->layout = *options->layout;
  step->options.layout = &step->layout;
  const cudaError_t error = set_up(step, tables);
  if (error != cudaSuccess) {
    device_step_destroy(&step);
    cudaGetLastError();
    return (int)error;
  }
  *made = step;
  return 0;
}

extern "C" void device_step_destroy(device_step **step) {
  if (!step || !*step) return;
  for (int r = 0; r < RING; ++r)
    for (int m = 0; m < DEVICE_MARKS; ++m)
      if ((*step)->event[r][m]) cudaEventDestroy((*step)->event[r][m]);
  cudaFree((*step)->tables);
  free(*step);
  *step = nullptr;
}

extern "C" int device_step_run(const device_step *step, const void *from, const void *old, void *to,
                               double dt, const rind_tile_view *tiles) {
  return (int)(step->layout.type == RIND_FLOAT64 ? launch<double>(step, from, old, to, dt, tiles)
                                                 : launch<float>(step, from, old, to, dt, tiles));
}

extern "C" int device_step_mark(device_step *step, int mark) {
  if (mark == DEVICE_MARK_BEGIN && step->next - step->first == RING) {
    const cudaError_t error = add_up(step);
    if (error != cudaSuccess) return (int)error;
  }
  const cudaError_t error = cudaEventRecord(step->event[step->next % RING][mark]);
  step->next += mark == DEVICE_MARK_END;
  return (int)error;
}

extern "C" int device_step_seconds(device_step *step, double *fill, double *compute) {
  while (step->first < step->next) {
    const cudaError_t error = add_up(step);
    if (error != cudaSuccess) return (int)error;
  }
  *fill = step->fill;
  *compute = step->compute;
  step->fill = step->compute = 0;
  return (int)cudaDeviceSynchronize();
}
