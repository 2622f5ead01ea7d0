/* ending.c - looks back at standard output before a program ends. */
#include "ending.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "status.h"

int app_end(MPI_Comm comm, const char *program, int status) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  errno = 0;
  const int unwritten = fflush(stdout) != 0, reason = errno;
  const int mine = unwritten || ferror(stdout) ? rank : size;
  int first;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (rank == first && status == APP_OK)
    fprintf(stderr, "%s: cannot write to standard output%s%s\n", program, reason != 0 ? ": " : "",
            reason != 0 ? strerror(reason) : "");
  if (first < size && status == APP_OK) status = APP_IO;
  MPI_Finalize();
  return status;
}
