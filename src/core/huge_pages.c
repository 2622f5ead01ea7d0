/* huge_pages.c - asks for large pages under large arrays: fewer of them are to be looked up. */
#define _DEFAULT_SOURCE /* madvise */
#include <core.h>

#include <stdint.h>
#include <sys/mman.h>

/* Only those that lie inside, so that nobody's memory grows. A refusal changes nothing. */
void rind_use_huge_pages(void *memory, size_t bytes) {
  const uintptr_t page = (uintptr_t)2 << 20, start = (uintptr_t)memory;
  const size_t before = (size_t)((page - start % page) % page);
  if (before >= bytes || bytes - before < page) return;
  (void)madvise((char *)memory + before, (bytes - before) / page * page, MADV_HUGEPAGE);
}
