/* sph_sort.cuh - the sort of cells on the device, which is CUB's: stable, only as many digits as
 * the numbers have. Alone in a source, which takes long to compile. */
#pragma once
#include <cstdint>
#include <cuda_runtime.h>

/* Scratch memory for count pairs. */
cudaError_t rind_sph_sort_bytes(int count, size_t *bytes);
/* Enqueues: keys and values [count] in the order of the keys' lowest bits. */
cudaError_t rind_sph_sort_pairs(void *scratch, size_t bytes, const uint32_t *key,
                                uint32_t *sorted_key, const uint32_t *value, uint32_t *sorted_value,
                                int count, int bits, cudaStream_t stream);
