/* fortran_comm.c - hands a Fortran communicator to Rind: what Fortran cannot say in standard words. */
#include <rind/context.h>

rind_error fortran_context_create(MPI_Fint comm, rind_context **context);

rind_error fortran_context_create(MPI_Fint comm, rind_context **context) {
  return rind_context_create(MPI_Comm_f2c(comm), NULL, context);
}
