/* sph_forests.c - particles of sets on refined forests have the bits that one rank finds in the
 * same box, on any number of ranks; what is refused. */
#include <sph_cases.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <rind/forest_p4est.h>
#include <rind/particles.h>

static rind_context *context;
static int rank, ranks;

/* Splits blocks around a moving corner, differently a seed. */
static int split(const rind_block *block, void *user) {
  const unsigned seed = *(const unsigned *)user;
  uint64_t x = seed + 1;
  x = x * 31 + (uint64_t)block->level;
  for (int a = 0; a < 3; ++a)
    x = x * 1000003 + (uint64_t)block->coordinate[a];
  x = x * 31 + (uint64_t)block->tree;
  x = (x ^ (x >> 31)) * UINT64_C(0xd6e8feb86659fd93);
  return (x >> 40) % 3 == 0;
}

typedef struct scene {
  const char *name;
  rind_brick brick;
  int finest;
  double h;
  int count;
} scene;

static rind_forest *make_forest(const scene *s, unsigned seed) {
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &s->brick, &forest), context);
  if (s->finest > s->brick.level)
    CHECK_OK(rind_forest_refine(forest, s->finest, split, &seed), context);
  return forest;
}

/* Every rank gives the points whose number is its own, modulo the ranks. */
static rind_particles *make_set(const rind_forest *forest, const sph_case *c) {
  const size_t room = (size_t)c->count + 1;
  double *x[3] = {calloc(room, 8), calloc(room, 8), calloc(room, 8)};
  int64_t *id = calloc(room, sizeof *id), num = 0;
  for (int i = c->count - 1; i >= 0; --i)
    if (i % ranks == rank) {
      for (int a = 0; a < c->box.dim; ++a)
        x[a][num] = c->at[a][i];
      id[num++] = i;
    }
  rind_particles *set = NULL;
  const rind_particle_arrays arrays = {.count = num, .position = {x[0], x[1], x[2]}, .id = id};
  CHECK_OK(rind_particles_create(forest, &arrays, NULL, &set), context);
  for (int a = 0; a < 3; ++a)
    free(x[a]);
  free(id);
  return set;
}

static sph_case make_case(const scene *s, unsigned seed) {
  rind_sph_box box = {.dim = s->brick.dim};
  for (int a = 0; a < box.dim; ++a) {
    box.lower[a] = s->brick.lower[a];
    box.upper[a] = s->brick.upper[a];
    box.periodic[a] = s->brick.periodic[a];
  }
  return sph_case_make((rind_sph_model){s->h, 0.25, 3}, box, s->count, 1, seed);
}

/* The set's results against those of all points on this rank alone. */
static void compare(const char *name, const sph_case *c, const rind_particles *set, rind_sph *sph) {
  sph_answer alone = sph_case_ask(context, c);
  const int64_t count = rind_particles_count(set), *id = rind_particles_id(set);
  double *density = calloc((size_t)count + 1, sizeof *density), *along[3], loss = -1, forward = -2;
  for (int a = 0; a < 3; ++a)
    along[a] = calloc((size_t)count + 1, sizeof(double));
  CHECK_OK(rind_sph_density(sph, density), context);
  CHECK_OK(rind_sph_loss(sph, &forward), context);
  CHECK_OK(rind_sph_gradient(sph, (void *const *)along, &loss), context);
  CHECK(loss == alone.loss && forward == loss, "%s: loss %.17g, %.17g, alone %.17g", name, loss,
        forward, alone.loss);
  for (int64_t i = 0; i < count; ++i) {
    CHECK(memcmp(&density[i], &alone.density[id[i]], sizeof *density) == 0,
          "%s: density of %lld is %.17g, alone %.17g", name, (long long)id[i], density[i],
          alone.density[id[i]]);
    for (int a = 0; a < c->box.dim; ++a)
      CHECK(memcmp(&along[a][i], &alone.gradient[a][id[i]], sizeof *density) == 0,
            "%s: gradient %d of %lld is %.17g, alone %.17g", name, a, (long long)id[i], along[a][i],
            alone.gradient[a][id[i]]);
  }
  rind_sph_stats stats;
  CHECK_OK(rind_sph_get_stats(sph, &stats), context);
  CHECK(stats.num_points == count && (ranks > 1 || stats.num_halo == 0), "%s: %lld points", name,
        (long long)stats.num_points);
  free(density);
  for (int a = 0; a < 3; ++a)
    free(along[a]);
  sph_answer_free(&alone);
}

/* Moves all points a little, the same ones in the case and the set. */
static void move(sph_case *c, rind_particles *set) {
  const int64_t *id = rind_particles_id(set);
  for (int a = 0; a < c->box.dim; ++a) {
    const double length = c->box.upper[a] - c->box.lower[a];
    for (int i = 0; i < c->count; ++i) {
      const double to = c->at[a][i] + 0.05 * length * sin(i + a);
      if (c->box.periodic[a])
        c->at[a][i] = to - length * floor((to - c->box.lower[a]) / length);
      else if (to > c->box.lower[a] && to < c->box.upper[a])
        c->at[a][i] = to;
    }
    for (int64_t i = 0; i < rind_particles_count(set); ++i)
      rind_particles_position(set, a)[i] = c->at[a][id[i]];
  }
}

static void check_scene(const scene *s, unsigned seed) {
  sph_case c = make_case(s, seed);
  rind_forest *forest = make_forest(s, seed);
  rind_particles *set = make_set(forest, &c);
  rind_sph *sph = NULL;
  CHECK_OK(rind_sph_create(set, &c.model, &sph), context);
  if (sph) {
    compare(s->name, &c, set, sph);
    move(&c, set);
    CHECK_OK(rind_particles_migrate(set, NULL, NULL), context);
    compare(s->name, &c, set, sph);
    if (s->finest > s->brick.level) {
      /* A forest refined elsewhere, under the same set. */
      unsigned other = seed + 100;
      CHECK_OK(rind_forest_refine(forest, s->finest, split, &other), context);
      double loss;
      CHECK_ERROR(rind_sph_loss(sph, &loss), RIND_ERROR_STALE, context);
      CHECK_OK(rind_particles_migrate(set, NULL, NULL), context);
      compare(s->name, &c, set, sph);
    }
  }
  rind_sph_destroy(&sph);
  rind_particles_destroy(&set);
  rind_forest_destroy(&forest);
  sph_case_free(&c);
}

static void check_scenes(void) {
  const scene known[] = {
      {"flat, periodic", {2, {1, 1, 1}, {1, 1, 0}, 2, {0}, {1, 1, 0}}, 4, 1 / 32.0, 1500},
      {"flat, walls", {2, {2, 1, 1}, {0, 0, 0}, 1, {-1, 2, 0}, {1, 3, 0}}, 4, 1 / 40.0, 1500},
      {"flat, mixed", {2, {3, 2, 1}, {0, 1, 0}, 0, {0, 0, 0}, {3, 2.2, 0}}, 3, 0.05, 1500},
      {"flat, one block", {2, {1, 1, 1}, {1, 1, 0}, 0, {0}, {1, 1, 0}}, 0, 0.26, 150},
      {"flat, short", {2, {1, 4, 1}, {1, 1, 0}, 0, {0}, {1, 4, 0}}, 0, 0.3, 300},
      {"flat, few points", {2, {1, 1, 1}, {1, 1, 0}, 3, {0}, {1, 1, 0}}, 3, 0.06, 5},
      {"flat, no point", {2, {1, 1, 1}, {1, 1, 0}, 3, {0}, {1, 1, 0}}, 3, 0.06, 0},
      {"solid, periodic", {3, {1, 1, 1}, {1, 1, 1}, 1, {0}, {1, 1, 1}}, 3, 1 / 17.0, 1200},
      {"solid, mixed", {3, {2, 1, 1}, {1, 0, 0}, 1, {0}, {2, 1, 1.1}}, 3, 1 / 20.0, 1200},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
    for (unsigned seed = 1; seed <= 3; ++seed)
      check_scene(&known[k], seed);
}

static void check_refusals(void) {
  const scene s = {"", {2, {1, 1, 1}, {1, 1, 0}, 2, {0}, {1, 1, 0}}, 3, 0.0625, 300};
  sph_case c = make_case(&s, 1);
  rind_forest *forest = make_forest(&s, 1);
  rind_particles *set = make_set(forest, &c);
  rind_sph *sph = NULL;
  rind_sph_model model = c.model;
  model.h = 0.07;
  CHECK_ERROR(rind_sph_create(set, &model, &sph), RIND_ERROR_INVALID, context);
  CHECK(strstr(rind_last_error(context), "0.14"), "%s", rind_last_error(context));
  model.h = -1;
  CHECK_ERROR(rind_sph_create(set, &model, &sph), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_sph_create(NULL, &model, &sph), RIND_ERROR_INVALID, context);
  if (rind_context_size(context) > 1) {
    model = c.model;
    if (rind_context_rank(context) == 1) model.h *= 0.5;
    CHECK_ERROR(rind_sph_create(set, &model, &sph), RIND_ERROR_MISMATCH, context);
    CHECK(strstr(rind_last_error(context), "rank 1 gives h"), "%s", rind_last_error(context));
  }
  CHECK(sph == NULL, "an object was made");
  CHECK_OK(rind_sph_create(set, &c.model, &sph), context);
  double loss = -1;
  CHECK_ERROR(rind_sph_set_points(sph, &(rind_sph_points){0}), RIND_ERROR_STATE, context);
  /* One rank's mistake is everybody's error. */
  double *density = calloc((size_t)rind_particles_count(set) + 1, sizeof *density);
  CHECK_ERROR(rind_sph_density(sph, rank == ranks - 1 ? NULL : density), RIND_ERROR_INVALID,
              context);
  CHECK_OK(rind_sph_density(sph, density), context);
  /* Out of its block, on the last rank. */
  if (rank == ranks - 1) rind_particles_position(set, 0)[0] += 0.5;
  CHECK_ERROR(rind_sph_loss(sph, &loss), RIND_ERROR_STALE, context);
  CHECK(strstr(rind_last_error(context), "migrate"), "%s", rind_last_error(context));
  if (rank == ranks - 1) rind_particles_position(set, 0)[0] = NAN;
  CHECK_ERROR(rind_sph_loss(sph, &loss), RIND_ERROR_STALE, context);
  CHECK(loss == -1, "the loss was written: %g", loss);
  free(density);
  rind_sph_destroy(&sph);
  rind_particles_destroy(&set);
  rind_forest_destroy(&forest);
  sph_case_free(&c);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  check_scenes();
  check_refusals();
  rind_context_destroy(&context);
  return check_end();
}
