/* context_device.c - which device a context uses, and making it current for a call. */
#include <core.h>
#include <device_memory.h>

bool rind_context_take_options(const rind_context_options *options, rind_context *context) {
  static const rind_context_options recommended = {0};
  const rind_context_options *o = options ? options : &recommended;
  context->stream = o->stream;
  context->device = RIND_DEVICE_LATER;
  context->mpi_takes_device = o->mpi_device == RIND_MPI_DEVICE_ALWAYS ||
                              (o->mpi_device == RIND_MPI_DEVICE_ASK && rind_mpi_takes_device());
  return (int)o->device_choice >= RIND_DEVICE_CURRENT && o->device_choice <= RIND_DEVICE_NUMBER &&
         (int)o->mpi_device >= RIND_MPI_DEVICE_ASK && o->mpi_device <= RIND_MPI_DEVICE_ALWAYS;
}

bool rind_context_take_number(const rind_context_options *options, rind_context *context) {
  if (!options || options->device_choice != RIND_DEVICE_NUMBER) return true;
  context->device = options->device;
  return options->device >= 0 && options->device < rind_device_count();
}

bool rind_context_take_local_rank(const rind_context_options *options, rind_context *context) {
  if (!options || options->device_choice != RIND_DEVICE_LOCAL_RANK) return true;
  MPI_Comm node = MPI_COMM_NULL;
  int rank = 0;
  if (MPI_Comm_split_type(context->comm, MPI_COMM_TYPE_SHARED, context->rank, MPI_INFO_NULL,
                          &node) != MPI_SUCCESS)
    return false;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_free(&node);
  const int count = rind_device_count();
  context->device = count > 0 ? rank % count : RIND_NO_DEVICE;
  return true;
}

int rind_context_device(rind_context *context) {
  if (!context) return RIND_NO_DEVICE;
  if (context->device == RIND_DEVICE_LATER)
    context->device = rind_device_count() > 0 ? rind_device_current() : RIND_NO_DEVICE;
  return context->device;
}

int rind_context_mpi_takes_device(const rind_context *context) {
  return context ? context->mpi_takes_device : 0;
}

int rind_context_enter_device(rind_context *context, rind_space space) {
  if (space != RIND_DEVICE) return RIND_NO_DEVICE;
  const int wanted = rind_context_device(context);
  if (wanted == RIND_NO_DEVICE) return RIND_NO_DEVICE;
  const int before = rind_device_current();
  if (before == wanted || rind_device_select(wanted) != 0) return RIND_NO_DEVICE;
  return before;
}

void rind_context_leave_device(int before) {
  if (before != RIND_NO_DEVICE) rind_device_select(before);
}
