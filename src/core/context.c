/* context.c - the communicator that all objects share, the last error, and agreement on errors. */
#include <core.h>
#include <device_memory.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
static int default_threads(void) {
  return omp_get_max_threads();
}
#else
static int default_threads(void) {
  return 1;
}
#endif

/* More would only fail inside OpenMP, which ends the program then. */
enum { MOST_THREADS = 4096 };

rind_error rind_context_create(MPI_Comm comm, const rind_context_options *options,
                               rind_context **context) {
  int running = 0, finalized = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&finalized);
  if (!running || finalized || comm == MPI_COMM_NULL) return RIND_ERROR_INVALID;

  /* The arguments and the memory are each rank's own: agree before the duplicate is made. */
  rind_context *made = rind_allocate(1, sizeof *made);
  const int threads = options ? options->threads : 0;
  int error = !context                                    ? RIND_ERROR_INVALID
              : !made                                     ? RIND_ERROR_MEMORY
              : threads < 0 || threads > MOST_THREADS     ? RIND_ERROR_INVALID
              : !rind_context_take_options(options, made) ? RIND_ERROR_INVALID
              : !rind_context_take_number(options, made)  ? RIND_ERROR_DEVICE
                                                          : RIND_OK;
  if (MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS)
    error = RIND_ERROR_MPI;
  if (error == RIND_OK && MPI_Comm_dup(comm, &made->comm) != MPI_SUCCESS) error = RIND_ERROR_MPI;
  if (error != RIND_OK) {
    free(made);
    return (rind_error)error;
  }
  MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(made->comm, &made->rank);
  MPI_Comm_size(made->comm, &made->size);
  made->threads = threads > 0 ? threads : default_threads();
  int *tag_limit = NULL, found = 0;
  MPI_Comm_get_attr(made->comm, MPI_TAG_UB, &tag_limit, &found);
  made->max_tag = found ? *tag_limit : 32767;
  if (!rind_context_take_local_rank(options, made)) {
    rind_context_destroy(&made);
    return RIND_ERROR_MPI;
  }
  *context = made;
  return RIND_OK;
}

void rind_context_destroy(rind_context **context) {
  if (!context || !*context) return;
  MPI_Comm_free(&(*context)->comm);
  free(*context);
  *context = NULL;
}

const char *rind_last_error(const rind_context *context) {
  if (context) return context->message;
  return "no context: one needs a running MPI, a communicator that is not MPI_COMM_NULL, "
         "a place for it, 0 to 4096 threads, choices that exist, and a device number from 0 to "
         "below the number of "
         "devices";
}

int rind_context_rank(const rind_context *context) {
  return context ? context->rank : -1;
}

int rind_context_size(const rind_context *context) {
  return context ? context->size : 0;
}

MPI_Comm rind_context_comm(const rind_context *context) {
  return context ? context->comm : MPI_COMM_NULL;
}

int rind_context_threads(const rind_context *context) {
  return context ? context->threads : 1;
}

rind_error rind_context_wait(rind_context *context) {
  if (!context) return RIND_ERROR_INVALID;
  if (rind_context_device(context) == RIND_NO_DEVICE) return RIND_OK;
  const int before = rind_context_enter_device(context, RIND_DEVICE);
  const int code = rind_device_wait(context->stream);
  rind_context_leave_device(before);
  RIND_REQUIRE(context, code == 0, RIND_ERROR_DEVICE, "work on the device failed: %s",
               rind_device_error_text(code));
  return RIND_OK;
}

int rind_context_next_tag(rind_context *context) {
  const int tag = context->next_tag;
  context->next_tag = tag == context->max_tag ? 0 : tag + 1;
  return tag;
}

rind_error rind_context_fail(rind_context *context, rind_error error, const char *format, ...) {
  if (!context) return error;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(context->message, sizeof context->message, format, arguments);
  va_end(arguments);
  return error;
}

rind_error rind_context_agree(rind_context *context, rind_error error) {
  if (!context) return error != RIND_OK ? error : RIND_ERROR_INVALID;
  int first = error != RIND_OK ? context->rank : context->size;
  if (MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, context->comm) != MPI_SUCCESS)
    return rind_context_fail(context, RIND_ERROR_MPI, "MPI_Allreduce failed in error agreement");
  if (first == context->size) return RIND_OK;
  int code = error;
  if (MPI_Bcast(&code, 1, MPI_INT, first, context->comm) != MPI_SUCCESS ||
      MPI_Bcast(context->message, (int)sizeof context->message, MPI_CHAR, first, context->comm) !=
          MPI_SUCCESS)
    return rind_context_fail(context, RIND_ERROR_MPI, "MPI_Bcast failed in error agreement");
  return (rind_error)code;
}
