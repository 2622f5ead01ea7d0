/* adjoint_calls.c - the caller's functions of walls: an adjoint calls back for the boxes of the
 * fill in reverse, all of them in begin, and each box's ghosts are 0 after it. */
#include <adjoint_naive.h>
#include <check.h>

#include <string.h>

enum { MOST_CALLS = 4096, NUM_FIELDS = 2 };

/* Calls for one field, in order. */
typedef struct record {
  int count[NUM_FIELDS];
  rind_wall_call call[NUM_FIELDS][MOST_CALLS];
} record;

static record records[2];
static record *const forward = &records[0], *const backward = &records[1];

static void keep(record *r, const rind_wall_call *call) {
  if (r->count[call->field] < MOST_CALLS) r->call[call->field][r->count[call->field]] = *call;
  ++r->count[call->field];
}

static void keep_forward(void *user, const rind_wall_call *call) {
  record *both = user;
  keep(&both[0], call);
}

static void keep_backward(void *user, const rind_wall_call *call) {
  record *both = user;
  keep(&both[1], call);
}

static bool same_call(const rind_wall_call *a, const rind_wall_call *b) {
  return a->field == b->field && a->component == b->component && a->block == b->block &&
         a->wall == b->wall && a->region == b->region && a->cells == b->cells &&
         memcmp(a->origin, b->origin, sizeof a->origin) == 0 &&
         memcmp(a->extent, b->extent, sizeof a->extent) == 0 &&
         memcmp(a->lower, b->lower, sizeof a->lower) == 0 &&
         memcmp(a->side, b->side, sizeof a->side) == 0 && a->pointer == b->pointer &&
         a->layout == b->layout;
}

static void check_calls(const scene *s) {
  for (int f = 0; f < NUM_FIELDS; ++f) {
    const int count = forward->count[f];
    int wrong = 0;
    CHECK(count == backward->count[f] && count <= MOST_CALLS, "%s: %d calls of field %d, %d back",
          s->name, count, f, backward->count[f]);
    for (int i = 0; i < count && count == backward->count[f]; ++i)
      wrong += !same_call(&forward->call[f][i], &backward->call[f][count - 1 - i]);
    CHECK(wrong == 0, "%s: %d of %d calls of field %d are others or in another order", s->name,
          wrong, count, f);
  }
}

/* Values of the calls' boxes that are not 0. */
static long ghosts_left(const memory *m, int f) {
  long left = 0;
  for (int n = 0; n < forward->count[f]; ++n) {
    const rind_wall_call *call = &forward->call[f][n];
    int i[3];
    for (int c = 0; c < m->layout.components; ++c) {
      if (call->component >= 0 && call->component != c) continue;
      for (i[2] = call->origin[2]; i[2] < call->origin[2] + call->extent[2]; ++i[2])
        for (i[1] = call->origin[1]; i[1] < call->origin[1] + call->extent[1]; ++i[1])
          for (i[0] = call->origin[0]; i[0] < call->origin[0] + call->extent[0]; ++i[0])
            left += ((const double *)call->pointer)[cell_offset(&m->layout, i, c)] != 0;
    }
  }
  return left;
}

static void check_scene(int number, const rind_rules *rules) {
  const rind_exchange_options options = {.adjoint = true,
                                         .wall_function = keep_forward,
                                         .wall_adjoint = keep_backward,
                                         .wall_user = records};
  scene s;
  memory m[NUM_FIELDS];
  rind_exchange *exchange = NULL;
  rind_layout layouts[NUM_FIELDS];
  rind_field *fields[NUM_FIELDS];
  memset(records, 0, sizeof records);
  scene_create(MPI_COMM_WORLD, number, 1, rules, &s);
  for (int f = 0; f < NUM_FIELDS; ++f) {
    memory_create(&s, f ? SHAPE_BLOCKS : SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1,
                  &m[f]);
    memory_set_all(&s, &m[f]);
    layouts[f] = m[f].layout;
    fields[f] = m[f].field;
  }
  CHECK_OK(rind_exchange_create_fields(s.schedule, layouts, NUM_FIELDS, &options, &exchange),
           s.context);
  CHECK_OK(rind_fill_fields(exchange, fields), s.context);
  CHECK(backward->count[0] == 0, "%s: a fill calls the adjoint", s.name);
  CHECK_OK(rind_fill_fields_adjoint_begin(exchange, fields), s.context);
  check_calls(&s);
  CHECK_OK(rind_fill_fields_adjoint_end(exchange, fields), s.context);
  check_calls(&s);
  for (int f = 0; f < NUM_FIELDS; ++f) {
    const long left = ghosts_left(&m[f], f);
    CHECK(left == 0, "%s: %ld ghosts of field %d are not 0 after their call", s.name, left, f);
  }
  rind_exchange_destroy(&exchange);
  for (int f = 0; f < NUM_FIELDS; ++f)
    memory_destroy(&m[f]);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  static const rind_wall of_component[2][6] = {
      {RIND_WALL_FUNCTION, RIND_WALL_EVEN, RIND_WALL_FUNCTION, RIND_WALL_FUNCTION, RIND_WALL_ODD},
      {RIND_WALL_EVEN, RIND_WALL_FUNCTION, RIND_WALL_FUNCTION, RIND_WALL_LINEAR,
       RIND_WALL_FUNCTION}};
  const rind_rules rules[2] = {{.wall = {RIND_WALL_FUNCTION, RIND_WALL_FUNCTION, RIND_WALL_FUNCTION,
                                         RIND_WALL_EVEN, RIND_WALL_FUNCTION, RIND_WALL_FUNCTION}},
                               {.num_components = 2, .component_wall = of_component}};
  check_begin(&argc, &argv);
  for (int number = 0; number < NUM_SCENES; ++number)
    for (int r = 0; r < 2; ++r)
      check_scene(number, &rules[r]);
  return check_end();
}
