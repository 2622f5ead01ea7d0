/* particles_places.c - particles come to the block that holds them, sorted, with all that is
 * theirs; after moves and regrids too; and the same on any number of ranks. */
#include "cloud_scene.h"

#include <math.h>
#include <string.h>

#include <check.h>

enum { TOTAL = 3000 };

/* The domain's own copy of a coordinate. */
static double wrapped(const cloud_scene *scene, int a, double x) {
  const double length = scene->upper[a] - scene->lower[a];
  if (!scene->periodic[a] || (x >= scene->lower[a] && x < scene->upper[a])) return x;
  x -= floor((x - scene->lower[a]) / length) * length;
  return x >= scene->upper[a] || x < scene->lower[a] ? scene->lower[a] : x;
}

static int64_t group_of(const rind_particles_options *options, const rind_block *block, int dim,
                        const double x[3]) {
  const int centres = options->groups == RIND_GROUPS_CENTRES;
  const int side = options->cells + centres;
  int64_t group = 0;
  for (int a = dim - 1; a >= 0; --a) {
    double u = floor((x[a] - block->lower[a]) * (options->cells / block->side[a]) + 0.5 * centres);
    u = u < 0 ? 0 : u > side - 1 ? side - 1 : u;
    group = group * side + (int64_t)u;
  }
  return group;
}

/* Each particle lies in the block and group that list it, in the order of ids. */
static void check_order(const cloud_scene *scene, const world *all, const rind_particles *set) {
  const rind_particles_options options = rind_particles_get_options(set);
  const int64_t *in_block = rind_particles_first_in_block(set),
                *in_group = rind_particles_first_in_group(set), *id = rind_particles_id(set);
  const int64_t num_groups = rind_particles_num_groups(set);
  const int num_blocks = rind_forest_num_blocks(scene->forest);
  CHECK(in_block[0] == 0 && in_block[num_blocks] == rind_particles_count(set), "%lld particles",
        (long long)in_block[num_blocks]);
  for (int b = 0; b < num_blocks; ++b) {
    const rind_block *block = rind_forest_block(scene->forest, b);
    CHECK(in_group[b * num_groups] == in_block[b], "block %d", b);
    for (int64_t k = 0; k < num_groups; ++k)
      for (int64_t p = in_group[b * num_groups + k]; p < in_group[b * num_groups + k + 1]; ++p) {
        double x[3] = {0};
        for (int a = 0; a < scene->dim; ++a)
          x[a] = rind_particles_position(set, a)[p];
        int num_found = 0;
        const int found = cloud_find(scene, all, x, &num_found);
        CHECK(num_found == 1 && found == block->global,
              "scene %d: particle %lld at (%.17g, %.17g, %.17g) is in block %lld, %d (of %d) it "
              "should be",
              scene->number, (long long)id[p], x[0], x[1], x[2], (long long)block->global, found,
              num_found);
        CHECK(group_of(&options, block, scene->dim, x) == k, "particle %lld is in group %lld",
              (long long)id[p], (long long)k);
        CHECK(p == in_group[b * num_groups + k] || id[p - 1] < id[p], "id %lld after %lld",
              (long long)id[p], (long long)id[p - 1]);
      }
  }
}

/* Nothing lost, doubled or changed: attributes are those of the id. */
static void check_kept(const rind_particles *set, MPI_Comm comm, int64_t total) {
  int64_t num = 0;
  int64_t *id = cloud_collect(comm, rind_particles_id(set), rind_particles_count(set), &num);
  char *seen = calloc((size_t)total + 1, 1);
  CHECK(num == total && rind_particles_num_global(set) == total, "%lld particles of %lld",
        (long long)num, (long long)total);
  for (int64_t i = 0; i < num; ++i) {
    CHECK(id[i] >= 0 && id[i] < total && !seen[id[i]], "id %lld again", (long long)id[i]);
    if (id[i] >= 0 && id[i] < total) seen[id[i]] = 1;
  }
  for (int64_t p = 0; p < rind_particles_count(set); ++p)
    for (int k = 0; k < CLOUD_ATTRIBUTES; ++k)
      CHECK(rind_particles_attribute(set, k)[p] == cloud_attribute(k, rind_particles_id(set)[p]),
            "attribute %d of particle %lld", k, (long long)rind_particles_id(set)[p]);
  free(seen);
  free(id);
}

static void check_positions(const cloud_scene *scene, const world *all, const rind_particles *set) {
  for (int64_t p = 0; p < rind_particles_count(set); ++p) {
    double x[3];
    cloud_position(scene, all, rind_particles_id(set)[p], x);
    for (int a = 0; a < scene->dim; ++a)
      CHECK(rind_particles_position(set, a)[p] == wrapped(scene, a, x[a]),
            "particle %lld lies at %.17g, given at %.17g on axis %d",
            (long long)rind_particles_id(set)[p], rind_particles_position(set, a)[p], x[a], a);
  }
}

/* All arrays, one rank's after the other's, are those of a set on one rank. */
static void check_same(const rind_particles *set, const rind_particles *alone, int dim) {
  for (int i = 0; i < dim + 1 + CLOUD_ATTRIBUTES; ++i) {
    const void *mine = i < dim    ? (const void *)rind_particles_position(set, i)
                       : i == dim ? (const void *)rind_particles_id(set)
                                  : rind_particles_attribute(set, i - dim - 1);
    const void *other = i < dim    ? (const void *)rind_particles_position(alone, i)
                        : i == dim ? (const void *)rind_particles_id(alone)
                                   : rind_particles_attribute(alone, i - dim - 1);
    int64_t total = 0;
    void *all = cloud_collect(MPI_COMM_WORLD, mine, rind_particles_count(set), &total);
    CHECK(total == rind_particles_count(alone) && memcmp(all, other, (size_t)total * 8) == 0,
          "array %d of the set is not that of one rank", i);
    free(all);
  }
}

/* Pushes every particle about, some over borders; walls are not crossed. */
static void push(const cloud_scene *scene, rind_particles *set, int step) {
  for (int64_t p = 0; p < rind_particles_count(set); ++p)
    for (int a = 0; a < scene->dim; ++a) {
      double *x = rind_particles_position(set, a) + p;
      const double length = scene->upper[a] - scene->lower[a];
      const uint64_t seed = 1000 + 10 * (uint64_t)step + (uint64_t)a;
      *x += (cloud_random(seed, rind_particles_id(set)[p]) - 0.5) * 0.3 * length;
      if (!scene->periodic[a]) *x = fmin(fmax(*x, scene->lower[a]), scene->upper[a]);
    }
}

static void run(int number, int threads) {
  static const rind_particles_options kinds[3] = {
      {.cells = 4, .groups = RIND_GROUPS_CELLS}, {.cells = 4, .groups = RIND_GROUPS_CENTRES}, {0}};
  cloud_scene scene[2];
  rind_particles *set[2] = {NULL, NULL};
  world all;
  cloud_scene_create(MPI_COMM_WORLD, number, threads, &scene[0]);
  cloud_scene_create(MPI_COMM_SELF, number, 1, &scene[1]);
  world_gather(scene[0].forest, &all);
  for (int i = 0; i < 2; ++i) {
    cloud_given given;
    cloud_give(&scene[i], &all, TOTAL, &given);
    CHECK_OK(rind_particles_create(scene[i].forest, &given.arrays, &kinds[0], &set[i]),
             scene[i].context);
    cloud_given_free(&given);
  }
  if (!set[0] || !set[1]) return;
  check_order(&scene[0], &all, set[0]);
  check_positions(&scene[0], &all, set[0]);
  check_same(set[0], set[1], scene[0].dim);
  for (int step = 0; step < 3; ++step) {
    rind_migration moved[2];
    for (int i = 0; i < 2; ++i) {
      push(&scene[i], set[i], step);
      if (step == 1 && !scene[i].mesh) {
        CHECK_OK(rind_particles_check(set[i]), scene[i].context);
        cloud_scene_refine(&scene[i], 77);
        CHECK_ERROR(rind_particles_check(set[i]), RIND_ERROR_STALE, scene[i].context);
        CHECK_ERROR(rind_particles_sort(set[i], NULL), RIND_ERROR_STALE, scene[i].context);
      }
      CHECK_OK(rind_particles_migrate(set[i], NULL, &moved[i]), scene[i].context);
      CHECK_OK(rind_particles_sort(set[i], &kinds[step]), scene[i].context);
    }
    CHECK(moved[0].count == TOTAL && moved[0].wrapped == moved[1].wrapped &&
              (rind_context_size(scene[0].context) == 1) == (moved[0].changed == 0),
          "%lld particles, %lld wrapped (%lld alone), %lld changed", (long long)moved[0].count,
          (long long)moved[0].wrapped, (long long)moved[1].wrapped, (long long)moved[0].changed);
    world_free(&all);
    world_gather(scene[0].forest, &all);
    check_order(&scene[0], &all, set[0]);
    check_kept(set[0], MPI_COMM_WORLD, TOTAL);
    check_same(set[0], set[1], scene[0].dim);
  }
  for (int i = 0; i < 2; ++i) {
    rind_particles_destroy(&set[i]);
    CHECK(!set[i], "the set is still there");
    cloud_scene_destroy(&scene[i]);
  }
  world_free(&all);
}

/* To another forest, and back. */
static void change_forest(void) {
  cloud_scene scene;
  rind_forest *other = NULL;
  rind_particles *set = NULL;
  world all;
  cloud_given given;
  cloud_scene_create(MPI_COMM_WORLD, 1, 1, &scene);
  world_gather(scene.forest, &all);
  cloud_give(&scene, &all, TOTAL, &given);
  given.arrays.id = NULL;
  CHECK_OK(rind_particles_create(scene.forest, &given.arrays, NULL, &set), scene.context);
  int64_t num = 0, *id = cloud_collect(MPI_COMM_WORLD, rind_particles_id(set),
                                       rind_particles_count(set), &num);
  int64_t sum = 0;
  for (int64_t i = 0; i < num; ++i)
    sum += id[i];
  CHECK(num == TOTAL && sum == (int64_t)TOTAL * (TOTAL - 1) / 2, "ids add up to %lld",
        (long long)sum);
  const rind_brick brick = {.dim = 2, .periodic = {1, 1}, .level = 4};
  CHECK_OK(rind_forest_create_brick(scene.context, &brick, &other), scene.context);
  CHECK_OK(rind_particles_migrate(set, other, NULL), scene.context);
  CHECK(rind_particles_forest(set) == other && rind_particles_num_global(set) == TOTAL,
        "%lld particles", (long long)rind_particles_num_global(set));
  CHECK_OK(rind_particles_migrate(set, scene.forest, NULL), scene.context);
  int64_t *again =
      cloud_collect(MPI_COMM_WORLD, rind_particles_id(set), rind_particles_count(set), &num);
  CHECK(num == TOTAL && memcmp(id, again, TOTAL * sizeof *id) == 0, "the order is another");
  rind_particles_destroy(&set);
  rind_forest_destroy(&other);
  free(id);
  free(again);
  cloud_given_free(&given);
  world_free(&all);
  cloud_scene_destroy(&scene);
}

/* Particles around the hole's corner keep their sum: the corner's ghosts have rows of their own. */
static void deposit_around(rind_context *context, const rind_forest *forest) {
  enum { COUNT = 300, CELLS = 4 };
  double x[COUNT], y[COUNT];
  int64_t n = 0;
  for (int64_t i = 0; n < COUNT && i < 4 * COUNT; ++i) {
    x[n] = 0.3 + 0.02 * (cloud_random(1, i) - 0.5);
    y[n] = 1 + 0.02 * (cloud_random(2, i) - 0.5);
    if (rind_context_rank(context) == 0 && (x[n] <= 0.3 || y[n] <= 1)) ++n;
  }
  const rind_particle_arrays arrays = {.count = n, .position = {x, y}};
  const rind_particles_options options = {.cells = CELLS, .groups = RIND_GROUPS_CENTRES};
  const rind_rules rules = {
      .wall = {RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN}};
  const rind_layout layout = {.cells = CELLS, .ghosts = 1, .components = 1};
  const int count = -1;
  rind_particles *set = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_field *field = NULL;
  CHECK_OK(rind_particles_create(forest, &arrays, &options, &set), context);
  CHECK_OK(rind_schedule_create(forest, CELLS, 1, &rules, &schedule), context);
  CHECK_OK(
      rind_exchange_create(schedule, &layout, &(rind_exchange_options){.adjoint = true}, &exchange),
      context);
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  CHECK_OK(rind_deposit(set, &count, exchange, field), context);
  double sum = 0, all = 0;
  for (int b = 0; b < rind_field_num_blocks(field); ++b)
    for (int c = 0; c < CELLS * CELLS; ++c)
      sum += ((const double *)rind_field_pointer(
          field, b))[c % CELLS + c / CELLS * rind_field_layout(field)->cell_stride[1]];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(fabs(all - COUNT) < 1e-12 * COUNT, "the cells hold %.17g of %d", all, COUNT);
  rind_field_destroy(&field);
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_particles_destroy(&set);
}

/* Three rectangles of different sizes around a hole, and what belongs to which.
 *
 *       1.7  +-----+
 *            |  2  |  hole
 *       1    +-----+---------+
 *            |  0  |    1    |
 *       0    +-----+---------+
 *            0    0.3        1 */
static void surround_hole(const char *path) {
  static const char text[] =
      "*node\n1,0,0\n2,0.3,0\n3,1,0\n4,0,1\n5,0.3,1\n6,1,1\n7,0,1.7\n8,0.3,1.7\n"
      "*element,type=CPS4\n1,1,2,5,4\n2,2,3,6,5\n3,4,5,8,7\n";
  static const struct {
    double x, y;
    int tree; /* -1: refused */
  } places[] = {{0.1, 0.1, 0},   {0.3, 0.5, 1},       {0.1, 1, 2},  {0.3, 1, 2},
                {0.3, 1.7, 2},   {0.3, 1.5, 2},       {0.7, 1, 1},  {1, 1, 1},
                {0.7, 1.2, -1},  {0.300001, 1.5, -1}, {1, 1.7, -1}, {0, 1.7, 2},
                {0.15, 1.35, 2}, {0.65, 0.5, 1},      {1, 0.25, 1}, {0.3, 0, 1}};
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  const int rank = rind_context_rank(context);
  FILE *file = rank == 0 ? fopen(path, "w") : NULL;
  CHECK(rank > 0 || (file && fputs(text, file) >= 0 && fclose(file) == 0), "no %s", path);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(rind_forest_create_mesh(context, path, 2, &forest), context);
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    const double x = places[i].x, y = places[i].y;
    const int64_t id = 4;
    const rind_particle_arrays one = {.count = rank == 0, .position = {&x, &y}, .id = &id};
    rind_particles *set = NULL;
    const rind_error error = rind_particles_create(forest, &one, NULL, &set);
    const rind_error expected = places[i].tree < 0 ? RIND_ERROR_INVALID : RIND_OK;
    CHECK(error == expected, "(%g, %g): %s", x, y, rind_last_error(context));
    if (!set) continue;
    CHECK_OK(rind_particles_sort(set, NULL), context);
    CHECK_OK(rind_particles_migrate(set, NULL, NULL), context);
    const int64_t *first = rind_particles_first_in_block(set);
    for (int b = 0; b < rind_forest_num_blocks(forest); ++b)
      CHECK(first[b] == first[b + 1] || rind_forest_block(forest, b)->tree == places[i].tree,
            "(%g, %g) is in tree %d", x, y, rind_forest_block(forest, b)->tree);
    CHECK(rind_particles_num_global(set) == 1, "%lld particles",
          (long long)rind_particles_num_global(set));
    rind_particles_destroy(&set);
  }
  deposit_around(context, forest);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  if (argc > 1) surround_hole(argv[1]);
  for (int number = 0; number < NUM_CLOUDS; ++number)
    run(number, 1 + number % 3);
  change_forest();
  return check_end();
}
