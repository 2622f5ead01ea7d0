/* cli.h - command lines of the programs: a table of options, --help, and one clear line about a
 * mistake.
 *
 *     int cells = 16;
 *     const app_option options[] = {
 *         {"cells", APP_INT, &cells, .min = 2, .max = 1024, .help = "cells a block and axis"},
 *     };
 *     const app_usage usage = {"rind-x", "does x", options, 1, NULL};
 *     int status;
 *     if (!app_parse(MPI_COMM_WORLD, &usage, argc, argv, &status)) { MPI_Finalize(); return status;
 * }
 */
#pragma once
#include <mpi.h>
#include <stdbool.h>

/* What value points to. */
typedef enum app_kind {
  APP_FLAG,   /* bool, becomes true; takes no value */
  APP_INT,    /* int */
  APP_INT64,  /* int64_t */
  APP_DOUBLE, /* double, finite */
  APP_STRING, /* const char *, may be NULL; borrows argv */
  APP_WORD,   /* int, an index into words */
  APP_INT3,   /* int[3]: one value for all axes, or one an axis: 2,1,1; after two the third is alike
               */
  APP_READ,   /* as APP_STRING: a file that the program reads, and does not write */
  APP_OUTPUT, /* as APP_STRING: a file that the program will write */
  APP_HDF5    /* the same with HDF5; a plain file, no device or pipe */
} app_kind;

typedef struct app_option {
  const char *name; /* without the dashes */
  app_kind kind;
  void *value;              /* holds the default before, the answer after */
  const char *const *words; /* APP_WORD: ends with NULL */
  double min, max;          /* numbers: the allowed range; both 0: any */
  const char *help;         /* with units */
} app_option;

typedef struct app_usage {
  const char *program; /* "rind-advect" */
  const char *summary; /* a sentence about what it does */
  const app_option *options;
  int num_options;
  const char *epilogue; /* printed below the options, may be NULL */
} app_usage;

/* Collective. Reads --name value, --name=value and flags from argv[1] on. True: go on. False: leave
 * with *status, 0 after --help or --version (printed by rank 0), 2 after a mistake, such as one
 * file for two outputs, 4 if an output cannot be written (one line on stderr), the same on every
 * rank. Outputs are looked at by rank 0 and left as they are. */
bool app_parse(MPI_Comm comm, const app_usage *usage, int argc, char *const *argv, int *status);

/* Prints "program: message" as one line on stderr, on rank 0 of comm only; control characters of
 * names in it as question marks. */
void app_complain(MPI_Comm comm, const char *program, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
