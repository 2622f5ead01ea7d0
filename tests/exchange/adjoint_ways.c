/* adjoint_ways.c - one adjoint, many ways: every memory shape, method, number of ranks and threads
 * gives the bits of one rank alone, and nothing outside of the cells is written. */
#include <adjoint_data.h>
#include <adjoint_naive.h>
#include <check.h>

#include <string.h>

enum { COMPONENTS = 2, NUM_RULES = 3 };

static const rind_rules rule_sets[NUM_RULES] = {
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED, .wall = {RIND_WALL_LINEAR, RIND_WALL_ODD}},
    {.interpolation = RIND_INTERPOLATION_CONSERVATIVE, .layers = 1},
    {.regions = RIND_REGIONS_FACES}};

/* How to run it. */
typedef struct way {
  shape kind;
  rind_component_order order;
  rind_exchange_options options;
} way;

static void create_memory(const scene *s, const way *w, rind_type type, memory *m) {
  memory_create(s, w->kind, type, w->order, COMPONENTS, m);
  memory_set_all(s, m);
}

/* Rows of points that have all components of a cell. */
static int num_packed;

static void count_packed(const rind_exchange *exchange) {
  for (int p = 0; p < exchange->adjoint->num_phases; ++p) {
    if (exchange->adjoint->phase[p].kind != RIND_PHASE_BLOCKS) continue;
    const rind_bound *bound = &exchange->adjoint->phase[p].part->local.bound;
    for (int r = 0; r < bound->num_rows; ++r)
      num_packed += bound->row[r].points && bound->row[r].extent[0] == COMPONENTS;
  }
}

static void run_way(const scene *s, const way *w, memory *m) {
  rind_exchange *exchange = NULL;
  rind_exchange_options options = w->options;
  options.adjoint = true;
  CHECK_OK(rind_exchange_create(s->schedule, &m->layout, &options, &exchange), s->context);
  count_packed(exchange);
  CHECK_OK(rind_fill_adjoint(exchange, m->field), s->context);
  rind_exchange_destroy(&exchange);
}

static double *make_reference(int number, const rind_rules *rules, rind_type type) {
  scene alone;
  memory m;
  const way plain = {.kind = SHAPE_PACKED};
  scene_create(MPI_COMM_SELF, number, 1, rules, &alone);
  create_memory(&alone, &plain, type, &m);
  run_way(&alone, &plain, &m);
  double *values = memory_collect(&alone, &m);
  memory_destroy(&m);
  scene_destroy(&alone);
  return values;
}

/* The reference has all blocks, s this rank's. */
static long differences(const scene *s, const memory *m, const double *reference) {
  const size_t per_block = collected_per_block(s, COMPONENTS);
  double *values = memory_collect(s, m);
  long differ = 0;
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    const size_t global = (size_t)rind_forest_block(s->forest, b)->global;
    for (size_t i = 0; i < per_block; ++i)
      differ += memcmp(&values[(size_t)b * per_block + i], &reference[global * per_block + i],
                       sizeof *values) != 0;
  }
  free(values);
  return differ;
}

static bool is_untouched(const memory *m, size_t element) {
  const size_t bytes = rind_type_bytes(m->layout.type);
  for (size_t byte = 0; byte < bytes; ++byte)
    if ((unsigned char)m->data[element * bytes + byte] != 0xFF) return false;
  return true;
}

/* Elements that belong to no cell and are not as they were. */
static long written_between(const scene *s, const memory *m) {
  const size_t bytes = rind_type_bytes(m->layout.type);
  char *is_cell = calloc(m->num_elements + 1, 1);
  long written = 0;
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    const ptrdiff_t base = ((char *)rind_field_pointer(m->field, b) - m->data) / (ptrdiff_t)bytes;
    int cell[3];
    first_cell(s, cell);
    do {
      for (int c = 0; c < COMPONENTS; ++c)
        is_cell[base + cell_offset(&m->layout, cell, c)] = 1;
    } while (next_cell(s, cell));
  }
  for (size_t e = 0; e < m->num_elements; ++e)
    written += !is_cell[e] && !is_untouched(m, e);
  free(is_cell);
  return written;
}

static void check_way(const scene *s, const way *w, rind_type type, const double *reference,
                      const char *what) {
  memory m;
  create_memory(s, w, type, &m);
  run_way(s, w, &m);
  const long differ = differences(s, &m, reference), written = written_between(s, &m);
  CHECK(differ == 0, "%s, shape %d, %s: %ld values differ from one rank's", s->name, (int)w->kind,
        what, differ);
  CHECK(written == 0, "%s, shape %d, %s: %ld elements outside of cells are written", s->name,
        (int)w->kind, what, written);
  memory_destroy(&m);
}

/* Two adjoints under way at once, ended in the other order; a fill between them; and once more,
 * when ghosts are 0 and nothing is left to add. */
static void check_two(const scene *s, rind_type type, const double *reference) {
  const way ways[2] = {{.kind = SHAPE_PACKED}, {.kind = SHAPE_BLOCKS}};
  const rind_exchange_options options = {.adjoint = true};
  memory m[2], filled;
  rind_exchange *exchange[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    create_memory(s, &ways[i], type, &m[i]);
    CHECK_OK(rind_exchange_create(s->schedule, &m[i].layout, &options, &exchange[i]), s->context);
  }
  create_memory(s, &ways[0], type, &filled);
  CHECK_OK(rind_fill(exchange[0], filled.field), s->context);
  CHECK_OK(rind_fill_adjoint_begin(exchange[0], m[0].field), s->context);
  CHECK_OK(rind_fill_adjoint_begin(exchange[1], m[1].field), s->context);
  CHECK_OK(rind_fill_adjoint_end(exchange[1], m[1].field), s->context);
  CHECK_OK(rind_fill_adjoint_end(exchange[0], m[0].field), s->context);
  CHECK_OK(rind_fill(exchange[0], filled.field), s->context);
  for (int i = 0; i < 2; ++i) {
    CHECK(differences(s, &m[i], reference) == 0, "%s: adjoint %d of two gives other bits", s->name,
          i);
    double *once = memory_collect(s, &m[i]);
    CHECK_OK(rind_fill_adjoint(exchange[i], m[i].field), s->context);
    double *twice = memory_collect(s, &m[i]);
    const size_t count =
        collected_per_block(s, COMPONENTS) * (size_t)rind_forest_num_blocks(s->forest);
    long differ = 0;
    for (size_t v = 0; v < count; ++v)
      differ += once[v] != twice[v];
    CHECK(differ == 0, "%s: with ghosts of 0, %ld values change", s->name, differ);
    free(once);
    free(twice);
    rind_exchange_destroy(&exchange[i]);
    memory_destroy(&m[i]);
  }
  memory_destroy(&filled);
}

static void check_scene(int number, const rind_rules *rules, rind_type type) {
  static const char *const methods[2] = {"transposed", "per term"};
  static const int threads[3] = {1, 2, 4};
  double *reference = make_reference(number, rules, type);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int t = 0; t < (size > 2 ? 1 : 3); ++t) {
    scene s;
    scene_create(MPI_COMM_WORLD, number, threads[t], rules, &s);
    for (int kind = 0; kind < NUM_SHAPES; ++kind)
      for (int i = 0; i < 4; ++i) {
        const way w = {(shape)kind,
                       (rind_component_order)(i % 2),
                       {.adjoint_method = (rind_adjoint_method)(i / 2)}};
        if (t == 0 || kind == i) check_way(&s, &w, type, reference, methods[i / 2]);
      }
    const way odd = {SHAPE_PACKED, RIND_COMPONENTS_OUTERMOST, {.max_message_bytes = 1021}};
    check_way(&s, &odd, type, reference, "messages of 1021 bytes");
    check_two(&s, type, reference);
    scene_destroy(&s);
  }
  free(reference);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < NUM_SCENES; ++number)
    for (int r = 0; r < NUM_RULES; ++r)
      check_scene(number, &rule_sets[r], (number + r) % 2 ? RIND_FLOAT32 : RIND_FLOAT64);
  CHECK(num_packed > 0, "no row of points has %d components", COMPONENTS);
  return check_end();
}
