/* sph_options.c - reads the options of rind-sph. */
#include "sph_options.h"

#include "cli.h"
#include "progress.h"
#include "status.h"
#include "words.h"

static const char epilogue[] =
    "Particles are uniform in a periodic box that holds 10 a unit of volume; h is 0.5, the mass 1, "
    "the rest\n"
    "density 10. Times are medians of whole calls, the sort into cells included, in microseconds. "
    "loss is\n"
    "added in the order of the particles; loss_exact is rind_sph_loss, whose bits no order "
    "changes.\n"
    "\n"
    "Examples: rind-sph --particles 1000 --seed 42 --json\n"
    "          rind-sph --particles 4000 --relax 300 --picture relaxed.png --output relaxed.hdf";

/* What options cannot know of each other. */
static bool check(MPI_Comm comm, const sph_options *o, int *status) {
  const char *complaint = NULL;
  int ranks;
  MPI_Comm_size(comm, &ranks);
  const bool in_set = ranks > 1 || o->forest >= 0;
  if (o->split > 0 && !in_set) complaint = "--split splits leaves: give --forest too";
  if (in_set && (o->device || o->type != RIND_FLOAT64))
    complaint = "sets on forests work on the host in f64: one rank for --device and --type f32";
  if (o->relax > 0 && in_set) complaint = "--relax works on one rank, without --forest";
  if (o->relax > 0 && (o->device || o->type != RIND_FLOAT64))
    complaint = "--relax works on the host in f64: without --device and --type f32";
  if (o->relax == 0 && (o->picture != NULL || o->output != NULL))
    complaint = "--picture and --output show a relaxation: give --relax too";
  if (complaint == NULL) return true;
  app_complain(comm, "rind-sph", "%s", complaint);
  *status = APP_USAGE;
  return false;
}

bool sph_options_parse(MPI_Comm comm, int argc, char *const *argv, sph_options *o, int *status) {
  *o = (sph_options){
      .particles = 1000, .seed = 42, .dim = 2, .forest = -1, .threads = 1, .repeats = 7};
  const app_option options[] = {
      {"particles", APP_INT64, &o->particles, NULL, 1, 1.9e9, "how many"},
      {"seed", APP_INT64, &o->seed, NULL, 0, 1e15, "of the generator"},
      {"dim", APP_INT, &o->dim, NULL, 2, 3, "2 or 3"},
      {"forest", APP_INT, &o->forest, NULL, -1, 12,
       "particles in a set on 2^N leaves an axis; -1: in plain arrays on one rank, and as many "
       "leaves as fit on more"},
      {"split", APP_INT, &o->split, NULL, 0, 1e9,
       "with a forest: split leaves of more particles than this, down to sides of 2 h; 0: none"},
      {"type", APP_WORD, &o->type, app_type_words, 0, 0,
       "of positions, densities and gradients; sums are in double"},
      {"device", APP_FLAG, &o->device, NULL, 0, 0, "on the CUDA device"},
      {"threads", APP_INT, &o->threads, NULL, 1, 4096, "of the host"},
      {"repeat", APP_INT, &o->repeats, NULL, 1, 100000, "timed calls"},
      {"relax", APP_INT, &o->relax, NULL, 0, 100000,
       "steps of L-BFGS towards the rest density, instead of timing calls"},
      {"target", APP_DOUBLE, &o->target, NULL, 0, 1,
       "relaxing ends at this part of the first loss"},
      {"picture", APP_OUTPUT, &o->picture, NULL, 0, 0,
       "PNG of the particles before and after, and of the loss"},
      {"output", APP_OUTPUT, &o->output, NULL, 0, 0,
       "VTKHDF file of the relaxed particles, for ParaView; name it .hdf"},
      {"progress", APP_WORD, &o->progress, app_progress_words, 0, 0, app_progress_help},
      {"json", APP_FLAG, &o->json, NULL, 0, 0, "one line of JSON"},
  };
  const app_usage usage = {"rind-sph",
                           "Density of particles, a loss of it and the loss's gradient.", options,
                           (int)(sizeof options / sizeof *options), epilogue};
  return app_parse(comm, &usage, argc, argv, status) && check(comm, o, status);
}
