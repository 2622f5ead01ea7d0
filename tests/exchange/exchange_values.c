/* exchange_values.c - one fill, many ways: every memory shape, method, number of ranks and threads
 * gives the bits of one rank alone, and nothing but ghosts is written. */
#include <check.h>
#include <exchange_scene.h>

#include <string.h>

static const rind_rules rule_sets[] = {
    {0},
    {.regions = RIND_REGIONS_FACES},
    {.interpolation = RIND_INTERPOLATION_COARSE_ONLY, .layers = 1},
    {.interpolation = RIND_INTERPOLATION_INJECTION}};
enum { NUM_RULES = sizeof rule_sets / sizeof *rule_sets };

static const char *const shape_names[NUM_SHAPES] = {"packed", "blocks", "wide", "strange"};

/* How to fill; components and type are those of the reference. */
typedef struct way {
  shape kind;
  rind_component_order order;
  rind_exchange_options options;
} way;

/* Fills a fresh memory. */
static void fill_way(const scene *s, const way *w, rind_type type, int components, memory *m) {
  rind_exchange *exchange = NULL;
  memory_create(s, w->kind, type, w->order, components, m);
  CHECK_OK(rind_exchange_create(s->schedule, &m->layout, &w->options, &exchange), s->context);
  CHECK_OK(rind_fill(exchange, m->field), s->context);
  CHECK_OK(rind_fill(exchange, m->field), s->context);
  rind_exchange_destroy(&exchange);
}

/* The reference has all blocks, s this rank's. */
static long differences(const scene *s, const memory *m, const double *reference) {
  const size_t per_block = collected_per_block(s, m->layout.components);
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

static void check_way(const scene *s, const way *w, rind_type type, int components,
                      const rind_rules *rules, const double *reference, const char *what) {
  memory m;
  fill_way(s, w, type, components, &m);
  const long faults = memory_faults(s, &m, rules), differ = differences(s, &m, reference);
  CHECK(faults == 0, "%s, %s, %s: %ld elements wrongly written or left", s->name,
        shape_names[w->kind], what, faults);
  CHECK(differ == 0, "%s, %s, %s: %ld values differ from one rank's", s->name, shape_names[w->kind],
        what, differ);
  memory_destroy(&m);
}

/* Each family for itself; together they are the whole fill. */
static void check_families(const scene *s, rind_type type, const rind_rules *rules,
                           const double *reference) {
  memory m;
  memory_create(s, SHAPE_PACKED, type, RIND_COMPONENTS_OUTERMOST, 1, &m);
  for (int family = 0; family < RIND_NUM_FAMILIES; ++family) {
    const rind_exchange_options options = {.families = (uint32_t)1 << family};
    rind_exchange *exchange = NULL;
    CHECK_OK(rind_exchange_create(s->schedule, &m.layout, &options, &exchange), s->context);
    CHECK_OK(rind_fill(exchange, m.field), s->context);
    rind_exchange_destroy(&exchange);
  }
  CHECK(memory_faults(s, &m, rules) == 0, "%s: the families together leave ghosts", s->name);
  CHECK(differences(s, &m, reference) == 0, "%s: the families together give other bits", s->name);
  memory_destroy(&m);
}

/* Two exchanges and two fields under way at once, ended in the other order. */
static void check_two(const scene *s, rind_type type, const rind_rules *rules,
                      const double *reference) {
  memory m[2];
  rind_exchange *exchange[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    memory_create(s, i ? SHAPE_BLOCKS : SHAPE_PACKED, type, RIND_COMPONENTS_OUTERMOST, 1, &m[i]);
    CHECK_OK(rind_exchange_create(s->schedule, &m[i].layout, NULL, &exchange[i]), s->context);
  }
  CHECK_OK(rind_fill_begin(exchange[0], m[0].field), s->context);
  CHECK_OK(rind_fill_begin(exchange[1], m[1].field), s->context);
  CHECK_OK(rind_fill_end(exchange[1], m[1].field), s->context);
  CHECK_OK(rind_fill_end(exchange[0], m[0].field), s->context);
  for (int i = 0; i < 2; ++i) {
    CHECK(memory_faults(s, &m[i], rules) == 0, "%s: exchange %d of two leaves ghosts", s->name, i);
    CHECK(differences(s, &m[i], reference) == 0, "%s: exchange %d of two gives other bits", s->name,
          i);
    rind_exchange_destroy(&exchange[i]);
    memory_destroy(&m[i]);
  }
}

/* Between begin and end nothing of the field is written. */
static void check_between(const scene *s) {
  memory m;
  rind_exchange *exchange = NULL;
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1, &m);
  const size_t bytes = m.num_elements * sizeof(double);
  char *before = malloc(bytes + 1);
  memcpy(before, m.data, bytes);
  CHECK_OK(rind_exchange_create(s->schedule, &m.layout, NULL, &exchange), s->context);
  CHECK_OK(rind_fill_begin(exchange, m.field), s->context);
  CHECK(memcmp(before, m.data, bytes) == 0, "%s: begin wrote to the field", s->name);
  CHECK_OK(rind_fill_end(exchange, m.field), s->context);
  free(before);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
}

static double *make_reference(int number, const rind_rules *rules, rind_type type, int components) {
  scene alone;
  memory m;
  const way plain = {.kind = SHAPE_PACKED};
  scene_create(MPI_COMM_SELF, number, 1, rules, &alone);
  fill_way(&alone, &plain, type, components, &m);
  double *values = memory_collect(&alone, &m);
  memory_destroy(&m);
  scene_destroy(&alone);
  return values;
}

/* Four and one more, as vectors hold four. */
enum { SEVERAL = 5 };

static void check_scene(int number, const rind_rules *rules, rind_type type) {
  scene s, threaded;
  double *several = make_reference(number, rules, type, SEVERAL);
  double *one = make_reference(number, rules, type, 1);
  scene_create(MPI_COMM_WORLD, number, 1, rules, &s);
  for (int kind = 0; kind < NUM_SHAPES; ++kind)
    for (int order = 0; order < 2; ++order) {
      const way w = {(shape)kind, (rind_component_order)order, {0}};
      check_way(&s, &w, type, SEVERAL, rules, several,
                order ? "components inside" : "components outside");
    }
  const way split = {SHAPE_BLOCKS, RIND_COMPONENTS_INNERMOST, {.max_message_bytes = 1024}};
  check_way(&s, &split, type, SEVERAL, rules, several, "messages of 1024 bytes");
  const way odd = {SHAPE_PACKED, RIND_COMPONENTS_OUTERMOST, {.max_message_bytes = 1021}};
  check_way(&s, &odd, type, 1, rules, one, "messages of 1021 bytes");
  const way terms = {SHAPE_PACKED, RIND_COMPONENTS_OUTERMOST, {.method = RIND_METHOD_TERM_BY_TERM}};
  if (type == RIND_FLOAT64) check_way(&s, &terms, type, SEVERAL, rules, several, "term by term");
  check_families(&s, type, rules, one);
  check_two(&s, type, rules, one);
  check_between(&s);
  scene_destroy(&s);
  scene_create(MPI_COMM_WORLD, number, 3, rules, &threaded);
  const way plain = {SHAPE_PACKED, RIND_COMPONENTS_OUTERMOST, {0}};
  check_way(&threaded, &plain, type, SEVERAL, rules, several, "3 threads");
  scene_destroy(&threaded);
  free(several);
  free(one);
}

/* A message a peer, none where nothing is to be moved, and metadata of tens of bytes a fill. */
static void check_stats(int number) {
  scene s;
  memory m;
  rind_exchange *exchange = NULL;
  rind_exchange_stats stats;
  rind_schedule_stats schedule_stats;
  scene_create(MPI_COMM_WORLD, number, 1, &rule_sets[0], &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1, &m);
  CHECK_OK(rind_exchange_create(s.schedule, &m.layout, NULL, &exchange), s.context);
  CHECK_OK(rind_exchange_get_stats(exchange, &stats), s.context);
  CHECK_OK(rind_schedule_get_stats(s.schedule, &schedule_stats), s.context);
  CHECK(stats.messages_sent <= stats.peers && stats.messages_received <= stats.peers,
        "%s: %d messages out, %d in, %d peers", s.name, stats.messages_sent,
        stats.messages_received, stats.peers);
  CHECK(stats.local_fills + stats.remote_fills == schedule_stats.fills &&
            stats.remote_fills == schedule_stats.remote_fills,
        "%s: %lld local and %lld remote fills, the schedule has %lld", s.name,
        (long long)stats.local_fills, (long long)stats.remote_fills,
        (long long)schedule_stats.fills);
  CHECK(stats.bytes_received == schedule_stats.receive_cells * (int64_t)sizeof(double),
        "%s: %lld bytes received for %lld cells", s.name, (long long)stats.bytes_received,
        (long long)schedule_stats.receive_cells);
  int64_t bytes[2] = {stats.bytes_sent, stats.bytes_received}, sums[2];
  MPI_Allreduce(bytes, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sums[0] == sums[1], "%s: %lld bytes sent, %lld received", s.name, (long long)sums[0],
        (long long)sums[1]);
  CHECK(rind_forest_num_blocks(s.forest) > 0 || stats.peers == 0, "%s: an empty rank has %d peers",
        s.name, stats.peers);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int num_rules = size > 3 ? 2 : NUM_RULES;
  for (int number = 0; number < NUM_SCENES; ++number) {
    check_stats(number);
    for (int r = 0; r < num_rules; ++r)
      check_scene(number, &rule_sets[r], (number + r) % 2 ? RIND_FLOAT32 : RIND_FLOAT64);
  }
  return check_end();
}
