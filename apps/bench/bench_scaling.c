/* bench_scaling.c - weak scaling: the same load on every rank, on 1, 2, 4, .. ranks of one run. */
#include <bench_case.h>

#include <math.h>
#include <stdio.h>
#include <time.h>

const char *const bench_shapes[BENCH_NUM_SHAPES + 1] = {"line", "cube", "curve", NULL};

enum { BUILDS = 5 };

/* Of the rank with most. */
typedef struct scaling {
  int ranks;
  int64_t blocks, ghost_cells;
  int64_t peers, messages, bytes_sent;
  int64_t schedule_bytes, exchange_bytes, buffer_bytes;
  double schedule_us, exchange_us; /* a block */
  double fill_us;
} scaling;

/* The half of each tree with low x. */
static int lower_half_of_tree(const rind_block *block, void *user) {
  const int base_level = *(const int *)user;
  return block->level == base_level && 2 * block->coordinate[0] + 1 < 1 << base_level;
}

/* Trees for a number of ranks: line and cube give each rank one tree, curve nine of them, as the
 * space-filling curve cuts them out. All axes are periodic. */
static rind_error make_forest(rind_context *context, bench_shape shape, rind_forest **forest) {
  const int ranks = rind_context_size(context);
  rind_brick brick = {.dim = 3, .trees = {ranks, 1, 1}, .periodic = {1, 1, 1}, .level = 2};
  if (shape == BENCH_CUBE)
    for (int axis = 1, even = 1; axis < 3; ++axis, even = 1) {
      const int wanted = (int)(cbrt(ranks) + 0.5);
      for (int n = 1; n <= wanted; ++n)
        if (brick.trees[0] % n == 0) even = n;
      brick.trees[axis] = even;
      brick.trees[0] /= even;
    }
  if (shape == BENCH_CURVE) {
    brick.trees[1] = brick.trees[2] = 3;
    brick.level = 1;
  }
  rind_error error = rind_forest_create_brick(context, &brick, forest);
  if (error == RIND_OK)
    error = rind_forest_refine(*forest, brick.level + 1, lower_half_of_tree, &brick.level);
  return error;
}

static double now(const rind_context *context) {
  MPI_Barrier(rind_context_comm(context));
  return MPI_Wtime();
}

/* The least of a few builds. */
static rind_error build(rind_context *context, const bench_options *options, bench_case *c,
                        bench_filler *filler, scaling *s) {
  s->schedule_us = s->exchange_us = INFINITY;
  for (int i = 0; i < BUILDS; ++i) {
    rind_exchange_destroy(&filler->exchange);
    rind_schedule_destroy(&c->schedule);
    double start = now(context);
    rind_error error = rind_schedule_create(c->forest, options->layout.cells,
                                            options->layout.ghosts, &options->rules, &c->schedule);
    if (error != RIND_OK) return error;
    s->schedule_us = fmin(s->schedule_us, 1e6 * (MPI_Wtime() - start));
    start = now(context);
    error = rind_exchange_create(c->schedule, &options->layout, NULL, &filler->exchange);
    if (error != RIND_OK) return error;
    s->exchange_us = fmin(s->exchange_us, 1e6 * (MPI_Wtime() - start));
  }
  return RIND_OK;
}

static rind_error count(rind_context *context, const bench_case *c, const bench_filler *filler,
                        scaling *s) {
  rind_schedule_stats schedule;
  rind_exchange_stats exchange;
  rind_error error = rind_schedule_get_stats(c->schedule, &schedule);
  if (error == RIND_OK) error = rind_exchange_get_stats(filler->exchange, &exchange);
  error = rind_context_agree(context, error);
  if (error != RIND_OK) return error;
  const MPI_Comm comm = rind_context_comm(context);
  int64_t most[] = {rind_forest_num_blocks(c->forest),
                    schedule.ghost_cells,
                    exchange.peers,
                    exchange.messages_sent,
                    exchange.bytes_sent,
                    schedule.metadata_bytes,
                    exchange.metadata_bytes,
                    exchange.buffer_bytes};
  double us[] = {s->schedule_us / (double)most[0], s->exchange_us / (double)most[0]};
  MPI_Allreduce(MPI_IN_PLACE, most, 8, MPI_INT64_T, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, us, 2, MPI_DOUBLE, MPI_MAX, comm);
  *s = (scaling){rind_context_size(context),
                 most[0],
                 most[1],
                 most[2],
                 most[3],
                 most[4],
                 most[5],
                 most[6],
                 most[7],
                 us[0],
                 us[1],
                 0.0};
  return RIND_OK;
}

static rind_error measure(rind_context *context, const bench_options *options, scaling *s) {
  bench_case c = {0};
  bench_filler filler = {0};
  rind_error error = make_forest(context, options->shape, &c.forest);
  if (error == RIND_OK) error = bench_check_field(c.forest, &options->layout);
  if (error == RIND_OK) error = build(context, options, &c, &filler, s);
  if (error == RIND_OK) error = count(context, &c, &filler, s);
  if (error == RIND_OK) error = rind_field_create(c.forest, &options->layout, &c.field);
  if (error == RIND_OK) {
    filler.field = c.field;
    bench_variant fill = {.call = bench_call_fill, .what = &filler};
    error = bench_time(context, &fill, 1, options->repeats, options->sample_us);
    s->fill_us = fill.timing.median;
  }
  rind_exchange_destroy(&filler.exchange);
  bench_case_destroy(&c);
  return error;
}

static void print_row(const bench_options *options, const scaling *s) {
  if (options->json)
    printf("{\"bench\": \"scaling\", \"shape\": \"%s\", \"ranks\": %d, \"blocks\": %lld, "
           "\"ghost_cells\": %lld, \"peers\": %lld, \"messages\": %lld, \"bytes_sent\": %lld, "
           "\"metadata_bytes\": %lld, \"exchange_metadata_bytes\": %lld, \"buffer_bytes\": %lld, "
           "\"schedule_build_us_block\": %.4f, \"exchange_build_us_block\": %.4f, "
           "\"us_median\": %.3f}\n",
           bench_shapes[options->shape], s->ranks, (long long)s->blocks, (long long)s->ghost_cells,
           (long long)s->peers, (long long)s->messages, (long long)s->bytes_sent,
           (long long)s->schedule_bytes, (long long)s->exchange_bytes, (long long)s->buffer_bytes,
           s->schedule_us, s->exchange_us, s->fill_us);
  else
    printf("%5d %7lld %9lld %9lld %10lld %10lld %10lld %10lld %10.3f %10.3f %10.1f\n", s->ranks,
           (long long)s->blocks, (long long)s->ghost_cells, (long long)s->messages,
           (long long)s->bytes_sent, (long long)s->schedule_bytes, (long long)s->exchange_bytes,
           (long long)s->buffer_bytes, s->schedule_us, s->exchange_us, s->fill_us);
  fflush(stdout);
}

static void print_head(const bench_options *options) {
  if (options->json) return;
  printf("weak scaling, %s: everything of the rank with most; times in us, builds a block\n",
         bench_shapes[options->shape]);
  printf("%5s %7s %9s %9s %10s %10s %10s %10s %10s %10s %10s\n", "ranks", "blocks", "ghosts",
         "messages", "bytes sent", "schedule B", "exchange B", "buffers B", "schedule", "exchange",
         "fill");
}

/* Ranks that take no part sleep, so that they leave the cores to the others. */
static void wait_for_all(MPI_Comm comm) {
  MPI_Request request;
  const struct timespec moment = {.tv_nsec = 2000000};
  int done = 0;
  MPI_Ibarrier(comm, &request);
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
    nanosleep(&moment, NULL);
}

/* The first ranks of context's; the other ranks wait. */
static rind_error run_on(rind_context *context, const bench_options *options, int ranks) {
  const MPI_Comm all = rind_context_comm(context);
  const bool takes_part = rind_context_rank(context) < ranks;
  const rind_context_options threads = {.threads = rind_context_threads(context)};
  MPI_Comm some = MPI_COMM_NULL;
  rind_context *smaller = NULL;
  rind_error error = RIND_OK;
  scaling s = {0};
  MPI_Comm_split(all, takes_part ? 0 : MPI_UNDEFINED, 0, &some);
  if (takes_part) {
    error = rind_context_create(some, &threads, &smaller);
    if (error == RIND_OK) error = measure(smaller, options, &s);
    if (error == RIND_OK && rind_context_rank(context) == 0) {
      if (ranks == 1) print_head(options);
      print_row(options, &s);
    }
    if (error != RIND_OK) rind_context_fail(context, error, "%s", rind_last_error(smaller));
    rind_context_destroy(&smaller);
    MPI_Comm_free(&some);
  }
  wait_for_all(all);
  return rind_context_agree(context, error);
}

rind_error bench_scaling(rind_context *context, bench_options *options) {
  const int size = rind_context_size(context);
  rind_error error = RIND_OK;
  options->layout.dim = 3;
  options->layout.cells = options->forest.cells ? options->forest.cells : 8;
  for (int ranks = 1; error == RIND_OK && ranks <= size;
       ranks = ranks < size && 2 * ranks > size ? size : 2 * ranks)
    error = run_on(context, options, ranks);
  return error;
}
