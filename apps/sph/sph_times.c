/* sph_times.c - times density, loss and gradient. */
#include "sph_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli.h"
#include "sph_memory.h"
#include "status.h"

/* Of calls, by the slowest rank. */
typedef struct times {
  double median, least, mean; /* microseconds */
  double processor;           /* mean, of all threads together; not what other programs took */
} times;

typedef struct report {
  double loss, loss_exact, gradient_norm, mean_density;
  times density, forward, gradient;
  rind_sph_stats stats; /* of all ranks */
} report;

typedef enum what { DENSITY, FORWARD, GRADIENT } what;

static int compare(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static rind_error call(const sph_case *c, what asked, double *loss) {
  if (asked == DENSITY) return rind_sph_density(c->sph, c->density);
  if (asked == FORWARD) return rind_sph_loss(c->sph, loss);
  return rind_sph_gradient(c->sph, c->along, loss);
}

static rind_error time_call(rind_context *context, const sph_case *c, what asked, int repeats,
                            double *loss, times *took) {
  double *us = malloc((size_t)repeats * sizeof *us);
  rind_error error = rind_context_agree(context, us != NULL ? RIND_OK : RIND_ERROR_MEMORY);
  if (error == RIND_OK) error = call(c, asked, loss);
  if (error == RIND_OK) error = rind_context_wait(context);
  const clock_t used_before = clock();
  for (int i = 0; i < repeats && error == RIND_OK; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    error = call(c, asked, loss);
    if (error == RIND_OK) error = rind_context_wait(context);
    us[i] = 1e6 * (MPI_Wtime() - begun);
  }
  double processor = 1e6 * (double)(clock() - used_before) / CLOCKS_PER_SEC / repeats;
  error = rind_context_agree(context, error);
  if (error == RIND_OK) {
    MPI_Allreduce(MPI_IN_PLACE, &processor, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, us, repeats, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(us, (size_t)repeats, sizeof *us, compare);
    double sum = 0;
    for (int i = 0; i < repeats; ++i)
      sum += us[i];
    *took = (times){us[repeats / 2], us[0], sum / repeats, processor};
  }
  free(us);
  return error;
}

/* Over all ranks. */
static void add_stats(rind_sph_stats *s) {
  int64_t sum[3] = {s->num_halo, s->pair_slots, s->bytes}, largest = s->largest_cell;
  MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  s->num_halo = sum[0];
  s->pair_slots = sum[1];
  s->bytes = sum[2];
  s->largest_cell = largest;
}

static rind_error measure(rind_context *context, int repeats, const sph_case *c, report *r) {
  rind_error error = time_call(context, c, DENSITY, repeats, NULL, &r->density);
  if (error == RIND_OK)
    error = time_call(context, c, FORWARD, repeats, &r->loss_exact, &r->forward);
  if (error == RIND_OK)
    error = time_call(context, c, GRADIENT, repeats, &r->loss_exact, &r->gradient);
  if (error == RIND_OK) error = rind_sph_get_stats(c->sph, &r->stats);
  if (error == RIND_OK) add_stats(&r->stats);
  return error;
}

/* What is added up from the arrays, on rank 0 in the order in which particles were drawn. */
static bool add_up(const sph_case *c, report *r) {
  double *values = NULL, squares = 0;
  bool good = sph_case_read(c, c->density, &values);
  for (int64_t i = 0; values != NULL && i < c->count; ++i) {
    r->mean_density += values[i] / (double)c->count;
    r->loss += (values[i] - SPH_DENSITY) * (values[i] - SPH_DENSITY);
  }
  free(values);
  for (int a = 0; good && a < c->dim; ++a) {
    good = sph_case_read(c, c->along[a], &values);
    for (int64_t i = 0; values != NULL && i < c->count; ++i)
      squares += values[i] * values[i];
    free(values);
  }
  r->gradient_norm = sqrt(squares);
  return good;
}

static void print_json(const sph_options *o, const sph_case *c, int ranks, const report *r) {
  const rind_sph_stats *s = &r->stats;
  const long long blocks = c->forest != NULL ? rind_forest_num_global_blocks(c->forest) : 0;
  printf("{\"bench\": \"sph\", \"particles\": %lld, \"seed\": %lld, \"dim\": %d, \"type\": \"%s\", "
         "\"space\": \"%s\", \"device\": \"%s\", \"ranks\": %d, \"threads\": %d, \"blocks\": %lld, "
         "\"loss\": %.17g, \"loss_exact\": %.17g, \"gradient_norm\": %.17g, "
         "\"mean_density\": %.17g, \"largest_cell\": %lld, \"pair_slots\": %lld, "
         "\"cells\": %lld, \"halo\": %lld, \"bytes\": %lld, "
         "\"us_density\": %.1f, \"us_forward\": %.1f, \"us_gradient\": %.1f, "
         "\"us_forward_least\": %.1f, \"us_gradient_least\": %.1f, \"us_gradient_mean\": %.1f, "
         "\"us_gradient_processor\": %.1f, \"ns_a_particle\": %.2f}\n",
         (long long)o->particles, (long long)o->seed, o->dim, o->type == 0 ? "f64" : "f32",
         o->device ? "device" : "host", o->device ? sph_device_name() : "", ranks, o->threads,
         blocks, r->loss, r->loss_exact, r->gradient_norm, r->mean_density,
         (long long)s->largest_cell, (long long)s->pair_slots,
         (long long)(s->cells[0] * s->cells[1] * s->cells[2]), (long long)s->num_halo,
         (long long)s->bytes, r->density.median, r->forward.median, r->gradient.median,
         r->forward.least, r->gradient.least, r->gradient.mean, r->gradient.processor,
         1e3 * r->gradient.median / (double)o->particles);
}

static void print_table(const sph_options *o, int ranks, const report *r) {
  printf("%lld particles in %dD, %s, on the %s, %d rank%s\n", (long long)o->particles, o->dim,
         o->type == 0 ? "float64" : "float32", o->device ? sph_device_name() : "host", ranks,
         ranks > 1 ? "s" : "");
  printf("  loss %.10f, gradient's norm %.6f, mean density %.10f\n", r->loss, r->gradient_norm,
         r->mean_density);
  printf("  %lld pairs looked at, %lld particles in the fullest cell\n",
         (long long)r->stats.pair_slots, (long long)r->stats.largest_cell);
  printf("  loss %.1f us, loss and gradient %.1f us (%.2f ns a particle)\n", r->forward.median,
         r->gradient.median, 1e3 * r->gradient.median / (double)o->particles);
}

int sph_times_run(rind_context *context, const sph_options *options, const sph_case *c) {
  report r = {.loss = 0};
  rind_error error = measure(context, options->repeats, c, &r);
  if (error == RIND_OK && !add_up(c, &r)) error = RIND_ERROR_MEMORY;
  if (error != RIND_OK) {
    const char *text = rind_last_error(context);
    app_complain(MPI_COMM_WORLD, "rind-sph", "%s", text[0] != '\0' ? text : rind_error_text(error));
  } else if (rind_context_rank(context) == 0) {
    if (options->json)
      print_json(options, c, rind_context_size(context), &r);
    else
      print_table(options, rind_context_size(context), &r);
  }
  return app_status_of(error);
}
