/* adjoint_errors.c - each mistake with adjoints once: its error on every rank, and all objects
 * usable after. */
#include <adjoint_naive.h>
#include <check.h>
#include <exchange_refuse.h>

static const rind_exchange_options with_adjoint = {.adjoint = true};

static void no_values(void *user, const rind_wall_call *call) {
  (void)user, (void)call;
}

static void check_options(const scene *s, const rind_layout *good) {
  rind_exchange_options options = {.adjoint_method = (rind_adjoint_method)2};
  refuse_create(s, good, &options, RIND_ERROR_INVALID);
  options = (rind_exchange_options){.adjoint = true, .adjoint_method = (rind_adjoint_method)-1};
  refuse_create(s, good, &options, RIND_ERROR_INVALID);
  const int rank = rind_context_rank(s->context);
  if (rind_context_size(s->context) == 1) return;
  options = (rind_exchange_options){.adjoint = rank == 1};
  refuse_create(s, good, &options, RIND_ERROR_MISMATCH);
  options = with_adjoint;
  options.adjoint_method = rank == 1 ? RIND_ADJOINT_PER_TERM : RIND_ADJOINT_TRANSPOSED;
  refuse_create(s, good, &options, RIND_ERROR_MISMATCH);
  options = with_adjoint;
  options.families = (uint32_t)1 << rank;
  refuse_create(s, good, &options, RIND_ERROR_MISMATCH);
}

/* An exchange that was made without. */
static void check_without(const scene *s, const memory *good) {
  rind_exchange *exchange = NULL;
  rind_exchange_stats stats;
  CHECK_OK(rind_exchange_create(s->schedule, &good->layout, NULL, &exchange), s->context);
  CHECK_ERROR(rind_fill_adjoint(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_adjoint_begin(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_adjoint_end(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_exchange_get_adjoint_stats(exchange, &stats), RIND_ERROR_STATE, s->context);
  CHECK_OK(rind_fill(exchange, good->field), s->context);
  rind_exchange_destroy(&exchange);
}

/* A field that the exchange must refuse; nothing of it changes. */
static void refuse_field(const scene *s, rind_exchange *exchange, const memory *m,
                         rind_error expected) {
  const size_t bytes = m->num_elements * rind_type_bytes(m->layout.type);
  char *before = malloc(bytes + 1);
  memcpy(before, m->data, bytes);
  CHECK_ERROR(rind_fill_adjoint_begin(exchange, m->field), expected, s->context);
  CHECK_ERROR(rind_fill_adjoint_end(exchange, m->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_adjoint(exchange, m->field), expected, s->context);
  CHECK(memcmp(before, m->data, bytes) == 0, "a refused field was written to");
  free(before);
}

static void check_fields(const scene *s, rind_exchange *exchange, const memory *good) {
  static const struct {
    shape kind;
    rind_type type;
    rind_component_order order;
    int components;
  } wrong[] = {{SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 2},
               {SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, 2},
               {SHAPE_BLOCKS, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2},
               {SHAPE_WIDE, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2},
               {SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1}};
  memory m;
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
    memory_create(s, wrong[w].kind, wrong[w].type, wrong[w].order, wrong[w].components, &m);
    refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
    memory_destroy(&m);
  }
  scene other;
  scene_create(MPI_COMM_WORLD, 2, 1, NULL, &other);
  memory_create(&other, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &m);
  refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
  memory_destroy(&m);
  scene_destroy(&other);
  CHECK_OK(rind_fill_adjoint(exchange, good->field), s->context);
}

/* Begin and end of fills and adjoints, in every wrong order. */
static void check_order(const scene *s, rind_exchange *exchange, const memory *good) {
  memory other;
  rind_field *const no_fields[1] = {NULL};
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &other);
  memory_set_all(s, &other);
  CHECK_ERROR(rind_fill_adjoint(NULL, good->field), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_adjoint(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_adjoint_begin(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_adjoint_end(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_fields_adjoint(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_fields_adjoint(exchange, no_fields), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_exchange_get_adjoint_stats(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_exchange_get_adjoint_stats(NULL, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_adjoint_end(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_OK(rind_fill_adjoint_begin(exchange, good->field), s->context);
  CHECK_ERROR(rind_fill_adjoint_begin(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_adjoint(exchange, other.field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_begin(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_end(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill(exchange, other.field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_adjoint_end(exchange, other.field), RIND_ERROR_STATE, s->context);
  CHECK_OK(rind_fill_adjoint_end(exchange, good->field), s->context);
  CHECK_OK(rind_fill_begin(exchange, good->field), s->context);
  CHECK_ERROR(rind_fill_adjoint_begin(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_adjoint_end(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_OK(rind_fill_end(exchange, good->field), s->context);
  CHECK_OK(rind_fill_adjoint(exchange, other.field), s->context);
  memory_destroy(&other);
}

/* A list of fields for an exchange of two. */
static void check_lists(const scene *s, const memory *good) {
  memory other;
  rind_exchange *exchange = NULL;
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &other);
  memory_set_all(s, &other);
  const rind_layout layouts[2] = {good->layout, other.layout};
  rind_field *const fields[2] = {good->field, other.field},
                    *const twice[2] = {fields[0], fields[0]},
                    *const turned[2] = {fields[1], fields[0]};
  CHECK_OK(rind_exchange_create_fields(s->schedule, layouts, 2, &with_adjoint, &exchange),
           s->context);
  CHECK_ERROR(rind_fill_adjoint(exchange, good->field), RIND_ERROR_MISMATCH, s->context);
  CHECK_ERROR(rind_fill_adjoint_end(exchange, good->field), RIND_ERROR_MISMATCH, s->context);
  CHECK_ERROR(rind_fill_fields_adjoint(exchange, twice), RIND_ERROR_INVALID, s->context);
  CHECK_OK(rind_fill_fields_adjoint_begin(exchange, fields), s->context);
  CHECK_ERROR(rind_fill_fields_adjoint_end(exchange, turned), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_fields_adjoint_end(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_OK(rind_fill_fields_adjoint_end(exchange, fields), s->context);
  CHECK_OK(rind_fill_fields_adjoint(exchange, turned), s->context);
  rind_exchange_destroy(&exchange);
  memory_destroy(&other);
}

/* An exchange may go while an adjoint is under way. */
static void check_early_end(const scene *s, const memory *good) {
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_exchange_create(s->schedule, &good->layout, &with_adjoint, &exchange), s->context);
  CHECK_OK(rind_fill_adjoint_begin(exchange, good->field), s->context);
  rind_exchange_destroy(&exchange);
  CHECK(!exchange, "destroy leaves the pointer");
}

static int refine_all(const rind_block *block, void *user) {
  (void)block, (void)user;
  return 1;
}

/* Exchanges of a forest that has changed, one with an adjoint under way, one with a fill. */
static void check_stale(const scene *s, rind_exchange *exchange, const memory *good) {
  rind_exchange *begun = NULL, *fills = NULL;
  CHECK_OK(rind_exchange_create(s->schedule, &good->layout, &with_adjoint, &begun), s->context);
  CHECK_OK(rind_exchange_create(s->schedule, &good->layout, NULL, &fills), s->context);
  CHECK_OK(rind_fill_adjoint_begin(begun, good->field), s->context);
  CHECK_OK(rind_fill_begin(fills, good->field), s->context);
  CHECK_OK(rind_forest_refine(s->forest, 3, refine_all, NULL), s->context);
  CHECK_ERROR(rind_fill_adjoint_end(begun, good->field), RIND_ERROR_STALE, s->context);
  CHECK_ERROR(rind_fill_adjoint_begin(begun, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_end(fills, good->field), RIND_ERROR_STALE, s->context);
  CHECK_ERROR(rind_fill_begin(fills, good->field), RIND_ERROR_STATE, s->context);
  rind_exchange_destroy(&begun);
  rind_exchange_destroy(&fills);
  refuse_field(s, exchange, good, RIND_ERROR_STALE);
  refuse_create(s, &good->layout, &with_adjoint, RIND_ERROR_STALE);
}

/* A wall of the caller's needs the adjoint of its function. */
static void check_walls(void) {
  static const rind_rules rules = {.wall = {RIND_WALL_EVEN, RIND_WALL_FUNCTION}};
  scene s;
  memory m;
  rind_exchange *exchange = NULL;
  scene_create(MPI_COMM_WORLD, 2, 1, &rules, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &m);
  memory_set_all(&s, &m);
  rind_exchange_options options = {.adjoint = true, .wall_function = no_values};
  refuse_create(&s, &m.layout, &options, RIND_ERROR_INVALID);
  options = (rind_exchange_options){.adjoint = true, .wall_adjoint = no_values};
  refuse_create(&s, &m.layout, &options, RIND_ERROR_INVALID);
  options.wall_function = no_values;
  if (rind_context_rank(s.context) == 0) options.wall_adjoint = NULL;
  if (rind_context_size(s.context) > 1) refuse_create(&s, &m.layout, &options, RIND_ERROR_INVALID);
  /* Neither is needed where the function's fills are left out, nor the adjoint's without one. */
  options = (rind_exchange_options){.adjoint = true, .families = (uint32_t)1 << RIND_FAMILY_COPY};
  CHECK_OK(rind_exchange_create(s.schedule, &m.layout, &options, &exchange), s.context);
  CHECK_OK(rind_fill_adjoint(exchange, m.field), s.context);
  rind_exchange_destroy(&exchange);
  options = (rind_exchange_options){.wall_function = no_values};
  CHECK_OK(rind_exchange_create(s.schedule, &m.layout, &options, &exchange), s.context);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  scene s;
  memory good;
  rind_exchange *exchange = NULL;
  scene_create(MPI_COMM_WORLD, 1, 1, NULL, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &good);
  memory_set_all(&s, &good);
  CHECK_OK(rind_exchange_create(s.schedule, &good.layout, &with_adjoint, &exchange), s.context);
  check_options(&s, &good.layout);
  check_without(&s, &good);
  check_fields(&s, exchange, &good);
  check_order(&s, exchange, &good);
  check_lists(&s, &good);
  check_early_end(&s, &good);
  CHECK_OK(rind_fill_adjoint(exchange, good.field), s.context);
  check_stale(&s, exchange, &good);
  rind_exchange_destroy(&exchange);
  memory_destroy(&good);
  scene_destroy(&s);
  check_walls();
  return check_end();
}
