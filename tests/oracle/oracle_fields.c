/* oracle_fields.c - several fields in one exchange get the bits that each would get alone, in as
 * many messages as one field.
 *
 *     oracle_fields PATH     PATH: for .inp files
 *
 * The fields differ in components, type, storage, order and strides; each is judged by the oracle,
 * too, and so is the adjoint of all together. */
#include <string.h>

#include "check.h"
#include "oracle_backward.h"

enum { MAX_FIELDS = 4 };

typedef struct pile {
  int num;
  scene scene[MAX_FIELDS]; /* the same but for the field */
  scene_memory memory[MAX_FIELDS];
  rind_field *field[MAX_FIELDS];
  scene_walls walls[MAX_FIELDS];
  long strange;            /* calls for a field that does not exist */
  void *alone[MAX_FIELDS]; /* bytes after a fill of its own */
  rind_wall component_wall[MAX_FIELDS * SCENE_MAX_COMPONENTS]
                          [6]; /* of all fields, one after another */
} pile;

/* Hands the call to the walls of its field, which know of one field only. */
static void fill_wall(void *user, const rind_wall_call *call) {
  pile *all = user;
  if (call->field < 0 || call->field >= all->num) {
    ++all->strange;
    return;
  }
  rind_wall_call one = *call;
  one.field = 0;
  scene_fill_wall(&all->walls[call->field], &one);
}

static void transpose_wall(void *user, const rind_wall_call *call) {
  pile *all = user;
  if (call->field < 0 || call->field >= all->num) {
    ++all->strange;
    return;
  }
  rind_wall_call one = *call;
  one.field = 0;
  scene_transpose_wall(&all->walls[call->field], &one);
}

static size_t memory_bytes(const scene_memory *memory) {
  return memory->elements * rind_type_bytes(memory->layout.type);
}

static uint64_t noise_of(const pile *all, int f) {
  return all->scene[f].seed + (uint64_t)f;
}

static void poison(pile *all, const rind_forest *forest, int f) {
  const uint64_t noise = noise_of(all, f);
  scene_poison(&all->memory[f], forest, scene_noise, &noise);
}

static void fill_alone(pile *all, const scene_run *run, int f, rind_exchange_stats *stats) {
  rind_exchange *exchange = NULL;
  rind_schedule *schedule = NULL;
  const scene *s = &all->scene[f];
  const rind_rules rules = scene_rules(s);
  const rind_exchange_options options = scene_options(s, &all->walls[f]);
  CHECK_OK(rind_schedule_create(run->forest, s->cells, s->ghosts, &rules, &schedule), run->context);
  CHECK_OK(rind_exchange_create(schedule, &all->memory[f].layout, &options, &exchange),
           run->context);
  if (exchange != NULL) {
    poison(all, run->forest, f);
    CHECK_OK(rind_exchange_set_wall_values(exchange, 0, all->scene[f].wall_values), run->context);
    CHECK_OK(rind_fill(exchange, all->field[f]), run->context);
    CHECK_OK(rind_exchange_get_stats(exchange, stats), run->context);
  }
  all->alone[f] = malloc(memory_bytes(&all->memory[f]) + 1);
  if (all->alone[f] == NULL) abort();
  memcpy(all->alone[f], all->memory[f].data, memory_bytes(&all->memory[f]));
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
}

/* The rules for all fields together. */
static rind_rules rules_together(pile *all) {
  rind_rules rules = scene_rules(&all->scene[0]);
  if (rules.component_wall == NULL) return rules;
  rules.num_components = 0;
  rules.component_wall = (const rind_wall(*)[6])all->component_wall;
  for (int f = 0; f < all->num; ++f) {
    const scene *s = &all->scene[f];
    memcpy(all->component_wall[rules.num_components], s->component_wall,
           (size_t)s->components * sizeof s->component_wall[0]);
    rules.num_components += s->components;
  }
  return rules;
}

/* The vectors of all fields, numbered through. */
static int list_vectors(const pile *all, int vector[MAX_FIELDS * SCENE_MAX_VECTORS]) {
  int num = 0, first = 0;
  for (int f = 0; f < all->num; ++f) {
    for (int v = 0; v < all->scene[f].num_vectors; ++v)
      vector[num++] = first + all->scene[f].vector[v];
    first += all->scene[f].components;
  }
  return num;
}

static void check_field(pile *all, const scene_run *run, int f) {
  CHECK(memcmp(all->alone[f], all->memory[f].data, memory_bytes(&all->memory[f])) == 0,
        "field %d differs from a fill of its own", f);
  const uint64_t noise = noise_of(all, f);
  const rind_rules rules = scene_rules(&all->scene[f]);
  const oracle_fill by = scene_oracle_fill(&all->scene[f], run->judge, &rules, &noise);
  const scene_verdict v = scene_judge_fill(&all->memory[f], run->forest, &by);
  CHECK(v.wrong == 0 && v.touched == 0 && all->walls[f].wrong == 0 && all->strange == 0,
        "field %d: %ld wrong, %ld touched, %ld and %ld calls: %s", f, v.wrong, v.touched,
        all->walls[f].wrong, all->strange, v.text);
}

/* One adjoint of all fields, in as many messages as a fill; each field is judged by the oracle. */
static void transpose_together(pile *all, const scene_run *run, rind_exchange *exchange, bool split,
                               const rind_exchange_stats *fill) {
  backward b[MAX_FIELDS];
  scene_adjoint_counts judged = {.cells = 0};
  for (int f = 0; f < all->num; ++f) {
    backward_open(&all->scene[f], "fields together", run->forest, run->judge, &all->memory[f],
                  all->field[f], &b[f]);
    backward_put(&b[f]);
  }
  if (split) {
    CHECK_OK(rind_fill_fields_adjoint_begin(exchange, all->field), run->context);
    CHECK_OK(rind_fill_fields_adjoint_end(exchange, all->field), run->context);
  } else {
    CHECK_OK(rind_fill_fields_adjoint(exchange, all->field), run->context);
  }
  for (int f = 0; f < all->num; ++f) {
    backward_judge(&b[f], f % 2 == 0 ? "even field" : "odd field", &all->walls[f], &judged);
    backward_close(&b[f]);
  }
  rind_exchange_stats stats = {.peers = 0};
  CHECK_OK(rind_exchange_get_adjoint_stats(exchange, &stats), run->context);
  CHECK(all->strange == 0, "%ld strange calls", all->strange);
  CHECK(stats.messages_sent <= fill->messages_received &&
            stats.messages_received <= fill->messages_sent,
        "%d messages out, %d in; the fill: %d and %d", stats.messages_sent, stats.messages_received,
        fill->messages_sent, fill->messages_received);
}

static void fill_together(pile *all, const scene_run *run, bool split,
                          const rind_exchange_stats *one) {
  rind_exchange *exchange = NULL;
  rind_layout layout[MAX_FIELDS];
  int vector[MAX_FIELDS * SCENE_MAX_VECTORS];
  const int num_vectors = list_vectors(all, vector);
  const rind_adjoint_method backwards =
      all->num % 2 == 0 ? RIND_ADJOINT_TRANSPOSED : RIND_ADJOINT_PER_TERM;
  const rind_exchange_options options = {.method = all->scene[0].method,
                                         .adjoint = true,
                                         .adjoint_method = backwards,
                                         .wall_adjoint = transpose_wall,
                                         .wall_function = fill_wall,
                                         .wall_user = all,
                                         .num_vectors = num_vectors,
                                         .vector = vector};
  for (int f = 0; f < all->num; ++f) {
    layout[f] = all->memory[f].layout;
    poison(all, run->forest, f);
  }
  CHECK_OK(rind_exchange_create_fields(run->schedule, layout, all->num, &options, &exchange),
           run->context);
  if (exchange == NULL) return;
  for (int f = 0; f < all->num; ++f) {
    CHECK_OK(rind_exchange_set_wall_values(exchange, f, all->scene[f].wall_values), run->context);
  }
  if (split) {
    CHECK_OK(rind_fill_fields_begin(exchange, all->field), run->context);
    CHECK_OK(rind_fill_fields_end(exchange, all->field), run->context);
  } else {
    CHECK_OK(rind_fill_fields(exchange, all->field), run->context);
  }
  rind_exchange_stats stats = {.peers = 0};
  CHECK_OK(rind_exchange_get_stats(exchange, &stats), run->context);
  CHECK(stats.messages_sent == one->messages_sent &&
            stats.messages_received == one->messages_received && stats.peers == one->peers,
        "%d messages out, %d in; %d and %d for one field", stats.messages_sent,
        stats.messages_received, one->messages_sent, one->messages_received);
  for (int f = 0; f < all->num; ++f)
    check_field(all, run, f);
  transpose_together(all, run, exchange, !split, &stats);
  rind_exchange_destroy(&exchange);
}

/* Fields of one scene that differ in all that fields can differ in. */
static void draw_fields(pile *all, const scene *s, int index) {
  uint64_t state = scene_mix(s->seed ^ 0xf1e1d);
  all->num = 2 + index % (MAX_FIELDS - 1);
  for (int f = 0; f < all->num; ++f) {
    scene *one = &all->scene[f];
    *one = *s;
    one->type = scene_draw(&state, 2) == 0 ? RIND_FLOAT64 : RIND_FLOAT32;
    one->storage = (rind_storage)scene_draw(&state, 2);
    one->order = (rind_component_order)scene_draw(&state, 2);
    one->wide = scene_draw(&state, 2);
    one->num_vectors = 0;
    one->components = 1 + scene_draw(&state, 4);
    for (int i = 0; s->by_component && i < 6 * one->components; ++i)
      one->component_wall[i / 6][i % 6] = (rind_wall)scene_draw(&state, RIND_NUM_WALLS);
    if (one->components >= s->brick.dim) {
      one->vector[one->num_vectors++] = scene_draw(&state, one->components - s->brick.dim + 1);
    }
    for (int i = 0; i < 6 * one->components; ++i)
      one->wall_values[i] = 0.25 * (1 + scene_draw(&state, 100)) - f;
  }
}

static void run_case(int index, const char *path) {
  scene s = scene_random(30, index);
  scene_choose_ground(&s, index * 5);
  scene_extend(&s);
  s.method = RIND_METHOD_FUSED;
  s.rules.regions = index % 4 == 0 ? RIND_REGIONS_FACES : RIND_REGIONS_ALL;
  if (s.max_level > s.brick.level + 1) s.max_level = s.brick.level + 1;
  scene_choose_cells(&s, 1000, 0);
  scene_run run;
  pile all = {.num = 0};
  memset(&run, 0, sizeof run);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &run.context), NULL);
  CHECK_OK(scene_create_ground(run.context, &s, index * 5, path, &run.mesh, &run.forest),
           run.context);
  if (run.forest != NULL) {
    run.judge = oracle_create_glued(MPI_COMM_WORLD, run.forest, run.mesh.trees, s.cells, run.text);
    draw_fields(&all, &s, index);
    const rind_rules rules = rules_together(&all);
    CHECK_OK(rind_schedule_create(run.forest, s.cells, s.ghosts, &rules, &run.schedule),
             run.context);
    rind_exchange_stats stats = {.peers = 0};
    for (int f = 0; f < all.num; ++f) {
      all.walls[f] =
          (scene_walls){.scene = &all.scene[f], .forest = run.forest, .noise = noise_of(&all, f)};
      CHECK_OK(scene_create_field(run.forest, &all.scene[f], &all.memory[f], &all.field[f]),
               run.context);
      fill_alone(&all, &run, f, &stats);
    }
    if (run.judge != NULL) fill_together(&all, &run, index % 2 == 0, &stats);
  }
  for (int f = 0; f < all.num; ++f) {
    rind_field_destroy(&all.field[f]);
    scene_free_memory(&all.memory[f]);
    free(all.alone[f]);
  }
  scene_close(&run);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int i = 0; i < 24; ++i)
    run_case(i, argc > 1 ? argv[1] : "fields.inp");
  return check_end();
}
