/* gather_ways.h - the host's gather compiled twice: for any processor, and with vectors of 32 bytes
 * for those that have them. Both give the same bits. */
#pragma once
#include <gather.h>

/* The fills [first, last). */
typedef void rind_gather_fills_way(const rind_gather *gather, int first, int last,
                                   void *const *to_base, const void *const *own_base,
                                   const void *const *source_base);
rind_gather_fills_way rind_gather_fills_plain, rind_gather_fills_wide;

/* The batches [first, last). sums: the thread's interior cell (0, 0, 0) in scratch; both or NULL.
 */
typedef void rind_gather_batches_way(const rind_gather *gather, const int *first_fill, int first,
                                     int last, void *const *to_base, const void *const *source_base,
                                     const rind_gather_scratch *scratch, double *sums);
rind_gather_batches_way rind_gather_batches_plain, rind_gather_batches_wide;

/* True if the wide way was built and this processor can run it. */
bool rind_gather_is_wide(void);
