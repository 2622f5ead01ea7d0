/* rind/error.h - what a function can return, and the library's version.
 *
 * Every fallible function returns a rind_error; one line of text with the values that
 * were wrong, and what would have been right, is kept by the context (rind_last_error).
 * Collective functions return the same error with the same text on every rank, whichever of them
 * made the mistake. Only a call that is given no object at all (a context, or one that has one)
 * cannot tell the others: it is RIND_ERROR_INVALID on that rank, and the others wait for it. */
#pragma once
#include <rind/export.h>

#define RIND_VERSION_MAJOR 0
#define RIND_VERSION_MINOR 1
#define RIND_VERSION_PATCH 0

/* One line an error: name, what it means. */
#define RIND_ERROR_LIST(X)                                                                         \
  X(OK, "success")                                                                                 \
  X(INVALID, "an argument is out of range")                                                        \
  X(MISMATCH, "two objects do not fit together")                                                   \
  X(STALE, "the forest has changed since the object was built")                                    \
  X(UNBALANCED, "the forest is not 2:1 balanced")                                                  \
  X(STATE, "begin and end calls are out of order")                                                 \
  X(OVERFLOW, "a size does not fit its type")                                                      \
  X(MEMORY, "out of memory")                                                                       \
  X(UNSUPPORTED, "not available in this build or on this machine")                                 \
  X(FORMAT, "a file does not hold what it should")                                                 \
  X(IO, "a file could not be read or written")                                                     \
  X(MPI, "an MPI call failed")                                                                     \
  X(DEVICE, "a device call failed")                                                                \
  X(INTERNAL, "a fault in the library")

typedef enum rind_error {
#define RIND_ERROR_ENUM(name, text) RIND_ERROR_##name,
  RIND_ERROR_LIST(RIND_ERROR_ENUM)
#undef RIND_ERROR_ENUM
      RIND_NUM_ERRORS,
  RIND_OK = RIND_ERROR_OK
} rind_error;

RIND_BEGIN_DECLS

/* "RIND_ERROR_STALE" and so on; "unknown error" outside the list. Never NULL. */
RIND_API const char *rind_error_name(rind_error error);
/* The sentence of the list above. Never NULL. */
RIND_API const char *rind_error_text(rind_error error);
/* The linked library's version, "major.minor.patch". */
RIND_API const char *rind_version(void);

RIND_END_DECLS
