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
  if (o->data != NULL && o->dim == 3) complaint = "--data works with --dim 2, not 3";
  if (o->data == NULL && o->dataset != NULL)
    complaint = "--dataset names an array in a file: give the file with --data";
  if (o->data != NULL && o->dataset == NULL)
    complaint = "--data needs --dataset, the name of an array in the file";
  if (o->fused_ghosts && !o->device) complaint = "--fused-ghosts needs --device";
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
      {"dim", APP_INT, &o->dim, NULL, 2, 3, "2: rotation; 3: deformation flow"},
      {"cells", APP_INT, &o->cells, NULL, 4, 256, "cells a block and axis, even"},
      {"level", APP_INT, &o->level, NULL, 0, 18,
       "uniform refinement to begin with, 2^level blocks a tree and axis"},
      {"refine", APP_INT, &o->refine, NULL, 0, 8, "levels more in the refined region"},
      {"region", APP_WORD, &o->region, region_words, 0, 0,
       "what is refined: the bell's path; the half with small x; where the initial field varies; "
       "auto: gradient with --data, else path"},
      {"variation", APP_DOUBLE, &o->variation, NULL, 0.001, 1,
       "with gradient: refine blocks that span more than this part of the field's range"},
      {"trees", APP_INT3, o->trees, NULL, 1, 1024, "trees along the axes"},
      {"periodic", APP_INT3, o->periodic, NULL, 0, 1, "1: the axis is periodic; 0: walls"},
      {"radius", APP_DOUBLE, &o->radius, NULL, 0.02, 0.3,
       "of the bell, over the domain's shortest side"},
      {"time", APP_DOUBLE, &o->time, NULL, 0.0001, 1000, "when to end; 2D: turns"},
      {"steps", APP_INT, &o->steps, NULL, 0, 1e9, "time steps; 0: as many as --cfl asks for"},
      {"cfl", APP_DOUBLE, &o->cfl, NULL, 0.001, 1, "Courant number, summed over the axes"},
      {"type", APP_WORD, &o->type, app_type_words, 0, 0,
       "numbers of the field: double or single precision"},
      {"limiter", APP_WORD, &o->limiter, limiter_words, 0, 0, "of slopes: none, or van Albada's"},
      {"device", APP_FLAG, &o->device, NULL, 0, 0, "fields and steps on a GPU, with the same bits"},
      {"fused-ghosts", APP_FLAG, &o->fused_ghosts, NULL, 0, 0,
       "with --device: the stencil's kernel gathers ghosts itself, they are not stored"},
      {"data", APP_READ, &o->data, NULL, 0, 0, "HDF5 file with the initial field, 2D only"},
      {"dataset", APP_STRING, &o->dataset, NULL, 0, 0,
       "its two-dimensional array, rows from the upper edge down"},
      {"output", APP_HDF5, &o->output, NULL, 0, 0,
       "VTKHDF file of the final field, for ParaView; name it .hdf"},
      {"picture", APP_OUTPUT, &o->picture, NULL, 0, 0, "PNG of beginning, middle, end and blocks"},
      {"progress", APP_WORD, &o->progress, app_progress_words, 0, 0, app_progress_help},
      {"json", APP_FLAG, &o->json, NULL, 0, 0, "the summary as one line of JSON"},
  };
  const app_usage usage = {
      "rind-advect",
      "Carries a scalar round on a statically refined forest of blocks and measures the error.",
      options, (int)(sizeof options / sizeof *options), epilogue};
  return app_parse(comm, &usage, argc, argv, status) && check(comm, o, status);
}
