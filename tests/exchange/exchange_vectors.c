/* exchange_vectors.c - a linear vector field of space on blocks that are turned against each other:
 * every ghost holds it in its own block's frame. */
#include <check.h>
#include <exchange_trees.h>

#include <math.h>

/* A scalar, a vector of dim components, a scalar. */
enum { VECTOR = 1 };

static const double constant[3] = {0.7, -1.3, 2.1};
static const double slope[3][3] = {{0.31, -0.12, 0.5}, {-0.7, 0.23, 0.11}, {0.4, 0.6, -0.9}};

/* Component a of the block's own frame, resp. a scalar for a < 0. */
static double wanted(const trees *t, int global, const int cell[3], int a) {
  const hand_block *block = &t->hand->block[global];
  const int along = a < 0 ? 0 : block->along[a];
  const bool flat = t->hand->irregular > 0;
  long centre[3];
  hand_forest_centre(t->hand, global, t->s.cells, cell, centre);
  double value = constant[along];
  for (int axis = 0; axis < t->s.dim; ++axis)
    if (!t->hand->periodic[axis] && !flat)
      value += slope[along][axis] * (double)centre[axis] / (2.0 * t->s.cells);
  return a >= 0 && block->backwards[a] ? -value : value;
}

static int axis_of(const scene *s, int component) {
  return component >= VECTOR && component < VECTOR + s->dim ? component - VECTOR : -1;
}

static void set_interiors(const trees *t, memory *m) {
  const scene *s = &t->s;
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    int cell[3];
    first_cell(s, cell);
    do {
      for (int c = 0; c < m->layout.components && is_interior(s, cell); ++c)
        store(rind_field_pointer(m->field, b), RIND_FLOAT64, cell_offset(&m->layout, cell, c),
              wanted(t, (int)rind_forest_block(s->forest, b)->global, cell, axis_of(s, c)));
    } while (next_cell(s, cell));
  }
}

/* The largest error of what is written; counts what is not. */
static double largest_error(const trees *t, const memory *m, long *unwritten) {
  const scene *s = &t->s;
  double *values = memory_collect(s, m), largest = 0;
  size_t at = 0;
  *unwritten = 0;
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b)
    for (int c = 0; c < m->layout.components; ++c) {
      int cell[3];
      first_cell(s, cell);
      do {
        const double value = values[at++];
        const int global = (int)rind_forest_block(s->forest, b)->global;
        if (isnan(value))
          ++*unwritten;
        else
          largest = fmax(largest, fabs(value - wanted(t, global, cell, axis_of(s, c))));
      } while (next_cell(s, cell));
    }
  free(values);
  return largest;
}

static void check_trees(int number, const rind_rules *rules, int num_vectors) {
  static const int vector = VECTOR;
  const rind_exchange_options options = {.num_vectors = num_vectors, .vector = &vector};
  rind_exchange *exchange = NULL;
  trees t;
  memory m;
  long unwritten = 0;
  trees_create(MPI_COMM_WORLD, number, 1, rules, &t);
  memory_create(&t.s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, t.s.dim + 2, &m);
  set_interiors(&t, &m);
  CHECK_OK(rind_exchange_create(t.s.schedule, &m.layout, &options, &exchange), t.s.context);
  CHECK_OK(rind_fill(exchange, m.field), t.s.context);
  double error = largest_error(&t, &m, &unwritten), largest = 0;
  const bool is_walled = t.hand->irregular == 0 || number + 1 == NUM_HAND_TREES;
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(is_walled || unwritten == 0, "%s: %ld ghosts left", t.s.name, unwritten);
  if (num_vectors > 0)
    CHECK(largest < 1e-12, "%s: a vector's ghost is %g off", t.s.name, largest);
  else
    CHECK(largest > 0.1, "%s: without vectors ghosts are right all the same: %g", t.s.name,
          largest);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  trees_destroy(&t);
}

int main(int argc, char **argv) {
  static const rind_rules rules[3] = {{0},
                                      {.restriction = RIND_RESTRICTION_FLUX_MATCHED},
                                      {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
                                       .restriction = RIND_RESTRICTION_FLUX_MATCHED}};
  check_begin(&argc, &argv);
  for (int number = 0; number < NUM_HAND_TREES; ++number)
    for (int r = 0; r < 3; ++r)
      check_trees(number, &rules[r], 1);
  for (int number = 1; number < NUM_HAND_TREES; ++number)
    if (number != 3) check_trees(number, &rules[0], 0);
  return check_end();
}
