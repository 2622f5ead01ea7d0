/* core_only.c - a program that uses Rind without p4est and HDF5. */
#include <stdio.h>

#include <rind/rind.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rind_context *context = NULL;
  const rind_error error = rind_context_create(MPI_COMM_WORLD, NULL, &context);
  printf("Rind %s: %s\n", rind_version(), rind_error_text(error));
  rind_context_destroy(&context);
  MPI_Finalize();
  return error == RIND_OK ? 0 : 1;
}
