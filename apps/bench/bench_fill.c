/* bench_fill.c - times a ghost fill beside its reference, its parts, and a copy written by hand. */
#include <bench_fill.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILL, TERM_BY_TERM, COARSE_FINE, COARSE_FINE_TERM_BY_TERM, INDEXED_COPY, NUM_VARIANTS };

/* An exchange and the field it fills: what a timed call needs. */
typedef struct fill_call {
  rind_exchange *exchange;
  rind_field *field;
} fill_call;

typedef struct fill_run {
  rind_forest *forest;
  rind_schedule *schedule;
  rind_field *field;
  fill_call filler[INDEXED_COPY]; /* by variant */
  bench_copy copy;
  double schedule_build_us;
  double copy_bandwidth;              /* bytes a second */
  rind_schedule_stats schedule_stats; /* summed over ranks, but peers, patterns and metadata */
  rind_exchange_stats exchange_stats; /* the largest rank's messages and bytes */
} fill_run;

static rind_error call_fill(void *what) {
  const fill_call *filler = what;
  return rind_fill(filler->exchange, filler->field);
}

/* Anything but constants, so that no value is special. */
static void set_values(rind_field *field) {
  const rind_layout *layout = rind_field_layout(field);
  const ptrdiff_t interior = rind_layout_interior_offset(layout);
  const size_t elements = rind_layout_block_elements(layout);
  for (int block = 0; block < rind_field_num_blocks(field); ++block) {
    void *cell = rind_field_pointer(field, block);
    for (size_t i = 0; i < elements; ++i) {
      const double value = 1.0 + 0.5 * sin(0.37 * (double)i + block);
      if (layout->type == RIND_FLOAT64)
        ((double *)cell - interior)[i] = value;
      else
        ((float *)cell - interior)[i] = (float)value;
    }
  }
}

static rind_error make_fillers(fill_run *run) {
  const uint32_t coarse_fine = (1u << RIND_NUM_FAMILIES) - 1 - (1u << RIND_FAMILY_COPY);
  const rind_exchange_options options[INDEXED_COPY] = {
      [FILL] = {.method = RIND_METHOD_FUSED},
      [TERM_BY_TERM] = {.method = RIND_METHOD_TERM_BY_TERM},
      [COARSE_FINE] = {.families = coarse_fine},
      [COARSE_FINE_TERM_BY_TERM] = {.method = RIND_METHOD_TERM_BY_TERM, .families = coarse_fine},
  };
  for (int v = 0; v < INDEXED_COPY; ++v) {
    run->filler[v].field = run->field;
    const rind_error error = rind_exchange_create(run->schedule, rind_field_layout(run->field),
                                                  &options[v], &run->filler[v].exchange);
    if (error != RIND_OK) return error;
  }
  return rind_exchange_get_stats(run->filler[FILL].exchange, &run->exchange_stats);
}

/* The indexed copy works on a packed array, whatever the field's storage. */
static void make_copy(const rind_context *context, fill_run *run) {
  rind_layout packed = *rind_field_layout(run->field);
  packed.storage = RIND_PACKED;
  int made = bench_copy_create(run->schedule, &packed, &run->copy);
  MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, rind_context_comm(context));
  if (!made) bench_copy_destroy(&run->copy);
}

static rind_error build_schedule(rind_context *context, const bench_fill_options *options,
                                 fill_run *run) {
  enum { BUILDS = 5 };
  double best = INFINITY;
  for (int i = 0; i < BUILDS; ++i) {
    rind_schedule_destroy(&run->schedule);
    MPI_Barrier(rind_context_comm(context));
    const double start = MPI_Wtime();
    const rind_error error =
        rind_schedule_create(run->forest, options->layout.cells, options->layout.ghosts,
                             &options->rules, &run->schedule);
    if (error != RIND_OK) return error;
    best = fmin(best, (MPI_Wtime() - start) * 1e6);
  }
  MPI_Allreduce(&best, &run->schedule_build_us, 1, MPI_DOUBLE, MPI_MAX, rind_context_comm(context));
  return RIND_OK;
}

static void reduce_stats(const rind_context *context, fill_run *run) {
  const MPI_Comm comm = rind_context_comm(context);
  rind_schedule_stats *s = &run->schedule_stats;
  rind_exchange_stats *x = &run->exchange_stats;
  int64_t sums[3] = {s->fills, s->terms, s->ghost_cells};
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, comm);
  s->fills = sums[0], s->terms = sums[1], s->ghost_cells = sums[2];
  int64_t most[4] = {x->messages_sent, x->bytes_sent, x->metadata_bytes, s->metadata_bytes};
  MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_INT64_T, MPI_MAX, comm);
  x->messages_sent = (int32_t)most[0], x->bytes_sent = most[1];
  x->metadata_bytes = most[2], s->metadata_bytes = most[3];
}

static rind_error set_up(rind_context *context, bench_fill_options *options, fill_run *run) {
  rind_error error = bench_forest_create(context, &options->forest, &run->forest);
  if (error != RIND_OK) return error;
  options->layout.dim = options->forest.dim;
  options->layout.cells = options->forest.cells;
  error = build_schedule(context, options, run);
  if (error == RIND_OK) error = rind_field_create(run->forest, &options->layout, &run->field);
  if (error == RIND_OK) error = make_fillers(run);
  if (error == RIND_OK) error = rind_schedule_get_stats(run->schedule, &run->schedule_stats);
  error = rind_context_agree(context, error);
  if (error != RIND_OK) return error;
  set_values(run->field);
  make_copy(context, run);
  run->copy_bandwidth = bench_copy_bandwidth(context, (size_t)128 << 20);
  reduce_stats(context, run);
  return RIND_OK;
}

static void tear_down(fill_run *run) {
  for (int v = 0; v < INDEXED_COPY; ++v)
    rind_exchange_destroy(&run->filler[v].exchange);
  bench_copy_destroy(&run->copy);
  rind_field_destroy(&run->field);
  rind_schedule_destroy(&run->schedule);
  rind_forest_destroy(&run->forest);
}

static const char *interpolation_name(rind_interpolation interpolation) {
  static const char *const names[] = {"quadratic", "coarse-only", "injection"};
  return names[interpolation];
}

/* A time, or null where the variant did not run. */
static void print_time(const char *name, double us, bool ran) {
  if (ran)
    printf(", \"%s\": %.3f", name, us);
  else
    printf(", \"%s\": null", name);
}

static void print_json(const rind_context *context, const bench_fill_options *options,
                       const fill_run *run, const bench_variant *variants) {
  const rind_layout *layout = &options->layout;
  const rind_schedule_stats *s = &run->schedule_stats;
  const rind_exchange_stats *x = &run->exchange_stats;
  const bench_timing *t = &variants[FILL].timing;
  const double values = (double)s->ghost_cells * layout->components;
  printf("{\"bench\": \"fill\", \"forest\": \"%s\", \"dim\": %d, \"cells\": %d, \"periodic\": "
         "[%d, %d, %d], \"ghosts\": %d, \"layers\": %d, \"components\": %d",
         bench_names[options->forest.name], layout->dim, layout->cells, options->forest.periodic[0],
         options->forest.periodic[1], options->forest.periodic[2], layout->ghosts,
         options->rules.layers ? options->rules.layers : layout->ghosts, layout->components);
  printf(", \"type\": \"%s\", \"storage\": \"%s\", \"order\": \"%s\", \"regions\": \"%s\", "
         "\"rules\": \"%s+average\"",
         layout->type == RIND_FLOAT64 ? "f64" : "f32",
         layout->storage == RIND_PACKED ? "packed" : "blocks",
         layout->order == RIND_COMPONENTS_OUTERMOST ? "outermost" : "innermost",
         options->rules.regions == RIND_REGIONS_FACES ? "faces" : "all",
         interpolation_name(options->rules.interpolation));
  printf(", \"ranks\": %d, \"threads\": %d, \"space\": \"host\", \"blocks\": %lld, \"fills\": "
         "%lld, \"terms\": %lld, \"ghost_cells\": %lld",
         rind_context_size(context), rind_context_threads(context),
         (long long)rind_forest_num_global_blocks(run->forest), (long long)s->fills,
         (long long)s->terms, (long long)s->ghost_cells);
  printf(", \"us_median\": %.3f, \"us_min\": %.3f, \"us_p90\": %.3f, \"ns_per_ghost_cell\": %.4f",
         t->median, t->min, t->p90, values > 0.0 ? t->median * 1e3 / values : 0.0);
  print_time("us_term_by_term", variants[TERM_BY_TERM].timing.median, true);
  print_time("us_coarse_fine", variants[COARSE_FINE].timing.median, true);
  print_time("us_coarse_fine_term_by_term", variants[COARSE_FINE_TERM_BY_TERM].timing.median, true);
  print_time("us_indexed_copy", variants[INDEXED_COPY].timing.median,
             variants[INDEXED_COPY].call != NULL);
  const double bytes = 2.0 * values * (double)rind_type_bytes(layout->type);
  printf(", \"messages\": %d, \"bytes_sent\": %lld, \"schedule_build_us\": %.1f, "
         "\"metadata_bytes\": %lld, \"exchange_metadata_bytes\": %lld, \"copy_gb_per_s\": %.2f, "
         "\"us_value_floor\": %.3f}\n",
         x->messages_sent, (long long)x->bytes_sent, run->schedule_build_us,
         (long long)s->metadata_bytes, (long long)x->metadata_bytes, run->copy_bandwidth * 1e-9,
         run->copy_bandwidth > 0.0 ? bytes / rind_context_size(context) / run->copy_bandwidth * 1e6
                                   : 0.0);
}

static void print_table(const rind_context *context, const bench_fill_options *options,
                        const fill_run *run, const bench_variant *variants) {
  static const char *const names[NUM_VARIANTS] = {
      "fill, one fused pass", "fill, term by term", "coarse-fine fills, fused",
      "coarse-fine fills, term by term", "copy by index lists"};
  const double values = (double)run->schedule_stats.ghost_cells * options->layout.components;
  printf("forest %s: %lld blocks of %d^%d cells, %lld ghost cells, %d ranks, %d threads\n",
         bench_names[options->forest.name], (long long)rind_forest_num_global_blocks(run->forest),
         options->layout.cells, options->layout.dim, (long long)run->schedule_stats.ghost_cells,
         rind_context_size(context), rind_context_threads(context));
  printf("%-34s %12s %12s %12s %12s\n", "", "median us", "min us", "p90 us", "ns a value");
  for (int v = 0; v < NUM_VARIANTS; ++v)
    if (variants[v].call)
      printf("%-34s %12.2f %12.2f %12.2f %12.4f\n", names[v], variants[v].timing.median,
             variants[v].timing.min, variants[v].timing.p90,
             values > 0.0 ? variants[v].timing.median * 1e3 / values : 0.0);
  printf("schedule built in %.1f us; %lld bytes of it, %lld of the exchange\n",
         run->schedule_build_us, (long long)run->schedule_stats.metadata_bytes,
         (long long)run->exchange_stats.metadata_bytes);
}

static rind_error measure(rind_context *context, const bench_fill_options *options, fill_run *run) {
  bench_variant variants[NUM_VARIANTS] = {{0}};
  for (int v = 0; v < INDEXED_COPY; ++v)
    variants[v] = (bench_variant){.call = call_fill, .what = &run->filler[v]};
  if (run->copy.data)
    variants[INDEXED_COPY] = (bench_variant){.call = bench_copy_run, .what = &run->copy};
  const rind_error error =
      bench_time(context, variants, NUM_VARIANTS, options->repeats, options->sample_us);
  if (error != RIND_OK || rind_context_rank(context) != 0) return error;
  if (options->json)
    print_json(context, options, run, variants);
  else
    print_table(context, options, run, variants);
  return RIND_OK;
}

rind_error bench_fill(rind_context *context, bench_fill_options *options) {
  fill_run run = {0};
  rind_error error = set_up(context, options, &run);
  if (error == RIND_OK) error = measure(context, options, &run);
  tear_down(&run);
  return error;
}
