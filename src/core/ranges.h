/* ranges.h - names for stretches of time, which profilers show (NVTX). Where the headers are not,
 * or no tool listens, nothing happens. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Ranges of a thread nest. name: a literal. */
void rind_range_begin(const char *name);
void rind_range_end(void);

#ifdef __cplusplus
}
#endif
