/* tile_runner.cu - loads tiles, and copies them out again. */
#include <tile_runner.h>

#include <cuda_runtime.h>
#include <rind/tiles.cuh>

/* Three thread blocks in four share the blocks, so that memory is loaded again. */
template <typename T> __global__ void load_tiles(rind_tile_view view, unsigned char *tiles) {
  extern __shared__ __align__(16) unsigned char memory[];
  for (int block = blockIdx.x; block < view.num_blocks; block += gridDim.x) {
    for (size_t byte = threadIdx.x; byte < view.tile_bytes; byte += blockDim.x)
      memory[byte] = 0xff;
    __syncthreads();
    rind_tile_load<T>(view, block, memory);
    for (size_t byte = threadIdx.x; byte < view.tile_bytes; byte += blockDim.x)
      tiles[block * view.tile_bytes + byte] = memory[byte];
    __syncthreads();
  }
}

template <typename T>
static cudaError_t launch(const rind_tile_view &view, int threads, unsigned char *tiles) {
  const cudaError_t error = cudaFuncSetAttribute(
      load_tiles<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)view.tile_bytes);
  if (error != cudaSuccess) return error;
  const int blocks = (view.num_blocks * 3 + 3) / 4;
  load_tiles<T><<<blocks, threads, view.tile_bytes>>>(view, tiles);
  return cudaGetLastError();
}

extern "C" void tile_runner_host(const rind_tile_view *view, rind_type type, int block,
                                 void *memory) {
  if (type == RIND_FLOAT64)
    rind_tile_load_host<double>(*view, block, memory);
  else
    rind_tile_load_host<float>(*view, block, memory);
}

extern "C" int tile_runner_device(const rind_tile_view *view, rind_type type, int threads,
                                  void *memory) {
  int device = 0, most = 0;
  unsigned char *tiles = nullptr;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (view->tile_bytes > (size_t)most) return -1;
  const size_t bytes = (size_t)view->num_blocks * view->tile_bytes;
  if (bytes == 0) return 0;
  cudaError_t error = cudaMalloc((void **)&tiles, bytes);
  if (error == cudaSuccess)
    error = type == RIND_FLOAT64 ? launch<double>(*view, threads, tiles)
                                 : launch<float>(*view, threads, tiles);
  if (error == cudaSuccess) error = cudaMemcpy(memory, tiles, bytes, cudaMemcpyDeviceToHost);
  cudaFree(tiles);
  return (int)error;
}
