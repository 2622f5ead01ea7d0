/* sph_sort.cu - the sort of cells on the device. */
#include <sph_sort.cuh>

#include <cub/device/device_radix_sort.cuh>

cudaError_t rind_sph_sort_bytes(int count, size_t *bytes) {
  const uint32_t *from = nullptr;
  uint32_t *to = nullptr;
  *bytes = 0;
  return cub::DeviceRadixSort::SortPairs(nullptr, *bytes, from, to, from, to, count);
}

cudaError_t rind_sph_sort_pairs(void *scratch, size_t bytes, const uint32_t *key,
                                uint32_t *sorted_key, const uint32_t *value, uint32_t *sorted_value,
                                int count, int bits, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(scratch, bytes, key, sorted_key, value, sorted_value,
                                         count, 0, bits, stream);
}
