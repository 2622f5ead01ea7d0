/* advection_gradient.c - the derivative of a functional of an advected field by its initial values:
 * by a reverse sweep, by dual numbers and by finite differences. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <rind/forest_p4est.h>
#include <rind/rind.h>

enum { CELLS = 8, GHOSTS = 1, ROW = CELLS + 2 * GHOSTS, STEPS = 12 };
static const double two_pi = 6.283185307179586;
static const double time_step = 0.4 / 64; /* the finest cells have sides of 1/64 */

static rind_context *context;
static rind_forest *forest;
static rind_schedule *schedule;
static rind_exchange *values_and_tangents, *derivatives;

/* A call of Rind failed: say why and stop all ranks. */
static void must(rind_error error) {
  if (error == RIND_OK) return;
  fprintf(stderr, "%s: %s\n", rind_error_name(error), rind_last_error(context));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Split the blocks in the lower left quarter of the unit square. */
static int refine_here(const rind_block *block, void *user) {
  (void)user;
  return block->lower[0] < 0.5 && block->lower[1] < 0.5;
}

static double *cell(const rind_field *field, int block, int i, int j) {
  return (double *)rind_field_pointer(field, block) + i + j * ROW;
}

static double centre(int block, int axis, int i) {
  const rind_block *b = rind_forest_block(forest, block);
  return b->lower[axis] + (i + 0.5) * b->side[axis] / CELLS;
}

static double initial(double x, double y) {
  return 1.0 + 0.5 * sin(two_pi * x) * cos(two_pi * y);
}

/* The direction of the derivative. */
static double direction(double x, double y) {
  return 1.5 + cos(two_pi * x) * y;
}

/* The functional is the sum of weight u^2: an integral of (1 + x) u^2. */
static double weight(int block, int i) {
  const double side = rind_forest_block(forest, block)->side[0] / CELLS;
  return side * side * (1.0 + centre(block, 0, i));
}

/* First-order upwind with velocity (1, sin(2 pi x) / 2), in the cells of column i: the new value is
 * own u + x u[x_from] + y u[y_from]. */
typedef struct stencil {
  double own, x, y;
  ptrdiff_t x_from, y_from;
} stencil;

static stencil upwind(int block, int i) {
  const double per_length = time_step * CELLS / rind_forest_block(forest, block)->side[0];
  const double upward = 0.5 * sin(two_pi * centre(block, 0, i));
  const double x = per_length, y = per_length * fabs(upward);
  return (stencil){1.0 - x - y, x, y, -1, upward > 0 ? -ROW : ROW};
}

/* Interiors of to from interiors and ghosts of from. */
static void step(const rind_field *from, rind_field *to) {
  for (int b = 0; b < rind_field_num_blocks(from); ++b)
    for (int i = 0; i < CELLS; ++i) {
      const stencil s = upwind(b, i);
      for (int j = 0; j < CELLS; ++j) {
        const double *u = cell(from, b, i, j);
        *cell(to, b, i, j) = s.own * u[0] + s.x * u[s.x_from] + s.y * u[s.y_from];
      }
    }
}

/* The same backwards. to holds derivatives of the functional by new values; from gets those by the
 * values that the step has read, ghosts among them. */
static void step_adjoint(const rind_field *to, rind_field *from) {
  for (int b = 0; b < rind_field_num_blocks(to); ++b) {
    for (int j = -GHOSTS; j < CELLS + GHOSTS; ++j)
      for (int i = -GHOSTS; i < CELLS + GHOSTS; ++i)
        *cell(from, b, i, j) = 0.0;
    for (int i = 0; i < CELLS; ++i) {
      const stencil s = upwind(b, i);
      for (int j = 0; j < CELLS; ++j) {
        const double by_new = *cell(to, b, i, j);
        double *by_u = cell(from, b, i, j);
        by_u[0] += s.own * by_new;
        by_u[s.x_from] += s.x * by_new;
        by_u[s.y_from] += s.y * by_new;
      }
    }
  }
}

static void swap(rind_field **a, rind_field **b) {
  rind_field *const kept = *a;
  *a = *b;
  *b = kept;
}

/* The sum over all cells of a b, or of weight a b: block by block in global order, so that its bits
 * do not depend on the number of ranks. */
static double dot(const rind_field *a, const rind_field *b, bool weighted) {
  const int num_global = (int)rind_forest_num_global_blocks(forest);
  double *of_block = calloc((size_t)num_global, sizeof *of_block), sum = 0.0;
  if (of_block == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int k = 0; k < rind_field_num_blocks(a); ++k) {
    double *mine = &of_block[rind_forest_block(forest, k)->global];
    for (int j = 0; j < CELLS; ++j)
      for (int i = 0; i < CELLS; ++i)
        *mine += (weighted ? weight(k, i) : 1.0) * *cell(a, k, i, j) * *cell(b, k, i, j);
  }
  /* One rank has each block, the others add 0 to it. */
  MPI_Allreduce(MPI_IN_PLACE, of_block, num_global, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < num_global; ++k)
    sum += of_block[k];
  free(of_block);
  return sum;
}

static void set_values(rind_field *field, double of_initial, double of_direction) {
  for (int b = 0; b < rind_field_num_blocks(field); ++b)
    for (int j = 0; j < CELLS; ++j)
      for (int i = 0; i < CELLS; ++i) {
        const double x = centre(b, 0, i), y = centre(b, 1, j);
        *cell(field, b, i, j) = of_initial * initial(x, y) + of_direction * direction(x, y);
      }
}

/* Advects u = initial + amount direction, and beside it the tangent: its derivative by amount. The
 * fill of a tangent is the fill. */
static void advect(double amount, rind_field **u, rind_field **tangent, rind_field **scratch) {
  set_values(*u, 1.0, amount);
  set_values(*tangent, 0.0, 1.0);
  for (int n = 0; n < STEPS; ++n) {
    must(rind_fill_fields(values_and_tangents, (rind_field *[]){*u, *tangent}));
    step(*u, *scratch);
    swap(u, scratch);
    step(*tangent, *scratch);
    swap(tangent, scratch);
  }
}

/* From the final values u to the derivatives of the functional by the initial ones. Steps and fills
 * are linear: nothing of the way forward is needed. */
static void sweep_back(const rind_field *u, rind_field **gradient, rind_field **scratch) {
  for (int b = 0; b < rind_field_num_blocks(u); ++b)
    for (int j = 0; j < CELLS; ++j)
      for (int i = 0; i < CELLS; ++i)
        *cell(*gradient, b, i, j) = 2.0 * weight(b, i) * *cell(u, b, i, j);
  for (int n = 0; n < STEPS; ++n) {
    step_adjoint(*gradient, *scratch);
    must(rind_fill_adjoint(derivatives, *scratch));
    swap(gradient, scratch);
  }
}

/* Periodic in x; u is 1 at the lower wall, its normal derivative 0 at the upper one. */
static void set_up(rind_field **const fields[], int num_fields) {
  const rind_brick brick = {.dim = 2, .trees = {4, 4}, .periodic = {1, 0}, .upper = {1.0, 1.0}};
  const rind_rules rules = {.regions = RIND_REGIONS_FACES,
                            .wall = {[2] = RIND_WALL_DIRICHLET, [3] = RIND_WALL_EVEN}};
  const rind_layout layout = {.cells = CELLS, .ghosts = GHOSTS, .components = 1};
  const rind_exchange_options with_adjoint = {.adjoint = true};
  must(rind_context_create(MPI_COMM_WORLD, NULL, &context));
  must(rind_forest_create_brick(context, &brick, &forest));
  must(rind_forest_refine(forest, 1, refine_here, NULL));
  must(rind_schedule_create(forest, CELLS, GHOSTS, &rules, &schedule));
  must(rind_exchange_create_fields(schedule, (rind_layout[]){layout, layout}, 2, NULL,
                                   &values_and_tangents));
  must(rind_exchange_create(schedule, &layout, &with_adjoint, &derivatives));
  /* What is prescribed does not vary: the tangent's value at the wall stays 0. */
  must(rind_exchange_set_wall_values(values_and_tangents, 0, (double[6]){[2] = 1.0}));
  for (int f = 0; f < num_fields; ++f)
    must(rind_field_create(forest, &layout, fields[f]));
}

/* In the reverse order: each borrows what it was made from. */
static void tear_down(rind_field **const fields[], int num_fields) {
  for (int f = 0; f < num_fields; ++f)
    rind_field_destroy(fields[f]);
  rind_exchange_destroy(&derivatives);
  rind_exchange_destroy(&values_and_tangents);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
}

int main(int argc, char **argv) {
  rind_field *u, *tangent, *gradient, *scratch;
  rind_field **const fields[] = {&u, &tangent, &gradient, &scratch};
  MPI_Init(&argc, &argv);
  set_up(fields, 4);

  const double amount = 1e-3;
  advect(amount, &u, &tangent, &scratch);
  const double more = dot(u, u, true);
  advect(-amount, &u, &tangent, &scratch);
  const double less = dot(u, u, true);
  const double by_differences = (more - less) / (2.0 * amount);

  advect(0.0, &u, &tangent, &scratch);
  const double functional = dot(u, u, true);
  const double by_dual_numbers = 2.0 * dot(u, tangent, true);

  sweep_back(u, &gradient, &scratch);
  set_values(tangent, 0.0, 1.0);
  const double by_adjoint = dot(gradient, tangent, false);

  const double error = fabs(by_differences / by_adjoint - 1.0);
  const double dual_error = fabs(by_dual_numbers / by_adjoint - 1.0);
  if (rind_context_rank(context) == 0)
    printf("functional after %d steps: %.17g; its derivative by\n"
           "finite differences  %.17g, relative difference %.1e\n"
           "dual numbers        %.17g, relative difference %.1e\n"
           "reverse sweep       %.17g\n",
           STEPS, functional, by_differences, error, by_dual_numbers, dual_error, by_adjoint);
  tear_down(fields, 4);
  MPI_Finalize();
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("advection_gradient: cannot write to standard output");
    return EXIT_FAILURE;
  }
  return error < 1e-6 && dual_error < 1e-13 ? EXIT_SUCCESS : EXIT_FAILURE;
}
