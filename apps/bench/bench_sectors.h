/* bench_sectors.h - what a fill must move at least: the sectors of memory that its cells lie in. */
#pragma once
#include <rind/field.h>
#include <rind/schedule.h>

#include <stdbool.h>

/* Of this rank's field, at its real addresses; cells of other ranks are not counted. */
typedef struct bench_sectors {
  int bytes;       /* of a sector: 32 on the device, 64 (a cache line) on the host */
  int64_t read;    /* that hold a source cell */
  int64_t written; /* that hold a ghost */
  int64_t part;    /* of these: hold something else too, so they are read before */
  int64_t fetched; /* read or written in part */
  int64_t touched; /* read or written */
} bench_sectors;

/* False: no memory. */
bool bench_sectors_count(const rind_schedule *schedule, const rind_field *field,
                         bench_sectors *sectors);
/* Bytes that any fill moves if no sector moves twice, and any adjoint, which reads and writes
 * all that it touches. */
int64_t bench_sectors_fill_bytes(const bench_sectors *sectors);
int64_t bench_sectors_adjoint_bytes(const bench_sectors *sectors);
