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
      {"dim", APP_INT, &o->dim, .min = 2, .max = 3, .help = "dimension"},
      {"particles", APP_INT64, &o->particles, .min = 0, .max = 1e11, .help = "over all ranks"},
      {"seed", APP_INT, &o->seed, .min = 0, .max = 1e9, .help = "of the random numbers"},
      {"cloud", APP_WORD, &o->cloud, .words = cloud_words,
       .help = "plummer: a star cluster, cut at the domain; uniform: everywhere alike"},
      {"radius", APP_DOUBLE, &o->radius, .min = 0.001, .max = 1, .help = "of a Plummer cloud",
       .needs = {"cloud=plummer"}},
      {"cells", APP_INT, &o->cells, .min = 2, .max = 256, .help = "cells a block and axis, even"},
      {"level", APP_INT, &o->level, .min = 0, .max = 12,
       .help = "uniform refinement to begin with, 2^level blocks an axis"},
      {"refine", APP_INT, &o->refine, .min = 0, .max = 10,
       .help = "levels more where --limit asks for them"},
      {"limit", APP_INT64, &o->limit, .min = 1, .max = 1e11,
       .help = "blocks with more particles are split", .needs = {"refine"}},
      {"periodic", APP_INT, &o->periodic, .min = 0, .max = 1,
       .help = "1: all axes are periodic; 0: walls"},
      {"type", APP_WORD, &o->type, .words = app_type_words, .help = "numbers of the field"},
      {"threads", APP_INT, &o->threads, .min = 0, .max = 4096,
       .help = "a rank; 0: what OpenMP says"},
      {"device", APP_FLAG, &o->device, .help = "deposit and gradient on a GPU"},
      {"repeat", APP_INT, &o->repeat, .min = 1, .max = 1000,
       .help = "times each call is measured; the median counts"},
      {"picture", APP_OUTPUT, &o->picture, .help = "PNG of the density and the blocks"},
      {"output", APP_HDF5, &o->output,
       .help = "VTKHDF file of the density, for ParaView; name it .hdf"},
      {"progress", APP_WORD, &o->progress, .words = app_progress_words, .help = app_progress_help},
      {"json", APP_FLAG, &o->json, .help = "the summary as one line of JSON"},
  };
  const app_usage usage = {"rind-particles",
                           "Deposits a cloud of particles on a forest that is refined where they "
                           "are many, and times it.",
                           options, (int)(sizeof options / sizeof *options), .epilogue = epilogue};
  if (!app_parse(comm, &usage, argc, argv, status)) return false;
  if (o->cells % 2 == 0) return true;
  app_complain(comm, "rind-particles", "--cells is %d, should be even: %d or %d", o->cells,
               o->cells - 1, o->cells + 1);
  *status = APP_USAGE;
  return false;
}
