/* mpi_query_none.c - stands in where MPI cannot tell whether it takes device addresses. */
#include <core.h>

bool rind_mpi_takes_device(void) {
  return false;
}
