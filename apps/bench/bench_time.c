/* bench_time.c - timing of calls: variants in turn, median and spread, the slowest rank counts. */
#include <bench.h>

#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 10000 };

static double seconds(void) {
  return MPI_Wtime();
}

/* Microseconds a call over calls calls, the slowest rank's. Before them are a quarter as many that
 * are not timed, and at least one: they bring back the data that the variant before has driven out
 * of the caches. A last cache that keeps what others let go of takes several calls to have it all.
 */
static rind_error sample(rind_context *context, const bench_variant *variant, int calls,
                         double *us) {
  const MPI_Comm comm = rind_context_comm(context);
  rind_error error = RIND_OK;
  for (int i = 0; i < 1 + calls / 4 && error == RIND_OK; ++i)
    error = variant->call(variant->what);
  if (error == RIND_OK) error = rind_context_wait(context);
  MPI_Barrier(comm);
  const double start = seconds();
  for (int i = 0; i < calls && error == RIND_OK; ++i)
    error = variant->call(variant->what);
  if (error == RIND_OK) error = rind_context_wait(context);
  double taken = (seconds() - start) * 1e6 / calls;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, comm);
  *us = taken;
  return rind_context_agree(context, error);
}

/* As many calls as last sample_us; the first calls also warm up. */
static rind_error choose_calls(rind_context *context, const bench_variant *variant,
                               double sample_us, int *calls) {
  double us = 0.0;
  rind_error error = sample(context, variant, 1, &us);
  if (error == RIND_OK) error = sample(context, variant, 3, &us);
  *calls = us <= 0.0 || sample_us / us > MAX_CALLS ? MAX_CALLS : (int)(sample_us / us) + 1;
  return error;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bench_timing summary(double *samples, int count) {
  qsort(samples, (size_t)count, sizeof *samples, compare);
  const double median =
      count % 2 ? samples[count / 2] : 0.5 * (samples[count / 2 - 1] + samples[count / 2]);
  return (bench_timing){median, samples[0], samples[(9 * (count - 1) + 5) / 10]};
}

static rind_error time_all(rind_context *context, bench_variant *variants, int num_variants,
                           int repeats, double sample_us, double *samples, int *calls) {
  for (int v = 0; v < num_variants; ++v)
    if (variants[v].call) {
      const rind_error error = choose_calls(context, &variants[v], sample_us, &calls[v]);
      if (error != RIND_OK) return error;
    }
  for (int r = 0; r < repeats; ++r)
    for (int v = 0; v < num_variants; ++v)
      if (variants[v].call) {
        const rind_error error = sample(context, &variants[v], calls[v], &samples[v * repeats + r]);
        if (error != RIND_OK) return error;
      }
  for (int v = 0; v < num_variants; ++v)
    if (variants[v].call) variants[v].timing = summary(samples + v * repeats, repeats);
  return RIND_OK;
}

rind_error bench_time(rind_context *context, bench_variant *variants, int num_variants, int repeats,
                      double sample_us) {
  double *samples = malloc((size_t)num_variants * (size_t)repeats * sizeof *samples);
  int *calls = malloc((size_t)num_variants * sizeof *calls);
  rind_error error = RIND_OK;
  if (!samples || !calls)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for %d x %d samples",
                              num_variants, repeats);
  error = rind_context_agree(context, error);
  if (error == RIND_OK)
    error = time_all(context, variants, num_variants, repeats, sample_us, samples, calls);
  free(samples);
  free(calls);
  return error;
}

double bench_copy_bandwidth(rind_context *context, size_t bytes) {
  enum { REPEATS = 9 };
  const MPI_Comm comm = rind_context_comm(context);
  char *from = malloc(bytes), *to = malloc(bytes);
  int have = from && to;
  MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, comm);
  double best = 0.0;
  if (have) {
    memset(from, 1, bytes);
    memset(to, 2, bytes);
  }
  for (int r = 0; have && r < REPEATS; ++r) {
    MPI_Barrier(comm);
    const double start = seconds();
    memcpy(to, from, bytes);
    double taken = seconds() - start;
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, comm);
    from[(size_t)r % bytes] = to[(size_t)r % bytes];
    if (taken > 0.0 && 2.0 * (double)bytes / taken > best) best = 2.0 * (double)bytes / taken;
  }
  free(from);
  free(to);
  return best;
}
