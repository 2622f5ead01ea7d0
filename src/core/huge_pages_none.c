/* huge_pages_none.c - stands in where pages have one size. */
#include <core.h>

void rind_use_huge_pages(void *memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}
