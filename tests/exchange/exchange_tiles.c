/* exchange_tiles.c - a tile holds what a fill stores, bit for bit: every kind of forest and
 * storage, walls, several fields, vectors, ranks; on the host, and on the device where there is
 * one. */
#include <check.h>
#include <device_memory.h>
#include <exchange_trees.h>
#include <string.h>
#include <tile_runner.h>

enum { NUM_FIELDS = 5, COMPONENTS = 12, NUM_CASES = NUM_SCENES + NUM_TREES, NUM_RULES = 6 };

static const struct {
  shape kind;
  rind_type type;
  rind_component_order order;
  int components;
} shapes[NUM_FIELDS] = {{SHAPE_STRANGE, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 1},
                        {SHAPE_BLOCKS, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, 4},
                        {SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 3},
                        {SHAPE_WIDE, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1},
                        {SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 3}};
static const int vectors[2] = {2, 5};

static const rind_rules rule_sets[NUM_RULES] = {
    {.wall = {RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_NEUMANN, RIND_WALL_LINEAR,
              RIND_WALL_ODD, RIND_WALL_CONSTANT}},
    {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
     .wall = {RIND_WALL_NONE, RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_CONSTANT,
              RIND_WALL_ODD, RIND_WALL_NONE}},
    {0},
    {.regions = RIND_REGIONS_FACES, .wall = {RIND_WALL_CONSTANT, RIND_WALL_CONSTANT}},
    {.interpolation = RIND_INTERPOLATION_INJECTION, .layers = 1},
    {.interpolation = RIND_INTERPOLATION_COARSE_ONLY}};

static long num_device_tiles;

static rind_exchange *make(const scene *s, const rind_layout *layouts) {
  const rind_exchange_options options = {.num_vectors = 2, .vector = vectors};
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_exchange_create_fields(s->schedule, layouts, NUM_FIELDS, &options, &exchange),
           s->context);
  for (int f = 0; exchange && f < NUM_FIELDS; ++f) {
    double values[6 * COMPONENTS];
    for (int v = 0; v < 6 * COMPONENTS; ++v)
      values[v] = 0.37 * v - f;
    CHECK_OK(rind_exchange_set_wall_values(exchange, f, values), s->context);
  }
  return exchange;
}

static double load(const void *pointer, rind_type type, ptrdiff_t at) {
  return type == RIND_FLOAT64 ? ((const double *)pointer)[at]
                              : (double)((const float *)pointer)[at];
}

static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

/* A block's tile against the filled field; tile_layout has the tile's strides. */
static void compare(const scene *s, const memory *filled, int block, const rind_tile_view *view,
                    const void *tile, const char *what) {
  const rind_layout *layout = &filled->layout;
  const void *cells = rind_field_pointer(filled->field, block);
  int cell[3], first[3] = {0};
  long differ = 0;
  double got = 0, wanted = 0;
  for (int c = 0; c < layout->components; ++c) {
    first_cell(s, cell);
    do {
      ptrdiff_t at = view->interior + c * view->component_stride;
      for (int a = 0; a < s->dim; ++a)
        at += cell[a] * view->cell_stride[a];
      const double there = load(tile, layout->type, at);
      const double here = load(cells, layout->type, cell_offset(layout, cell, c));
      if (same(there, here)) continue;
      if (differ++ > 0) continue;
      memcpy(first, cell, sizeof first);
      got = there;
      wanted = here;
    } while (next_cell(s, cell));
  }
  CHECK(differ == 0, "%s: block %d: %ld cells differ, first (%d, %d, %d): %.17g instead of %.17g",
        what, block, differ, first[0], first[1], first[2], got, wanted);
}

/* The tiles of one field that has remote ghosts only, against the same field, filled. */
static void check_field(const scene *s, const memory *filled, const rind_tiles *tiles,
                        const rind_field *field, const char *what) {
  rind_tile_view view;
  const rind_type type = filled->layout.type;
  CHECK_OK(rind_tiles_get_view(tiles, field, &view), s->context);
  CHECK(view.num_blocks == rind_forest_num_blocks(s->forest), "%d blocks", view.num_blocks);
  const size_t blocks = (size_t)view.num_blocks;
  char *image = malloc(blocks * view.tile_bytes + 16);
  memset(image, 0xff, blocks * view.tile_bytes);
  int code = 0;
  if (rind_field_layout(field)->space == RIND_DEVICE) {
    code = tile_runner_device(&view, type, 32 + 48 * (view.num_blocks % 5), image);
    CHECK(code <= 0, "%s: device error %d: %s", what, code, rind_device_error_text(code));
    num_device_tiles += code == 0;
  } else {
    for (size_t b = 0; b < blocks; ++b)
      tile_runner_host(&view, type, (int)b, image + b * view.tile_bytes);
  }
  for (size_t b = 0; code == 0 && b < blocks; ++b)
    compare(s, filled, (int)b, &view, image + b * view.tile_bytes, what);
  free(image);
}

/* Tiles of all fields of an exchange after a fill of the remote ghosts. */
static void check_tiles(const scene *s, rind_exchange *exchange, const memory *filled,
                        rind_field *const *fields, const char *what) {
  CHECK_OK(rind_fill_fields_remote(exchange, fields), s->context);
  CHECK_OK(rind_context_wait(s->context), s->context);
  for (int f = 0; f < NUM_FIELDS; ++f) {
    char text[200];
    rind_tiles *tiles = NULL;
    int large = rind_layout_block_elements(&filled[f].layout) > 65535;
    MPI_Allreduce(MPI_IN_PLACE, &large, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_ERROR(rind_tiles_create(exchange, f, &tiles), large ? RIND_ERROR_UNSUPPORTED : RIND_OK,
                s->context);
    if (!tiles) continue;
    snprintf(text, sizeof text, "%s, %s, field %d", s->name, what, f);
    CHECK(rind_tiles_metadata_bytes(tiles) > 0, "no tables");
    check_field(s, &filled[f], tiles, fields[f], text);
    rind_tiles_destroy(&tiles);
    CHECK(!tiles, "tiles after destroy");
  }
}

static void check_scene(const scene *s, bool device) {
  memory filled[NUM_FIELDS], bare[NUM_FIELDS];
  rind_field *fields[NUM_FIELDS], *here[NUM_FIELDS], *there[NUM_FIELDS] = {NULL};
  rind_layout layouts[NUM_FIELDS], on_device[NUM_FIELDS];
  for (int f = 0; f < NUM_FIELDS; ++f) {
    memory *const both[2] = {&filled[f], &bare[f]};
    for (int m = 0; m < 2; ++m)
      memory_create_seeded(s, shapes[f].kind, shapes[f].type, shapes[f].order, shapes[f].components,
                           7 * f, both[m]);
    fields[f] = filled[f].field;
    here[f] = bare[f].field;
    on_device[f] = layouts[f] = filled[f].layout;
    on_device[f].space = RIND_DEVICE;
    if (device) CHECK_OK(rind_field_create(s->forest, &on_device[f], &there[f]), s->context);
    if (device) CHECK_OK(rind_field_copy(here[f], there[f]), s->context);
  }
  rind_exchange *exchange[2] = {make(s, layouts), device ? make(s, on_device) : NULL};
  if (exchange[0]) {
    CHECK_OK(rind_fill_fields(exchange[0], fields), s->context);
    check_tiles(s, exchange[0], filled, here, "host");
  }
  if (exchange[1]) check_tiles(s, exchange[1], filled, there, "device");
  for (int x = 0; x < 2; ++x)
    rind_exchange_destroy(&exchange[x]);
  for (int f = 0; f < NUM_FIELDS; ++f) {
    rind_field_destroy(&there[f]);
    memory_destroy(&filled[f]);
    memory_destroy(&bare[f]);
  }
}

/* A remote fill writes no ghost of a local source: all of one rank stay as they were. */
static void check_remote_fill(const scene *s) {
  memory m;
  rind_exchange *exchange = NULL;
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1, &m);
  double *before = memory_collect(s, &m);
  CHECK_OK(rind_exchange_create(s->schedule, &m.layout, NULL, &exchange), s->context);
  CHECK_OK(rind_fill_remote(exchange, m.field), s->context);
  double *after = memory_collect(s, &m);
  rind_exchange_stats stats = {0};
  CHECK_OK(rind_exchange_get_stats(exchange, &stats), s->context);
  long changed = 0;
  for (size_t i = 0; i < (size_t)rind_forest_num_blocks(s->forest) * collected_per_block(s, 1); ++i)
    changed += !same(before[i], after[i]);
  CHECK((changed > 0) == (stats.remote_fills > 0), "%ld cells changed, %lld remote fills", changed,
        (long long)stats.remote_fills);
  free(before);
  free(after);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
}

/* What tiles cannot do is said, and nothing is made. */
static void refuse(const rind_rules *rules, const char *text) {
  scene s;
  scene_create(MPI_COMM_WORLD, 2, 1, rules, &s);
  memory m;
  rind_exchange *exchange = NULL;
  rind_tiles *tiles = NULL;
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1, &m);
  const rind_exchange_options options = {.wall_function = (rind_wall_function)abort};
  CHECK_OK(rind_exchange_create(s.schedule, &m.layout, &options, &exchange), s.context);
  CHECK_ERROR(rind_tiles_create(exchange, 0, &tiles), RIND_ERROR_UNSUPPORTED, s.context);
  CHECK(strstr(rind_last_error(s.context), text), "no '%s': %s", text, rind_last_error(s.context));
  if (rules->restriction == RIND_RESTRICTION_FLUX_MATCHED)
    CHECK_ERROR(rind_fill_remote(exchange, m.field), RIND_ERROR_UNSUPPORTED, s.context);
  CHECK_ERROR(rind_tiles_create(exchange, 1, &tiles), RIND_ERROR_INVALID, s.context);
  CHECK(!tiles, "tiles from a call that failed");
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  /* Arguments: "device": 77 without one; n: every n-th case alone, for slow checkers. */
  const bool device = rind_device_count() > 0;
  if (argc > 1 && !device) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  const int step = argc > 2 ? atoi(argv[2]) : 1;
  for (int number = 0; number < NUM_CASES; ++number)
    for (int r = 0; r < NUM_RULES; ++r) {
      if ((number * NUM_RULES + r) % step != 0) continue;
      if (number < NUM_SCENES) {
        scene s;
        scene_create(MPI_COMM_WORLD, number, 1, &rule_sets[r], &s);
        check_scene(&s, device && argc > 1);
        check_remote_fill(&s);
        scene_destroy(&s);
      } else {
        trees t;
        trees_create(MPI_COMM_WORLD, number - NUM_SCENES, 1, &rule_sets[r], &t);
        check_scene(&t.s, device && argc > 1);
        trees_destroy(&t);
      }
    }
  refuse(&(rind_rules){.restriction = RIND_RESTRICTION_FLUX_MATCHED}, "flux-matched");
  refuse(&(rind_rules){.wall = {RIND_WALL_EVEN, RIND_WALL_FUNCTION}}, "wall 1 is the caller's");
  if (argc > 1) CHECK(num_device_tiles > 0, "no tiles on the device");
  return check_end();
}
