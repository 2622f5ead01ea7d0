/* new_file.h - a file that all ranks write under another name, beside the old one, until it is
 * complete: a file called path is never half of one. */
#pragma once
#include <stdint.h>

#include <rind/context.h>

/* MPI-IO adds to a file's name, and may not come back from one that is too long then. */
enum { RIND_LONGEST_NAME = 200, RIND_LONGEST_PATH = 4096 };

typedef struct rind_new_file {
  rind_context *context;
  char path[RIND_LONGEST_PATH];  /* what the caller calls it */
  char place[RIND_LONGEST_PATH]; /* where path leads; rank 0's counts */
  char part[RIND_LONGEST_PATH];  /* beside that: what is written; after begin, on all ranks */
} rind_new_file;

/* Not collective. RIND_ERROR_INVALID for a path that is empty or too long. */
rind_error rind_new_file_name(rind_context *context, const char *path, rind_new_file *file);
/* Collective. Rank 0 makes the part and takes its room on the disk. Links are followed.
 * RIND_ERROR_IO, with nothing made, where path cannot be a new file, or without room: a collective
 * write to a full disk may never return. */
rind_error rind_new_file_begin(rind_new_file *file, int64_t bytes);
/* Collective. If error, that of all ranks, is RIND_OK, the part takes path's place; else it goes.
 * Returns error, or why the part could not. */
rind_error rind_new_file_end(const rind_new_file *file, rind_error error);

/* RIND_ERROR_IO: cannot write path, and what is the matter. */
rind_error rind_new_file_fail(const rind_new_file *file, const char *what);
