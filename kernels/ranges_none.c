/* ranges_none.c - stands in where there is no NVTX. */
#include <ranges.h>

void rind_range_begin(const char *name) {
  (void)name;
}

void rind_range_end(void) {}
