/* particles_errors.c - what is refused, with which words and on all ranks alike, and that nothing
 * changes then; none, one and a million particles in a cell; borders. */
#include "cloud_scene.h"

#include <math.h>
#include <string.h>

#include <check.h>
#include <meshes.h>

enum { CELLS = 4 };

static rind_context *context;
static int rank, size;

/* The error, and rank 0's text on every rank, with something in it. */
static void check_refused(rind_error got, rind_error expected, const char *part) {
  char first[1024] = "";
  strncpy(first, rind_last_error(context), sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(got == expected, "%s instead of %s: %s", rind_error_name(got), rind_error_name(expected),
        rind_last_error(context));
  CHECK(strcmp(first, rind_last_error(context)) == 0, "\"%s\" here, \"%s\" on rank 0",
        rind_last_error(context), first);
  CHECK(strstr(first, part), "\"%s\" does not say \"%s\"", first, part);
}

static rind_forest *make_forest(int dim, int periodic, int level) {
  const rind_brick brick = {.dim = dim, .periodic = {periodic, 0, 0}, .level = level};
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  return forest;
}

/* One particle, of the last rank. */
static rind_error create_one(const rind_forest *forest, double x, double y, int64_t id,
                             rind_particles **set) {
  const rind_particle_arrays arrays = {.count = rank == size - 1, .position = {&x, &y}, .id = &id};
  return rind_particles_create(forest, &arrays, NULL, set);
}

static void refuse_positions(void) {
  rind_forest *forest = make_forest(2, 1, 2);
  rind_particles *set = NULL;
  check_refused(create_one(forest, NAN, 0.5, 17, &set), RIND_ERROR_INVALID, "particle 17 lies at");
  check_refused(create_one(forest, 0.5, INFINITY, 17, &set), RIND_ERROR_INVALID,
                "finite it must be");
  check_refused(create_one(forest, -INFINITY, 0.5, 17, &set), RIND_ERROR_INVALID,
                "finite it must be");
  check_refused(create_one(forest, 0.5, nextafter(1, 2), 3, &set), RIND_ERROR_INVALID,
                "(0.5, 1.0000000000000002): inside the domain it must be");
  check_refused(create_one(forest, 0.5, -0x1p-1074, 3, &set), RIND_ERROR_INVALID,
                "inside the domain");
  check_refused(create_one(forest, 0.5, 0.5, -3, &set), RIND_ERROR_INVALID,
                "id -3: at least 0 it must be");
  CHECK(!set, "a set was made");
  rind_forest_destroy(&forest);
  const rind_brick brick = {
      .dim = 2, .periodic = {1, 0}, .level = 1, .lower = {0.1, 0}, .upper = {0.4, 1}};
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  check_refused(create_one(forest, 1.7e300, 0.5, 3, &set), RIND_ERROR_INVALID, "nearer to the");
  rind_forest_destroy(&forest);
}

static void refuse_arguments(void) {
  rind_forest *forest = make_forest(2, 0, 2);
  rind_particles *set = NULL;
  double x[2] = {0.1, 0.2};
  int64_t id[2] = {5, 5};
  const double *const attribute[1] = {x};
  rind_particle_arrays arrays = {.count = rank == 0 ? 2 : 0, .position = {x, x}, .id = id};
  check_refused(rind_particles_create(forest, &arrays, NULL, &set), RIND_ERROR_INVALID,
                "id 5 is that of two particles");
  check_refused(rind_particles_create(forest, NULL, NULL, &set), RIND_ERROR_INVALID,
                "arrays is NULL");
  CHECK(rind_particles_create(NULL, &arrays, NULL, &set) == RIND_ERROR_INVALID, "no forest");
  check_refused(rind_particles_create(forest, &arrays, NULL, NULL), RIND_ERROR_INVALID,
                "particles is NULL");
  id[1] = 6;
  check_refused(
      rind_particles_create(forest, &arrays, &(rind_particles_options){.cells = -1}, &set),
      RIND_ERROR_INVALID, "1 to 4096 it must be");
  check_refused(
      rind_particles_create(forest, &arrays, &(rind_particles_options){.groups = 2}, &set),
      RIND_ERROR_INVALID, "RIND_GROUPS_CENTRES (1)");
  arrays.count = -1;
  check_refused(rind_particles_create(forest, &arrays, NULL, &set), RIND_ERROR_INVALID,
                "-1 particles: at least 0");
  arrays = (rind_particle_arrays){.count = 2, .position = {x, NULL}, .id = id};
  check_refused(rind_particles_create(forest, &arrays, NULL, &set), RIND_ERROR_INVALID,
                "position[1] is NULL");
  arrays = (rind_particle_arrays){.count = 0, .num_attributes = -2};
  check_refused(rind_particles_create(forest, &arrays, NULL, &set), RIND_ERROR_INVALID,
                "-2 attributes");
  if (size > 1) {
    arrays = (rind_particle_arrays){
        .count = 0, .num_attributes = rank == size - 1, .attribute = attribute};
    check_refused(rind_particles_create(forest, &arrays, NULL, &set), RIND_ERROR_MISMATCH,
                  "alike it must be");
    const rind_particles_options options = {.cells = 1 + (rank == 1)};
    check_refused(
        rind_particles_create(forest, &(rind_particle_arrays){.count = 0}, &options, &set),
        RIND_ERROR_MISMATCH, "as cells");
    arrays = (rind_particle_arrays){.count = 1, .position = {x, x}, .id = rank == 0 ? id : NULL};
    check_refused(rind_particles_create(forest, &arrays, NULL, &set), RIND_ERROR_MISMATCH,
                  "without ids");
  }
  CHECK(!set, "a set was made");
  rind_forest_destroy(&forest);
}

/* Trees that are turned, or that the library knows nothing of. */
static void refuse_forests(void) {
  const mesh_recipe turned = {.trees = "rotcubes", .level = 1, .balance = MESH_FULL};
  void *mesh = mesh_kind_3d.create(MPI_COMM_WORLD, &turned);
  rind_forest *forest = NULL;
  rind_particles *set = NULL;
  const rind_particle_arrays none = {.count = 0};
  CHECK_OK(mesh_kind_3d.wrap(context, mesh, &forest), context);
  check_refused(rind_particles_create(forest, &none, NULL, &set), RIND_ERROR_UNSUPPORTED,
                "is not an axis-aligned box");
  rind_forest_destroy(&forest);
  mesh_kind_3d.destroy(mesh);
  const mesh_recipe moebius = {.trees = "moebius", .level = 1, .balance = MESH_FULL};
  mesh = mesh_kind_2d.create(MPI_COMM_WORLD, &moebius);
  CHECK_OK(mesh_kind_2d.wrap(context, mesh, &forest), context);
  check_refused(rind_particles_create(forest, &none, NULL, &set), RIND_ERROR_UNSUPPORTED,
                "particles need that");
  rind_forest_destroy(&forest);
  mesh_kind_2d.destroy(mesh);
  rind_forest *brick = make_forest(2, 0, 2);
  CHECK_OK(rind_forest_create_arrays(context, rind_forest_get_arrays(brick), NULL, &forest),
           context);
  check_refused(rind_particles_create(forest, &none, NULL, &set), RIND_ERROR_UNSUPPORTED,
                "does not say where points lie");
  rind_forest_destroy(&forest);
  rind_forest_destroy(&brick);
  const mesh_recipe square = {.trees = "periodic", .level = 2, .balance = MESH_FULL};
  mesh = mesh_kind_2d.create(MPI_COMM_WORLD, &square);
  CHECK_OK(mesh_kind_2d.wrap(context, mesh, &forest), context);
  CHECK_OK(rind_particles_create(forest, &none, NULL, &set), context);
  mesh_kind_2d.split_all(mesh);
  CHECK_ERROR(rind_particles_check(set), RIND_ERROR_STALE, context);
  check_refused(rind_particles_migrate(set, NULL, NULL), RIND_ERROR_STALE, "make it anew");
  rind_particles_destroy(&set);
  rind_forest_destroy(&forest);
  mesh_kind_2d.destroy(mesh);
}

/* A migration that fails leaves the set as it was. */
static void keep_on_failure(void) {
  rind_forest *forest = make_forest(2, 0, 3);
  rind_particles *set = NULL;
  double x[100], y[100];
  for (int i = 0; i < 100; ++i) {
    x[i] = cloud_random(1 + (uint64_t)rank, i);
    y[i] = cloud_random(100 + (uint64_t)rank, i);
  }
  const rind_particle_arrays arrays = {.count = 100, .position = {x, y}};
  CHECK_OK(rind_particles_create(forest, &arrays, NULL, &set), context);
  const int64_t count = rind_particles_count(set);
  const int64_t *id = rind_particles_id(set);
  double *px = rind_particles_position(set, 0);
  const double kept = count > 0 ? px[0] : 0;
  int has = count > 0 ? rank : size, bad = 0;
  MPI_Allreduce(&has, &bad, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == bad) px[0] = 1.5;
  check_refused(rind_particles_migrate(set, NULL, NULL), RIND_ERROR_INVALID, "inside the domain");
  check_refused(rind_particles_sort(set, NULL), RIND_ERROR_STATE, "has left its block");
  CHECK(rind_particles_count(set) == count && rind_particles_id(set) == id &&
            (rank != bad || px[0] == 1.5),
        "the set has changed");
  if (rank == bad) px[0] = kept;
  CHECK_OK(rind_particles_sort(set, NULL), context);
  CHECK_OK(rind_particles_migrate(set, NULL, NULL), context);
  CHECK(rind_particles_num_global(set) == 100 * size, "%lld particles",
        (long long)rind_particles_num_global(set));
  rind_forest *flat = make_forest(3, 0, 1);
  check_refused(rind_particles_migrate(set, flat, NULL), RIND_ERROR_MISMATCH, "dimension 3");
  rind_forest_destroy(&flat);
  if (size > 1) {
    flat = make_forest(2, 0, 5);
    check_refused(rind_particles_migrate(set, rank == size - 1 ? flat : NULL, NULL),
                  RIND_ERROR_MISMATCH, "blocks of the forest");
    rind_forest_destroy(&flat);
  }
  rind_particles_destroy(&set);
  rind_forest_destroy(&forest);
}

static void refuse_deposits(void) {
  rind_forest *forest = make_forest(2, 0, 2), *other = make_forest(2, 0, 2);
  const rind_particles_options centres = {.cells = CELLS, .groups = RIND_GROUPS_CENTRES};
  const rind_particle_arrays none = {.count = 0};
  const rind_layout layout = {.cells = CELLS, .ghosts = 1, .components = 1};
  const rind_rules even = {
      .wall = {RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN}};
  const rind_rules odd = {.wall = {RIND_WALL_EVEN, RIND_WALL_ODD, RIND_WALL_EVEN, RIND_WALL_EVEN}};
  const rind_rules faces = {
      .regions = RIND_REGIONS_FACES,
      .wall = {RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN}};
  const rind_rules *const rules[3] = {&even, &odd, &faces};
  const int count = -1, wrong = 0;
  rind_particles *set = NULL, *elsewhere = NULL;
  rind_field *field = NULL;
  rind_schedule *schedule[3] = {NULL};
  rind_exchange *exchange[3] = {NULL}, *forward = NULL;
  CHECK_OK(rind_particles_create(forest, &none, &centres, &set), context);
  CHECK_OK(rind_particles_create(other, &none, &centres, &elsewhere), context);
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(rind_schedule_create(forest, CELLS, 1, rules[i], &schedule[i]), context);
    CHECK_OK(rind_exchange_create(schedule[i], &layout, &(rind_exchange_options){.adjoint = true},
                                  &exchange[i]),
             context);
  }
  CHECK_OK(rind_exchange_create(schedule[0], &layout, NULL, &forward), context);
  CHECK_OK(rind_deposit(set, &count, exchange[0], field), context);
  CHECK_OK(rind_deposit_gradient(set, &count, exchange[0], field, NULL, NULL), context);
  check_refused(rind_deposit(set, &wrong, exchange[0], field), RIND_ERROR_INVALID,
                "component 0 is to get attribute 0: -1 to -1");
  check_refused(rind_deposit(set, NULL, exchange[0], field), RIND_ERROR_INVALID,
                "attribute is NULL");
  check_refused(rind_deposit(set, &count, NULL, field), RIND_ERROR_INVALID, "exchange is NULL");
  check_refused(rind_deposit(set, &count, exchange[0], NULL), RIND_ERROR_INVALID, "field is NULL");
  CHECK(rind_deposit(NULL, &count, NULL, field) == RIND_ERROR_INVALID, "no particles");
  const bool last = rind_context_rank(context) == rind_context_size(context) - 1;
  check_refused(rind_deposit(last ? NULL : set, &count, exchange[0], field), RIND_ERROR_INVALID,
                "the set of particles is NULL");
  check_refused(rind_deposit_gradient(last ? NULL : set, &count, exchange[0], field, NULL, NULL),
                RIND_ERROR_INVALID, "the set of particles is NULL");
  check_refused(rind_deposit(set, &count, exchange[1], field), RIND_ERROR_MISMATCH,
                "wall 1 of the rules is 2");
  check_refused(rind_deposit(set, &count, exchange[2], field), RIND_ERROR_MISMATCH,
                "needs all regions");
  check_refused(rind_deposit(set, &count, forward, field), RIND_ERROR_STATE, "without an adjoint");
  check_refused(rind_deposit(elsewhere, &count, exchange[0], field), RIND_ERROR_MISMATCH,
                "of another forest");
  CHECK_OK(rind_fill_begin(exchange[0], field), context);
  check_refused(rind_deposit(set, &count, exchange[0], field), RIND_ERROR_STATE, "has begun");
  CHECK_OK(rind_fill_end(exchange[0], field), context);
  CHECK_OK(rind_particles_sort(set, &(rind_particles_options){.cells = CELLS}), context);
  check_refused(rind_deposit(set, &count, exchange[0], field), RIND_ERROR_STATE, "sort them into");
  check_refused(rind_deposit_gradient(set, &count, exchange[0], field, NULL, NULL),
                RIND_ERROR_STATE, "sort them into");
  CHECK_OK(rind_particles_sort(set, &centres), context);
  world_splitting splitting = {.seed = 3, .share = 0.5};
  CHECK_OK(rind_forest_refine(forest, 3, world_splits, &splitting), context);
  check_refused(rind_deposit(set, &count, exchange[0], field), RIND_ERROR_STALE, "migrate them");
  for (int i = 0; i < 3; ++i) {
    rind_exchange_destroy(&exchange[i]);
    rind_schedule_destroy(&schedule[i]);
  }
  rind_exchange_destroy(&forward);
  rind_field_destroy(&field);
  rind_particles_destroy(&set);
  rind_particles_destroy(&elsewhere);
  rind_forest_destroy(&forest);
  rind_forest_destroy(&other);
}

/* All particles at one place, many of them, given by one rank in the reverse order of ids. */
static void crowd(int64_t total) {
  rind_forest *forest = make_forest(2, 1, 2);
  const rind_particles_options centres = {.cells = CELLS, .groups = RIND_GROUPS_CENTRES};
  const rind_layout layout = {.cells = CELLS, .ghosts = 1, .components = 1};
  const rind_rules rules = {
      .wall = {RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN}};
  const int64_t mine = rank == 0 ? total : 0;
  double *x = malloc((size_t)(mine + 1) * sizeof *x);
  int64_t *id = malloc((size_t)(mine + 1) * sizeof *id);
  for (int64_t i = 0; i < mine; ++i) {
    x[i] = 1;
    id[i] = total - i;
  }
  const rind_particle_arrays arrays = {.count = mine, .position = {x, x}, .id = id};
  rind_particles *set = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_field *field = NULL;
  const int count = -1;
  CHECK_OK(rind_particles_create(forest, &arrays, &centres, &set), context);
  CHECK_OK(rind_schedule_create(forest, CELLS, 1, &rules, &schedule), context);
  CHECK_OK(
      rind_exchange_create(schedule, &layout, &(rind_exchange_options){.adjoint = true}, &exchange),
      context);
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  CHECK_OK(rind_deposit(set, &count, exchange, field), context);
  double sum = 0, all = 0;
  for (int b = 0; b < rind_field_num_blocks(field); ++b)
    for (int j = 0; j < CELLS; ++j)
      for (int i = 0; i < CELLS; ++i) {
        const double *cell = rind_field_pointer(field, b);
        sum += cell[i + j * rind_field_layout(field)->cell_stride[1]];
      }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all == (double)total, "the cells hold %.17g of %lld", all, (long long)total);
  for (int64_t p = 0; p < rind_particles_count(set); ++p)
    CHECK(rind_particles_id(set)[p] == p + 1 && rind_particles_position(set, 0)[p] == 0 &&
              rind_particles_position(set, 1)[p] == 1,
          "particle %lld has id %lld", (long long)p, (long long)rind_particles_id(set)[p]);
  rind_field_destroy(&field);
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_particles_destroy(&set);
  rind_forest_destroy(&forest);
  free(x);
  free(id);
}

static void tolerate_null(void) {
  rind_particles *none = NULL;
  rind_particles_destroy(NULL);
  rind_particles_destroy(&none);
  CHECK(rind_particles_count(NULL) == 0 && rind_particles_num_global(NULL) == 0 &&
            !rind_particles_position(NULL, 0) && !rind_particles_id(NULL) &&
            !rind_particles_attribute(NULL, 0) && !rind_particles_forest(NULL) &&
            rind_particles_check(NULL) == RIND_ERROR_INVALID &&
            rind_particles_sort(NULL, NULL) == RIND_ERROR_INVALID &&
            rind_particles_migrate(NULL, NULL, NULL) == RIND_ERROR_INVALID &&
            rind_particles_to_device(NULL) == RIND_ERROR_INVALID,
        "NULL is no set");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  rank = rind_context_rank(context);
  size = rind_context_size(context);
  refuse_positions();
  refuse_arguments();
  refuse_forests();
  keep_on_failure();
  refuse_deposits();
  crowd(0);
  crowd(1);
  crowd(1000000);
  tolerate_null();
  rind_context_destroy(&context);
  return check_end();
}
