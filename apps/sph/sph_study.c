/* sph_study.c - relaxes particles and shows what came of it. */
#include "sph_study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "progress.h"
#include "sph_file.h"
#include "sph_picture.h"
#include "sph_relax.h"
#include "status.h"

static const char program[] = "rind-sph";

typedef struct study {
  const sph_options *options;
  sph_case *c;
  app_progress progress;
  double *loss; /* [steps + 1] */
  double norm;  /* of the last gradient */
  int steps;
  double *before[3]; /* [count], x, y and density as they were */
  double seconds;
} study;

static int report(int step, double loss, double norm, void *user) {
  study *s = user;
  s->loss[step] = loss;
  s->norm = norm;
  app_progress_show(&s->progress, step, s->options->relax);
  return loss <= s->options->target * s->loss[0];
}

static double *copy(const void *values, int64_t count) {
  double *made = malloc((size_t)count * sizeof *made + 1);
  if (made != NULL) memcpy(made, values, (size_t)count * sizeof *made);
  return made;
}

static rind_error relax(study *s, rind_sph *sph) {
  sph_case *c = s->c;
  sph_relax_problem problem = {.sph = sph,
                               .dim = c->dim,
                               .count = c->count,
                               .reach = 0.25 * SPH_H,
                               .steps = s->options->relax,
                               .report = report,
                               .user = s};
  for (int a = 0; a < c->dim; ++a)
    problem.at[a] = c->at[a];
  rind_error error = rind_sph_loss(sph, &s->loss[0]);
  if (error == RIND_OK) error = rind_sph_density(sph, c->density);
  for (int k = 0; k < 3 && error == RIND_OK; ++k) {
    s->before[k] = copy(k < 2 ? c->at[k] : c->density, c->count);
    if (s->before[k] == NULL) error = RIND_ERROR_MEMORY;
  }
  app_progress_begin(&s->progress, MPI_COMM_WORLD, (app_progress_mode)s->options->progress,
                     "relaxing");
  const double begun = MPI_Wtime();
  if (error == RIND_OK) error = sph_relax(&problem, &s->steps);
  s->seconds = MPI_Wtime() - begun;
  app_progress_end(&s->progress);
  return error == RIND_OK ? rind_sph_density(sph, c->density) : error;
}

static bool draw(const study *s) {
  const sph_case *c = s->c;
  if (s->options->picture == NULL) return true;
  const sph_view before = {s->before[0], s->before[1], s->before[2]};
  const sph_view after = {c->at[0], c->at[1], c->density};
  errno = 0;
  if (sph_picture_write(s->options->picture, c->count, c->length, SPH_DENSITY, &before, &after,
                        s->loss, s->steps + 1))
    return true;
  app_complain(MPI_COMM_WORLD, program, "cannot write %s: %s", s->options->picture,
               errno != 0 ? strerror(errno) : "libpng failed");
  return false;
}

static bool save(const study *s) {
  const sph_case *c = s->c;
  if (s->options->output == NULL) return true;
  errno = 0;
  double *position = calloc(3 * (size_t)c->count + 1, sizeof *position);
  for (int64_t i = 0; position != NULL && i < c->count; ++i)
    for (int a = 0; a < c->dim; ++a)
      position[3 * i + a] = ((const double *)c->at[a])[i];
  const sph_array density = {"density", 1, c->density};
  const bool good =
      position != NULL && sph_file_write(s->options->output, c->count, position, &density, 1);
  free(position);
  if (!good)
    app_complain(MPI_COMM_WORLD, program, "cannot write %s: %s", s->options->output,
                 errno != 0 ? strerror(errno) : "HDF5 failed");
  return good;
}

static void print(const study *s) {
  const sph_options *o = s->options;
  const double first = s->loss[0], last = s->loss[s->steps];
  double least = 1e300, most = 0;
  for (int64_t i = 0; i < s->c->count; ++i) {
    const double density = ((const double *)s->c->density)[i];
    least = density < least ? density : least;
    most = density > most ? density : most;
  }
  if (o->json)
    printf("{\"bench\": \"sph_relax\", \"particles\": %lld, \"seed\": %lld, \"dim\": %d, "
           "\"threads\": %d, \"steps\": %d, \"loss_first\": %.17g, \"loss_last\": %.17g, "
           "\"reduction\": %.6g, \"gradient_norm\": %.6g, \"density_least\": %.6f, "
           "\"density_most\": %.6f, \"seconds\": %.3f}\n",
           (long long)o->particles, (long long)o->seed, o->dim, o->threads, s->steps, first, last,
           first / last, s->norm, least, most, s->seconds);
  else
    printf("%lld particles in %dD: %d steps of L-BFGS in %.2f s\n"
           "  loss %.6g, then %.6g: %.4g times less; gradient's norm %.3g\n"
           "  densities from %.4f to %.4f, rest density %g\n",
           (long long)o->particles, o->dim, s->steps, s->seconds, first, last, first / last,
           s->norm, least, most, SPH_DENSITY);
}

int sph_study_run(rind_context *context, const sph_options *options, sph_case *c) {
  study s = {.options = options, .c = c};
  int status = APP_OK;
  s.loss = calloc((size_t)options->relax + 1, sizeof *s.loss);
  const rind_error error = s.loss != NULL ? relax(&s, c->sph) : RIND_ERROR_MEMORY;
  if (error != RIND_OK) {
    const char *text = rind_last_error(context);
    app_complain(MPI_COMM_WORLD, program, "%s", text[0] != '\0' ? text : rind_error_text(error));
    status = app_status_of(error);
  } else {
    const bool drawn = draw(&s), saved = save(&s);
    print(&s);
    status = drawn && saved ? APP_OK : APP_IO;
  }
  free(s.loss);
  for (int k = 0; k < 3; ++k)
    free(s.before[k]);
  return status;
}
