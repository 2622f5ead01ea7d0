// consumer.cpp - a C++ program that uses every library of an installation.
#include <mpi.h> // before Rind's headers, as a solver may have it

#include <rind/forest_p4est.h>
#include <rind/io.h>
#include <rind/rind.h>

#include <cstdio>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rind_context *context = nullptr;
  rind_forest *forest = nullptr;
  rind_brick brick{};
  brick.dim = 3;
  brick.level = 1;
  rind_error error = rind_context_create(MPI_COMM_WORLD, nullptr, &context);
  if (error == RIND_OK) error = rind_forest_create_brick(context, &brick, &forest);
  const bool eight = error == RIND_OK && rind_forest_num_global_blocks(forest) == 8;
  // No path: refused, on all ranks.
  const bool refused = error == RIND_OK && rind_write_vtkhdf(forest, nullptr, nullptr, 0) != RIND_OK;
  if (error != RIND_OK) std::printf("%s: %s\n", rind_error_name(error), rind_last_error(context));
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
  MPI_Finalize();
  return eight && refused ? 0 : 1;
}
