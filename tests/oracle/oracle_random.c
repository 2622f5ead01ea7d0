/* oracle_random.c - random balanced forests: the library's fill against the oracle, bit for bit.
 *
 *     oracle_random [--forests N] [--seed S] [--first I] [--wrapped] [--everything] [--glued PATH]
 *                   [--adjoint] [--verbose]
 *
 * --wrapped: forests in a p4est of the test's, balanced across faces only where that is enough.
 * --everything: all families, walls and vectors, not only those between blocks.
 * --glued: everything, on the meshes of oracle_ground.c; PATH is for .inp files of the test's.
 * --adjoint: the adjoint of the fill in place of the fill.
 * Cases I to I + N - 1 of campaign S; a case is the same on any number of ranks. */
#include <string.h>

#include "check.h"
#include "oracle_scene.h"

typedef struct campaign {
  uint64_t seed;
  int first;
  int forests;
  int wrapped;
  int everything;
  const char *glued; /* a path, or NULL */
  int adjoint;
  int verbose;
  int empty; /* cases in which this rank has no blocks */
  scene_adjoint_counts judged;
  long calls;                     /* of the function behind walls */
  long family[RIND_NUM_FAMILIES]; /* ghost cells judged on this rank */
} campaign;

static const double ghost_values = 3e5;   /* a case, more only if its smallest blocks need it */
static const double adjoint_values = 1e4; /* the same, judged by every rank */

static void fill(rind_exchange *exchange, rind_field *field, int split, rind_context *context) {
  if (split) {
    CHECK_OK(rind_fill_begin(exchange, field), context);
    CHECK_OK(rind_fill_end(exchange, field), context);
  } else {
    CHECK_OK(rind_fill(exchange, field), context);
  }
}

/* Ghost cells that the schedule says it writes, and what it says that is not so. */
static void check_stats(int index, const scene *s, const rind_schedule *schedule,
                        const scene_verdict *v, rind_context *context) {
  rind_schedule_stats stats = {.fills = 0};
  CHECK_OK(rind_schedule_get_stats(schedule, &stats), context);
  if (s->by_component) return;
  CHECK(stats.ghost_cells == v->covered, "case %d: the schedule writes %lld ghosts, oracle %ld",
        index, (long long)stats.ghost_cells, v->covered);
}

/* Two fills with one exchange, each judged. */
static void judge_fills(campaign *all, int index, const scene *s, const rind_forest *forest,
                        const oracle *judge, const rind_schedule *schedule, rind_exchange *exchange,
                        scene_walls *walls, scene_memory *memory, rind_field *field) {
  rind_context *context = rind_forest_context(forest);
  const rind_rules rules = scene_rules(s);
  if (all->everything) {
    CHECK_OK(rind_exchange_set_wall_values(exchange, 0, s->wall_values), context);
  }
  for (int pass = 0; pass < 2; ++pass) {
    const uint64_t noise = s->seed + (uint64_t)pass;
    walls->noise = noise;
    scene_poison(memory, forest, scene_noise, &noise);
    fill(exchange, field, (index + pass) % 2, context);
    const oracle_fill by = scene_oracle_fill(s, judge, &rules, &noise);
    const scene_verdict v = scene_judge_fill(memory, forest, &by);
    char text[512];
    scene_print(s, text);
    CHECK(v.wrong == 0 && v.touched == 0 && walls->wrong == 0,
          "--seed %llu --first %d --forests 1, fill %d: %ld of %ld values wrong, %ld touched, %ld "
          "calls wrong: %s (%s)",
          (unsigned long long)all->seed, index, pass, v.wrong, v.covered * s->components, v.touched,
          walls->wrong, v.text, text);
    check_stats(index, s, schedule, &v, context);
    for (int f = 0; f < RIND_NUM_FAMILIES; ++f)
      all->family[f] += v.family[f];
  }
}

static void judge_schedule(campaign *all, int index, const scene *s, const rind_forest *forest,
                           const oracle *judge) {
  rind_context *context = rind_forest_context(forest);
  const rind_rules rules = scene_rules(s);
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_field *field = NULL;
  scene_memory memory;
  scene_walls walls = {.scene = s, .forest = forest};
  rind_error error = scene_create_field(forest, s, &memory, &field);
  CHECK(error == RIND_OK, "case %d: %s", index, rind_last_error(context));
  if (error == RIND_OK) {
    error = rind_schedule_create(forest, s->cells, s->ghosts, &rules, &schedule);
    CHECK(error == RIND_OK, "case %d: %s", index, rind_last_error(context));
  }
  if (error == RIND_OK) {
    char text[512];
    scene_print(s, text);
    const rind_error verified = rind_schedule_verify(schedule);
    CHECK(verified == RIND_OK, "case %d: %s (%s)", index, rind_last_error(context), text);
    rind_exchange_options options = scene_options(s, &walls);
    options.max_message_bytes = index % 3 == 0 ? 256 : 0;
    if (all->adjoint) {
      snprintf(text, sizeof text, "--seed %llu --first %d", (unsigned long long)all->seed, index);
      scene_check_adjoint(s, text, forest, judge, schedule, &walls, &memory, field, &all->judged);
      if (memory.num_blocks == 0) ++all->empty;
    } else {
      error = rind_exchange_create(schedule, &memory.layout, &options, &exchange);
      CHECK(error == RIND_OK, "case %d: %s", index, rind_last_error(context));
    }
  }
  if (exchange != NULL) {
    judge_fills(all, index, s, forest, judge, schedule, exchange, &walls, &memory, field);
  }
  all->calls += walls.calls;
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_field_destroy(&field);
  scene_free_memory(&memory);
}

static void make_forest(const campaign *all, int index, rind_context *context, scene *s,
                        scene_mesh *mesh, rind_forest **forest) {
  rind_error error = RIND_OK;
  if (all->glued != NULL) {
    error = scene_create_ground(context, s, index, all->glued, mesh, forest);
  } else if (all->wrapped) {
    error = scene_wrap_forest(context, s, mesh, forest);
  } else {
    error = scene_create_forest(context, s, forest);
  }
  CHECK(error == RIND_OK, "case %d: %s", index, rind_last_error(context));
}

/* Two trees; the first of them refined once unless whole. */
static void leave_ranks_empty(scene *s, int whole) {
  s->brick.level = 0;
  s->max_level = 1;
  s->percent = 0;
  s->seed = whole ? s->seed & ~(uint64_t)3 : s->seed | 3;
  for (int a = 0; a < s->brick.dim; ++a)
    s->brick.trees[a] = a == 0 ? 2 : 1;
}

/* More ghosts, few blocks in some cases, and fewer threads on many ranks. */
static void prepare_adjoint(scene *s, int index) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 3) s->threads = 1;
  s->ghosts = 1 + index % 4;
  if (s->rules.layers > s->ghosts) s->rules.layers = 0;
  if (index % 8 == 7) leave_ranks_empty(s, index % 16 == 15);
}

static void judge_forest(campaign *all, int index) {
  scene s = scene_random(all->seed, index);
  if (all->adjoint) prepare_adjoint(&s, index);
  if (all->glued != NULL) scene_choose_ground(&s, index);
  if (all->everything) scene_extend(&s);
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  const rind_context_options options = {.threads = s.threads};
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, &options, &context), NULL);
  if (context == NULL) return;
  scene_mesh mesh = {NULL, NULL, NULL};
  make_forest(all, index, context, &s, &mesh, &forest);
  if (forest != NULL) {
    const int64_t num_blocks = rind_forest_num_global_blocks(forest);
    const double values = all->adjoint ? adjoint_values : ghost_values;
    scene_choose_cells(&s, num_blocks, all->everything && !all->adjoint ? values / 4 : values);
    char text[512];
    oracle *judge = mesh.trees == NULL
                        ? oracle_create(MPI_COMM_WORLD, forest, &s.brick, s.cells, text)
                        : oracle_create_glued(MPI_COMM_WORLD, forest, mesh.trees, s.cells, text);
    CHECK(judge != NULL, "case %d: %s", index, text);
    if (all->verbose && rind_context_rank(context) == 0) {
      scene_print(&s, text);
      fprintf(stderr, "case %d: %s %lld blocks, %s\n", index,
              all->glued != NULL ? scene_ground_name(index) : "", (long long)num_blocks, text);
    }
    if (judge != NULL) judge_schedule(all, index, &s, forest, judge);
    oracle_destroy(judge);
  }
  rind_forest_destroy(&forest);
  scene_free_mesh(&mesh);
  rind_context_destroy(&context);
}

/* 0 if an option is unknown or lacks its number. */
static int read_options(campaign *all, int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--verbose") == 0) {
      all->verbose = 1;
      continue;
    }
    if (strcmp(argv[i], "--wrapped") == 0) {
      all->wrapped = 1;
      continue;
    }
    if (strcmp(argv[i], "--adjoint") == 0) {
      all->adjoint = 1;
      continue;
    }
    if (strcmp(argv[i], "--everything") == 0) {
      all->everything = 1;
      continue;
    }
    if (i + 1 == argc) return 0;
    if (strcmp(argv[i], "--glued") == 0) {
      all->everything = 1;
      all->glued = argv[++i];
      continue;
    }
    char *end = NULL;
    const unsigned long long number = strtoull(argv[i + 1], &end, 10);
    if (*end != '\0') return 0;
    if (strcmp(argv[i], "--forests") == 0) {
      all->forests = (int)number;
    } else if (strcmp(argv[i], "--seed") == 0) {
      all->seed = number;
    } else if (strcmp(argv[i], "--first") == 0) {
      all->first = (int)number;
    } else {
      return 0;
    }
    ++i;
  }
  return 1;
}

/* The campaign must hold what it is for. */
static void check_counts(const campaign *all) {
  long mine[3] = {all->judged.cells, all->judged.kept, all->empty}, sums[3];
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(mine, sums, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sums[0] > 0 && (sums[1] > 0 || all->forests < 10), "%ld cells added to, %ld kept", sums[0],
        sums[1]);
  CHECK(sums[2] > 0 || size < 5 || all->forests < 20, "every rank always had blocks");
}

int main(int argc, char **argv) {
  campaign all = {.seed = 1, .forests = 40};
  check_begin(&argc, &argv);
  if (!read_options(&all, argc, argv)) {
    fprintf(stderr, "usage: oracle_random [--forests N] [--seed S] [--first I] [--wrapped] "
                    "[--everything] [--glued PATH] [--adjoint] [--verbose]\n");
    MPI_Finalize();
    return 2;
  }
  for (int i = 0; i < all.forests; ++i) {
    alarm(CHECK_SECONDS);
    judge_forest(&all, all.first + i);
  }
  long sums[RIND_NUM_FAMILIES];
  if (all.adjoint) check_counts(&all);
  MPI_Allreduce(all.adjoint ? all.judged.ghosts : all.family, sums, RIND_NUM_FAMILIES, MPI_LONG,
                MPI_SUM, MPI_COMM_WORLD);
  for (int f = 0; f < RIND_NUM_FAMILIES; ++f) {
    const int asked = all.everything || f <= RIND_FAMILY_AVERAGE;
    const int corners = f == RIND_FAMILY_EDGE_MEAN || f == RIND_FAMILY_CORNER_MEAN;
    if (!asked || (corners && all.glued == NULL)) continue;
    CHECK(sums[f] > 0 || all.forests < (all.everything ? 60 : 20),
          "no ghost of family %s was judged", rind_family_name((rind_family)f));
  }
  return check_end();
}
