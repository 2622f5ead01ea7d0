/* rind/context.h - the communicator, the threads and the device that all other objects share. */
#pragma once

/* Open MPI's and MPICH's retired C++ bindings would make C++ callers link to libmpi_cxx. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <rind/error.h>
#include <rind/export.h>

typedef struct rind_context rind_context;

/* All zero is recommended, and what NULL means. */
typedef struct rind_context_options {
  int threads; /* OpenMP threads a fill may use; 0: what OpenMP says, 1 without OpenMP */
  /* A cudaStream_t of the current device, on which fills of device fields run; NULL: the default
   * stream. Borrowed. */
  void *stream;
} rind_context_options;

RIND_BEGIN_DECLS

/* Collective over comm. Duplicates comm; never changes its error handler, never prints, never
 * aborts. RIND_ERROR_INVALID if MPI is not running, comm is MPI_COMM_NULL or threads is not from 0
 * to 4096. */
RIND_API rind_error rind_context_create(MPI_Comm comm, const rind_context_options *options,
                                        rind_context **context);
/* Collective. Everything made from the context must be gone. Accepts NULL and pointers to NULL. */
RIND_API void rind_context_destroy(rind_context **context);

/* One line about the last error of a call that used this context, "" if there was none.
 * Valid until the next call. With NULL: about the last failed rind_context_create. */
RIND_API const char *rind_last_error(const rind_context *context);

/* The caller's rank, and the number of ranks. */
RIND_API int rind_context_rank(const rind_context *context);
RIND_API int rind_context_size(const rind_context *context);
/* The duplicate that Rind uses; for mesh back ends, not for messages of the caller's own. */
RIND_API MPI_Comm rind_context_comm(const rind_context *context);
/* Threads that a fill may use, at least 1. */
RIND_API int rind_context_threads(const rind_context *context);

/* Waits until all that was enqueued on the context's stream is done. RIND_ERROR_DEVICE if some of
 * it failed. Without a device it does nothing. */
RIND_API rind_error rind_context_wait(rind_context *context);

/* For back ends that make forests: keeps the formatted line as last error and returns error. */
RIND_API rind_error rind_context_fail(rind_context *context, rind_error error, const char *format,
                                      ...) RIND_PRINTF(3, 4);
/* Collective. Returns the error of the lowest rank that has one, with its text, on every rank;
 * RIND_OK if all passed RIND_OK. */
RIND_API rind_error rind_context_agree(rind_context *context, rind_error error);

RIND_END_DECLS
