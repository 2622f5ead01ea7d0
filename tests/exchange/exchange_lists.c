/* exchange_lists.c - mistakes in lists of fields, vectors and walls: refused, all objects usable
 * after. */
#include <check.h>
#include <exchange_refuse.h>

#include <limits.h>

/* Vectors of 2 components among 2 + 2 of two fields. */
static void check_vectors(const scene *s, const rind_layout *good) {
  static const int bad[][2] = {{-1, 2}, {1, 2}, {0, 3}, {0, 4}, {0, INT_MAX}, {0, 0}, {INT_MIN, 0}};
  const rind_layout layouts[2] = {*good, *good};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    const rind_exchange_options options = {.num_vectors = 2, .vector = bad[i]};
    refuse_fields(s, layouts, 2, &options, RIND_ERROR_INVALID);
  }
  rind_exchange_options options = {.num_vectors = 1};
  refuse_fields(s, layouts, 2, &options, RIND_ERROR_INVALID);
  options = (rind_exchange_options){.num_vectors = -1, .vector = bad[0]};
  refuse_fields(s, layouts, 2, &options, RIND_ERROR_INVALID);
  if (rind_context_size(s->context) == 1) return;
  const int here = 2 * (rind_context_rank(s->context) % 2);
  options = (rind_exchange_options){.num_vectors = 1, .vector = &here};
  refuse_fields(s, layouts, 2, &options, RIND_ERROR_MISMATCH);
  options.num_vectors = here > 0;
  refuse_fields(s, layouts, 2, &options, RIND_ERROR_MISMATCH);
}

/* Lists of fields, at create and at fill. */
static void check_lists(const scene *s, const rind_layout *good) {
  const rind_layout layouts[2] = {*good, *good};
  rind_layout bad[2] = {*good, *good};
  refuse_fields(s, NULL, 2, NULL, RIND_ERROR_INVALID);
  refuse_fields(s, layouts, 0, NULL, RIND_ERROR_INVALID);
  refuse_fields(s, layouts, -1, NULL, RIND_ERROR_INVALID);
  bad[1].ghosts -= 1;
  refuse_fields(s, bad, 2, NULL, RIND_ERROR_MISMATCH);
  if (rind_context_size(s->context) > 1) {
    const int odd = rind_context_rank(s->context) % 2;
    refuse_fields(s, layouts, 1 + odd, NULL, RIND_ERROR_MISMATCH);
    bad[1] = *good;
    bad[1].type = odd ? RIND_FLOAT32 : RIND_FLOAT64;
    refuse_fields(s, bad, 2, NULL, RIND_ERROR_MISMATCH);
  }
  memory m[2], other;
  rind_exchange *exchange = NULL;
  for (int f = 0; f < 2; ++f)
    memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &m[f]);
  memory_create(s, SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 2, &other);
  CHECK_OK(rind_exchange_create_fields(s->schedule, layouts, 2, NULL, &exchange), s->context);
  rind_field *const fields[2] = {m[0].field, m[1].field}, *const twice[2] = {fields[0], fields[0]};
  rind_field *const none[2] = {fields[0], NULL}, *const wrong[2] = {fields[0], other.field};
  rind_field *const turned[2] = {fields[1], fields[0]};
  CHECK_ERROR(rind_fill_fields(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_fields(NULL, fields), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_fields(exchange, none), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_fields(exchange, twice), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_fields(exchange, wrong), RIND_ERROR_MISMATCH, s->context);
  CHECK_ERROR(rind_fill(exchange, fields[0]), RIND_ERROR_MISMATCH, s->context);
  CHECK_ERROR(rind_fill_begin(exchange, fields[0]), RIND_ERROR_MISMATCH, s->context);
  CHECK_ERROR(rind_fill_end(exchange, fields[0]), RIND_ERROR_MISMATCH, s->context);
  CHECK_ERROR(rind_fill_fields_end(exchange, fields), RIND_ERROR_STATE, s->context);
  CHECK_OK(rind_fill_fields_begin(exchange, fields), s->context);
  CHECK_ERROR(rind_fill_fields_end(exchange, turned), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_fields_end(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_OK(rind_fill_fields_end(exchange, fields), s->context);
  CHECK_OK(rind_fill_fields(exchange, turned), s->context);
  static const rind_rules rules = {0};
  for (int f = 0; f < 2; ++f)
    CHECK(memory_faults(s, &m[f], &rules) == 0, "the exchange no longer fills field %d", f);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m[0]);
  memory_destroy(&m[1]);
  memory_destroy(&other);
}

static void no_walls(void *user, const rind_wall_call *call) {
  (void)user, (void)call;
}

/* Walls' values, components and functions. */
static void check_walls(void) {
  static const rind_wall of_component[2][6] = {{RIND_WALL_EVEN}, {RIND_WALL_FUNCTION}};
  const rind_rules rules = {.num_components = 2, .component_wall = of_component};
  double values[12] = {0};
  scene s;
  memory m;
  rind_exchange *exchange = NULL;
  scene_create(MPI_COMM_WORLD, 2, 1, &rules, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &m);
  rind_exchange_options options = {0};
  refuse_create(&s, &m.layout, NULL, RIND_ERROR_INVALID);
  refuse_create(&s, &m.layout, &options, RIND_ERROR_INVALID);
  options.wall_function = no_walls;
  const rind_layout two[2] = {m.layout, m.layout};
  refuse_fields(&s, two, 2, &options, RIND_ERROR_MISMATCH);
  rind_layout one = m.layout;
  one.components = 1;
  refuse_create(&s, &one, &options, RIND_ERROR_MISMATCH);
  if (rind_context_rank(s.context) == 0) options.wall_function = NULL;
  if (rind_context_size(s.context) > 1) refuse_create(&s, &m.layout, &options, RIND_ERROR_INVALID);
  options.wall_function = no_walls;
  CHECK_OK(rind_exchange_create(s.schedule, &m.layout, &options, &exchange), s.context);
  CHECK_ERROR(rind_exchange_set_wall_values(NULL, 0, values), RIND_ERROR_INVALID, s.context);
  CHECK_ERROR(rind_exchange_set_wall_values(exchange, 0, NULL), RIND_ERROR_INVALID, s.context);
  CHECK_ERROR(rind_exchange_set_wall_values(exchange, 1, values), RIND_ERROR_INVALID, s.context);
  CHECK_ERROR(rind_exchange_set_wall_values(exchange, -1, values), RIND_ERROR_INVALID, s.context);
  CHECK_OK(rind_exchange_set_wall_values(exchange, 0, values), s.context);
  CHECK_OK(rind_fill(exchange, m.field), s.context);
  rind_exchange_destroy(&exchange);
  /* The function is not needed where its fills are left out. */
  options = (rind_exchange_options){.families = (uint32_t)1 << RIND_FAMILY_COPY};
  CHECK_OK(rind_exchange_create(s.schedule, &m.layout, &options, &exchange), s.context);
  CHECK_OK(rind_fill(exchange, m.field), s.context);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  scene s;
  memory good;
  scene_create(MPI_COMM_WORLD, 1, 1, NULL, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &good);
  check_vectors(&s, &good.layout);
  check_lists(&s, &good.layout);
  memory_destroy(&good);
  scene_destroy(&s);
  check_walls();
  return check_end();
}
