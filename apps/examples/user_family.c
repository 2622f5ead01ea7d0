/* user_family.c - a row family of the user's own: linear interpolation with 2^dim taps. */
#include <math.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>
#include <stdio.h>

enum { CELLS = 8, GHOSTS = 2 };
/* Lower halves read coarse cells J - 1 and J, upper ones J and J + 1; at its ends, the end two. */
static const rind_taps linear = {.num_taps = 2,
                                 .first = {{0, -1, -1}, {0, 0, -1}},
                                 .weight = {{{1.25, -0.25}, {0.25, 0.75}, {0.25, 0.75}},
                                            {{0.75, 0.25}, {0.75, 0.25}, {-0.25, 1.25}}}};

static int refine_here(const rind_block *block, void *user) {
  return user != NULL || block->lower[0] + block->lower[1] < 1.0;
}

static double plane(const rind_block *block, int i, int j) {
  const double h = block->side[0] / CELLS;
  return 1.0 + 3.0 * (block->lower[0] + (i + 0.5) * h) - 2.0 * (block->lower[1] + (j + 0.5) * h);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  rind_context *context;
  rind_forest *forest;
  rind_field *field;
  rind_schedule *schedule;
  rind_exchange *exchange;
  const rind_layout layout = {.cells = CELLS, .ghosts = GHOSTS, .components = 1};
  const rind_wall w = RIND_WALL_LINEAR;
  const rind_rules rules = {RIND_INTERPOLATION_USER, .taps = &linear, .wall = {w, w, w, w}};
  if (rind_context_create(MPI_COMM_WORLD, NULL, &context) ||
      rind_forest_create_brick(context, &(rind_brick){.dim = 2, .trees = {2, 2}}, &forest) ||
      rind_forest_refine(forest, 1, refine_here, NULL) ||
      rind_field_create(forest, &layout, &field) ||
      rind_schedule_create(forest, CELLS, GHOSTS, &rules, &schedule) ||
      rind_exchange_create(schedule, &layout, NULL, &exchange))
    return MPI_Abort(MPI_COMM_WORLD, 1);
  double worst = 0.0;
  for (int g = 0; g <= GHOSTS; g += GHOSTS) { /* sets the interiors, fills, looks at everything */
    for (int b = 0; b < rind_field_num_blocks(field); ++b)
      for (int j = -g; j < CELLS + g; ++j)
        for (int i = -g; i < CELLS + g; ++i) {
          double *u = (double *)rind_field_pointer(field, b) + i + j * (CELLS + 2 * GHOSTS);
          if (g == 0) *u = plane(rind_forest_block(forest, b), i, j);
          worst = fmax(worst, fabs(*u - plane(rind_forest_block(forest, b), i, j)));
        }
    if (g == 0) rind_fill(exchange, field);
  }
  printf("rank %d: the largest error is %g\n", rind_context_rank(context), worst);
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_field_destroy(&field);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
  MPI_Finalize();
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("user_family: cannot write to standard output");
    return 1;
  }
  return worst < 1e-12 ? 0 : 1;
}
