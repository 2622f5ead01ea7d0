/* options.c - the options of rind-advect. */
#include "options.h"

#include "cli.h"
#include "status.h"
#include "words.h"

static const char epilogue[] =
    "The domain is [0, 1] along x and as long along the other axes as trees of that size make it.\n"
    "Without --data the initial field is a smooth bell of height 1. 2D: one turn per unit of "
    "time;\n"
    "3D: the flow turns back at half of --time. Statuses: 0 good, 1 wrong result, 2 options,\n"
    "3 bad data file, 4 file not read or written, 5 memory, 6 no GPU or a fault of one.\n"
    "\n"
    "Example: mpiexec -n 2 rind-advect --level 4 --refine 2 --picture rotation.png";

/* What options cannot know of each other. */
static bool check(MPI_Comm comm, advect_options *o, int *status) {
  const char *complaint = NULL;
  if (o->level + o->refine > 18) complaint = "--level and --refine together should be at most 18";
  if (complaint == NULL) return true;
  app_complain(comm, "rind-advect", "%s", complaint);
  *status = APP_USAGE;
  return false;
}

bool options_parse(MPI_Comm comm, int argc, char *const *argv, advect_options *o, int *status) {
  *o = (advect_options){.dim = 2,
                        .cells = 16,
                        .level = 3,
                        .refine = 1,
                        .trees = {1, 1, 1},
                        .variation = 0.25,
                        .radius = 0.18,
                        .time = 1,
                        .cfl = 0.5};
  const app_option options[] = {
      {"dim", APP_INT, &o->dim, .min = 2, .max = 3, .help = "2: rotation; 3: deformation flow"},
      {"cells", APP_INT, &o->cells, .min = 4, .max = 256, .help = "cells a block and axis, even"},
      {"level", APP_INT, &o->level, .min = 0, .max = 18,
       .help = "uniform refinement to begin with, 2^level blocks a tree and axis"},
      {"refine", APP_INT, &o->refine, .min = 0, .max = 8,
       .help = "levels more in the refined region"},
      {"region", APP_WORD, &o->region, .words = region_words,
       .help = "what is refined: the bell's path; the half with small x; where the initial field "
               "varies; auto: gradient with --data, else path",
       .needs = {"refine"}},
      {"variation", APP_DOUBLE, &o->variation, .min = 0.001, .max = 1,
       .help = "refine blocks that span more than this part of the field's range",
       .needs = {"refine", "region=gradient|data", "region=gradient|region=auto"}},
      {"trees", APP_INT3, o->trees, .min = 1, .max = 1024, .help = "trees along the axes",
       .axes = &o->dim},
      {"periodic", APP_INT3, o->periodic, .min = 0, .max = 1,
       .help = "1: the axis is periodic; 0: walls", .axes = &o->dim},
      {"radius", APP_DOUBLE, &o->radius, .min = 0.02, .max = 0.3,
       .help = "of the bell, over the domain's shortest side", .needs = {"region=path|!data"}},
      {"time", APP_DOUBLE, &o->time, .min = 0.0001, .max = 1000, .help = "when to end; 2D: turns"},
      {"steps", APP_INT, &o->steps, .min = 0, .max = 1e9,
       .help = "time steps; 0: as many as --cfl asks for"},
      {"cfl", APP_DOUBLE, &o->cfl, .min = 0.001, .max = 1,
       .help = "Courant number, summed over the axes", .needs = {"!steps"}},
      {"type", APP_WORD, &o->type, .words = app_type_words,
       .help = "numbers of the field: double or single precision"},
      {"limiter", APP_WORD, &o->limiter, .words = limiter_words,
       .help = "of slopes: none, or van Albada's"},
      {"device", APP_FLAG, &o->device, .help = "fields and steps on a GPU, with the same bits"},
      {"fused-ghosts", APP_FLAG, &o->fused_ghosts,
       .help = "the stencil's kernel gathers ghosts itself, they are not stored",
       .needs = {"device"}},
      {"data", APP_READ, &o->data, .help = "HDF5 file with the initial field",
       .needs = {"dataset", "dim=2"}},
      {"dataset", APP_STRING, &o->dataset,
       .help =
           "name of a two-dimensional array in the file of --data, rows from the upper edge down",
       .needs = {"data"}},
      {"output", APP_HDF5, &o->output,
       .help = "VTKHDF file of the final field, for ParaView; name it .hdf"},
      {"picture", APP_OUTPUT, &o->picture, .help = "PNG of beginning, middle, end and blocks"},
      {"progress", APP_WORD, &o->progress, .words = app_progress_words, .help = app_progress_help},
      {"json", APP_FLAG, &o->json, .help = "the summary as one line of JSON"},
  };
  const app_usage usage = {
      "rind-advect",
      "Carries a scalar round on a statically refined forest of blocks and measures the error.",
      options, (int)(sizeof options / sizeof *options), .epilogue = epilogue};
  return app_parse(comm, &usage, argc, argv, status) && check(comm, o, status);
}
