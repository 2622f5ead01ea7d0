/* adjoint_values.c - all phases of an adjoint, walls, fields together and vectors: bit for bit what
 * the scatter by the schedule's public view gives, on every kind of forest. */
#include <adjoint_naive.h>
#include <check.h>
#include <exchange_trees.h>

enum { NUM_FIELDS = 3, COMPONENTS = 8, NUM_CASES = NUM_SCENES + NUM_TREES, NUM_RULES = 6 };

/* Fields of an exchange, doubles behind an odd number of floats; vectors begin at components 2 and
 * 5 of all. */
static const struct {
  shape kind;
  rind_type type;
  rind_component_order order;
  int components;
} shapes[NUM_FIELDS] = {{SHAPE_STRANGE, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 1},
                        {SHAPE_BLOCKS, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, 4},
                        {SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 3}};
static const int vectors[2] = {2, 5};

static const rind_wall component_walls[COMPONENTS][6] = {
    {RIND_WALL_EVEN, RIND_WALL_ODD, RIND_WALL_CONSTANT, RIND_WALL_LINEAR, RIND_WALL_DIRICHLET,
     RIND_WALL_NEUMANN},
    {RIND_WALL_NEUMANN, RIND_WALL_EVEN, RIND_WALL_ODD, RIND_WALL_CONSTANT, RIND_WALL_LINEAR,
     RIND_WALL_DIRICHLET},
    {RIND_WALL_FUNCTION, RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_FUNCTION, RIND_WALL_ODD,
     RIND_WALL_FUNCTION},
    {RIND_WALL_EVEN, RIND_WALL_LINEAR, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_NONE,
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
    {0},
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .regions = RIND_REGIONS_FACES,
     .wall = {RIND_WALL_FUNCTION, RIND_WALL_FUNCTION, RIND_WALL_DIRICHLET, RIND_WALL_DIRICHLET,
              RIND_WALL_FUNCTION, RIND_WALL_NONE}},
    {.interpolation = RIND_INTERPOLATION_INJECTION,
     .layers = 1,
     .wall = {RIND_WALL_NONE, RIND_WALL_FUNCTION, RIND_WALL_LINEAR, RIND_WALL_NONE, RIND_WALL_EVEN,
              RIND_WALL_NEUMANN}},
    {.interpolation = RIND_INTERPOLATION_COARSE_ONLY}};

static void no_values(void *user, const rind_wall_call *call) {
  (void)user, (void)call;
}

/* doubles: all fields are, so that one thread goes there and back between blocks at once. */
static void create_fields(const scene *s, bool doubles, memory m[NUM_FIELDS]) {
  for (int f = 0; f < NUM_FIELDS; ++f) {
    memory_create_seeded(s, shapes[f].kind, doubles ? RIND_FLOAT64 : shapes[f].type,
                         shapes[f].order, shapes[f].components, 31 * f, &m[f]);
    memory_set_all(s, &m[f]);
  }
}

/* At most one message a peer and round, as many rounds as the fill has, all bytes that leave
 * arrive. */
static void check_stats(const scene *s, const rind_exchange *exchange) {
  rind_exchange_stats forward, adjoint;
  CHECK_OK(rind_exchange_get_stats(exchange, &forward), s->context);
  CHECK_OK(rind_exchange_get_adjoint_stats(exchange, &adjoint), s->context);
  CHECK(adjoint.rounds == forward.rounds && adjoint.peers == forward.peers &&
            adjoint.messages_sent == forward.messages_received &&
            adjoint.messages_received == forward.messages_sent,
        "%s: %d messages out and %d in, %d peers, %d rounds; of the fill %d, %d, %d, %d", s->name,
        adjoint.messages_sent, adjoint.messages_received, adjoint.peers, adjoint.rounds,
        forward.messages_sent, forward.messages_received, forward.peers, forward.rounds);
  int64_t bytes[2] = {adjoint.bytes_sent, adjoint.bytes_received}, sums[2];
  MPI_Allreduce(bytes, sums, 2, MPI_INT64_T, MPI_SUM, s->context->comm);
  CHECK(sums[0] == sums[1], "%s: %lld bytes sent, %lld received", s->name, (long long)sums[0],
        (long long)sums[1]);
}

/* Runs the adjoint on fresh memories and compares them with n, which has the values. */
static void check_way(naive *n, int rules, const rind_exchange_options *options, const char *what) {
  const scene *s = n->s;
  memory m[NUM_FIELDS], *const before = n->field;
  rind_exchange *exchange = NULL;
  rind_layout layouts[NUM_FIELDS];
  rind_field *fields[NUM_FIELDS];
  rind_exchange_options taken = *options;
  taken.adjoint = true;
  taken.wall_function = no_values;
  taken.wall_adjoint = naive_wall_adjoint;
  taken.num_vectors = 2;
  taken.vector = vectors;
  create_fields(s, before[0].layout.type == RIND_FLOAT64, m);
  n->field = m;
  for (int f = 0; f < NUM_FIELDS; ++f) {
    layouts[f] = m[f].layout;
    fields[f] = m[f].field;
  }
  CHECK_OK(rind_exchange_create_fields(s->schedule, layouts, NUM_FIELDS, &taken, &exchange),
           s->context);
  if (exchange) {
    CHECK_OK(rind_fill_fields_adjoint(exchange, fields), s->context);
    if (options->max_message_bytes == 0) check_stats(s, exchange);
  }
  for (int f = 0; f < NUM_FIELDS; ++f) {
    const long differ = naive_differences(n, f, 0);
    CHECK(differ == 0, "%s, rules %d, %s: %ld values of field %d differ", s->name, rules, what,
          differ, f);
  }
  rind_exchange_destroy(&exchange);
  for (int f = 0; f < NUM_FIELDS; ++f)
    memory_destroy(&m[f]);
  n->field = before;
}

static void check_scene(const scene *s, int rules, bool doubles) {
  static const uint32_t masks[3] = {
      (uint32_t)1 << RIND_FAMILY_COPY,
      (uint32_t)1 << RIND_FAMILY_FLUX_MATCHED | (uint32_t)1 << RIND_FAMILY_MIRROR,
      (uint32_t)1 << RIND_FAMILY_QUADRATIC | (uint32_t)1 << RIND_FAMILY_CONSERVATIVE |
          (uint32_t)1 << RIND_FAMILY_FUNCTION};
  const rind_exchange_options plain = {0}, split = {.max_message_bytes = 1000},
                              terms = {.adjoint_method = RIND_ADJOINT_PER_TERM},
                              some = {.families = masks[rules % 3]};
  memory m[NUM_FIELDS];
  naive n = {.s = s, .num_fields = NUM_FIELDS, .field = m, .num_vectors = 2, .vector = vectors};
  create_fields(s, doubles, m);
  naive_adjoint(&n, 0);
  check_way(&n, rules, &plain, "transposed");
  check_way(&n, rules, &terms, "per term");
  if (rules < 2) check_way(&n, rules, &split, "messages of 1000 bytes");
  naive_free(&n);
  naive_adjoint(&n, some.families);
  check_way(&n, rules, &some, "some families");
  naive_free(&n);
  for (int f = 0; f < NUM_FIELDS; ++f)
    memory_destroy(&m[f]);
}

/* Many links of the same rows, which run side by side where all fields are doubles. */
static void check_fours(int number, int rules, int threads) {
  scene s;
  scene_create(MPI_COMM_WORLD, number, threads, &rule_sets[rules], &s);
  check_scene(&s, rules, true);
  scene_destroy(&s);
}

static void check_case(int number, int rules, int threads) {
  if (number < NUM_SCENES) {
    scene s;
    scene_create(MPI_COMM_WORLD, number, threads, &rule_sets[rules], &s);
    check_scene(&s, rules, (number + rules) % 2 == 1);
    scene_destroy(&s);
  } else {
    trees t;
    trees_create(MPI_COMM_WORLD, number - NUM_SCENES, threads, &rule_sets[rules], &t);
    check_scene(&t.s, rules, (number + rules) % 2 == 1);
    trees_destroy(&t);
  }
}

int main(int argc, char **argv) {
  static const int threads[6] = {1, 1, 2, 1, 1, 4};
  check_begin(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int number = 0; number < NUM_CASES; ++number)
    for (int r = 0; r < NUM_RULES; ++r)
      if (size == 1 || (size <= 3 && (number + r) % 2 == 0) || r < 2)
        check_case(number, r, threads[size > 2 ? 0 : (number + r) % 6]);
  for (int r = 0; r < 3; ++r) {
    check_fours(SCENE_HALF, r, 1 + r);
    check_fours(SCENE_SMALL_BLOCKS, r, 3 - r);
  }
  return check_end();
}
