/* bench_case.c - makes the forest, schedule and field of a measurement, and prints them. */
#include <bench_case.h>
#include <bench_device.h>
#include <demand.h>
#include <words.h>

#include <math.h>
#include <stdio.h>

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

/* The case's field, by way of one on the host if it is on the device. */
static rind_error make_field(const bench_options *options, bench_case *c) {
  rind_layout layout = options->layout;
  rind_field *here = NULL;
  rind_error error = rind_field_create(c->forest, &layout, &c->field);
  if (error != RIND_OK) return error;
  if (layout.space == RIND_HOST) {
    set_values(c->field);
    return RIND_OK;
  }
  layout.space = RIND_HOST;
  error = rind_field_create(c->forest, &layout, &here);
  if (error == RIND_OK) {
    set_values(here);
    error = rind_field_copy(here, c->field);
  }
  rind_field_destroy(&here);
  return error;
}

/* The indexed copy works on a packed array, whatever the field's storage. */
static void make_copy(const rind_context *context, bench_case *c) {
  rind_layout packed = *rind_field_layout(c->field);
  packed.storage = RIND_PACKED;
  int made = packed.space == RIND_DEVICE ? bench_copy_create_device(c->schedule, c->field, &c->copy)
                                         : bench_copy_create(c->schedule, &packed, &c->copy);
  MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, rind_context_comm(context));
  if (!made) bench_copy_destroy(&c->copy);
}

static rind_error build_schedule(rind_context *context, const bench_options *options,
                                 bench_case *c) {
  enum { BUILDS = 5 };
  double best = INFINITY;
  for (int i = 0; i < BUILDS; ++i) {
    rind_schedule_destroy(&c->schedule);
    MPI_Barrier(rind_context_comm(context));
    const double start = MPI_Wtime();
    const rind_error error = rind_schedule_create(
        c->forest, options->layout.cells, options->layout.ghosts, &options->rules, &c->schedule);
    if (error != RIND_OK) return error;
    best = fmin(best, (MPI_Wtime() - start) * 1e6);
  }
  MPI_Allreduce(&best, &c->schedule_build_us, 1, MPI_DOUBLE, MPI_MAX, rind_context_comm(context));
  return RIND_OK;
}

static void sum_stats(const rind_context *context, rind_schedule_stats *s) {
  const MPI_Comm comm = rind_context_comm(context);
  int64_t sums[] = {s->fills, s->terms, s->ghost_cells, s->adds};
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, comm);
  s->fills = sums[0], s->terms = sums[1], s->ghost_cells = sums[2], s->adds = sums[3];
  MPI_Allreduce(MPI_IN_PLACE, &s->metadata_bytes, 1, MPI_INT64_T, MPI_MAX, comm);
}

void bench_largest(const rind_context *context, rind_exchange_stats *stats) {
  int64_t most[] = {stats->messages_sent, stats->bytes_sent, stats->metadata_bytes};
  MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX, rind_context_comm(context));
  stats->messages_sent = (int32_t)most[0];
  stats->bytes_sent = most[1];
  stats->metadata_bytes = most[2];
}

static rind_error count_sectors(rind_context *context, bench_case *c) {
  bench_sectors *n = &c->sectors;
  rind_error error = RIND_OK;
  if (!bench_sectors_count(c->schedule, c->field, n))
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory to count sectors");
  error = rind_context_agree(context, error);
  if (error != RIND_OK) return error;
  int64_t most[] = {n->read, n->written, n->part, n->fetched, n->touched};
  MPI_Allreduce(MPI_IN_PLACE, most, 5, MPI_INT64_T, MPI_MAX, rind_context_comm(context));
  *n = (bench_sectors){n->bytes, most[0], most[1], most[2], most[3], most[4]};
  return RIND_OK;
}

rind_error bench_check_field(const rind_forest *forest, const rind_layout *layout) {
  char things[64];
  const double value_bytes = layout->components * (double)rind_type_bytes(layout->type);
  snprintf(things, sizeof things, "blocks of %d^%d cells with %d components", layout->cells,
           layout->dim, layout->components);
  return app_check_demand(
      rind_forest_context(forest),
      &(app_demand){(double)rind_forest_num_global_blocks(forest), things,
                    app_block_bytes(layout->dim, layout->cells, layout->ghosts, value_bytes),
                    "--cells, --ghosts or --components"});
}

rind_error bench_case_create(rind_context *context, bench_options *options, bench_case *c) {
  rind_error error = bench_forest_create(context, &options->forest, &c->forest);
  if (error != RIND_OK) return error;
  options->layout.dim = options->forest.dim;
  options->layout.cells = options->forest.cells;
  error = bench_check_field(c->forest, &options->layout);
  if (error == RIND_OK) error = build_schedule(context, options, c);
  if (error == RIND_OK) error = make_field(options, c);
  if (error == RIND_OK) error = rind_schedule_get_stats(c->schedule, &c->stats);
  error = rind_context_agree(context, error);
  if (error != RIND_OK) return error;
  sum_stats(context, &c->stats);
  error = count_sectors(context, c);
  if (error != RIND_OK) return error;
  make_copy(context, c);
  c->copy_bandwidth = options->layout.space == RIND_DEVICE
                          ? bench_device_bandwidth((size_t)1 << 30)
                          : bench_copy_bandwidth(context, (size_t)128 << 20);
  return RIND_OK;
}

void bench_case_destroy(bench_case *c) {
  bench_copy_destroy(&c->copy);
  rind_field_destroy(&c->field);
  rind_schedule_destroy(&c->schedule);
  rind_forest_destroy(&c->forest);
}

rind_error bench_filler_create(const bench_case *c, rind_field *field,
                               const rind_exchange_options *options, bench_filler *filler) {
  filler->field = field;
  return rind_exchange_create(c->schedule, rind_field_layout(field), options, &filler->exchange);
}

bool bench_has_graphs(const rind_context *context, const bench_options *options) {
  return options->layout.space == RIND_DEVICE && rind_context_size(context) == 1;
}

rind_error bench_call_fill(void *what) {
  const bench_filler *filler = what;
  return rind_fill(filler->exchange, filler->field);
}

rind_error bench_call_adjoint(void *what) {
  const bench_filler *filler = what;
  return rind_fill_adjoint(filler->exchange, filler->field);
}

/* Values that a fill writes. */
static double num_values(const bench_options *options, const bench_case *c) {
  return (double)c->stats.ghost_cells * options->layout.components;
}

static double ns_per_value(const bench_options *options, const bench_case *c, double us) {
  const double values = num_values(options, c);
  return values > 0.0 ? us * 1e3 / values : 0.0;
}

void bench_print_begin(const char *bench, const rind_context *context, const bench_options *options,
                       const bench_case *c, const bench_timing *timing) {
  const rind_layout *layout = &options->layout;
  const rind_schedule_stats *s = &c->stats;
  printf("{\"bench\": \"%s\", \"forest\": \"%s\", \"dim\": %d, \"cells\": %d, \"periodic\": "
         "[%d, %d, %d], \"ghosts\": %d, \"layers\": %d, \"components\": %d",
         bench, bench_names[options->forest.name], layout->dim, layout->cells,
         options->forest.periodic[0], options->forest.periodic[1], options->forest.periodic[2],
         layout->ghosts, options->rules.layers ? options->rules.layers : layout->ghosts,
         layout->components);
  printf(", \"type\": \"%s\", \"storage\": \"%s\", \"order\": \"%s\", \"regions\": \"%s\", "
         "\"rules\": \"%s+%s\"",
         app_type_words[layout->type], layout->storage == RIND_PACKED ? "packed" : "blocks",
         layout->order == RIND_COMPONENTS_OUTERMOST ? "outermost" : "innermost",
         options->rules.regions == RIND_REGIONS_FACES ? "faces" : "all",
         app_interpolation_words[options->rules.interpolation],
         app_restriction_words[options->rules.restriction]);
  printf(", \"ranks\": %d, \"threads\": %d, \"space\": \"%s\", \"blocks\": %lld, \"fills\": "
         "%lld, \"terms\": %lld, \"ghost_cells\": %lld",
         rind_context_size(context), rind_context_threads(context),
         layout->space == RIND_DEVICE ? "device" : "host",
         (long long)rind_forest_num_global_blocks(c->forest), (long long)s->fills,
         (long long)s->terms, (long long)s->ghost_cells);
  printf(", \"us_median\": %.3f, \"us_min\": %.3f, \"us_p90\": %.3f, \"ns_per_ghost_cell\": %.4f",
         timing->median, timing->min, timing->p90, ns_per_value(options, c, timing->median));
}

void bench_print_time(const char *name, const bench_variant *variant) {
  if (variant->call)
    printf(", \"%s\": %.3f", name, variant->timing.median);
  else
    printf(", \"%s\": null", name);
}

static double floor_us(const bench_case *c, int64_t bytes) {
  return c->copy_bandwidth > 0.0 ? (double)bytes / c->copy_bandwidth * 1e6 : 0.0;
}

void bench_print_floor(const bench_case *c, int64_t bytes, const bench_timing *timing) {
  const bench_sectors *n = &c->sectors;
  printf(", \"sector_bytes\": %d, \"sectors_read\": %lld, \"sectors_written\": %lld, "
         "\"sectors_part\": %lld, \"floor_bytes\": %lld, \"us_floor\": %.3f, "
         "\"floor_fraction\": %.4f",
         n->bytes, (long long)n->read, (long long)n->written, (long long)n->part, (long long)bytes,
         floor_us(c, bytes), floor_us(c, bytes) / timing->median);
}

void bench_print_floor_line(const bench_case *c, int64_t bytes, const bench_timing *timing) {
  const bench_sectors *n = &c->sectors;
  printf("floor %.2f us: %lld bytes of %s at %.1f GB/s; %.1f %% of it reached\n",
         floor_us(c, bytes), (long long)bytes, n->bytes == 32 ? "sectors" : "lines",
         c->copy_bandwidth * 1e-9, 100.0 * floor_us(c, bytes) / timing->median);
}

void bench_print_end(const rind_context *context, const bench_options *options, const bench_case *c,
                     const rind_exchange_stats *stats) {
  const double bytes = 2.0 * num_values(options, c) * (double)rind_type_bytes(options->layout.type);
  printf(", \"messages\": %d, \"bytes_sent\": %lld, \"schedule_build_us\": %.1f, "
         "\"metadata_bytes\": %lld, \"exchange_metadata_bytes\": %lld, \"copy_gb_per_s\": %.2f, "
         "\"us_value_floor\": %.3f}\n",
         stats->messages_sent, (long long)stats->bytes_sent, c->schedule_build_us,
         (long long)c->stats.metadata_bytes, (long long)stats->metadata_bytes,
         c->copy_bandwidth * 1e-9,
         c->copy_bandwidth > 0.0 ? bytes / rind_context_size(context) / c->copy_bandwidth * 1e6
                                 : 0.0);
}

void bench_print_table(const rind_context *context, const bench_options *options,
                       const bench_case *c, const char *const *names, const bench_variant *variants,
                       int num_variants) {
  printf("forest %s: %lld blocks of %d^%d cells, %lld ghost cells, %s and %s rows, %d ranks, %d "
         "threads\n",
         bench_names[options->forest.name], (long long)rind_forest_num_global_blocks(c->forest),
         options->layout.cells, options->layout.dim, (long long)c->stats.ghost_cells,
         app_interpolation_words[options->rules.interpolation],
         app_restriction_words[options->rules.restriction], rind_context_size(context),
         rind_context_threads(context));
  printf("%-34s %12s %12s %12s %12s\n", "", "median us", "min us", "p90 us", "ns a value");
  for (int v = 0; v < num_variants; ++v) {
    const bench_timing *t = &variants[v].timing;
    if (variants[v].call)
      printf("%-34s %12.2f %12.2f %12.2f %12.4f\n", names[v], t->median, t->min, t->p90,
             ns_per_value(options, c, t->median));
  }
}

void bench_print_text(const char *text) {
  putchar('"');
  for (; *text != '\0'; ++text)
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else if ((unsigned char)*text < ' ')
      printf("\\u%04x", (unsigned)*text);
    else
      putchar(*text);
  putchar('"');
}
