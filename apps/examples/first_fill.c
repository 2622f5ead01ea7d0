/* first_fill.c - a first program: a forest, a field on it, and the field's ghosts filled. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <rind/forest_p4est.h>
#include <rind/rind.h>

enum { CELLS = 8, GHOSTS = 2 };

static rind_context *context;

/* A call of Rind failed: say why and stop all ranks. */
static void must(rind_error error) {
  if (error == RIND_OK) return;
  fprintf(stderr, "%s: %s\n", rind_error_name(error), rind_last_error(context));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Split the blocks whose lower corner lies in the lower left quarter of the box. */
static int refine_here(const rind_block *block, void *user) {
  (void)user;
  return block->lower[0] < 2.0 && block->lower[1] < 2.0;
}

static double plane(double x, double y) {
  return 1.0 + 2.0 * x - 3.0 * y;
}

/* The centre of cell i along an axis of a block. */
static double centre(const rind_block *block, int axis, int i) {
  return block->lower[axis] + (i + 0.5) * block->side[axis] / CELLS;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  must(rind_context_create(MPI_COMM_WORLD, NULL, &context));

  /* 4 x 4 blocks on the box [0, 4] x [0, 4], refined once more in one quarter. */
  rind_forest *forest = NULL;
  must(rind_forest_create_brick(context, &(rind_brick){.dim = 2, .trees = {4, 4}}, &forest));
  must(rind_forest_refine(forest, 1, refine_here, NULL));

  /* One value a cell, 8 x 8 cells a block and two layers of ghosts around them. */
  rind_field *field = NULL;
  const rind_layout layout = {.cells = CELLS, .ghosts = GHOSTS, .components = 1};
  must(rind_field_create(forest, &layout, &field));

  /* How every ghost is made, and then the messages for it: once for many fills. */
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  must(rind_schedule_create(forest, CELLS, GHOSTS, NULL, &schedule));
  must(rind_exchange_create(schedule, rind_field_layout(field), NULL, &exchange));

  /* Interiors are yours to set; ghosts begin as NaN here to show who writes them. */
  const ptrdiff_t *stride = rind_field_layout(field)->cell_stride;
  for (int b = 0; b < rind_field_num_blocks(field); ++b) {
    double *u = rind_field_pointer(field, b);
    const rind_block *block = rind_forest_block(forest, b);
    for (int j = -GHOSTS; j < CELLS + GHOSTS; ++j)
      for (int i = -GHOSTS; i < CELLS + GHOSTS; ++i) {
        const int inside = i >= 0 && i < CELLS && j >= 0 && j < CELLS;
        u[i * stride[0] + j * stride[1]] =
            inside ? plane(centre(block, 0, i), centre(block, 1, j)) : NAN;
      }
  }

  must(rind_fill(exchange, field));

  /* Ghosts inside the box now hold the plane; those behind its walls are still NaN. */
  long ghosts = 0, wrong = 0;
  for (int b = 0; b < rind_field_num_blocks(field); ++b) {
    const double *u = rind_field_pointer(field, b);
    const rind_block *block = rind_forest_block(forest, b);
    for (int j = -GHOSTS; j < CELLS + GHOSTS; ++j)
      for (int i = -GHOSTS; i < CELLS + GHOSTS; ++i) {
        if (i >= 0 && i < CELLS && j >= 0 && j < CELLS) continue;
        const double x = centre(block, 0, i), y = centre(block, 1, j);
        const double value = u[i * stride[0] + j * stride[1]];
        const int in_box = x > 0.0 && x < 4.0 && y > 0.0 && y < 4.0;
        ghosts += in_box;
        wrong += in_box ? !(fabs(value - plane(x, y)) < 1e-12) : !isnan(value);
      }
  }
  long sums[2] = {ghosts, wrong};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rind_context_rank(context) == 0)
    printf("%lld blocks, %ld ghost cells filled, %ld wrong\n",
           (long long)rind_forest_num_global_blocks(forest), sums[0], sums[1]);

  /* In the reverse order: each borrows what it was made from. */
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_field_destroy(&field);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
  MPI_Finalize();
  /* On a full disk, say: what is not printed has failed. */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("first_fill: cannot write to standard output");
    return EXIT_FAILURE;
  }
  return sums[1] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
