/* bench_fill.h - what `rind-bench fill` measures. */
#pragma once
#include <bench.h>

#include <stdbool.h>

typedef struct bench_fill_options {
  bench_forest forest;
  rind_layout layout; /* dim and cells come from the forest */
  rind_rules rules;
  int repeats;
  double sample_us;
  bool json;
} bench_fill_options;

/* Collective. Measures and prints one line (JSON) or a table on rank 0. */
rind_error bench_fill(rind_context *context, bench_fill_options *options);
