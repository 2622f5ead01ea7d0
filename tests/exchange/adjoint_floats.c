/* adjoint_floats.c - adjoints in float32: cells of one, two, three and more ghosts have the bits of
 * sums in double, for blocks of several sizes, whichever way they run. */
#include <adjoint_data.h>
#include <adjoint_naive.h>
#include <check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMPONENTS = 2, NUM_FORESTS = 4, NUM_SIZES = 6, NUM_WAYS = 4 };

/* One block and eight that are their own neighbours, uniform ones, and two levels. */
static const struct {
  const char *name;
  rind_brick brick;
  int max_level;
} forests[NUM_FORESTS] = {
    {"one block", {.dim = 3, .level = 0, .periodic = {1, 1, 1}}, 0},
    {"eight blocks", {.dim = 3, .level = 1, .periodic = {1, 1, 1}}, 1},
    {"uniform", {.dim = 3, .trees = {3, 1, 2}, .level = 1, .periodic = {1, 0, 0}}, 1},
    {"two levels", {.dim = 3, .level = 1, .periodic = {0, 1, 1}}, 2}};
enum { TWO_LEVELS = NUM_FORESTS - 1 };

static const int sizes[NUM_SIZES] = {2, 4, 6, 8, 10, 12};

/* Rows of 4 cells next to each other run together; the others are summed block by block. */
static const struct {
  const char *name;
  shape kind;
  rind_component_order order;
  rind_adjoint_method method;
} ways[NUM_WAYS] = {{"packed", SHAPE_PACKED, RIND_COMPONENTS_OUTERMOST, RIND_ADJOINT_TRANSPOSED},
                    {"blocks", SHAPE_BLOCKS, RIND_COMPONENTS_OUTERMOST, RIND_ADJOINT_TRANSPOSED},
                    {"innermost", SHAPE_PACKED, RIND_COMPONENTS_INNERMOST, RIND_ADJOINT_TRANSPOSED},
                    {"per term", SHAPE_PACKED, RIND_COMPONENTS_OUTERMOST, RIND_ADJOINT_PER_TERM}};

static int refine_half(const rind_block *block, void *user) {
  (void)user;
  return block->lower[0] + block->side[0] / 2 < 0.5;
}

static void must(rind_error error, const scene *s, const char *what) {
  if (error == RIND_OK) return;
  fprintf(stderr, "%s: %s: %s\n", s->name, what, rind_last_error(s->context));
  abort();
}

static void create_scene(int forest, int cells, int layers, rind_regions regions, int threads,
                         scene *s) {
  const rind_context_options options = {.threads = threads};
  const rind_rules rules = {.regions = regions,
                            .layers = layers,
                            .interpolation = cells < 4 ? RIND_INTERPOLATION_INJECTION
                                                       : RIND_INTERPOLATION_QUADRATIC};
  *s = (scene){.name = forests[forest].name, .dim = 3, .cells = cells, .ghosts = layers};
  must(rind_context_create(MPI_COMM_WORLD, &options, &s->context), s, "context");
  must(rind_forest_create_brick(s->context, &forests[forest].brick, &s->forest), s, "brick");
  if (forest == TWO_LEVELS)
    must(rind_forest_refine(s->forest, forests[forest].max_level, refine_half, NULL), s, "refine");
  must(rind_schedule_create(s->forest, cells, layers, &rules, &s->schedule), s, "schedule");
}

/* 1 and -1 leave nothing of small numbers that are added in between, so that orders differ. */
static float value_of(double made) {
  const int kind = (int)floor(fabs(made) * 1e6) % 4;
  return kind == 0 ? 1.0F : kind == 1 ? -1.0F : (float)(kind == 2 ? ldexp(made, -60) : made);
}

static void set_values(const scene *s, memory *m) {
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    const int64_t global = rind_forest_block(s->forest, b)->global;
    int cell[3];
    first_cell(s, cell);
    do {
      for (int c = 0; c < COMPONENTS; ++c)
        store(rind_field_pointer(m->field, b), RIND_FLOAT32, cell_offset(&m->layout, cell, c),
              (double)value_of(made_value(global, cell, c)));
    } while (next_cell(s, cell));
  }
}

/* Blocks that run as shells in any phase. */
static int count_shells(const rind_exchange *exchange) {
  int count = 0;
  for (int p = 0; p < exchange->adjoint->num_phases; ++p) {
    const rind_adjoint_part *part = exchange->adjoint->phase[p].part;
    if (part->local.shells) count += part->local.shells->num_shells;
    if (part->remote.shells) count += part->remote.shells->num_shells;
  }
  return count;
}

/* Returns how many blocks run as shells on all ranks. */
static int check_way(naive *n, int way, const char *regions) {
  const scene *s = n->s;
  const rind_exchange_options options = {.adjoint = true, .adjoint_method = ways[way].method};
  memory m, *const before = n->field;
  rind_exchange *exchange = NULL;
  int shells = 0;
  memory_create(s, ways[way].kind, RIND_FLOAT32, ways[way].order, COMPONENTS, &m);
  set_values(s, &m);
  CHECK_OK(rind_exchange_create(s->schedule, &m.layout, &options, &exchange), s->context);
  if (exchange) {
    CHECK_OK(rind_fill_adjoint(exchange, m.field), s->context);
    shells = count_shells(exchange);
  }
  n->field = &m;
  const long differ = naive_differences(n, 0, 0);
  CHECK(differ == 0, "%s, %d^3 cells, %d layers, %s, %s: %ld values differ", s->name, s->cells,
        s->ghosts, regions, ways[way].name, differ);
  n->field = before;
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  MPI_Allreduce(MPI_IN_PLACE, &shells, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return shells;
}

static void check_case(int forest, int cells, int layers, rind_regions regions, int threads) {
  const char *const name = regions == RIND_REGIONS_FACES ? "faces" : "all regions";
  scene s;
  memory m;
  create_scene(forest, cells, layers, regions, threads, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, COMPONENTS, &m);
  set_values(&s, &m);
  naive n = {.s = &s, .num_fields = 1, .field = &m};
  naive_adjoint(&n, 0);
  for (int way = 0; way < NUM_WAYS; ++way) {
    const int shells = check_way(&n, way, name);
    const bool fits = cells % 4 == 0 && layers == 1 && regions == RIND_REGIONS_FACES &&
                      s.context->size == 1 && way < 2;
    CHECK((shells > 0) == fits || s.context->size > 1,
          "%s, %d^3 cells, %d layers, %s, %s: %d shells", s.name, cells, layers, name,
          ways[way].name, shells);
  }
  naive_free(&n);
  memory_destroy(&m);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int forest = 0; forest < NUM_FORESTS; ++forest)
    for (int i = 0; i < NUM_SIZES; ++i) {
      const int threads = 1 + (forest + i) % 3;
      check_case(forest, sizes[i], 1, RIND_REGIONS_FACES, threads);
      if (sizes[i] > 8) continue;
      check_case(forest, sizes[i], 1, RIND_REGIONS_ALL, threads);
      if (sizes[i] >= 4) check_case(forest, sizes[i], 2, RIND_REGIONS_FACES, threads);
    }
  for (int threads = 1; threads <= 3; ++threads) {
    check_case(TWO_LEVELS, 4, 1, RIND_REGIONS_FACES, threads);
    check_case(TWO_LEVELS, 8, 1, RIND_REGIONS_FACES, threads);
  }
  return check_end();
}
