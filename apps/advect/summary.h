/* summary.h - the figures of a run, as text or JSON. */
#pragma once
#include <stdint.h>

#include "options.h"

typedef struct advect_summary {
  int64_t cells, blocks;
  int64_t level_blocks[32]; /* by level */
  int64_t steps;
  double dt, courant;
  solver_norms first, last;
  double drift; /* of mass, relative */
  uint64_t checksum;
  double set_up, loop;                   /* seconds, of the slowest rank */
  double fill[2], compute[2], output[2]; /* seconds: median and largest over the ranks */
  double ns_per_update;                  /* of the loop, for a cell and step */
} advect_summary;

/* On the calling rank. ranks: how many there were. */
void summary_print(const advect_summary *summary, const advect_options *options, int ranks,
                   const char *units);
