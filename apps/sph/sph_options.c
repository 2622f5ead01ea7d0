/* sph_options.c - reads the options of rind-sph. */
#include "sph_options.h"

#include "cli.h"

static const char *const type_words[] = {"f64", "f32", NULL};

static const char epilogue[] =
    "Particles are uniform in a periodic box that holds 10 a unit of volume; h is 0.5, the mass 1, "
    "the rest\n"
    "density 10. Times are medians of whole calls, the sort into cells included, in microseconds. "
    "loss is\n"
    "added in the order of the particles; loss_exact is rind_sph_loss, whose bits no order "
    "changes.\n"
    "\n"
    "Example: rind-sph --particles 1000 --seed 42 --json";

bool sph_options_parse(MPI_Comm comm, int argc, char *const *argv, sph_options *o, int *status) {
  *o = (sph_options){.particles = 1000, .seed = 42, .dim = 2, .threads = 1, .repeats = 7};
  const app_option options[] = {
      {"particles", APP_INT64, &o->particles, NULL, 1, 1.9e9, "how many"},
      {"seed", APP_INT64, &o->seed, NULL, 0, 1e15, "of the generator"},
      {"dim", APP_INT, &o->dim, NULL, 2, 3, "2 or 3"},
      {"type", APP_WORD, &o->type, type_words, 0, 0,
       "of positions, densities and gradients; sums are in double"},
      {"device", APP_FLAG, &o->device, NULL, 0, 0, "on the CUDA device"},
      {"threads", APP_INT, &o->threads, NULL, 1, 4096, "of the host"},
      {"repeat", APP_INT, &o->repeats, NULL, 1, 100000, "timed calls"},
      {"json", APP_FLAG, &o->json, NULL, 0, 0, "one line of JSON"},
  };
  const app_usage usage = {"rind-sph",
                           "Density of particles, a loss of it and the loss's gradient.", options,
                           (int)(sizeof options / sizeof *options), epilogue};
  return app_parse(comm, &usage, argc, argv, status);
}
