/* sph_main.c - the program rind-sph: times density and gradient of random particles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <rind/rind.h>
#include <rind/sph.h>

#include "cli.h"
#include "sph_case.h"
#include "sph_memory.h"
#include "sph_study.h"
#include "status.h"

static const char program[] = "rind-sph";

typedef struct report {
  double loss, loss_exact, gradient_norm, mean_density;
  double us_density, us_forward, us_gradient; /* medians */
  double least_forward, least_gradient;
  rind_sph_stats stats;
} report;

static int compare(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

typedef enum what { DENSITY, FORWARD, GRADIENT } what;

static rind_error call(rind_sph *sph, const sph_case *c, what asked, double *loss) {
  if (asked == DENSITY) return rind_sph_density(sph, c->density);
  if (asked == FORWARD) return rind_sph_loss(sph, loss);
  return rind_sph_gradient(sph, c->along, loss);
}

/* Median and least time of a call, in microseconds. */
static rind_error time_call(rind_sph *sph, rind_context *context, const sph_case *c, what asked,
                            int repeats, double *loss, double *median, double *least) {
  double *us = malloc((size_t)repeats * sizeof *us);
  if (us == NULL) return RIND_ERROR_MEMORY;
  rind_error error = call(sph, c, asked, loss);
  for (int i = 0; i < repeats && error == RIND_OK; ++i) {
    error = rind_context_wait(context);
    const double begun = MPI_Wtime();
    if (error == RIND_OK) error = call(sph, c, asked, loss);
    if (error == RIND_OK) error = rind_context_wait(context);
    us[i] = 1e6 * (MPI_Wtime() - begun);
  }
  if (error == RIND_OK) {
    qsort(us, (size_t)repeats, sizeof *us, compare);
    *median = us[repeats / 2];
    *least = us[0];
  }
  free(us);
  return error;
}

static rind_error measure(rind_sph *sph, rind_context *context, const sph_options *o,
                          const sph_case *c, report *r) {
  double least;
  rind_error error = time_call(sph, context, c, DENSITY, o->repeats, NULL, &r->us_density, &least);
  if (error == RIND_OK)
    error = time_call(sph, context, c, FORWARD, o->repeats, &r->loss_exact, &r->us_forward,
                      &r->least_forward);
  if (error == RIND_OK)
    error = time_call(sph, context, c, GRADIENT, o->repeats, &r->loss_exact, &r->us_gradient,
                      &r->least_gradient);
  return error == RIND_OK ? rind_sph_get_stats(sph, &r->stats) : error;
}

/* What is added up from the arrays, in the order of the particles. */
static bool add_up(const sph_case *c, report *r) {
  double *density = sph_case_read(c, c->density);
  bool good = density != NULL;
  for (int64_t i = 0; good && i < c->count; ++i) {
    r->mean_density += density[i] / (double)c->count;
    r->loss += (density[i] - SPH_DENSITY) * (density[i] - SPH_DENSITY);
  }
  free(density);
  double squares = 0;
  for (int a = 0; good && a < c->dim; ++a) {
    double *along = sph_case_read(c, c->along[a]);
    good = along != NULL;
    for (int64_t i = 0; good && i < c->count; ++i)
      squares += along[i] * along[i];
    free(along);
  }
  r->gradient_norm = sqrt(squares);
  return good;
}

static void print_json(const sph_options *o, const report *r) {
  const rind_sph_stats *s = &r->stats;
  printf("{\"bench\": \"sph\", \"particles\": %lld, \"seed\": %lld, \"dim\": %d, \"type\": \"%s\", "
         "\"space\": \"%s\", \"device\": \"%s\", \"threads\": %d, \"loss\": %.17g, "
         "\"loss_exact\": %.17g, \"gradient_norm\": %.17g, \"mean_density\": %.17g, "
         "\"largest_cell\": %lld, \"pair_slots\": %lld, \"cells\": %lld, \"bytes\": %lld, "
         "\"us_density\": %.1f, \"us_forward\": %.1f, \"us_gradient\": %.1f, "
         "\"us_forward_least\": %.1f, \"us_gradient_least\": %.1f, \"ns_a_particle\": %.2f}\n",
         (long long)o->particles, (long long)o->seed, o->dim, o->type == 0 ? "f64" : "f32",
         o->device ? "device" : "host", o->device ? sph_device_name() : "", o->threads, r->loss,
         r->loss_exact, r->gradient_norm, r->mean_density, (long long)s->largest_cell,
         (long long)s->pair_slots, (long long)(s->cells[0] * s->cells[1] * s->cells[2]),
         (long long)s->bytes, r->us_density, r->us_forward, r->us_gradient, r->least_forward,
         r->least_gradient, 1e3 * r->us_gradient / (double)o->particles);
}

static void print_table(const sph_options *o, const report *r) {
  printf("%lld particles in %dD, %s, on the %s\n", (long long)o->particles, o->dim,
         o->type == 0 ? "float64" : "float32", o->device ? sph_device_name() : "host");
  printf("  loss %.10f, gradient's norm %.6f, mean density %.10f\n", r->loss, r->gradient_norm,
         r->mean_density);
  printf("  %lld pairs looked at, %lld particles in the fullest cell\n",
         (long long)r->stats.pair_slots, (long long)r->stats.largest_cell);
  printf("  loss %.1f us, loss and gradient %.1f us (%.2f ns a particle)\n", r->us_forward,
         r->us_gradient, 1e3 * r->us_gradient / (double)o->particles);
}

static int time_calls(rind_sph *sph, rind_context *context, const sph_options *o,
                      const sph_case *c) {
  report r = {.loss = 0};
  rind_error error = measure(sph, context, o, c, &r);
  if (error == RIND_OK && !add_up(c, &r)) error = RIND_ERROR_MEMORY;
  if (error != RIND_OK)
    app_complain(MPI_COMM_WORLD, program, "%s", rind_last_error(context));
  else if (o->json)
    print_json(o, &r);
  else
    print_table(o, &r);
  return app_status_of(error);
}

static int run(rind_context *context, const sph_options *o) {
  sph_case c;
  if (o->device && sph_device_name() == NULL) {
    app_complain(MPI_COMM_WORLD, program,
                 "--device: there is no CUDA device here, or no CUDA in this build");
    return APP_DEVICE;
  }
  if (!sph_case_create(o, &c)) {
    app_complain(MPI_COMM_WORLD, program, "no memory for %lld particles", (long long)o->particles);
    return APP_MEMORY;
  }
  const rind_sph_model model = {.h = SPH_H, .mass = 1, .rest_density = SPH_DENSITY};
  const rind_sph_box box = {
      .dim = c.dim, .upper = {c.length, c.length, c.length}, .periodic = {1, 1, 1}};
  const rind_sph_options options = {c.type, c.device ? RIND_DEVICE : RIND_HOST};
  rind_sph *sph = NULL;
  int status = APP_OK;
  rind_error error = rind_sph_create_box(context, &model, &box, &options, &sph);
  if (error == RIND_OK)
    error = rind_sph_set_points(
        sph, &(rind_sph_points){.count = c.count, .position = {c.at[0], c.at[1], c.at[2]}});
  if (error != RIND_OK) {
    app_complain(MPI_COMM_WORLD, program, "%s", rind_last_error(context));
    status = app_status_of(error);
  } else if (o->relax > 0) {
    status = sph_study_run(context, sph, o, &c);
  } else {
    status = time_calls(sph, context, o, &c);
  }
  rind_sph_destroy(&sph);
  sph_case_destroy(&c);
  return status;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  sph_options options;
  int status = APP_OK;
  if (sph_options_parse(MPI_COMM_WORLD, argc, argv, &options, &status)) {
    rind_context *context = NULL;
    const rind_error error = rind_context_create(
        MPI_COMM_WORLD, &(rind_context_options){.threads = options.threads}, &context);
    if (error == RIND_OK)
      status = run(context, &options);
    else
      app_complain(MPI_COMM_WORLD, program, "%s", rind_last_error(NULL));
    if (error != RIND_OK) status = app_status_of(error);
    rind_context_destroy(&context);
  }
  MPI_Finalize();
  return status;
}
