/* bench_adjoint.c - times the adjoint of a fill beside the fill, its reference and its parts. */
#include <bench_case.h>
#include <bench_counts.h>

#include <stdio.h>

enum {
  TRANSPOSED,
  PER_TERM,
  FILL,
  COARSE_FINE_TRANSPOSED,
  COARSE_FINE_PER_TERM,
  COARSE_FINE_FILL,
  GRAPH,
  INDEXED_COPY,
  NUM_VARIANTS
};

static const rind_exchange_options fillers[INDEXED_COPY] = {
    [TRANSPOSED] = {.adjoint = true, .adjoint_method = RIND_ADJOINT_TRANSPOSED},
    [PER_TERM] = {.adjoint = true, .adjoint_method = RIND_ADJOINT_PER_TERM},
    [FILL] = {.method = RIND_METHOD_FUSED},
    [COARSE_FINE_TRANSPOSED] = {.families = BENCH_COARSE_FINE, .adjoint = true},
    [COARSE_FINE_PER_TERM] = {.families = BENCH_COARSE_FINE,
                              .adjoint = true,
                              .adjoint_method = RIND_ADJOINT_PER_TERM},
    [COARSE_FINE_FILL] = {.families = BENCH_COARSE_FINE},
    [GRAPH] = {.adjoint = true, .graph = true},
};

typedef struct adjoint_run {
  bench_case c;
  rind_field *derivative; /* what the adjoints work on: the fills would put values in its ghosts */
  rind_schedule *adjoint; /* for its size */
  bench_filler filler[INDEXED_COPY];
  rind_schedule_stats schedule; /* of the adjoint; counts are sums over ranks, bytes the largest */
  rind_exchange_stats exchange; /* the adjoint's part of it; the largest rank's */
  bench_counts counts;          /* sums over ranks */
  int64_t cell_csr_bytes;       /* the largest rank's */
  double schedule_build_us;     /* of the adjoint */
} adjoint_run;

static rind_error build_adjoint(rind_context *context, adjoint_run *run) {
  const MPI_Comm comm = rind_context_comm(context);
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  rind_error error = rind_schedule_adjoint(run->c.schedule, &run->adjoint);
  double us = (MPI_Wtime() - start) * 1e6;
  if (error == RIND_OK)
    error = rind_context_agree(context, rind_schedule_get_stats(run->adjoint, &run->schedule));
  if (error != RIND_OK) return error;
  MPI_Allreduce(&us, &run->schedule_build_us, 1, MPI_DOUBLE, MPI_MAX, comm);
  int64_t sums[] = {run->schedule.fills, run->schedule.terms};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, comm);
  run->schedule.fills = sums[0], run->schedule.terms = sums[1];
  MPI_Allreduce(MPI_IN_PLACE, &run->schedule.metadata_bytes, 1, MPI_INT64_T, MPI_MAX, comm);
  return RIND_OK;
}

static rind_error count(rind_context *context, adjoint_run *run) {
  rind_error error = RIND_OK;
  const MPI_Comm comm = rind_context_comm(context);
  bench_counts *n = &run->counts;
  if (!bench_count(run->c.schedule, n))
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory to count source cells");
  error = rind_context_agree(context, error);
  if (error != RIND_OK) return error;
  run->cell_csr_bytes = bench_cell_csr_bytes(n);
  MPI_Allreduce(MPI_IN_PLACE, &run->cell_csr_bytes, 1, MPI_INT64_T, MPI_MAX, comm);
  int64_t sums[] = {n->scatter_adds, n->collisions, n->source_cells, n->adds};
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, comm);
  *n = (bench_counts){sums[0], sums[1], sums[2], sums[3]};
  return RIND_OK;
}

static rind_error set_up(rind_context *context, bench_options *options, adjoint_run *run) {
  rind_error error = bench_case_create(context, options, &run->c);
  if (error == RIND_OK)
    error = rind_field_create(run->c.forest, &options->layout, &run->derivative);
  if (error == RIND_OK)
    error = rind_context_agree(context, rind_field_copy(run->c.field, run->derivative));
  for (int v = 0; error == RIND_OK && v < INDEXED_COPY; ++v)
    error = bench_filler_create(&run->c, fillers[v].adjoint ? run->derivative : run->c.field,
                                &fillers[v], &run->filler[v]);
  if (error == RIND_OK)
    error = rind_context_agree(
        context, rind_exchange_get_adjoint_stats(run->filler[TRANSPOSED].exchange, &run->exchange));
  if (error == RIND_OK) error = build_adjoint(context, run);
  if (error == RIND_OK) error = count(context, run);
  if (error == RIND_OK) bench_largest(context, &run->exchange);
  return error;
}

static void tear_down(adjoint_run *run) {
  for (int v = 0; v < INDEXED_COPY; ++v)
    rind_exchange_destroy(&run->filler[v].exchange);
  rind_schedule_destroy(&run->adjoint);
  rind_field_destroy(&run->derivative);
  bench_case_destroy(&run->c);
}

/* The keys of bench fill are the adjoint's; metadata_bytes, fills and terms are the schedule's that
 * it is the adjoint of. */
static void print_json(const rind_context *context, const bench_options *options,
                       const adjoint_run *run, const rind_exchange_stats *fill,
                       const bench_variant *variants) {
  bench_print_begin("adjoint", context, options, &run->c, &variants[TRANSPOSED].timing);
  bench_print_time("us_term_by_term", &variants[PER_TERM]);
  bench_print_time("us_coarse_fine", &variants[COARSE_FINE_TRANSPOSED]);
  bench_print_time("us_coarse_fine_term_by_term", &variants[COARSE_FINE_PER_TERM]);
  bench_print_time(options->layout.space == RIND_DEVICE ? "us_plain_copy" : "us_indexed_copy",
                   &variants[INDEXED_COPY]);
  bench_print_time("us_graph", &variants[GRAPH]);
  bench_print_time("us_fill", &variants[FILL]);
  bench_print_time("us_per_term", &variants[PER_TERM]);
  bench_print_time("us_transposed", &variants[TRANSPOSED]);
  bench_print_time("us_coarse_fine_fill", &variants[COARSE_FINE_FILL]);
  bench_print_time("us_coarse_fine_transposed", &variants[COARSE_FINE_TRANSPOSED]);
  bench_print_time("us_coarse_fine_per_term", &variants[COARSE_FINE_PER_TERM]);
  printf(", \"scatter_adds\": %lld, \"collisions\": %lld, \"source_cells\": %lld, \"adjoint_fills\""
         ": %lld, \"adjoint_terms\": %lld",
         (long long)run->counts.scatter_adds, (long long)run->counts.collisions,
         (long long)run->counts.source_cells, (long long)run->schedule.fills,
         (long long)run->schedule.terms);
  printf(", \"metadata_bytes_adjoint\": %lld, \"metadata_bytes_cell_csr\": %lld, "
         "\"exchange_metadata_bytes_fill\": %lld, \"adjoint_build_us\": %.1f",
         (long long)run->schedule.metadata_bytes, (long long)run->cell_csr_bytes,
         (long long)fill->metadata_bytes, run->schedule_build_us);
  bench_print_floor(&run->c, bench_sectors_adjoint_bytes(&run->c.sectors),
                    &variants[TRANSPOSED].timing);
  bench_print_end(context, options, &run->c, &run->exchange);
}

static void print_table(const rind_context *context, const bench_options *options,
                        const adjoint_run *run, const rind_exchange_stats *fill,
                        const bench_variant *variants) {
  static const char *const names[NUM_VARIANTS] = {"adjoint, transposed",
                                                  "adjoint, per term",
                                                  "fill",
                                                  "coarse-fine, adjoint, transposed",
                                                  "coarse-fine, adjoint, per term",
                                                  "coarse-fine, fill",
                                                  "adjoint, from a graph",
                                                  "copy by index lists"};
  bench_print_table(context, options, &run->c, names, variants, NUM_VARIANTS);
  bench_print_floor_line(&run->c, bench_sectors_adjoint_bytes(&run->c.sectors),
                         &variants[TRANSPOSED].timing);
  printf("interpolation: %lld scatter-adds, of which %lld hit a cell that an earlier term of the "
         "same fill hit\n",
         (long long)run->counts.scatter_adds, (long long)run->counts.collisions);
  printf("bytes of the schedule %lld, of its adjoint %lld, of that cell by cell %lld; of the "
         "exchange %lld, of its adjoint %lld\n",
         (long long)run->c.stats.metadata_bytes, (long long)run->schedule.metadata_bytes,
         (long long)run->cell_csr_bytes, (long long)fill->metadata_bytes,
         (long long)run->exchange.metadata_bytes);
}

static rind_error measure(rind_context *context, const bench_options *options, adjoint_run *run) {
  bench_variant variants[NUM_VARIANTS] = {{0}};
  rind_exchange_stats fill;
  for (int v = 0; v < INDEXED_COPY; ++v)
    variants[v] = (bench_variant){.call = fillers[v].adjoint ? bench_call_adjoint : bench_call_fill,
                                  .what = &run->filler[v]};
  if (!bench_has_graphs(context, options)) variants[GRAPH].call = NULL;
  if (run->c.copy.data || run->c.copy.there)
    variants[INDEXED_COPY] = (bench_variant){.call = bench_copy_run, .what = &run->c.copy};
  rind_error error =
      rind_context_agree(context, rind_exchange_get_stats(run->filler[FILL].exchange, &fill));
  if (error != RIND_OK) return error;
  bench_largest(context, &fill);
  error = bench_time(context, variants, NUM_VARIANTS, options->repeats, options->sample_us);
  if (error != RIND_OK || rind_context_rank(context) != 0) return error;
  if (options->json)
    print_json(context, options, run, &fill, variants);
  else
    print_table(context, options, run, &fill, variants);
  return RIND_OK;
}

rind_error bench_adjoint(rind_context *context, bench_options *options) {
  adjoint_run run = {0};
  rind_error error = set_up(context, options, &run);
  if (error == RIND_OK) error = measure(context, options, &run);
  tear_down(&run);
  return error;
}
