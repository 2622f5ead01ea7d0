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
  if (in_set && o->type != RIND_FLOAT64)
    complaint = "sets on forests work in f64: --type f32 on one rank, without --forest";
  if (o->relax > 0 && o->type != RIND_FLOAT64)
    complaint = "--relax works in f64: without --type f32";
  if (complaint == NULL) return true;
  app_complain(comm, "rind-sph", "%s", complaint);
  *status = APP_USAGE;
  return false;
}

bool sph_options_parse(MPI_Comm comm, int argc, char *const *argv, sph_options *o, int *status) {
  *o = (sph_options){
      .particles = 1000, .seed = 42, .dim = 2, .forest = -1, .threads = 1, .repeats = 7};
  const app_option options[] = {
      {"particles", APP_INT64, &o->particles, .min = 1, .max = 1.9e9, .help = "how many"},
      {"seed", APP_INT64, &o->seed, .min = 0, .max = 1e15, .help = "of the generator"},
      {"dim", APP_INT, &o->dim, .min = 2, .max = 3, .help = "2 or 3"},
      {"forest", APP_INT, &o->forest, .min = -1, .max = 12,
       .help =
           "particles in a set on 2^N leaves an axis; -1: in plain arrays on one rank, and as many "
           "leaves as fit on more"},
      {"split", APP_INT, &o->split, .min = 0, .max = 1e9,
       .help = "split leaves of more particles than this, down to sides of 2 h; 0: none",
       .needs = {"forest|ranks"}},
      {"type", APP_WORD, &o->type, .words = app_type_words,
       .help =
           "of positions, densities and gradients; sums are in double. f32: on one rank, without "
           "--forest and --relax"},
      {"device", APP_FLAG, &o->device, .help = "on the CUDA device",
       .needs = {"!forest", "!ranks"}},
      {"threads", APP_INT, &o->threads, .min = 1, .max = 4096, .help = "of the host"},
      {"repeat", APP_INT, &o->repeats, .min = 1, .max = 100000, .help = "timed calls",
       .needs = {"!relax"}},
      {"relax", APP_INT, &o->relax, .min = 0, .max = 100000,
       .help = "steps of L-BFGS towards the rest density, instead of timing calls",
       .needs = {"!forest", "!ranks", "!device"}},
      {"target", APP_DOUBLE, &o->target, .min = 0, .max = 1,
       .help = "relaxing ends at this part of the first loss", .needs = {"relax"}},
      {"picture", APP_OUTPUT, &o->picture,
       .help = "PNG of the particles before and after, and of the loss", .needs = {"relax"}},
      {"output", APP_HDF5, &o->output,
       .help = "VTKHDF file of the relaxed particles, for ParaView; name it .hdf",
       .needs = {"relax"}},
      {"progress", APP_WORD, &o->progress, .words = app_progress_words, .help = app_progress_help,
       .needs = {"relax"}},
      {"json", APP_FLAG, &o->json, .help = "one line of JSON"},
  };
  const app_usage usage = {"rind-sph",
                           "Density of particles, a loss of it and the loss's gradient.", options,
                           (int)(sizeof options / sizeof *options), .epilogue = epilogue};
  return app_parse(comm, &usage, argc, argv, status) && check(comm, o, status);
}
