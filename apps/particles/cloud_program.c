/* cloud_program.c - the program rind-particles: a cloud on an adaptive forest, its density and
 * gradient, on any number of ranks; what each call takes. */
#include <inttypes.h>
#include <stdio.h>

#include <rind/io.h>

#include "cli.h"
#include "cloud_picture.h"
#include "cloud_work.h"
#include "ending.h"
#include "progress.h"
#include "status.h"

static const char program[] = "rind-particles";

/* The library's complaint, as one line and a status. */
static int complain(const cloud_work *w, rind_error error) {
  if (error == RIND_OK) return APP_OK;
  const char *text = rind_last_error(w->context);
  app_complain(w->comm, program, "%s", text[0] != '\0' ? text : rind_error_text(error));
  return error == RIND_ERROR_UNSUPPORTED && w->options->device ? APP_DEVICE : app_status_of(error);
}

static void show(void *progress, long steps) {
  app_progress_show(progress, steps, 7);
}

/* Coarsest and finest level of all ranks. */
static void find_levels(const cloud_work *w, int level[2]) {
  int mine[2] = {99, 0};
  for (int b = 0; b < rind_forest_num_blocks(w->forest); ++b) {
    const int here = rind_forest_block(w->forest, b)->level;
    mine[0] = here < mine[0] ? here : mine[0];
    mine[1] = here > mine[1] ? here : mine[1];
  }
  MPI_Allreduce(&mine[0], &level[0], 1, MPI_INT, MPI_MIN, w->comm);
  MPI_Allreduce(&mine[1], &level[1], 1, MPI_INT, MPI_MAX, w->comm);
}

static void print_json(const cloud_work *w, const int level[2], int ranks) {
  const cloud_options *o = w->options;
  const cloud_times *t = &w->times;
  printf("{\"program\": \"%s\", \"cloud\": \"%s\", \"dim\": %d, \"particles\": %" PRId64
         ", \"seed\": %d, \"blocks\": %" PRId64 ", \"levels\": [%d, %d], \"cells\": %d, \"type\": "
         "\"%s\", \"space\": \"%s\", \"ranks\": %d, \"threads\": %d, \"repeat\": %d, ",
         program, cloud_words[o->cloud], o->dim, o->particles, o->seed,
         rind_forest_num_global_blocks(w->forest), level[0], level[1], o->cells,
         o->type == RIND_FLOAT64 ? "f64" : "f32", o->device ? "device" : "host", ranks,
         rind_context_threads(w->context), o->repeat);
  printf("\"largest_block\": %" PRId64 ", \"largest_group\": %" PRId64
         ", \"changed_rank\": %" PRId64
         ", \"us_create\": %.1f, \"us_sort\": %.1f, \"us_migrate\": %.1f, \"us_deposit\": %.1f, "
         "\"us_fold\": %.1f, \"us_fill\": %.1f, \"us_gradient\": %.1f, ",
         w->largest_block, w->largest_group, w->migration.changed, t->create, t->sort, t->migrate,
         t->deposit, t->fold, t->fill, t->gradient);
  printf("\"sum\": %.17g, \"sum_error\": %.3g, \"checksum\": \"%016" PRIx64
         "\", \"gradient_checksum\": \"%016" PRIx64 "\"}\n",
         w->sum, w->sum_error, w->checksum, w->gradient_checksum);
}

static void print_table(const cloud_work *w, const int level[2], int ranks) {
  const cloud_options *o = w->options;
  const cloud_times *t = &w->times;
  const double per = o->particles > 0 ? 1e3 / (double)o->particles : 0;
  printf("%s: %" PRId64 " particles, %s, in %" PRId64 " blocks of %d^%d cells, levels %d to %d\n",
         program, o->particles, cloud_words[o->cloud], rind_forest_num_global_blocks(w->forest),
         o->cells, o->dim, level[0], level[1]);
  printf("ranks %d, threads %d, field on the %s; at most %" PRId64 " particles a block, %" PRId64
         " a group\n\n",
         ranks, rind_context_threads(w->context), o->device ? "device" : "host", w->largest_block,
         w->largest_group);
  const struct {
    const char *what;
    double us;
  } rows[] = {{"create", t->create},    {"sort", t->sort},         {"migrate", t->migrate},
              {"deposit", t->deposit},  {"  of it fold", t->fold}, {"gradient", t->gradient},
              {"  of it fill", t->fill}};
  printf("%-14s %12s %14s\n", "call", "ms", "ns a particle");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    printf("%-14s %12.3f %14.2f\n", rows[i].what, rows[i].us / 1e3, rows[i].us * per);
  printf("\nsum over cells %.17g, error %.2g; checksums %016" PRIx64 " %016" PRIx64 "\n", w->sum,
         w->sum_error, w->checksum, w->gradient_checksum);
}

static int write_files(cloud_work *w) {
  const cloud_options *o = w->options;
  if (!o->output && !o->picture) return APP_OK;
  cloud_work_to_density(w);
  if (o->output) {
    const rind_named_field field = {"density", w->host};
    const int status = complain(w, rind_write_vtkhdf(w->forest, o->output, &field, 1));
    if (status != APP_OK) return status;
  }
  if (!o->picture) return APP_OK;
  char title[160], message[600];
  snprintf(title, sizeof title, "rind-particles: %s, %" PRId64 " particles, %dD",
           o->cloud == CLOUD_PLUMMER ? "a Plummer cloud" : "a uniform cloud", o->particles, o->dim);
  const int status = cloud_picture_write(w->comm, w->particles, w->host, title, o->picture, message,
                                         sizeof message);
  if (status != APP_OK) app_complain(w->comm, program, "%s", message);
  return status;
}

static int run(cloud_work *w) {
  int rank, ranks, level[2];
  app_progress progress;
  MPI_Comm_rank(w->comm, &rank);
  MPI_Comm_size(w->comm, &ranks);
  rind_error error = cloud_work_begin(w);
  app_progress_begin(&progress, w->comm, (app_progress_mode)w->options->progress, "timing");
  if (error == RIND_OK) error = cloud_work_run(w, show, &progress);
  app_progress_end(&progress);
  if (error != RIND_OK) return complain(w, error);
  find_levels(w, level);
  if (rank == 0) (w->options->json ? print_json : print_table)(w, level, ranks);
  const int status = write_files(w);
  if (status != APP_OK) return status;
  const double most = w->options->type == RIND_FLOAT64 ? 1e-13 : 1e-5;
  if (w->sum_error <= most) return APP_OK;
  app_complain(w->comm, program, "the cells hold %.17g, the particles %d", w->sum,
               w->options->particles > 0);
  return APP_WRONG;
}

int main(int argc, char **argv) {
  int status;
  cloud_options options;
  cloud_work work = {.comm = MPI_COMM_WORLD, .options = &options};
  MPI_Init(&argc, &argv);
  if (cloud_options_parse(work.comm, argc, argv, &options, &status)) status = run(&work);
  cloud_work_end(&work);
  return app_end(work.comm, program, status);
}
