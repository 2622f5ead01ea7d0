/* particles_lacks.c - what one rank alone leaves NULL is every rank's error, with the same words,
 * and nobody waits: all collective calls that take objects, arrays or places for results. */
#include <string.h>
#include <unistd.h>

#include <rind/forest_p4est.h>
#include <rind/rind.h>

#include <check.h>

enum { CELLS = 4 };

static rind_context *context;
static bool lacks; /* this rank */

/* An argument that the last rank has not got. */
#define MAYBE(argument) (lacks ? NULL : (argument))

/* The same line on all ranks, with something in it. */
static void check_refused(rind_error got, const char *call, const char *part) {
  char first[1024] = "";
  strncpy(first, rind_last_error(context), sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(got == RIND_ERROR_INVALID, "%s: %s", call, rind_error_name(got));
  CHECK(strcmp(first, rind_last_error(context)) == 0, "%s: \"%s\" here, \"%s\" on rank 0", call,
        rind_last_error(context), first);
  CHECK(strstr(first, part), "%s: \"%s\" does not say \"%s\"", call, first, part);
}
#define CHECK_REFUSED(call, part) check_refused((call), #call, (part))

static void refuse_forests(void) {
  const rind_brick brick = {.dim = 2, .level = 2};
  rind_forest *made = NULL, *forest = NULL;
  CHECK_REFUSED(rind_forest_create_brick(context, MAYBE(&brick), &made), "brick is NULL");
  CHECK_REFUSED(rind_forest_create_brick(context, &brick, MAYBE(&made)), "forest is NULL");
  CHECK_REFUSED(rind_forest_create_mesh(context, MAYBE("none.inp"), 0, &made), "path is NULL");
  CHECK_REFUSED(rind_forest_create_mesh(context, "none.inp", 0, MAYBE(&made)), "forest is NULL");
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  CHECK_REFUSED(rind_forest_create_arrays(context, MAYBE(arrays), NULL, &made), "arrays is NULL");
  CHECK_REFUSED(rind_forest_create_arrays(context, arrays, NULL, MAYBE(&made)), "forest is NULL");
  CHECK_REFUSED(rind_forest_refine(forest, 3, NULL, NULL), "refine is NULL");
  CHECK(!made, "a forest was made");
  rind_forest_destroy(&forest);
}

static void refuse_fields(const rind_forest *forest, const rind_layout *layout) {
  rind_field *made = NULL;
  double none = 0;
  void *blocks[16];
  const int num_blocks = rind_forest_num_blocks(forest);
  for (int b = 0; b < 16; ++b)
    blocks[b] = &none;
  rind_layout apart = *layout;
  apart.storage = RIND_BLOCKS;
  CHECK_REFUSED(rind_field_create(forest, MAYBE(layout), &made), "layout is NULL");
  CHECK_REFUSED(rind_field_create(forest, layout, MAYBE(&made)), "field is NULL");
  CHECK_REFUSED(rind_field_wrap_packed(forest, MAYBE(layout), &none, 1 << 30, &made),
                "layout is NULL");
  CHECK_REFUSED(rind_field_wrap_packed(forest, layout, MAYBE(&none), 1 << 30, &made),
                "data is NULL");
  CHECK_REFUSED(rind_field_wrap_packed(forest, layout, &none, 1 << 30, MAYBE(&made)),
                "field is NULL");
  CHECK_REFUSED(rind_field_wrap_blocks(forest, &apart, MAYBE(blocks), num_blocks, &made),
                "data is NULL");
  CHECK_REFUSED(rind_field_wrap_blocks(forest, &apart, blocks, num_blocks, MAYBE(&made)),
                "field is NULL");
  CHECK(!made, "a field was made");
}

static void refuse_schedules(const rind_forest *forest, const rind_schedule *schedule,
                             const rind_layout *layout, const rind_exchange *exchange) {
  rind_schedule *made = NULL;
  rind_exchange *other = NULL;
  rind_tiles *tiles = NULL;
  CHECK_REFUSED(rind_schedule_create(forest, CELLS, 1, NULL, MAYBE(&made)), "schedule is NULL");
  CHECK_REFUSED(rind_schedule_adjoint(schedule, MAYBE(&made)), "adjoint is NULL");
  CHECK_REFUSED(rind_exchange_create(schedule, MAYBE(layout), NULL, &other), "layout is NULL");
  CHECK_REFUSED(rind_exchange_create(schedule, layout, NULL, MAYBE(&other)), "exchange is NULL");
  CHECK_REFUSED(rind_tiles_create(exchange, 0, MAYBE(&tiles)), "tiles is NULL");
  CHECK(!made && !other && !tiles, "an object was made");
}

static void refuse_particles(const rind_forest *forest, rind_exchange *exchange,
                             rind_field *field) {
  double x = 0.3, density[1], *const none[3] = {NULL, NULL, NULL};
  const int count_them[1] = {-1};
  const rind_particle_arrays arrays = {.count = 1, .position = {&x, &x}};
  const rind_particles_options options = {.cells = CELLS, .groups = RIND_GROUPS_CENTRES};
  const rind_sph_model model = {.h = 0.05, .mass = 1, .rest_density = 1};
  rind_particles *set = NULL, *made = NULL;
  rind_sph *sph = NULL, *other = NULL;
  CHECK_REFUSED(rind_particles_create(forest, MAYBE(&arrays), NULL, &made), "arrays is NULL");
  CHECK_REFUSED(rind_particles_create(forest, &arrays, NULL, MAYBE(&made)), "particles is NULL");
  CHECK_OK(rind_particles_create(forest, &arrays, &options, &set), context);
  CHECK_REFUSED(rind_particles_migrate(MAYBE(set), forest, NULL), "the set of particles is NULL");
  CHECK_REFUSED(rind_deposit(MAYBE(set), count_them, exchange, field),
                "the set of particles is NULL");
  CHECK_REFUSED(rind_deposit(set, MAYBE(count_them), exchange, field), "is NULL");
  CHECK_REFUSED(rind_deposit(set, count_them, MAYBE(exchange), field), "is NULL");
  CHECK_REFUSED(rind_deposit(set, count_them, exchange, MAYBE(field)), "is NULL");
  CHECK_REFUSED(rind_deposit_gradient(set, count_them, exchange, MAYBE(field), none, NULL),
                "is NULL");
  CHECK_REFUSED(rind_sph_create(set, MAYBE(&model), &other), "the model is NULL");
  CHECK_REFUSED(rind_sph_create(set, &model, MAYBE(&other)), "sph is NULL");
  CHECK_OK(rind_sph_create(set, &model, &sph), context);
  /* All particles are one rank's: where it lacks its array nobody gets one. */
  const bool has = rind_particles_count(set) > 0;
  CHECK_REFUSED(rind_sph_density(sph, has ? NULL : density), "an array for results is NULL");
  CHECK_REFUSED(rind_sph_gradient(sph, has ? NULL : (void *const *)none, NULL),
                "an array for results is NULL");
  CHECK(!made && !other, "an object was made");
  rind_sph_destroy(&sph);
  rind_particles_destroy(&set);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  alarm(120);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  lacks = rind_context_rank(context) == rind_context_size(context) - 1;
  refuse_forests();
  const rind_brick brick = {.dim = 2, .periodic = {1, 1}, .level = 2};
  const rind_layout layout = {.cells = CELLS, .ghosts = 1, .components = 1};
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_field *field = NULL;
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  CHECK_OK(rind_schedule_create(forest, CELLS, 1, NULL, &schedule), context);
  CHECK_OK(
      rind_exchange_create(schedule, &layout, &(rind_exchange_options){.adjoint = true}, &exchange),
      context);
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  refuse_fields(forest, &layout);
  refuse_schedules(forest, schedule, &layout, exchange);
  refuse_particles(forest, exchange, field);
  rind_field_destroy(&field);
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
  return check_end();
}
