/* fortran_comm.c - hands a communicator of Fortran to Rind, which no standard word of it can. */
#include <rind/context.h>

rind_error fortran_context_create(MPI_Fint comm, rind_context **context);

rind_error fortran_context_create(MPI_Fint comm, rind_context **context) {
  return rind_context_create(MPI_Comm_f2c(comm), NULL, context);
}
