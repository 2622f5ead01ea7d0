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

/* What the options set, as the parser wants it. */
typedef struct words {
  int forest, type, space, storage, order, regions, interpolation, restriction, periodic, shape;
  int dim, cells, ghosts, layers, components, threads, repeats;
  double sample_us;
  const char *output;
  bool json;
} words;

static bool parse(int argc, char **argv, words *w, int *status) {
  const app_option options[] = {
      {"forest", APP_WORD, &w->forest, .words = bench_names, .help = "reference forest"},
      {"dim", APP_INT, &w->dim, .max = 3, .help = "dimension of C3; 0: the forest's own"},
      {"cells", APP_INT, &w->cells, .max = 1024,
       .help = "cells a block and axis; 0: the forest's own"},
      {"periodic", APP_WORD, &w->periodic, .words = periodic_words,
       .help = "periodic axes; own: all but x, none for C3"},
      {"ghosts", APP_INT, &w->ghosts, .min = 1, .max = 512, .help = "ghost layers"},
      {"layers", APP_INT, &w->layers, .max = 512, .help = "layers to fill; 0: all"},
      {"regions", APP_WORD, &w->regions, .words = region_words, .help = "regions to fill"},
      {"interpolation", APP_WORD, &w->interpolation, .words = app_interpolation_words,
       .help = "rows of fine ghosts"},
      {"restriction", APP_WORD, &w->restriction, .words = app_restriction_words,
       .help = "rows of coarse ghosts"},
      {"components", APP_INT, &w->components, .min = 1, .max = 1000000, .help = "values a cell"},
      {"type", APP_WORD, &w->type, .words = app_type_words, .help = "of the values"},
      {"space", APP_WORD, &w->space, .words = space_words, .help = "of the fields"},
      {"storage", APP_WORD, &w->storage, .words = storage_words, .help = "of the blocks"},
      {"order", APP_WORD, &w->order, .words = order_words, .help = "of the components"},
      {"threads", APP_INT, &w->threads, .max = 1024,
       .help = "threads of a fill; 0: what OpenMP says"},
      {"repeat", APP_INT, &w->repeats, .min = 3, .max = 100000, .help = "samples"},
      {"sample-us", APP_DOUBLE, &w->sample_us, .min = 1, .max = 1e7,
       .help = "microseconds of back-to-back calls a sample"},
      {"shape", APP_WORD, &w->shape, .words = bench_shapes,
       .help =
           "how the ranks of scaling lie: a tree a rank in a row or a box, or nine trees as the "
           "curve cuts them"},
      {"output", APP_OUTPUT, &w->output, .help = "file that export writes (HDF5); also -o"},
      {"json", APP_FLAG, &w->json, .help = "one line of JSON instead of a table"},
  };
  const app_usage usage = {
      "rind-bench",
      "measures what Rind does: rind-bench fill|adjoint|segments|scaling|messages|export [options]",
      options, (int)(sizeof options / sizeof *options),
      "fill, adjoint: ghost fills and their adjoints; segments: sums over segments;\n"
      "scaling: the same load a rank on 1, 2, 4, .. ranks; messages: those of a fill, sent in\n"
      "three ways; export: the fill as a sparse matrix.\n"
      "Times are medians over samples in turn, of the slowest rank, in microseconds. All variants\n"
      "of a run fill the same ghost cells; 'copy by index lists' is a[to[i]] = a[from[i]],\n"
      "on the device one launch with a thread a ghost."};
  return app_parse(MPI_COMM_WORLD, &usage, argc, argv, status);
}

static void periodic_axes(int word, int periodic[3]) {
  for (int a = 0; a < 3; ++a)
    periodic[a] = word == 0 ? -1 : word == 2;
}

typedef rind_error (*measurement)(rind_context *context, bench_options *options);

/* Every rank has a device, where one is asked for and the measurement takes it. */
static int check_space(rind_context *context, measurement measure) {
  int there = rind_context_device(context) >= 0;
  if (measure == bench_export || measure == bench_messages) {
    app_complain(MPI_COMM_WORLD, "rind-bench",
                 "export and messages work on the host: without --space device");
    return APP_USAGE;
  }
  MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (there) return APP_OK;
  app_complain(MPI_COMM_WORLD, "rind-bench",
               "--space device: there is no CUDA device here, or no CUDA in this build");
  return APP_DEVICE;
}

static int run(const words *w, measurement measure) {
  rind_context *context = NULL;
  /* Without device fields no device is touched. */
  const bool there = w->space == RIND_DEVICE;
  const rind_context_options context_options = {
      .threads = w->threads, .device_choice = there ? RIND_DEVICE_LOCAL_RANK : RIND_DEVICE_CURRENT};
  rind_error error = rind_context_create(MPI_COMM_WORLD, &context_options, &context);
  if (error == RIND_OK && there) {
    const int status = check_space(context, measure);
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
  if (error == RIND_OK) error = measure(context, &options);
  if (error != RIND_OK) app_complain(MPI_COMM_WORLD, "rind-bench", "%s", rind_last_error(context));
  rind_context_destroy(&context);
  return app_status_of(error);
}

/* The command's; NULL: there is none of that name. */
static measurement find_measurement(const char *command) {
  if (strcmp(command, "fill") == 0) return bench_fill;
  if (strcmp(command, "adjoint") == 0) return bench_adjoint;
  if (strcmp(command, "export") == 0) return bench_export;
  if (strcmp(command, "segments") == 0) return bench_segment;
  if (strcmp(command, "messages") == 0) return bench_messages;
  if (strcmp(command, "scaling") == 0) return bench_scaling;
  return NULL;
}

int main(int argc, char **argv) {
  static char output[] = "--output";
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "-o") == 0) argv[i] = output;
  words w = {.ghosts = 1,
             .components = 1,
             .threads = 1,
             .repeats = 101,
             .sample_us = 500.0,
             .regions = RIND_REGIONS_FACES};
  int status = APP_OK;
  const bool command = argc > 1 && argv[1][0] != '-';
  const measurement measure = find_measurement(command ? argv[1] : "fill");
  if (measure == NULL) {
    app_complain(MPI_COMM_WORLD, "rind-bench",
                 "unknown command '%s': it is fill, adjoint, segments, scaling, messages or export",
                 argv[1]);
    status = APP_USAGE;
  } else if (parse(argc - command, argv + command, &w, &status)) {
    status = run(&w, measure);
  }
  return app_end(MPI_COMM_WORLD, "rind-bench", status);
}
