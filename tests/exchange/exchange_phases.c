/* exchange_phases.c - all phases, walls, fields together and vectors: bit for bit what the
 * schedule's public view says, on every kind of forest. */
#include <check.h>
#include <exchange_naive.h>
#include <exchange_trees.h>

#include <math.h>
#include <string.h>

enum { NUM_FIELDS = 3, COMPONENTS = 8, NUM_CASES = NUM_SCENES + NUM_TREES, NUM_RULES = 5 };

/* Fields of an exchange, doubles behind an odd number of floats; vectors begin at components 2 and
 * 5 of all. */
static const struct {
  shape kind;
  rind_type type;
  rind_component_order order;
  int components;
} shapes[NUM_FIELDS] = {{SHAPE_WIDE, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 1},
                        {SHAPE_BLOCKS, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, 4},
                        {SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 3}};
static const int vectors[2] = {2, 5};

static double wall_value[NUM_FIELDS][6 * 4];

static const rind_wall component_walls[COMPONENTS][6] = {
    {RIND_WALL_EVEN, RIND_WALL_ODD, RIND_WALL_CONSTANT, RIND_WALL_LINEAR, RIND_WALL_DIRICHLET,
     RIND_WALL_NEUMANN},
    {RIND_WALL_NEUMANN, RIND_WALL_EVEN, RIND_WALL_ODD, RIND_WALL_CONSTANT, RIND_WALL_LINEAR,
     RIND_WALL_DIRICHLET},
    {RIND_WALL_FUNCTION, RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_FUNCTION, RIND_WALL_ODD,
     RIND_WALL_FUNCTION},
    {RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN,
     RIND_WALL_EVEN},
    {RIND_WALL_DIRICHLET, RIND_WALL_DIRICHLET, RIND_WALL_NEUMANN, RIND_WALL_NEUMANN,
     RIND_WALL_LINEAR, RIND_WALL_CONSTANT},
    {RIND_WALL_ODD, RIND_WALL_ODD, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN},
    {RIND_WALL_LINEAR, RIND_WALL_FUNCTION, RIND_WALL_LINEAR, RIND_WALL_FUNCTION, RIND_WALL_FUNCTION,
     RIND_WALL_LINEAR},
    {RIND_WALL_NONE, RIND_WALL_CONSTANT, RIND_WALL_NONE, RIND_WALL_NEUMANN, RIND_WALL_NONE,
     RIND_WALL_ODD}};

static const rind_rules rule_sets[NUM_RULES] = {
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .wall = {RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_NEUMANN, RIND_WALL_LINEAR,
              RIND_WALL_ODD, RIND_WALL_CONSTANT}},
    {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
     .restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .num_components = COMPONENTS,
     .component_wall = component_walls},
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .regions = RIND_REGIONS_FACES,
     .wall = {RIND_WALL_FUNCTION, RIND_WALL_FUNCTION, RIND_WALL_DIRICHLET, RIND_WALL_DIRICHLET,
              RIND_WALL_FUNCTION, RIND_WALL_NONE}},
    {.interpolation = RIND_INTERPOLATION_INJECTION,
     .layers = 1,
     .wall = {RIND_WALL_NONE, RIND_WALL_FUNCTION, RIND_WALL_LINEAR, RIND_WALL_NONE, RIND_WALL_EVEN,
              RIND_WALL_NEUMANN}},
    {.interpolation = RIND_INTERPOLATION_COARSE_ONLY}};

/* True if a fill defines every ghost that is not outside of a wall-less domain. */
static bool is_complete(const rind_rules *rules) {
  return rules == &rule_sets[0];
}

/* What the callback checks against. */
typedef struct expectation {
  const scene *s;
  const memory *field;
  long calls, wrong;
} expectation;

static bool is_right(const expectation *e, const rind_wall_call *call) {
  const scene *s = e->s;
  const rind_block *block = rind_forest_block(s->forest, call->block);
  if (call->field < 0 || call->field >= NUM_FIELDS || !block) return false;
  const memory *m = &e->field[call->field];
  bool right = call->cells == s->cells &&
               call->pointer == rind_field_pointer(m->field, call->block) &&
               call->layout == rind_field_layout(m->field) && call->component >= -1 &&
               call->component < m->layout.components &&
               naive_wall(s, call->block, call->region) == call->wall;
  for (int a = 0; a < 3; ++a) {
    const int o = call->region / (a == 0 ? 1 : a == 1 ? 3 : 9) % 3 - 1;
    const int low = call->origin[a], high = low + call->extent[a];
    right = right && call->lower[a] == block->lower[a] && call->side[a] == block->side[a] &&
            high > low &&
            (o < 0        ? low >= -s->ghosts && high <= 0
             : o > 0      ? low >= s->cells && high <= s->cells + s->ghosts
             : a < s->dim ? low == 0 && high == s->cells
                          : low == 0 && high == 1);
  }
  return right;
}

static void write_wall(void *user, const rind_wall_call *call) {
  expectation *e = user;
  ++e->calls;
  if (!is_right(e, call)) {
    ++e->wrong;
    return;
  }
  const int64_t global = rind_forest_block(e->s->forest, call->block)->global;
  int first = 0, i[3];
  for (int f = 0; f < call->field; ++f)
    first += shapes[f].components;
  for (int c = 0; c < shapes[call->field].components; ++c) {
    if (call->component >= 0 && call->component != c) continue;
    for (i[2] = call->origin[2]; i[2] < call->origin[2] + call->extent[2]; ++i[2])
      for (i[1] = call->origin[1]; i[1] < call->origin[1] + call->extent[1]; ++i[1])
        for (i[0] = call->origin[0]; i[0] < call->origin[0] + call->extent[0]; ++i[0])
          store(call->pointer, call->layout->type, cell_offset(call->layout, i, c),
                naive_wall_value(global, first + c, i));
  }
}

static void create_fields(const scene *s, memory m[NUM_FIELDS]) {
  for (int f = 0; f < NUM_FIELDS; ++f)
    memory_create_seeded(s, shapes[f].kind, shapes[f].type, shapes[f].order, shapes[f].components,
                         31 * f, &m[f]);
}

/* An exchange of all fields at once, filled twice; its calls are counted. */
static void fill_together(const scene *s, memory m[NUM_FIELDS],
                          const rind_exchange_options *options, rind_exchange_stats *stats) {
  rind_exchange *exchange = NULL;
  rind_layout layouts[NUM_FIELDS];
  rind_field *fields[NUM_FIELDS];
  expectation e = {.s = s, .field = m};
  rind_exchange_options taken = *options;
  taken.wall_function = write_wall;
  taken.wall_user = &e;
  taken.num_vectors = 2;
  taken.vector = vectors;
  for (int f = 0; f < NUM_FIELDS; ++f) {
    layouts[f] = m[f].layout;
    fields[f] = m[f].field;
  }
  CHECK_OK(rind_exchange_create_fields(s->schedule, layouts, NUM_FIELDS, &taken, &exchange),
           s->context);
  if (!exchange) return;
  for (int f = 0; f < NUM_FIELDS; ++f)
    CHECK_OK(rind_exchange_set_wall_values(exchange, f, wall_value[f]), s->context);
  CHECK_OK(rind_fill_fields(exchange, fields), s->context);
  const long calls = e.calls;
  CHECK_OK(rind_fill_fields_begin(exchange, fields), s->context);
  CHECK(e.calls == calls, "%s: the function is called in begin", s->name);
  CHECK_OK(rind_fill_fields_end(exchange, fields), s->context);
  CHECK(e.calls == 2 * calls && e.wrong == 0, "%s: %ld calls of the function, then %ld; %ld wrong",
        s->name, calls, e.calls - calls, e.wrong);
  CHECK_OK(rind_exchange_get_stats(exchange, stats), s->context);
  rind_exchange_destroy(&exchange);
}

/* At most one message a peer and round for all fields, as many bytes as the schedule says. */
static void check_stats(const scene *s, const rind_exchange_stats *stats, const rind_rules *rules) {
  const int rounds = rules->restriction == RIND_RESTRICTION_FLUX_MATCHED ? 2 : 1;
  rind_schedule_stats of_schedule;
  CHECK_OK(rind_schedule_get_stats(s->schedule, &of_schedule), s->context);
  CHECK(stats->rounds == rounds && stats->messages_sent <= rounds * stats->peers &&
            stats->messages_received <= rounds * stats->peers,
        "%s: %d messages out and %d in, %d peers, %d rounds", s->name, stats->messages_sent,
        stats->messages_received, stats->peers, stats->rounds);
  CHECK(stats->local_fills + stats->remote_fills == of_schedule.fills &&
            stats->remote_fills == of_schedule.remote_fills,
        "%s: %lld local and %lld remote fills of %lld", s->name, (long long)stats->local_fills,
        (long long)stats->remote_fills, (long long)of_schedule.fills);
  const int64_t cells = of_schedule.receive_cells, pads = 8 * NUM_FIELDS * 2 * stats->peers;
  CHECK(stats->bytes_received >= cells * (4 * 8 + 4 * 4) &&
            stats->bytes_received <= cells * COMPONENTS * 8 + pads,
        "%s: %lld bytes for %lld cells", s->name, (long long)stats->bytes_received,
        (long long)cells);
  int64_t bytes[2] = {stats->bytes_sent, stats->bytes_received}, sums[2];
  MPI_Allreduce(bytes, sums, 2, MPI_INT64_T, MPI_SUM, s->context->comm);
  CHECK(sums[0] == sums[1], "%s: %lld bytes sent, %lld received", s->name, (long long)sums[0],
        (long long)sums[1]);
}

/* Fills fresh memories and compares them with n, which has the values. */
static void check_way(naive *n, const rind_rules *rules, const rind_exchange_options *options,
                      const char *what) {
  const scene *s = n->s;
  memory m[NUM_FIELDS], *const unfilled = n->field;
  rind_exchange_stats stats = {0};
  create_fields(s, m);
  n->field = m;
  fill_together(s, m, options, &stats);
  if (options->max_message_bytes == 0) check_stats(s, &stats, rules);
  for (int f = 0; f < NUM_FIELDS; ++f) {
    /* One sweep a term rounds floats after each. */
    const bool sweeps =
        options->method == RIND_METHOD_TERM_BY_TERM && m[f].layout.type == RIND_FLOAT32;
    const long differ = naive_differences(n, f, sweeps ? 1e-4 : 0);
    const long undefined = naive_undefined(n, f);
    CHECK(differ == 0, "%s, rules %d, %s: %ld values of field %d differ", s->name,
          (int)(rules - rule_sets), what, differ, f);
    CHECK(!is_complete(rules) || undefined == 0,
          "%s, rules %d, %s: %ld values of field %d are left undefined", s->name,
          (int)(rules - rule_sets), what, undefined, f);
    memory_destroy(&m[f]);
  }
  n->field = unfilled;
}

/* A field alone gets what it gets among others. */
static void check_alone(const scene *s) {
  for (int f = 0; f < NUM_FIELDS; ++f) {
    memory m;
    rind_exchange *exchange = NULL;
    const int vector = f == 1 ? 1 : 0; /* not of the first field */
    const rind_exchange_options options = {.num_vectors = f != 0, .vector = &vector};
    memory_create_seeded(s, shapes[f].kind, shapes[f].type, shapes[f].order, shapes[f].components,
                         31 * f, &m);
    naive n = {.s = s,
               .num_fields = 1,
               .field = &m,
               .num_vectors = f != 0,
               .vector = &vector,
               .wall_value = {f == 1 ? NULL : wall_value[f]}};
    naive_fill(&n);
    CHECK_OK(rind_exchange_create(s->schedule, &m.layout, &options, &exchange), s->context);
    if (f != 1) CHECK_OK(rind_exchange_set_wall_values(exchange, 0, wall_value[f]), s->context);
    CHECK_OK(rind_fill(exchange, m.field), s->context);
    const long differ = naive_differences(&n, 0, 0);
    CHECK(differ == 0, "%s: %ld values of field %d alone differ", s->name, differ, f);
    rind_exchange_destroy(&exchange);
    naive_free(&n);
    memory_destroy(&m);
  }
}

static void check_scene(const scene *s, const rind_rules *rules) {
  const rind_exchange_options plain = {0}, split = {.max_message_bytes = 1000},
                              terms = {.method = RIND_METHOD_TERM_BY_TERM};
  memory m[NUM_FIELDS];
  naive n = {.s = s,
             .num_fields = NUM_FIELDS,
             .field = m,
             .num_vectors = 2,
             .vector = vectors,
             .wall_value = {wall_value[0], wall_value[1], wall_value[2]}};
  CHECK_OK(rind_schedule_verify(s->schedule), s->context);
  create_fields(s, m);
  naive_fill(&n);
  check_way(&n, rules, &plain, "fused");
  check_way(&n, rules, &terms, "term by term");
  if (rules == &rule_sets[1]) check_way(&n, rules, &split, "messages of 1000 bytes");
  if (rules == &rule_sets[0]) check_alone(s);
  naive_free(&n);
  for (int f = 0; f < NUM_FIELDS; ++f)
    memory_destroy(&m[f]);
}

static void check_case(int number, const rind_rules *rules, int threads) {
  if (number < NUM_SCENES) {
    scene s;
    scene_create(MPI_COMM_WORLD, number, threads, rules, &s);
    check_scene(&s, rules);
    scene_destroy(&s);
  } else {
    trees t;
    trees_create(MPI_COMM_WORLD, number - NUM_SCENES, threads, rules, &t);
    check_scene(&t.s, rules);
    trees_destroy(&t);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int f = 0; f < NUM_FIELDS; ++f)
    for (int i = 0; i < 6 * shapes[f].components; ++i)
      wall_value[f][i] = 0.37 * i - 1.1 * f - 2;
  for (int number = 0; number < NUM_CASES; ++number)
    for (int r = 0; r < NUM_RULES; ++r)
      if (size <= 3 || (number + r) % 2 == 0 || r < 2)
        check_case(number, &rule_sets[r], 1 + 2 * ((number + r) % 3 == 0));
  return check_end();
}
