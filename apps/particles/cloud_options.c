/* cloud_options.c - the options of rind-particles. */
#include "cloud_options.h"

#include "cli.h"
#include "progress.h"
#include "status.h"
#include "words.h"

static const char epilogue[] =
    "The domain is the unit square or cube. Each particle has the mass 1 / --particles; the "
    "density\n"
    "is what rind_deposit makes of it, over the cells' volumes. Statuses: 0 good, 1 wrong result,\n"
    "2 options, 4 file not written, 5 memory, 6 no GPU or a fault of one.\n"
    "\n"
    "Example: mpiexec -n 2 rind-particles --dim 2 --particles 1000000 --picture plummer.png";

bool cloud_options_parse(MPI_Comm comm, int argc, char *const *argv, cloud_options *o,
                         int *status) {
  *o = (cloud_options){.dim = 2,
                       .particles = 100000,
                       .seed = 42,
                       .radius = 0.05,
                       .cells = 16,
                       .level = 2,
                       .refine = 4,
                       .limit = 1000,
                       .repeat = 3};
  const app_option options[] = {
      {"dim", APP_INT, &o->dim, NULL, 2, 3, "dimension"},
      {"particles", APP_INT64, &o->particles, NULL, 0, 1e11, "over all ranks"},
      {"seed", APP_INT, &o->seed, NULL, 0, 1e9, "of the random numbers"},
      {"cloud", APP_WORD, &o->cloud, cloud_words, 0, 0,
       "plummer: a star cluster, cut at the domain; uniform: everywhere alike"},
      {"radius", APP_DOUBLE, &o->radius, NULL, 0.001, 1, "Plummer's"},
      {"cells", APP_INT, &o->cells, NULL, 2, 256, "cells a block and axis, even"},
      {"level", APP_INT, &o->level, NULL, 0, 12,
       "uniform refinement to begin with, 2^level blocks an axis"},
      {"refine", APP_INT, &o->refine, NULL, 0, 10, "levels more where --limit asks for them"},
      {"limit", APP_INT64, &o->limit, NULL, 1, 1e11, "blocks with more particles are split"},
      {"periodic", APP_INT, &o->periodic, NULL, 0, 1, "1: all axes are periodic; 0: walls"},
      {"type", APP_WORD, &o->type, app_type_words, 0, 0, "numbers of the field"},
      {"threads", APP_INT, &o->threads, NULL, 0, 4096, "a rank; 0: what OpenMP says"},
      {"device", APP_FLAG, &o->device, NULL, 0, 0, "deposit and gradient on a GPU"},
      {"repeat", APP_INT, &o->repeat, NULL, 1, 1000,
       "times each call is measured; the median counts"},
      {"picture", APP_OUTPUT, &o->picture, NULL, 0, 0, "PNG of the density and the blocks"},
      {"output", APP_OUTPUT, &o->output, NULL, 0, 0,
       "VTKHDF file of the density, for ParaView; name it .hdf"},
      {"progress", APP_WORD, &o->progress, app_progress_words, 0, 0, app_progress_help},
      {"json", APP_FLAG, &o->json, NULL, 0, 0, "the summary as one line of JSON"},
  };
  const app_usage usage = {"rind-particles",
                           "Deposits a cloud of particles on a forest that is refined where they "
                           "are many, and times it.",
                           options, (int)(sizeof options / sizeof *options), epilogue};
  if (!app_parse(comm, &usage, argc, argv, status)) return false;
  if (o->cells % 2 == 0) return true;
  app_complain(comm, "rind-particles", "--cells is %d, should be even: %d or %d", o->cells,
               o->cells - 1, o->cells + 1);
  *status = APP_USAGE;
  return false;
}
