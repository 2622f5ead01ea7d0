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

/* Which device holds the context's device fields. */
typedef enum rind_device_choice {
  RIND_DEVICE_CURRENT = 0,    /* the calling thread's current one when a call first needs it: for a
                                 device field or exchange, rind_context_device, rind_context_wait */
  RIND_DEVICE_LOCAL_RANK = 1, /* number (rank among those of the communicator on the same node)
                                 modulo (devices of this process): ranks may share one */
  RIND_DEVICE_NUMBER = 2      /* number rind_context_options.device */
} rind_device_choice;

/* Whether MPI gets device addresses; else messages pass through pinned host memory. */
typedef enum rind_mpi_device {
  RIND_MPI_DEVICE_ASK = 0,   /* if MPIX_Query_cuda_support says that MPI can take them */
  RIND_MPI_DEVICE_NEVER = 1, /* no */
  RIND_MPI_DEVICE_ALWAYS = 2 /* yes, at the caller's risk: an MPI that cannot will crash */
} rind_mpi_device;

/* All zero is recommended, and what NULL means. */
typedef struct rind_context_options {
  int threads; /* OpenMP threads a fill may use; 0: what OpenMP says, 1 without OpenMP */
  /* A cudaStream_t of the context's device, on which fills of device fields run; NULL: the default
   * stream. Borrowed. */
  void *stream;
  rind_device_choice device_choice;
  int device; /* for RIND_DEVICE_NUMBER */
  rind_mpi_device mpi_device;
} rind_context_options;

RIND_BEGIN_DECLS

/* Collective over comm. Duplicates comm; never changes its error handler, never prints, never
 * aborts. RIND_ERROR_INVALID if MPI is not running, comm is MPI_COMM_NULL, threads is not from 0
 * to 4096 or a choice is none of its kind; RIND_ERROR_DEVICE for a device number that this process
 * does not have. Devices are looked for only if the choice is not RIND_DEVICE_CURRENT. */
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

/* The number, in this process, of the device that holds the context's device fields; -1 if there is
 * none. Calls on them work whatever device is current in the calling thread, and leave it so. */
RIND_API int rind_context_device(rind_context *context);
/* 1 if MPI gets device addresses, 0 if messages pass through host memory. */
RIND_API int rind_context_mpi_takes_device(const rind_context *context);

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
