/* mpi_query.c - asks an MPI that can tell whether it takes device addresses. */
#include <core.h>

#ifdef RIND_HAVE_MPI_EXT_H
#include <mpi-ext.h>
#endif

bool rind_mpi_takes_device(void) {
  return MPIX_Query_cuda_support() == 1;
}
