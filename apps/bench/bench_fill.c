/* bench_fill.c - times a ghost fill beside its reference, its parts, and a copy written by hand. */
#include <bench_case.h>

#include <stdio.h>

enum {
  FILL,
  TERM_BY_TERM,
  COARSE_FINE,
  COARSE_FINE_TERM_BY_TERM,
  GRAPH,
  INDEXED_COPY,
  NUM_VARIANTS
};

static const rind_exchange_options fillers[INDEXED_COPY] = {
    [FILL] = {.method = RIND_METHOD_FUSED},
    [TERM_BY_TERM] = {.method = RIND_METHOD_TERM_BY_TERM},
    [COARSE_FINE] = {.families = BENCH_COARSE_FINE},
    [COARSE_FINE_TERM_BY_TERM] = {.method = RIND_METHOD_TERM_BY_TERM,
                                  .families = BENCH_COARSE_FINE},
    [GRAPH] = {.graph = true},
};

static void print_json(const rind_context *context, const bench_options *options,
                       const bench_case *c, const rind_exchange_stats *stats,
                       const bench_variant *variants) {
  bench_print_begin("fill", context, options, c, &variants[FILL].timing);
  bench_print_time("us_term_by_term", &variants[TERM_BY_TERM]);
  bench_print_time("us_coarse_fine", &variants[COARSE_FINE]);
  bench_print_time("us_coarse_fine_term_by_term", &variants[COARSE_FINE_TERM_BY_TERM]);
  bench_print_time("us_graph", &variants[GRAPH]);
  bench_print_time(options->layout.space == RIND_DEVICE ? "us_plain_copy" : "us_indexed_copy",
                   &variants[INDEXED_COPY]);
  bench_print_floor(c, bench_sectors_fill_bytes(&c->sectors), &variants[FILL].timing);
  bench_print_end(context, options, c, stats);
}

static void print_table(const rind_context *context, const bench_options *options,
                        const bench_case *c, const rind_exchange_stats *stats,
                        const bench_variant *variants) {
  static const char *const names[NUM_VARIANTS] = {
      "fill, one fused pass",     "fill, term by term",
      "coarse-fine fills, fused", "coarse-fine fills, term by term",
      "fill, from a graph",       "copy by index lists"};
  bench_print_table(context, options, c, names, variants, NUM_VARIANTS);
  bench_print_floor_line(c, bench_sectors_fill_bytes(&c->sectors), &variants[FILL].timing);
  printf("schedule built in %.1f us; %lld bytes of it, %lld of the exchange\n",
         c->schedule_build_us, (long long)c->stats.metadata_bytes,
         (long long)stats->metadata_bytes);
}

static rind_error measure(rind_context *context, const bench_options *options, bench_case *c,
                          bench_filler filler[INDEXED_COPY]) {
  bench_variant variants[NUM_VARIANTS] = {{0}};
  rind_exchange_stats stats;
  rind_error error = RIND_OK;
  for (int v = 0; error == RIND_OK && v < INDEXED_COPY; ++v) {
    if (fillers[v].method == RIND_METHOD_TERM_BY_TERM && options->layout.space == RIND_DEVICE)
      continue;
    if (fillers[v].graph && !bench_has_graphs(context, options)) continue;
    variants[v] = (bench_variant){.call = bench_call_fill, .what = &filler[v]};
    error = bench_filler_create(c, c->field, &fillers[v], &filler[v]);
  }
  if (error == RIND_OK) error = rind_exchange_get_stats(filler[FILL].exchange, &stats);
  if (error != RIND_OK) return error;
  bench_largest(context, &stats);
  if (c->copy.data || c->copy.there)
    variants[INDEXED_COPY] = (bench_variant){.call = bench_copy_run, .what = &c->copy};
  error = bench_time(context, variants, NUM_VARIANTS, options->repeats, options->sample_us);
  if (error != RIND_OK || rind_context_rank(context) != 0) return error;
  if (options->json)
    print_json(context, options, c, &stats, variants);
  else
    print_table(context, options, c, &stats, variants);
  return RIND_OK;
}

rind_error bench_fill(rind_context *context, bench_options *options) {
  bench_case c = {0};
  bench_filler filler[INDEXED_COPY] = {{0}};
  rind_error error = bench_case_create(context, options, &c);
  if (error == RIND_OK) error = measure(context, options, &c, filler);
  for (int v = 0; v < INDEXED_COPY; ++v)
    rind_exchange_destroy(&filler[v].exchange);
  bench_case_destroy(&c);
  return error;
}
