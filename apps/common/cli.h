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

enum { APP_NEEDS = 4 };

typedef struct app_option {
  const char *name; /* without the dashes */
  app_kind kind;
  void *value;              /* holds the default before, the answer after */
  const char *const *words; /* APP_WORD: ends with NULL */
  double min, max;          /* numbers: the allowed range; both 0: any */
  const char *help;         /* with units */
  /* What it does nothing without; one that is given where one of these does not hold is a mistake.
   * Each is alternatives of other options: "relax" (its value does something: not 0 or a least
   * below, not none), "!device" (it does not), "region=path|data" (a word, or a whole number),
   * "ranks" (more than one). NULL after the last. A value that does nothing needs nothing. */
  const char *needs[APP_NEEDS];
  unsigned commands; /* bit c: commands[c] of the usage takes it; 0: all do */
  const int *axes;   /* APP_INT3: how many numbers there may be; NULL: three */
} app_option;

typedef struct app_usage {
  const char *program; /* "rind-advect" */
  const char *summary; /* a sentence about what it does */
  const app_option *options;
  int num_options;
  const char *epilogue; /* printed below the options, may be NULL */
  /* Words for the first argument, ending with NULL; NULL: there are none. *command becomes the
   * number of the one that is there. */
  const char *const *commands;
  int *command;
} app_usage;

/* Collective. Reads the command, --name value, --name=value and flags from argv[1] on. True: go on.
 * False: leave with *status, 0 after --help or --version (printed by rank 0), 2 after a mistake,
 * such as one file for two outputs, or an option that does nothing beside the others, 4 if an
 * output cannot be written (one line on stderr), the same on every rank. Outputs are looked at by
 * rank 0 and left as they are. */
bool app_parse(MPI_Comm comm, const app_usage *usage, int argc, char *const *argv, int *status);

/* Prints "program: message" as one line on stderr, on rank 0 of comm only; control characters of
 * names in it as question marks. */
void app_complain(MPI_Comm comm, const char *program, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
