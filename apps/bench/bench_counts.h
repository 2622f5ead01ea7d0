/* bench_counts.h - what a scatter of the transposed rows would meet, and a list of its cells. */
#pragma once
#include <rind/schedule.h>

#include <stdbool.h>

typedef struct bench_counts {
  int64_t scatter_adds; /* terms times cells of the interpolation's fills */
  int64_t collisions;   /* of these: to a cell that an earlier term of the same fill added to */
  int64_t source_cells; /* distinct cells that rows read, of any block */
  int64_t adds;         /* terms times cells of all fills */
} bench_counts;

/* Of this rank's fills. False: no memory. */
bool bench_count(const rind_schedule *schedule, bench_counts *counts);
/* Of the transposed matrix cell by cell: 8 bytes a row's start, 12 an entry. */
int64_t bench_cell_csr_bytes(const bench_counts *counts);
