/* oracle_encoded.c - cells that say who they are: copies, injections and averages bring the right
 * ones, found by position in space. */
#include <math.h>

#include "check.h"
#include "oracle_scene.h"

/* A cell's code is linear in its position, so that a mean of cells names their middle. */
typedef struct coding {
  int dim;
  int cells;
} coding;

static double code_at(const coding *k, int leaf, const double position[3]) {
  double code = 0;
  for (int a = k->dim - 1; a >= 0; --a)
    code = code * k->cells + position[a];
  return leaf * pow(k->cells, k->dim) + code;
}

static double code_of(const void *user, int leaf, const int cell[3], int component) {
  const double position[3] = {cell[0], cell[1], cell[2]};
  return code_at(user, leaf, position) * (component + 1);
}

/* Searches all leaves for the point; *level is the leaf's, inside the point in its cells. */
static int find_leaf(const oracle *judge, const double point[3], int *level, double inside[3]) {
  for (int i = 0; i < judge->num_leaves; ++i) {
    const oracle_leaf *l = &judge->leaf[i];
    const double side = ldexp(1.0, -l->level);
    bool holds = true;
    for (int a = 0; a < judge->dim; ++a) {
      const double lower = l->at[a] * side;
      holds = holds && point[a] > lower && point[a] < lower + side;
      inside[a] = (point[a] - lower) / side * judge->cells;
    }
    *level = l->level;
    if (holds) return i;
  }
  return -1;
}

/* The code that belongs in a ghost; false behind a wall. */
static bool expected_code(const oracle *judge, const rind_block *block, const int cell[3],
                          double *code, int *relation) {
  double point[3] = {0, 0, 0}, inside[3] = {0, 0, 0};
  for (int a = 0; a < judge->dim; ++a) {
    point[a] = block->lower[a] + (cell[a] + 0.5) * block->side[a] / judge->cells;
    const double length = judge->trees[a];
    if (judge->periodic[a]) point[a] -= length * floor(point[a] / length);
    if (point[a] < 0 || point[a] > length) return false;
  }
  int level = 0;
  const int leaf = find_leaf(judge, point, &level, inside);
  if (leaf < 0) return false;
  *relation = level - block->level;
  for (int a = 0; a < judge->dim; ++a) {
    const double middle = round(inside[a]) - 0.5; /* of the fine cells that meet at the point */
    inside[a] = *relation > 0 ? middle : floor(inside[a]);
  }
  const coding k = {judge->dim, judge->cells};
  *code = code_at(&k, leaf, inside);
  return true;
}

static void check_block(const scene *s, const scene_memory *memory, const oracle *judge,
                        const rind_block *block, long found[3]) {
  int cell[3], o[3], layer = 0, relation = 0;
  long wrong = 0;
  scene_first_cell(memory, cell);
  do {
    if (oracle_region(judge, cell, o, &layer) == 0) continue;
    double code = 0;
    const bool covered = expected_code(judge, block, cell, &code, &relation);
    for (int c = 0; c < s->components; ++c) {
      const double got = scene_value(memory, block->index, cell, c);
      const bool right = covered ? got == code * (c + 1) : isnan(got);
      if (!right && wrong++ == 0) {
        fprintf(stderr, "leaf %lld cell %d %d %d: %.17g instead of %.17g, relation %d\n",
                (long long)block->global, cell[0], cell[1], cell[2], got, code * (c + 1),
                covered ? relation : -9);
      }
    }
    if (covered) ++found[relation + 1];
  } while (scene_next_cell(memory, cell));
  CHECK(wrong == 0, "%ld wrong codes in leaf %lld", wrong, (long long)block->global);
}

static void run_case(const scene *s, long found[3]) {
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_field *field = NULL;
  scene_memory memory = {.num_blocks = 0};
  char text[256];
  oracle *judge = NULL;
  rind_error error = rind_context_create(MPI_COMM_WORLD, NULL, &context);
  if (!error) error = scene_create_forest(context, s, &forest);
  if (!error) error = rind_schedule_create(forest, s->cells, s->ghosts, &s->rules, &schedule);
  if (!error) error = scene_create_field(forest, s, &memory, &field);
  if (!error) error = rind_exchange_create(schedule, &memory.layout, NULL, &exchange);
  if (!error) {
    judge = oracle_create(MPI_COMM_WORLD, forest, &s->brick, s->cells, text);
    CHECK(judge != NULL, "%s", text);
  }
  if (judge != NULL) {
    const coding k = {s->brick.dim, s->cells};
    scene_poison(&memory, forest, code_of, &k);
    error = rind_fill(exchange, field);
    for (int b = 0; b < memory.num_blocks; ++b) {
      check_block(s, &memory, judge, rind_forest_block(forest, b), found);
    }
  }
  CHECK(error == RIND_OK, "%s: %s", rind_error_name(error), rind_last_error(context));
  oracle_destroy(judge);
  rind_exchange_destroy(&exchange);
  rind_field_destroy(&field);
  scene_free_memory(&memory);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  long found[3] = {0, 0, 0}, sums[3];
  for (int i = 0; i < 16; ++i) {
    scene s = {.seed = scene_mix((uint64_t)i),
               .brick = {.dim = 2 + i % 2,
                         .trees = {1 + i % 3, 1 + i / 2 % 2, i % 2 == 0 ? 0 : 1},
                         .periodic = {i / 2 % 2, i / 4 % 2, i % 2 == 0 ? 0 : i / 8 % 2},
                         .level = i / 4 % 2},
               .max_level = 2 + i / 4 % 2,
               .percent = 20,
               .ghosts = 1 + i % 3,
               .cells = i / 2 % 2 == 0 ? 6 : 8,
               .components = 1 + i % 2,
               .rules = {.interpolation = RIND_INTERPOLATION_INJECTION},
               .type = i / 2 % 2 == 0 ? RIND_FLOAT64 : RIND_FLOAT32,
               .storage = i % 5 < 2 ? RIND_PACKED : RIND_BLOCKS};
    run_case(&s, found);
  }
  MPI_Allreduce(found, sums, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sums[0] > 0 && sums[1] > 0 && sums[2] > 0, "coarser %ld, same %ld, finer %ld", sums[0],
        sums[1], sums[2]);
  return check_end();
}
