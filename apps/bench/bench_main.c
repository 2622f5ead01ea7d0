/* bench_main.c - rind-bench: the command line. */
#include <bench_case.h>
#include <bench_device.h>
#include <cli.h>
#include <ending.h>
#include <status.h>
#include <words.h>

#include <stdio.h>
#include <string.h>

static const char *const storage_words[] = {"packed", "blocks", NULL};
static const char *const space_words[] = {"host", "device", NULL};
static const char *const order_words[] = {"outermost", "innermost", NULL};
static const char *const region_words[] = {"all", "faces", NULL};
static const char *const periodic_words[] = {"own", "none", "all", NULL};

static const char *const command_words[] = {"fill",     "adjoint", "segments", "scaling",
                                            "messages", "export",  NULL};

typedef rind_error (*measurement)(rind_context *context, bench_options *options);

/* By command. */
static const measurement measurements[] = {bench_fill,    bench_adjoint,  bench_segment,
                                           bench_scaling, bench_messages, bench_export};

/* Which commands take an option. */
enum {
  SEGMENTS = 1 << 2,
  SCALING = 1 << 3,
  MESSAGES = 1 << 4,
  EXPORT = 1 << 5,
  TIMED_FILLS = 1 << 0 | 1 << 1 | SCALING,
  FILLS = TIMED_FILLS | MESSAGES | EXPORT,
  FORESTS = FILLS & ~SCALING /* a reference forest */
};

/* What the options set, as the parser wants it. */
typedef struct words {
  int command;
  int forest, type, space, storage, order, regions, interpolation, restriction, periodic, shape;
  int dim, cells, ghosts, layers, components, threads, repeats;
  double sample_us;
  const char *output;
  bool json;
} words;

static bool parse(int argc, char **argv, words *w, int *status) {
  const app_option options[] = {
      {"forest", APP_WORD, &w->forest, .words = bench_names, .help = "reference forest",
       .commands = FORESTS},
      {"dim", APP_INT, &w->dim, .max = 3, .help = "dimension of C3; 0: the forest's own",
       .commands = FORESTS},
      {"cells", APP_INT, &w->cells, .max = 1024,
       .help = "cells a block and axis; 0: the forest's own", .commands = FILLS},
      {"periodic", APP_WORD, &w->periodic, .words = periodic_words,
       .help = "periodic axes; own: all but x, none for C3", .commands = FORESTS},
      {"ghosts", APP_INT, &w->ghosts, .min = 1, .max = 512, .help = "ghost layers",
       .commands = FILLS},
      {"layers", APP_INT, &w->layers, .max = 512, .help = "layers to fill; 0: all",
       .commands = FILLS},
      {"regions", APP_WORD, &w->regions, .words = region_words, .help = "regions to fill",
       .commands = FILLS},
      {"interpolation", APP_WORD, &w->interpolation, .words = app_interpolation_words,
       .help = "rows of fine ghosts", .commands = FILLS},
      {"restriction", APP_WORD, &w->restriction, .words = app_restriction_words,
       .help = "rows of coarse ghosts", .commands = FILLS},
      {"components", APP_INT, &w->components, .min = 1, .max = 1000000, .help = "values a cell",
       .commands = TIMED_FILLS | MESSAGES},
      {"type", APP_WORD, &w->type, .words = app_type_words, .help = "of the values",
       .commands = TIMED_FILLS | SEGMENTS | MESSAGES},
      {"space", APP_WORD, &w->space, .words = space_words, .help = "of the fields",
       .commands = TIMED_FILLS | SEGMENTS},
      {"storage", APP_WORD, &w->storage, .words = storage_words, .help = "of the blocks",
       .commands = TIMED_FILLS},
      {"order", APP_WORD, &w->order, .words = order_words, .help = "of the components",
       .commands = TIMED_FILLS},
      {"threads", APP_INT, &w->threads, .max = 1024,
       .help = "threads of a fill; 0: what OpenMP says", .commands = TIMED_FILLS | SEGMENTS},
      {"repeat", APP_INT, &w->repeats, .min = 3, .max = 100000, .help = "samples",
       .commands = TIMED_FILLS | SEGMENTS | MESSAGES},
      {"sample-us", APP_DOUBLE, &w->sample_us, .min = 1, .max = 1e7,
       .help = "microseconds of back-to-back calls a sample",
       .commands = TIMED_FILLS | SEGMENTS | MESSAGES},
      {"shape", APP_WORD, &w->shape, .words = bench_shapes,
       .help = "how the ranks lie: a tree a rank in a row or a box, or nine trees as the "
               "curve cuts them",
       .commands = SCALING},
      {"output", APP_HDF5, &w->output, .help = "HDF5 file to write; also -o", .commands = EXPORT},
      {"json", APP_FLAG, &w->json,
       .help = "JSON instead of a table: one line, of segments and scaling one a case"},
  };
  const app_usage usage = {
      "rind-bench",
      "Measures what Rind does.",
      options,
      (int)(sizeof options / sizeof *options),
      "fill, adjoint: ghost fills and their adjoints; segments: sums over segments;\n"
      "scaling: the same load a rank on 1, 2, 4, .. ranks; messages: those of a fill, sent in\n"
      "three ways; export: the fill as a sparse matrix.\n"
      "Times are medians over samples in turn, of the slowest rank, in microseconds. All variants\n"
      "of a run fill the same ghost cells; 'copy by index lists' is a[to[i]] = a[from[i]],\n"
      "on the device one launch with a thread a ghost.",
      command_words,
      &w->command};
  return app_parse(MPI_COMM_WORLD, &usage, argc, argv, status);
}

static void periodic_axes(int word, int periodic[3]) {
  for (int a = 0; a < 3; ++a)
    periodic[a] = word == 0 ? -1 : word == 2;
}

/* Every rank has a device, where one is asked for. */
static int check_space(rind_context *context) {
  int there = rind_context_device(context) >= 0;
  MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (there) return APP_OK;
  app_complain(MPI_COMM_WORLD, "rind-bench",
               "--space device: there is no CUDA device here, or no CUDA in this build");
  return APP_DEVICE;
}

static int run(const words *w) {
  rind_context *context = NULL;
  /* Without device fields no device is touched. */
  const bool there = w->space == RIND_DEVICE;
  const rind_context_options context_options = {
      .threads = w->threads, .device_choice = there ? RIND_DEVICE_LOCAL_RANK : RIND_DEVICE_CURRENT};
  rind_error error = rind_context_create(MPI_COMM_WORLD, &context_options, &context);
  if (error == RIND_OK && there) {
    const int status = check_space(context);
    if (status != APP_OK) {
      rind_context_destroy(&context);
      return status;
    }
    bench_device_use(rind_context_device(context));
  }
  bench_options options = {
      .forest = {.name = (bench_name)w->forest, .dim = w->dim, .cells = w->cells},
      .layout = {.ghosts = w->ghosts,
                 .components = w->components,
                 .type = (rind_type)w->type,
                 .space = (rind_space)w->space,
                 .storage = (rind_storage)w->storage,
                 .order = (rind_component_order)w->order},
      .rules = {.interpolation = (rind_interpolation)w->interpolation,
                .restriction = (rind_restriction)w->restriction,
                .regions = (rind_regions)w->regions,
                .layers = w->layers},
      .repeats = w->repeats,
      .sample_us = w->sample_us,
      .shape = (bench_shape)w->shape,
      .output = w->output,
      .json = w->json,
  };
  periodic_axes(w->periodic, options.forest.periodic);
  if (error == RIND_OK) error = measurements[w->command](context, &options);
  if (error != RIND_OK) app_complain(MPI_COMM_WORLD, "rind-bench", "%s", rind_last_error(context));
  rind_context_destroy(&context);
  return app_status_of(error);
}

int main(int argc, char **argv) {
  static char output[] = "--output";
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "-o") == 0) argv[i] = output;
  words w = {.ghosts = 1,
             .components = 1,
             .threads = 1,
             .repeats = 41,
             .sample_us = 10000.0,
             .regions = RIND_REGIONS_FACES};
  int status = APP_OK;
  if (parse(argc, argv, &w, &status)) status = run(&w);
  return app_end(MPI_COMM_WORLD, "rind-bench", status);
}
