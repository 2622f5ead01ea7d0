/* test_walls.c - ghosts behind walls, cell by cell: the schedule's fills, run phase by phase from
 * its public view, against the definition read backwards from the ghost. */
#include <check.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_COMPONENTS = 3 };

static rind_context *context;

/* One case: values of all padded blocks, and the walls' values. */
typedef struct scene {
  int dim, cells, ghosts, components, side; /* side: cells + 2 ghosts */
  rind_rules rules;
  rind_wall kinds[MAX_COMPONENTS][6];
  double wall_value[6][MAX_COMPONENTS];
  const rind_forest_arrays *arrays;
  double *value;  /* as the fills leave them */
  double *before; /* as they were before the walls' phases */
} scene;

static unsigned state = 1;

static int draw(int below) {
  state = state * 1103515245u + 12345u;
  return (int)((state >> 16) % (unsigned)below);
}

static double draw_value(void) {
  return draw(20001) * 1e-4 - 1.0;
}

static size_t at(const scene *s, int block, int c, const int cell[3]) {
  const size_t side = (size_t)s->side, g = (size_t)s->ghosts;
  const size_t z = s->dim == 3 ? (size_t)(cell[2] + s->ghosts) : 0, depth = s->dim == 3 ? side : 1;
  const size_t x = (size_t)cell[0] + g, y = (size_t)cell[1] + g;
  return ((((size_t)block * (size_t)s->components + (size_t)c) * depth + z) * side + y) * side + x;
}

/* What the caller's function writes. */
static double function_value(int block, int c, const int cell[3]) {
  return 100.0 + block + 0.25 * c + 0.5 * cell[0] - cell[1] + 0.125 * cell[2];
}

static void box_cell(const rind_box *box, const int32_t i[3], int cell[3]) {
  for (int a = 0; a < 3; ++a)
    cell[box->axis[a]] = box->origin[box->axis[a]] + box->step[a] * i[a];
}

static void run_cell(scene *s, const rind_schedule *schedule, int fill, const rind_fill_view *view,
                     const int32_t i[3], int c) {
  int to[3], from[3];
  box_cell(&view->box, i, to);
  double sum = 0.0;
  if (view->family == RIND_FAMILY_FUNCTION) sum = function_value(view->block, c, to);
  for (int t = 0; t < view->num_terms; ++t) {
    rind_term_view term;
    CHECK_OK(rind_schedule_term(schedule, fill, t, &term), context);
    double value = 0.0;
    if (term.block >= 0) {
      box_cell(&term.box, i, from);
      value = s->value[at(s, term.block, c, from)];
    } else {
      const int o[3] = {view->region % 3 - 1, view->region / 3 % 3 - 1, view->region / 9 - 1};
      const uint8_t walls = s->arrays->walls[view->block];
      int axis = 2;
      while (o[axis] == 0 || !(walls >> (2 * axis + (o[axis] > 0)) & 1))
        --axis;
      value = s->wall_value[2 * axis + (o[axis] > 0)][c];
    }
    sum = t == 0 ? term.weight * value : sum + term.weight * value;
  }
  s->value[at(s, view->block, c, to)] = sum;
}

static void run_fills(scene *s, const rind_schedule *schedule, bool walls) {
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f) {
    rind_fill_view view;
    CHECK_OK(rind_schedule_fill(schedule, f, &view), context);
    if ((view.family >= RIND_FAMILY_MIRROR) != walls) continue;
    for (int c = 0; c < s->components; ++c)
      for (int32_t k = 0; k < view.extent[2]; ++k)
        for (int32_t j = 0; j < view.extent[1]; ++j)
          for (int32_t i = 0; i < view.extent[0]; ++i)
            if (view.component < 0 || view.component == c)
              run_cell(s, schedule, f, &view, (const int32_t[3]){i, j, k}, c);
  }
}

static bool linked(const rind_forest_arrays *arrays, int block, int region) {
  for (int l = arrays->first_link[block]; l < arrays->first_link[block + 1]; ++l)
    if (arrays->link[l].region == region) return true;
  return false;
}

/* The definition: a ghost comes from the wall of the highest axis that it lies behind. */
static double expected(const scene *s, int block, int c, const int cell[3]) {
  int o[3] = {0, 0, 0}, axis = -1;
  const uint8_t mask = s->arrays->walls[block];
  for (int a = 0; a < s->dim; ++a) {
    o[a] = cell[a] < 0 ? -1 : cell[a] >= s->cells ? 1 : 0;
    if (o[a] != 0 && (mask >> (2 * a + (o[a] > 0)) & 1)) axis = a;
  }
  const int region = (o[0] + 1) + 3 * (o[1] + 1) + 9 * (o[2] + 1);
  if (axis < 0 || linked(s->arrays, block, region)) return s->before[at(s, block, c, cell)];
  const int wall = 2 * axis + (o[axis] > 0), n = s->cells;
  const int k = o[axis] > 0 ? cell[axis] - n + 1 : -cell[axis];
  const rind_wall kind = s->rules.component_wall ? s->kinds[c][wall] : s->rules.wall[wall];
  const int layer = kind == RIND_WALL_CONSTANT || kind == RIND_WALL_LINEAR ? 1 : k;
  int inner[3] = {cell[0], cell[1], cell[2]};
  inner[axis] = o[axis] > 0 ? n - layer : layer - 1;
  const double first = expected(s, block, c, inner);
  const double spacing = s->arrays->block[block].side[axis] / n;
  switch (kind) {
  case RIND_WALL_NONE:
    return NAN;
  case RIND_WALL_EVEN:
  case RIND_WALL_CONSTANT:
    return first;
  case RIND_WALL_ODD:
    return -first;
  case RIND_WALL_LINEAR:
    inner[axis] = o[axis] > 0 ? n - 2 : 1;
    return (1.0 + k) * first + -1.0 * k * expected(s, block, c, inner);
  case RIND_WALL_DIRICHLET:
    return -first + 2.0 * s->wall_value[wall][c];
  case RIND_WALL_NEUMANN:
    return first + (2.0 * k - 1.0) * spacing * s->wall_value[wall][c];
  default: /* the function's boxes end where its source would not be defined */
    return isnan(first) ? NAN : function_value(block, c, cell);
  }
}

static void compare(const scene *s) {
  long wrong = 0, defined = 0;
  const int g = s->ghosts, n = s->cells, depth = s->dim == 3 ? g : 0, top = s->dim == 3 ? n + g : 1;
  for (int b = 0; b < s->arrays->num_local; ++b)
    for (int c = 0; c < s->components; ++c)
      for (int z = -depth; z < top; ++z)
        for (int y = -g; y < n + g; ++y)
          for (int x = -g; x < n + g; ++x) {
            const int cell[3] = {x, y, z}, layers = s->rules.layers ? s->rules.layers : g;
            bool deep = false;
            for (int a = 0; a < s->dim; ++a)
              deep = deep || cell[a] < -layers || cell[a] >= n + layers;
            const double want = deep ? NAN : expected(s, b, c, cell);
            const double got = s->value[at(s, b, c, cell)];
            wrong += isnan(want) ? !isnan(got) : memcmp(&want, &got, sizeof got) != 0;
            defined += !isnan(got);
          }
  CHECK(wrong == 0, "%dD, %d cells, %d ghosts, regions %d: %ld cells of %ld differ", s->dim, n, g,
        (int)s->rules.regions, wrong, defined);
}

static int some_blocks(const rind_block *block, void *user) {
  (void)user;
  return (block->coordinate[0] + 2 * block->coordinate[1] + block->tree) % 3 == 0;
}

static void fill_in(scene *s) {
  for (size_t i = 0;
       i < (size_t)s->arrays->num_local * (size_t)s->components *
               (size_t)(s->dim == 3 ? s->side : 1) * (size_t)s->side * (size_t)s->side;
       ++i)
    s->value[i] = NAN;
  for (int b = 0; b < s->arrays->num_local; ++b)
    for (int c = 0; c < s->components; ++c)
      for (int z = 0; z < (s->dim == 3 ? s->cells : 1); ++z)
        for (int y = 0; y < s->cells; ++y)
          for (int x = 0; x < s->cells; ++x)
            s->value[at(s, b, c, (const int[3]){x, y, z})] = draw_value();
}

static void run_case(int dim, int cells, int ghosts, rind_regions regions, bool per_component) {
  rind_brick brick = {.dim = dim, .trees = {2, 1, 1}, .level = 1};
  brick.periodic[draw(dim)] = draw(2);
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  CHECK_OK(rind_forest_refine(forest, 2, some_blocks, NULL), context);
  scene s = {.dim = dim, .cells = cells, .ghosts = ghosts, .side = cells + 2 * ghosts};
  s.components = per_component ? MAX_COMPONENTS : 2;
  s.arrays = rind_forest_get_arrays(forest);
  s.rules = (rind_rules){.regions = regions, .layers = draw(2) ? 0 : ghosts};
  for (int w = 0; w < 6; ++w) {
    s.rules.wall[w] = (rind_wall)draw(RIND_NUM_WALLS);
    for (int c = 0; c < MAX_COMPONENTS; ++c) {
      s.kinds[c][w] = (rind_wall)draw(RIND_NUM_WALLS);
      s.wall_value[w][c] = draw_value();
    }
  }
  if (per_component) {
    s.rules.num_components = MAX_COMPONENTS;
    s.rules.component_wall = (const rind_wall(*)[6])s.kinds;
  }
  rind_schedule *schedule = NULL;
  CHECK_OK(rind_schedule_create(forest, cells, ghosts, &s.rules, &schedule), context);
  CHECK_OK(rind_schedule_verify(schedule), context);
  const size_t count = at(&s, s.arrays->num_local, 0, (const int[3]){-ghosts, -ghosts, -ghosts});
  s.value = malloc(count * sizeof *s.value);
  s.before = malloc(count * sizeof *s.before);
  if (schedule && s.value && s.before) {
    fill_in(&s);
    run_fills(&s, schedule, false);
    memcpy(s.before, s.value, count * sizeof *s.value);
    run_fills(&s, schedule, true);
    compare(&s);
  }
  free(s.value);
  free(s.before);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK(rind_context_create(MPI_COMM_SELF, NULL, &context) == RIND_OK, "no context");
  for (int repeat = 0; repeat < 12; ++repeat)
    for (int dim = 2; dim <= 3; ++dim)
      for (int per_component = 0; per_component < 2; ++per_component) {
        const int ghosts = 1 + draw(2), cells = 4;
        run_case(dim, cells, ghosts, draw(2) ? RIND_REGIONS_ALL : RIND_REGIONS_FACES,
                 per_component);
      }
  rind_context_destroy(&context);
  return check_end();
}
