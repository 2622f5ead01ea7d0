/* adjoint_floats.c - adjoints in float32: cells of one, two, three and more ghosts have the bits of
 * sums in double, for blocks of several sizes, whichever way they run. */
#include <adjoint_data.h>
#include <adjoint_naive.h>
#include <check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUM_FORESTS = 4, NUM_SIZES = 6, NUM_WAYS = 4 };

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
      for (int c = 0; c < m->layout.components; ++c)
        store(rind_field_pointer(m->field, b), RIND_FLOAT32, cell_offset(&m->layout, cell, c),
              (double)value_of(made_value(global, cell, c)));
    } while (next_cell(s, cell));
  }
}

/* Blocks that run as shells, and fills that run for four blocks, on all ranks. */
typedef struct counts {
  int shells, fours;
} counts;

static void count_batches(const rind_batches *batches, counts *n) {
  if (batches->shells) n->shells += batches->shells->num_shells;
  for (int f = 0; batches->bound.pair && f < batches->bound.num_fills; ++f)
    n->fours += batches->bound.pair[f] == RIND_GATHER_FOUR;
}

static counts count(const rind_exchange *exchange) {
  counts n = {0};
  for (int p = 0; exchange && p < exchange->adjoint->num_phases; ++p) {
    count_batches(&exchange->adjoint->phase[p].part->local, &n);
    count_batches(&exchange->adjoint->phase[p].part->remote, &n);
  }
  MPI_Allreduce(MPI_IN_PLACE, &n, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return n;
}

static counts check_way(naive *n, int way, const char *regions) {
  const int components = n->field->layout.components;
  const scene *s = n->s;
  const rind_exchange_options options = {.adjoint = true, .adjoint_method = ways[way].method};
  memory m, *const before = n->field;
  rind_exchange *exchange = NULL;
  memory_create(s, ways[way].kind, RIND_FLOAT32, ways[way].order, components, &m);
  set_values(s, &m);
  CHECK_OK(rind_exchange_create(s->schedule, &m.layout, &options, &exchange), s->context);
  if (exchange) CHECK_OK(rind_fill_adjoint(exchange, m.field), s->context);
  const counts found = count(exchange);
  n->field = &m;
  const long differ = naive_differences(n, 0, 0);
  CHECK(differ == 0, "%s, %d^3 cells, %d layers, %s, %s: %ld values differ", s->name, s->cells,
        s->ghosts, regions, ways[way].name, differ);
  n->field = before;
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  return found;
}

static void check_case(int forest, int cells, int layers, rind_regions regions, int components,
                       int threads) {
  const char *const name = regions == RIND_REGIONS_FACES ? "faces" : "all regions";
  scene s;
  memory m;
  create_scene(forest, cells, layers, regions, threads, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, components, &m);
  set_values(&s, &m);
  naive n = {.s = &s, .num_fields = 1, .field = &m};
  naive_adjoint(&n, 0);
  for (int way = 0; way < NUM_WAYS; ++way) {
    const counts found = check_way(&n, way, name);
    const bool faces = layers == 1 && regions == RIND_REGIONS_FACES;
    const bool shells = faces && cells % 4 == 0 && (way < 2 || (way == 2 && components == 1));
    const bool fours = faces && components == 1 && forest == TWO_LEVELS && way < 3;
    CHECK(s.context->size > 1 || (found.shells > 0) == shells,
          "%s, %d^3 cells, %d layers, %s, %s: %d shells", s.name, cells, layers, name,
          ways[way].name, found.shells);
    CHECK(s.context->size > 1 || !fours || found.fours > 0, "%s, %d^3 cells, %s: no fours", s.name,
          cells, ways[way].name);
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
      check_case(forest, sizes[i], 1, RIND_REGIONS_FACES, 2, threads);
      if (sizes[i] > 8) continue;
      check_case(forest, sizes[i], 1, RIND_REGIONS_ALL, 2, threads);
      if (sizes[i] >= 4) check_case(forest, sizes[i], 2, RIND_REGIONS_FACES, 2, threads);
    }
  for (int threads = 1; threads <= 3; ++threads)
    for (int cells = 4; cells <= 8; cells += 4) {
      check_case(TWO_LEVELS, cells, 1, RIND_REGIONS_FACES, 2, threads);
      check_case(TWO_LEVELS, cells, 1, RIND_REGIONS_FACES, 1, threads);
    }
  return check_end();
}
