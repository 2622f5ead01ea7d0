/* advect.c - the program rind-advect: second-order advection on a refined forest, on any number of
 * ranks, from an analytic field or from data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rind/forest_p4est.h>
#include <rind/io.h>
#include <rind/rind.h>

#include "cli.h"
#include "demand.h"
#include "device_step.h"
#include "ending.h"
#include "options.h"
#include "problem.h"
#include "progress.h"
#include "quicklook.h"
#include "solver.h"
#include "status.h"
#include "summary.h"
#include "sums.h"
#include "words.h"

static const char program[] = "rind-advect";

typedef struct run {
  MPI_Comm comm;
  int rank, ranks;
  advect_options options;
  advect_dataset data;
  advect_problem problem;
  rind_context *context;
  rind_forest *forest;
  advect_solver *solver;
  quicklook *look; /* NULL without --picture */
  advect_summary summary;
} run;

/* The library's complaint, as one line and a status. */
static int complain(const run *r, rind_error error) {
  if (error == RIND_OK) return APP_OK;
  const char *text = rind_last_error(r->context);
  app_complain(r->comm, program, "%s", text[0] != '\0' ? text : rind_error_text(error));
  return app_status_of(error);
}

static int read_data(run *r) {
  char message[600];
  const advect_options *o = &r->options;
  if (o->data == NULL) return APP_OK;
  const int status = dataset_read(r->comm, o->data, o->dataset, &r->data, message, sizeof message);
  if (status != APP_OK) {
    app_complain(r->comm, program, "%s", message);
    return status;
  }
  const double most = solver_largest((rind_type)o->type, (advect_limiter)o->limiter);
  const double reach = fmax(-r->data.least, r->data.greatest);
  if (reach <= most) return APP_OK;
  app_complain(r->comm, program,
               "the result would not be finite: the data are too large, %s of %s reaches %.4g, "
               "should be at most %.4g with --type %s and --limiter %s",
               o->dataset, o->data, reach, most, app_type_words[o->type],
               limiter_words[o->limiter]);
  return APP_INPUT;
}

static void describe_problem(run *r) {
  const advect_options *o = &r->options;
  r->problem = (advect_problem){.dim = o->dim,
                                .end = o->time,
                                .radius = o->radius,
                                .data = o->data != NULL ? &r->data : NULL,
                                .region = (advect_region)o->region,
                                .variation = o->variation,
                                .cells = o->cells};
  for (int a = 0; a < o->dim; ++a)
    r->problem.extent[a] = (double)o->trees[a] / o->trees[0];
}

static rind_error make_forest(run *r) {
  const advect_options *o = &r->options;
  rind_brick brick = {.dim = o->dim, .level = o->level};
  for (int a = 0; a < o->dim; ++a) {
    brick.trees[a] = o->trees[a];
    brick.periodic[a] = o->periodic[a];
    brick.upper[a] = r->problem.extent[a];
  }
  char things[48];
  snprintf(things, sizeof things, "blocks of %d^%d cells", o->cells, o->dim);
  /* On the host the field, its second stage, and velocities. */
  const double value_bytes = (double)rind_type_bytes((rind_type)o->type);
  const double values =
      (o->device ? 1 : 2) * app_block_bytes(o->dim, o->cells, 2, value_bytes) +
      (o->device ? 0 : o->dim) * app_block_bytes(o->dim, o->cells, 0, value_bytes);
  const app_demand demand = {app_uniform_blocks(o->dim, o->trees, o->level), things,
                             APP_BLOCK_BYTES + values, "--level, --refine, --trees or --cells"};
  rind_error error = app_check_demand(r->context, &demand);
  if (error == RIND_OK) error = rind_forest_create_brick(r->context, &brick, &r->forest);
  if (error == RIND_OK && o->refine > 0)
    error = app_check_refinement(r->forest, o->refine, problem_refine, &r->problem, &demand);
  if (error == RIND_OK && o->refine > 0)
    error = rind_forest_refine(r->forest, o->level + o->refine, problem_refine, &r->problem);
  return error;
}

static void count_blocks(run *r) {
  advect_summary *s = &r->summary;
  int64_t mine[32] = {0};
  for (int b = 0; b < rind_forest_num_blocks(r->forest); ++b)
    ++mine[rind_forest_block(r->forest, b)->level];
  MPI_Allreduce(mine, s->level_blocks, 32, MPI_INT64_T, MPI_SUM, r->comm);
  s->blocks = rind_forest_num_global_blocks(r->forest);
  s->cells = s->blocks;
  for (int a = 0; a < r->options.dim; ++a)
    s->cells *= r->options.cells;
}

static int choose_steps(run *r) {
  const advect_options *o = &r->options;
  const double rate = solver_rate(r->solver), wanted = ceil(o->time * rate / o->cfl);
  if (!(wanted < 1e9)) {
    app_complain(r->comm, program, "--time %g takes %.3g steps, at most 1e9", o->time, wanted);
    return APP_USAGE;
  }
  r->summary.steps = o->steps > 0 ? o->steps : (int64_t)fmax(wanted, 1);
  r->summary.dt = o->time / (double)r->summary.steps;
  r->summary.courant = r->summary.dt * rate;
  if (r->summary.courant <= 1) return APP_OK;
  app_complain(r->comm, program,
               "--steps is %d, should be at least %.0f: the Courant number would be %.3g, at most "
               "1 is stable",
               o->steps, ceil(o->time * rate), r->summary.courant);
  return APP_USAGE;
}

/* With --device a GPU for each rank of a node, in turn. */
static int make_context(run *r) {
  const rind_context_options options = {.device_choice = r->options.device ? RIND_DEVICE_LOCAL_RANK
                                                                           : RIND_DEVICE_CURRENT};
  const rind_error error = rind_context_create(r->comm, &options, &r->context);
  if (error != RIND_OK || !r->options.device) return complain(r, error);
  const int number = rind_context_device(r->context);
  int lacks = number < 0 || device_step_choose(number) != 0;
  MPI_Allreduce(MPI_IN_PLACE, &lacks, 1, MPI_INT, MPI_MAX, r->comm);
  if (lacks == 0) return APP_OK;
  app_complain(r->comm, program, "--device needs a GPU on each rank's node, and a build with CUDA");
  return APP_DEVICE;
}

static int set_up(run *r) {
  const advect_options *o = &r->options;
  int status = read_data(r);
  if (status != APP_OK) return status;
  describe_problem(r);
  if (o->cells % 2 != 0) {
    app_complain(r->comm, program, "--cells is %d, should be even: %d or %d", o->cells,
                 o->cells - 1, o->cells + 1);
    return APP_USAGE;
  }
  status = make_context(r);
  if (status != APP_OK) return status;
  rind_error error = make_forest(r);
  if (error == RIND_OK)
    error = solver_create(r->comm, r->forest, &r->problem, o->cells, (rind_type)o->type,
                          (advect_limiter)o->limiter,
                          o->fused_ghosts ? PLACE_FUSED
                          : o->device     ? PLACE_DEVICE
                                          : PLACE_HOST,
                          &r->solver);
  if (error != RIND_OK) return complain(r, error);
  count_blocks(r);
  if (o->picture != NULL) {
    r->look = quicklook_create(r->comm, r->forest, &r->problem);
    if (r->look == NULL) {
      app_complain(r->comm, program, "no memory for the picture");
      return APP_MEMORY;
    }
  }
  return choose_steps(r);
}

/* The field at a moment of the picture. */
static rind_error capture(run *r, int moment, double t) {
  if (r->look == NULL) return RIND_OK;
  const rind_error error = solver_fetch(r->solver);
  if (error == RIND_OK) quicklook_capture(r->look, r->solver, moment, t);
  return error;
}

/* Steps [first, last), done on return. */
static rind_error advance(run *r, app_progress *progress, int64_t first, int64_t last) {
  const double dt = r->summary.dt, begun = MPI_Wtime();
  rind_error error = RIND_OK;
  for (int64_t step = first; error == RIND_OK && step < last; ++step) {
    error = solver_step(r->solver, (double)step * dt, dt);
    app_progress_show(progress, step + 1, r->summary.steps);
  }
  if (error == RIND_OK) error = solver_wait(r->solver);
  r->summary.loop += MPI_Wtime() - begun;
  return error;
}

static int run_steps(run *r) {
  app_progress progress;
  const int64_t steps = r->summary.steps, middle = steps / 2;
  rind_error error = capture(r, 0, 0);
  app_progress_begin(&progress, r->comm, (app_progress_mode)r->options.progress, "advecting");
  if (error == RIND_OK) error = advance(r, &progress, 0, middle);
  if (error == RIND_OK) error = capture(r, 1, (double)middle * r->summary.dt);
  if (error == RIND_OK) error = advance(r, &progress, middle, steps);
  app_progress_end(&progress);
  if (error == RIND_OK) error = solver_fetch(r->solver);
  if (error == RIND_OK) error = capture(r, 2, r->options.time);
  return complain(r, error);
}

static int write_files(run *r) {
  const advect_options *o = &r->options;
  if (o->output != NULL) {
    const rind_named_field field = {o->data != NULL ? "value" : "bell", solver_field(r->solver)};
    const int status = complain(r, rind_write_vtkhdf(r->forest, o->output, &field, 1));
    if (status != APP_OK) return status;
  }
  if (r->look != NULL) {
    char title[256], message[600];
    if (o->data != NULL)
      snprintf(title, sizeof title, "rind-advect: rotation of %s", o->dataset);
    else
      snprintf(title, sizeof title, "rind-advect: %s",
               o->dim == 2 ? "rotation of a bell"
                           : "a bell deformed and brought back, greatest values");
    const int status = quicklook_write(r->look, title, o->picture, message, sizeof message);
    if (status != APP_OK) app_complain(r->comm, program, "%s", message);
    return status;
  }
  return APP_OK;
}

/* NaN is not finite and fails too. */
static int check_result(const run *r) {
  const solver_norms *last = &r->summary.last;
  if (isfinite(last->l2) && isfinite(last->linf) && isfinite(last->mass)) return APP_OK;
  app_complain(r->comm, program, "the result has values that are not finite (largest error %g)",
               last->linf);
  return APP_WRONG;
}

static double largest_over_ranks(const run *r, double mine) {
  double median, largest;
  app_over_ranks(r->comm, mine, &median, &largest);
  return largest;
}

static int run_all(run *r) {
  advect_summary *s = &r->summary;
  const double begun = MPI_Wtime();
  int status = set_up(r);
  if (status != APP_OK) return status;
  s->first = solver_compare(r->solver, 0);
  const double ready = MPI_Wtime();
  status = run_steps(r);
  if (status != APP_OK) return status;
  s->last = solver_compare(r->solver, r->options.time);
  s->checksum = solver_checksum(r->solver);
  s->drift = (s->last.mass - s->first.mass) / fmax(fabs(s->first.mass), 1e-300);
  const double compared = MPI_Wtime();
  status = write_files(r);
  if (status != APP_OK) return status;
  const solver_times seconds = solver_seconds(r->solver);
  app_over_ranks(r->comm, seconds.fill, &s->fill[0], &s->fill[1]);
  app_over_ranks(r->comm, seconds.compute, &s->compute[0], &s->compute[1]);
  app_over_ranks(r->comm, MPI_Wtime() - compared, &s->output[0], &s->output[1]);
  s->set_up = largest_over_ranks(r, ready - begun);
  s->loop = largest_over_ranks(r, s->loop);
  s->ns_per_update = 1e9 * s->loop / ((double)s->steps * (double)s->cells);
  if (r->rank == 0) summary_print(s, &r->options, r->ranks, r->data.units);
  return check_result(r);
}

int main(int argc, char **argv) {
  int status;
  run r = {.comm = MPI_COMM_WORLD};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(r.comm, &r.rank);
  MPI_Comm_size(r.comm, &r.ranks);
  if (options_parse(r.comm, argc, argv, &r.options, &status)) status = run_all(&r);
  quicklook_destroy(&r.look);
  solver_destroy(&r.solver);
  rind_forest_destroy(&r.forest);
  rind_context_destroy(&r.context);
  dataset_free(&r.data);
  return app_end(r.comm, program, status);
}
