/* locator_grid.h - places in a locator's grid of trees, and keys in a tree. */
#pragma once
#include <locator.h>

static inline uint64_t spread_2(uint64_t x) {
  x = (x | x << 16) & 0x0000FFFF0000FFFFu;
  x = (x | x << 8) & 0x00FF00FF00FF00FFu;
  x = (x | x << 4) & 0x0F0F0F0F0F0F0F0Fu;
  x = (x | x << 2) & 0x3333333333333333u;
  return (x | x << 1) & 0x5555555555555555u;
}

static inline uint64_t spread_3(uint64_t x) {
  x = (x | x << 32) & 0x001F00000000FFFFu;
  x = (x | x << 16) & 0x001F0000FF0000FFu;
  x = (x | x << 8) & 0x100F00F00F00F00Fu;
  x = (x | x << 4) & 0x10C30C30C30C30C3u;
  return (x | x << 2) & 0x1249249249249249u;
}

static inline uint64_t rind_locator_key(int dim, const int32_t q[3]) {
  if (dim == 2) return spread_2((uint64_t)q[0]) | spread_2((uint64_t)q[1]) << 1;
  return spread_3((uint64_t)q[0]) | spread_3((uint64_t)q[1]) << 1 | spread_3((uint64_t)q[2]) << 2;
}

/* The number of the plane at coordinate. */
static inline int rind_locator_edge(const rind_locator *locator, int axis, double coordinate) {
  int low = 0, high = locator->num[axis]; /* the last plane that is not above it */
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (locator->edge[axis][middle] <= coordinate)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Where tree[] has a place of the grid. */
static inline size_t rind_locator_slot(const rind_locator *locator, const int i[3]) {
  return (size_t)i[0] +
         (size_t)locator->num[0] * ((size_t)i[1] + (size_t)locator->num[1] * (size_t)i[2]);
}
