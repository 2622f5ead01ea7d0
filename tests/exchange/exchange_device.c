/* exchange_device.c - fills and adjoints of fields on the device have the host's bits: every kind
 * of forest, all phases, several fields, vectors, messages. Skipped without a device. */
#include <adjoint_naive.h>
#include <check.h>
#include <device_memory.h>
#include <exchange_trees.h>
#include <string.h>

enum { NUM_FIELDS = 4, COMPONENTS = 9, NUM_CASES = NUM_SCENES + NUM_TREES, NUM_RULES = 6 };

static const struct {
  shape kind;
  rind_type type;
  rind_component_order order;
  int components;
} shapes[NUM_FIELDS] = {{SHAPE_STRANGE, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 1},
                        {SHAPE_BLOCKS, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, 4},
                        {SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 3},
                        {SHAPE_WIDE, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1}};
static const int vectors[2] = {2, 5};

static const rind_rules rule_sets[NUM_RULES] = {
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .wall = {RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_NEUMANN, RIND_WALL_LINEAR,
              RIND_WALL_ODD, RIND_WALL_CONSTANT}},
    {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
     .restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .wall = {RIND_WALL_FUNCTION, RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_FUNCTION,
              RIND_WALL_ODD, RIND_WALL_FUNCTION}},
    {0},
    {.regions = RIND_REGIONS_FACES},
    {.interpolation = RIND_INTERPOLATION_INJECTION, .layers = 1},
    {.interpolation = RIND_INTERPOLATION_COARSE_ONLY}};

/* The caller's function, through host memory where the field is on the device: half of the nearest
 * interior cell's value, and the adjoint of that. */
static void wall_cells(const rind_wall_call *call, bool backwards) {
  const rind_layout *layout = call->layout;
  const size_t bytes = rind_type_bytes(layout->type);
  const int first = call->component < 0 ? 0 : call->component;
  const int end = call->component < 0 ? layout->components : call->component + 1;
  int i[3];
  for (int c = first; c < end; ++c)
    for (i[2] = 0; i[2] < call->extent[2]; ++i[2])
      for (i[1] = 0; i[1] < call->extent[1]; ++i[1])
        for (i[0] = 0; i[0] < call->extent[0]; ++i[0]) {
          int ghost[3], near[3];
          for (int a = 0; a < 3; ++a) {
            ghost[a] = call->origin[a] + i[a];
            near[a] = ghost[a] < 0 ? 0 : ghost[a] >= call->cells ? call->cells - 1 : ghost[a];
          }
          if (layout->dim == 2) ghost[2] = near[2] = 0;
          char *to = (char *)call->pointer + cell_offset(layout, ghost, c) * (ptrdiff_t)bytes;
          char *from = (char *)call->pointer + cell_offset(layout, near, c) * (ptrdiff_t)bytes;
          char value[2][8];
          const bool there = layout->space == RIND_DEVICE;
          (void)(there ? rind_device_copy(value[0], to, bytes) : !memcpy(value[0], to, bytes));
          (void)(there ? rind_device_copy(value[1], from, bytes) : !memcpy(value[1], from, bytes));
          double v[2];
          for (int k = 0; k < 2; ++k)
            v[k] = layout->type == RIND_FLOAT64 ? *(double *)(void *)value[k]
                                                : (double)*(float *)(void *)value[k];
          store(value[0], layout->type, 0, backwards ? v[1] + 0.5 * v[0] : 0.5 * v[1]);
          char *changed = backwards ? from : to;
          (void)(there ? rind_device_copy(changed, value[0], bytes)
                       : !memcpy(changed, value[0], bytes));
        }
}

static void wall_values(void *user, const rind_wall_call *call) {
  (void)user;
  wall_cells(call, false);
}

static void wall_adjoint(void *user, const rind_wall_call *call) {
  (void)user;
  wall_cells(call, true);
}

static rind_exchange *make(const scene *s, const rind_layout *layouts,
                           const rind_exchange_options *options) {
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_exchange_create_fields(s->schedule, layouts, NUM_FIELDS, options, &exchange),
           s->context);
  for (int f = 0; exchange && f < NUM_FIELDS; ++f) {
    double values[6 * COMPONENTS];
    for (int v = 0; v < 6 * COMPONENTS; ++v)
      values[v] = 0.37 * v - f;
    CHECK_OK(rind_exchange_set_wall_values(exchange, f, values), s->context);
  }
  return exchange;
}

/* Bits of two memories, padded cells. */
static void compare(const scene *s, const memory *a, const memory *b, const char *what, int rules,
                    int f) {
  double *left = memory_collect(s, a), *right = memory_collect(s, b);
  const size_t count =
      (size_t)rind_forest_num_blocks(s->forest) * collected_per_block(s, a->layout.components);
  long differ = 0;
  for (size_t i = 0; i < count; ++i)
    differ += memcmp(&left[i], &right[i], sizeof *left) != 0 &&
              !(left[i] != left[i] && right[i] != right[i]);
  CHECK(differ == 0, "%s, rules %d, field %d, %s: %ld of %zu values differ", s->name, rules, f,
        what, differ, count);
  free(left);
  free(right);
}

static void check_scene(const scene *s, int rules, bool per_term) {
  memory host[NUM_FIELDS], back[NUM_FIELDS];
  rind_field *here[NUM_FIELDS], *there[NUM_FIELDS] = {NULL};
  rind_layout layouts[NUM_FIELDS], device[NUM_FIELDS];
  const rind_exchange_options options = {.adjoint = true,
                                         .adjoint_method = per_term ? RIND_ADJOINT_PER_TERM
                                                                    : RIND_ADJOINT_TRANSPOSED,
                                         .max_message_bytes = per_term ? 1000 : 0,
                                         .wall_function = wall_values,
                                         .wall_adjoint = wall_adjoint,
                                         .num_vectors = 2,
                                         .vector = vectors};
  for (int f = 0; f < NUM_FIELDS; ++f) {
    memory_create_seeded(s, shapes[f].kind, shapes[f].type, shapes[f].order, shapes[f].components,
                         7 * f, &host[f]);
    memory_create_seeded(s, shapes[f].kind, shapes[f].type, shapes[f].order, shapes[f].components,
                         99, &back[f]);
    here[f] = host[f].field;
    device[f] = layouts[f] = host[f].layout;
    device[f].space = RIND_DEVICE;
    CHECK_OK(rind_field_create(s->forest, &device[f], &there[f]), s->context);
    CHECK_OK(rind_field_copy(here[f], there[f]), s->context);
  }
  rind_exchange *exchange[2] = {make(s, layouts, &options), make(s, device, &options)};
  for (int pass = 0; pass < 3 && exchange[0] && exchange[1]; ++pass) {
    static const char *const names[3] = {"fill", "adjoint", "fill after it"};
    for (int f = 0; pass == 1 && f < NUM_FIELDS; ++f) {
      memory_set_all(s, &host[f]);
      CHECK_OK(rind_field_copy(here[f], there[f]), s->context);
    }
    CHECK_OK(pass == 1 ? rind_fill_fields_adjoint(exchange[0], here)
                       : rind_fill_fields(exchange[0], here),
             s->context);
    CHECK_OK(pass == 1 ? rind_fill_fields_adjoint(exchange[1], there)
                       : rind_fill_fields(exchange[1], there),
             s->context);
    for (int f = 0; f < NUM_FIELDS; ++f) {
      CHECK_OK(rind_field_copy(there[f], back[f].field), s->context);
      compare(s, &host[f], &back[f], names[pass], rules, f);
    }
  }
  for (int x = 0; x < 2; ++x)
    rind_exchange_destroy(&exchange[x]);
  for (int f = 0; f < NUM_FIELDS; ++f) {
    rind_field_destroy(&there[f]);
    memory_destroy(&host[f]);
    memory_destroy(&back[f]);
  }
}

/* Mixed spaces and the reference method are refused. */
static void check_refusals(void) {
  scene s;
  const rind_rules rules = {0};
  scene_create(MPI_COMM_WORLD, 0, 1, &rules, &s);
  rind_layout layouts[2] = {{.cells = s.cells, .ghosts = s.ghosts, .components = 1}};
  rind_exchange *exchange = NULL;
  layouts[1] = layouts[0];
  layouts[1].space = RIND_DEVICE;
  CHECK_ERROR(rind_exchange_create_fields(s.schedule, layouts, 2, NULL, &exchange),
              RIND_ERROR_UNSUPPORTED, s.context);
  const rind_exchange_options terms = {.method = RIND_METHOD_TERM_BY_TERM};
  CHECK_ERROR(rind_exchange_create(s.schedule, &layouts[1], &terms, &exchange),
              RIND_ERROR_UNSUPPORTED, s.context);
  CHECK(!exchange, "an exchange from a call that failed");
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  if (rind_device_count() == 0) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  /* An argument n: every n-th case alone, for slow checkers. */
  const int step = argc > 1 ? atoi(argv[1]) : 1;
  for (int number = 0; number < NUM_CASES; ++number)
    for (int r = 0; r < NUM_RULES; ++r) {
      if ((number * NUM_RULES + r) % step != 0) continue;
      if (size > 1 && (number + r) % 2 == 1) continue;
      if (number < NUM_SCENES) {
        scene s;
        scene_create(MPI_COMM_WORLD, number, 1, &rule_sets[r], &s);
        check_scene(&s, r, r == 1 || r == 3);
        scene_destroy(&s);
      } else {
        trees t;
        trees_create(MPI_COMM_WORLD, number - NUM_SCENES, 1, &rule_sets[r], &t);
        check_scene(&t.s, r, r == 1 || r == 3);
        trees_destroy(&t);
      }
    }
  scene around;
  scene_create(MPI_COMM_WORLD, SCENE_SURROUNDED, 1, &rule_sets[0], &around);
  check_scene(&around, 0, false);
  scene_destroy(&around);
  check_refusals();
  return check_end();
}
