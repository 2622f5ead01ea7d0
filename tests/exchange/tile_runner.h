/* tile_runner.h - loads tiles by rind/tiles.cuh, on the host and on the device. */
#pragma once
#include <rind/tiles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One block's tile into memory of tile_bytes. */
void tile_runner_host(const rind_tile_view *view, rind_type type, int block, void *memory);
/* All blocks' tiles [num_blocks][tile_bytes] into host memory; what no row writes keeps all bits
 * set. threads a thread block. Returns 0,
 * -1 if a tile does not fit into shared memory, or a device error. */
int tile_runner_device(const rind_tile_view *view, rind_type type, int threads, void *memory);

#ifdef __cplusplus
}
#endif
