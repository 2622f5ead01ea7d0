/* counting_gather.h - the library's gather bodies, compiled again with a store that counts. */
#pragma once
#include <gather.h>

/* As rind_gather_host on one thread. Each store adds 1 to counts[element of to_base[0]]. */
void counting_gather(const rind_gather *gather, void *const *to_base, const void *const *own_base,
                     const void *const *source_base, int *counts);
