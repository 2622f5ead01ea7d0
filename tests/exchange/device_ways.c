/* device_ways.c - fills and adjoints on the device have the same bits plainly, from graphs, in a
 * caller's own graph, and with device addresses handed to MPI. Skipped without a device. */
#include <adjoint_naive.h>
#include <check.h>
#include <device_graph.h>
#include <device_memory.h>
#include <exchange_data.h>
#include <exchange_scene.h>

#include <string.h>

/* More lists of fields than an exchange keeps graphs for. */
enum { NUM_FIELDS = 2, NUM_LISTS = 11, NUM_RULES = 4 };

typedef enum way { PLAIN, GRAPH, CALLERS_GRAPH, DIRECT, STAGED, NUM_WAYS } way;
static const char *const way_names[NUM_WAYS] = {"plain", "graph", "caller's graph", "direct",
                                                "staged"};

static const rind_rules rule_sets[NUM_RULES] = {
    {0},
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .wall = {RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_NEUMANN, RIND_WALL_LINEAR,
              RIND_WALL_ODD, RIND_WALL_CONSTANT}},
    {.regions = RIND_REGIONS_FACES, .wall = {RIND_WALL_DIRICHLET, RIND_WALL_DIRICHLET}},
    {.wall = {RIND_WALL_FUNCTION, RIND_WALL_FUNCTION, RIND_WALL_FUNCTION, RIND_WALL_FUNCTION,
              RIND_WALL_FUNCTION, RIND_WALL_FUNCTION}}};

/* Host and device: the same values, the same calls. */
typedef struct side {
  rind_exchange *exchange;
  rind_field *field[NUM_FIELDS];
} side;

typedef struct trial {
  const scene *s;
  way how;
  int rules;
  memory host[NUM_FIELDS], back[NUM_FIELDS];
  side here, there;
} trial;

static void leave_alone(void *user, const rind_wall_call *call) {
  (void)user, (void)call;
}

static void set_walls(rind_exchange *exchange, const scene *s, double factor) {
  double values[6 * 3];
  for (int f = 0; f < NUM_FIELDS; ++f) {
    for (int v = 0; v < 6 * 3; ++v)
      values[v] = factor * (0.37 * v - f);
    CHECK_OK(rind_exchange_set_wall_values(exchange, f, values), s->context);
  }
}

static rind_exchange *make_exchange(trial *t, bool device) {
  const rind_exchange_options options = {.adjoint = true,
                                         .graph = t->how == GRAPH,
                                         .wall_function = leave_alone,
                                         .wall_adjoint = leave_alone};
  rind_layout layouts[NUM_FIELDS];
  for (int f = 0; f < NUM_FIELDS; ++f) {
    layouts[f] = t->host[f].layout;
    layouts[f].space = device ? RIND_DEVICE : RIND_HOST;
  }
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_exchange_create_fields(t->s->schedule, layouts, NUM_FIELDS, &options, &exchange),
           t->s->context);
  if (exchange) set_walls(exchange, t->s, 1.0);
  return exchange;
}

static void make_fields(trial *t, rind_field **fields) {
  for (int f = 0; f < NUM_FIELDS; ++f) {
    rind_layout layout = t->host[f].layout;
    layout.space = RIND_DEVICE;
    CHECK_OK(rind_field_create(t->s->forest, &layout, &fields[f]), t->s->context);
  }
}

/* New values in all cells of the host's fields. */
static void change_values(trial *t, int seed) {
  for (int f = 0; f < NUM_FIELDS; ++f) {
    t->host[f].seed = seed + 3 * f;
    memory_set_all(t->s, &t->host[f]);
  }
}

static void send_values(trial *t, rind_field *const *fields) {
  for (int f = 0; f < NUM_FIELDS; ++f)
    CHECK_OK(rind_field_copy(t->here.field[f], fields[f]), t->s->context);
}

/* The device's fields have the bits of the host's. */
static void compare(trial *t, rind_field *const *fields, const char *what) {
  for (int f = 0; f < NUM_FIELDS; ++f) {
    CHECK_OK(rind_field_copy(fields[f], t->back[f].field), t->s->context);
    double *left = memory_collect(t->s, &t->host[f]), *right = memory_collect(t->s, &t->back[f]);
    const size_t count = (size_t)rind_forest_num_blocks(t->s->forest) *
                         collected_per_block(t->s, t->host[f].layout.components);
    size_t differ = 0, first = count;
    for (size_t i = count; i-- > 0;)
      if (memcmp(&left[i], &right[i], sizeof *left) != 0 &&
          !(left[i] != left[i] && right[i] != right[i])) {
        ++differ;
        first = i;
      }
    CHECK(differ == 0, "%s, rules %d, %s, field %d, %s: %zu of %zu differ, first %zu: %.17g %.17g",
          t->s->name, t->rules, way_names[t->how], f, what, differ, count, first, left[first],
          right[first]);
    free(left);
    free(right);
  }
}

static void call(trial *t, rind_exchange *exchange, rind_field *const *fields, bool adjoint) {
  CHECK_OK(adjoint ? rind_fill_fields_adjoint(exchange, fields)
                   : rind_fill_fields(exchange, fields),
           t->s->context);
}

/* Fills and adjoints in turn, and other values at the walls. */
static void check_calls(trial *t) {
  for (int pass = 0; pass < 6; ++pass) {
    const bool adjoint = pass % 2 == 1;
    change_values(t, pass);
    send_values(t, t->there.field);
    if (pass == 4) {
      set_walls(t->here.exchange, t->s, -2.0);
      set_walls(t->there.exchange, t->s, -2.0);
    }
    call(t, t->here.exchange, t->here.field, adjoint);
    call(t, t->there.exchange, t->there.field, adjoint);
    compare(t, t->there.field, adjoint ? "adjoint" : "fill");
  }
}

/* More lists of fields than there are graphs, twice over. */
static void check_lists(trial *t) {
  rind_field *list[NUM_LISTS][NUM_FIELDS] = {{NULL}};
  for (int l = 0; l < NUM_LISTS; ++l)
    make_fields(t, list[l]);
  for (int round = 0; round < 2; ++round)
    for (int l = 0; l < NUM_LISTS; ++l) {
      change_values(t, 100 + 10 * round + l);
      send_values(t, list[l]);
      call(t, t->here.exchange, t->here.field, round == 1);
      call(t, t->there.exchange, list[l], round == 1);
      compare(t, list[l], round == 1 ? "adjoint, many lists" : "fill, many lists");
    }
  for (int l = 0; l < NUM_LISTS; ++l)
    for (int f = 0; f < NUM_FIELDS; ++f)
      rind_field_destroy(&list[l][f]);
}

/* Recorded once by the caller, run on two sets of values. */
static void check_recorded(trial *t) {
  void *stream = t->s->context->stream;
  for (int adjoint = 0; adjoint < 2; ++adjoint) {
    rind_device_graph *graph = NULL;
    const int begun = rind_device_graph_begin(stream);
    CHECK(begun == 0, "%s", rind_device_error_text(begun));
    call(t, t->there.exchange, t->there.field, adjoint == 1);
    CHECK(rind_device_stream_captures(stream) == 1, "the call has ended the recording");
    const int code = rind_device_graph_end(stream, &graph);
    CHECK(code == 0 && graph, "%s", rind_device_error_text(code));
    for (int round = 0; graph && round < 2; ++round) {
      change_values(t, 50 + round);
      send_values(t, t->there.field);
      call(t, t->here.exchange, t->here.field, adjoint == 1);
      CHECK(rind_device_graph_run(graph, stream) == 0, "the graph does not run");
      CHECK_OK(rind_context_wait(t->s->context), t->s->context);
      compare(t, t->there.field, adjoint ? "recorded adjoint" : "recorded fill");
    }
    rind_device_graph_destroy(&graph);
  }
}

/* Calls that wait for the stream refuse to be recorded, and work after it. */
static void check_not_recorded(trial *t) {
  void *stream = t->s->context->stream;
  rind_device_graph *graph = NULL;
  CHECK(rind_device_graph_begin(stream) == 0, "no recording");
  CHECK_ERROR(rind_fill_fields(t->there.exchange, t->there.field), RIND_ERROR_STATE, t->s->context);
  CHECK_ERROR(rind_fill_fields_adjoint(t->there.exchange, t->there.field), RIND_ERROR_STATE,
              t->s->context);
  CHECK(rind_device_graph_end(stream, &graph) == 0, "the recording is broken");
  rind_device_graph_destroy(&graph);
}

/* Which calls can be recorded. */
static bool check_stats(const trial *t) {
  rind_exchange_stats stats = {0}, adjoint = {0};
  CHECK_OK(rind_exchange_get_stats(t->there.exchange, &stats), t->s->context);
  CHECK_OK(rind_exchange_get_adjoint_stats(t->there.exchange, &adjoint), t->s->context);
  bool local = stats.peers == 0;
  for (int p = 0; p < t->there.exchange->num_phases; ++p)
    local = local && t->there.exchange->phase[p].num_functions == 0;
  const int expected = local && t->how == GRAPH;
  CHECK(stats.graphs == expected && adjoint.graphs == expected,
        "%s, rules %d, %s: graphs %d and %d, not %d", t->s->name, t->rules, way_names[t->how],
        stats.graphs, adjoint.graphs, expected);
  for (int p = 0; p < t->there.exchange->num_phases; ++p) {
    const rind_messages *m = &t->there.exchange->phase[p].messages;
    if (m->num_peers == 0) continue;
    CHECK((m->send_stage == m->send_buffer) == (t->how == DIRECT), "staged is %d", m->staged);
  }
  return local;
}

static void check_way(const scene *s, way how, int rules) {
  trial t = {.s = s, .how = how, .rules = rules};
  void *stream = NULL;
  if (how == CALLERS_GRAPH || how == GRAPH) {
    const int code = rind_device_stream_create(&stream);
    CHECK(code == 0, "%s", rind_device_error_text(code));
  }
  s->context->stream = how == GRAPH && rules == 0 ? NULL : stream;
  s->context->mpi_takes_device = how == DIRECT;
  s->context->device_messages_pinned = how == DIRECT;
  for (int f = 0; f < NUM_FIELDS; ++f) {
    const shape kind = f == 0 ? SHAPE_PACKED : SHAPE_BLOCKS;
    const rind_type type = f == 0 ? RIND_FLOAT64 : RIND_FLOAT32;
    memory_create(s, kind, type, RIND_COMPONENTS_INNERMOST, 1 + 2 * f, &t.host[f]);
    memory_create(s, kind, type, RIND_COMPONENTS_INNERMOST, 1 + 2 * f, &t.back[f]);
    t.here.field[f] = t.host[f].field;
  }
  make_fields(&t, t.there.field);
  t.here.exchange = make_exchange(&t, false);
  t.there.exchange = make_exchange(&t, true);
  if (t.here.exchange && t.there.exchange) {
    const bool local = check_stats(&t);
    /* First, when no kernel has run. */
    if (how == CALLERS_GRAPH && local) check_recorded(&t);
    if (how == CALLERS_GRAPH && !local) check_not_recorded(&t);
    check_calls(&t);
    if (how == GRAPH) check_lists(&t);
    if (how == GRAPH && local && stream && s->context->stream) check_recorded(&t);
  }
  rind_exchange_destroy(&t.here.exchange);
  rind_exchange_destroy(&t.there.exchange);
  for (int f = 0; f < NUM_FIELDS; ++f) {
    rind_field_destroy(&t.there.field[f]);
    memory_destroy(&t.host[f]);
    memory_destroy(&t.back[f]);
  }
  CHECK_OK(rind_context_wait(s->context), s->context);
  s->context->stream = NULL;
  rind_device_stream_destroy(stream);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  if (rind_device_count() == 0) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  /* An argument n: every n-th case alone, for slow checkers. */
  const int step = argc > 1 ? atoi(argv[1]) : 1;
  static const way order[NUM_WAYS] = {CALLERS_GRAPH, GRAPH, PLAIN, DIRECT, STAGED};
  for (int number = 0; number < NUM_SCENES; ++number)
    for (int r = 0; r < NUM_RULES; ++r) {
      if ((number * NUM_RULES + r) % step != 0) continue;
      scene s;
      scene_create(MPI_COMM_WORLD, number, 1, &rule_sets[r], &s);
      for (int w = 0; w < NUM_WAYS; ++w)
        check_way(&s, order[w], r);
      scene_destroy(&s);
    }
  return check_end();
}
