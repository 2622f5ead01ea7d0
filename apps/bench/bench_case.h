/* bench_case.h - what every measurement has: a forest, a schedule, a field, and how it is printed.
 */
#pragma once
#include <bench.h>
#include <bench_sectors.h>

#include <stdbool.h>

typedef struct bench_options {
  bench_forest forest;
  rind_layout layout; /* dim and cells come from the forest */
  rind_rules rules;
  int repeats;
  double sample_us;
  bench_shape shape;  /* of scaling */
  const char *output; /* of export; NULL: none */
  bool json;
} bench_options;

typedef struct bench_case {
  rind_forest *forest;
  rind_schedule *schedule;
  rind_field *field; /* of values that are not special */
  bench_copy copy;   /* without data: there was no memory */
  double schedule_build_us;
  double copy_bandwidth;     /* bytes a second */
  bench_sectors sectors;     /* each count the largest rank's */
  rind_schedule_stats stats; /* summed over ranks, but peers, patterns and metadata */
} bench_case;

/* All families but copies. */
#define BENCH_COARSE_FINE ((1u << RIND_NUM_FAMILIES) - 1 - (1u << RIND_FAMILY_COPY))

/* An exchange and its field: what a timed fill or adjoint needs. */
typedef struct bench_filler {
  rind_exchange *exchange;
  rind_field *field;
} bench_filler;

/* Collective. Fills in what the options left open. *c is to be destroyed after an error too. */
rind_error bench_case_create(rind_context *context, bench_options *options, bench_case *c);
void bench_case_destroy(bench_case *c);

/* Collective. RIND_ERROR_MEMORY if a field on the forest needs more memory than there is. */
rind_error bench_check_field(const rind_forest *forest, const rind_layout *layout);

/* Collective. An exchange on the case's schedule for field, borrowed. */
rind_error bench_filler_create(const bench_case *c, rind_field *field,
                               const rind_exchange_options *options, bench_filler *filler);
/* True where all ranks' calls can run from graphs: on the device, without messages. */
bool bench_has_graphs(const rind_context *context, const bench_options *options);
/* bench_calls; what is a bench_filler. */
rind_error bench_call_fill(void *what);
rind_error bench_call_adjoint(void *what);

/* Collective. In place of each rank's numbers the largest one of metadata, messages and bytes. */
void bench_largest(const rind_context *context, rind_exchange_stats *stats);

/* JSON: a line begins with the case and a time, and ends with what was sent and stored. */
void bench_print_begin(const char *bench, const rind_context *context, const bench_options *options,
                       const bench_case *c, const bench_timing *timing);
/* null where the variant did not run. */
void bench_print_time(const char *name, const bench_variant *variant);
/* What the sectors' bytes would take at the speed of a copy, and what fraction of it the time is.
 */
void bench_print_floor(const bench_case *c, int64_t bytes, const bench_timing *timing);
void bench_print_floor_line(const bench_case *c, int64_t bytes, const bench_timing *timing);
void bench_print_end(const rind_context *context, const bench_options *options, const bench_case *c,
                     const rind_exchange_stats *stats);
/* A table of the variants that ran. */
void bench_print_table(const rind_context *context, const bench_options *options,
                       const bench_case *c, const char *const *names, const bench_variant *variants,
                       int num_variants);

/* Collective. Measure and print one line (JSON) or a table on rank 0. */
rind_error bench_fill(rind_context *context, bench_options *options);
rind_error bench_adjoint(rind_context *context, bench_options *options);
/* Collective. Builds and fills a forest of its own on some ranks, on more and on all. */
rind_error bench_scaling(rind_context *context, bench_options *options);
/* Collective. Times messages as long as those of a fill, sent in several ways. */
rind_error bench_messages(rind_context *context, bench_options *options);
/* Collective. Writes the fill as a sparse matrix to options->output. */
rind_error bench_export(rind_context *context, bench_options *options);
/* Collective, every rank for itself: sums over segments. Takes type, space, repeats. */
rind_error bench_segment(rind_context *context, bench_options *options);

/* A string of JSON, quotes included. */
void bench_print_text(const char *text);
