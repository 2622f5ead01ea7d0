/* sph_case.c - particles of the benchmark. */
#include "sph_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rind/forest_p4est.h>

#include "cli.h"
#include "demand.h"
#include "random.h"
#include "sph_memory.h"
#include "status.h"

static const char program[] = "rind-sph";

static void *create(const sph_case *c) {
  const size_t bytes = (size_t)c->local * c->type_bytes;
  return c->device ? sph_device_create(bytes) : calloc(bytes + 1, 1);
}

static void destroy(const sph_case *c, void *array) {
  if (c->device)
    sph_device_destroy(array);
  else
    free(array);
}

/* Axis a of the points drawn as one sequence, to where it belongs. */
static bool place(const sph_case *c, const double *drawn, int axis) {
  const size_t bytes = (size_t)c->count * c->type_bytes;
  char *values = malloc(bytes + 1);
  if (values == NULL) return false;
  for (int64_t i = 0; i < c->count; ++i) {
    const double x = c->length * drawn[i * c->dim + axis];
    if (c->type == RIND_FLOAT64)
      ((double *)values)[i] = x;
    else
      ((float *)values)[i] = (float)x;
  }
  bool good = true;
  if (c->device)
    good = sph_device_copy(c->at[axis], values, bytes) == 0;
  else
    memcpy(c->at[axis], values, bytes);
  free(values);
  return good;
}

static double *draw(const sph_case *c, int64_t seed) {
  const size_t numbers = (size_t)c->count * (size_t)c->dim;
  double *drawn = malloc(numbers * sizeof *drawn);
  app_random random;
  app_random_seed(&random, (uint64_t)seed);
  if (drawn != NULL) app_random_fill(&random, drawn, numbers);
  return drawn;
}

static const rind_sph_model model = {.h = SPH_H, .mass = 1, .rest_density = SPH_DENSITY};

static rind_error make_box(rind_context *context, const double *drawn, sph_case *c) {
  const rind_sph_box box = {
      .dim = c->dim, .upper = {c->length, c->length, c->length}, .periodic = {1, 1, 1}};
  const rind_sph_options options = {c->type, c->device ? RIND_DEVICE : RIND_HOST};
  c->local = c->count;
  for (int a = 0; a < c->dim; ++a) {
    c->at[a] = create(c);
    if (c->at[a] == NULL || !place(c, drawn, a)) return RIND_ERROR_MEMORY;
  }
  const rind_error error = rind_sph_create_box(context, &model, &box, &options, &c->sph);
  if (error != RIND_OK) return error;
  return rind_sph_set_points(
      c->sph, &(rind_sph_points){.count = c->count, .position = {c->at[0], c->at[1], c->at[2]}});
}

/* Every rank gives a part of the particles, wherever they lie. */
static rind_error make_set(rind_context *context, const double *drawn, sph_case *c) {
  const int64_t rank = rind_context_rank(context), ranks = rind_context_size(context);
  const int64_t first = c->count * rank / ranks, num = c->count * (rank + 1) / ranks - first;
  double *x[3] = {NULL, NULL, NULL};
  bool room = true;
  for (int a = 0; a < c->dim; ++a) {
    x[a] = malloc((size_t)num * sizeof *x[a] + 1);
    room = room && x[a] != NULL;
    for (int64_t i = 0; room && i < num; ++i)
      x[a][i] = c->length * drawn[(first + i) * c->dim + a];
  }
  rind_error error = rind_context_agree(context, room ? RIND_OK : RIND_ERROR_MEMORY);
  const rind_particle_arrays given = {.count = num, .position = {x[0], x[1], x[2]}};
  if (error == RIND_OK) error = rind_particles_create(c->forest, &given, NULL, &c->particles);
  for (int a = 0; a < c->dim; ++a)
    free(x[a]);
  if (error == RIND_OK) c->local = rind_particles_count(c->particles);
  return error;
}

/* Particles of each of the smallest leaves that there may be. */
typedef struct crowd {
  int dim, level; /* of those leaves */
  int most;       /* a leaf of more is split */
  int32_t *count; /* [2^(dim * level)], axis 0 fastest */
} crowd;

static size_t crowd_place(const crowd *all, const int64_t at[3]) {
  const int64_t side = INT64_C(1) << all->level;
  return (size_t)(at[0] + side * (at[1] + side * (all->dim == 3 ? at[2] : 0)));
}

static bool count_crowd(const sph_case *c, const double *drawn, crowd *all) {
  all->count = calloc((size_t)1 << (all->dim * all->level), sizeof *all->count);
  for (int64_t i = 0; all->count != NULL && i < c->count; ++i) {
    int64_t at[3] = {0, 0, 0};
    for (int a = 0; a < all->dim; ++a)
      at[a] = (int64_t)ldexp(drawn[i * c->dim + a], all->level);
    ++all->count[crowd_place(all, at)];
  }
  return all->count != NULL;
}

static int is_crowded(const rind_block *block, void *user) {
  const crowd *all = user;
  const int64_t side = INT64_C(1) << (all->level - block->level);
  int64_t count = 0, at[3], k[3];
  for (k[2] = 0; k[2] < (all->dim == 3 ? side : 1); ++k[2])
    for (k[1] = 0; k[1] < side; ++k[1])
      for (k[0] = 0; k[0] < side; ++k[0]) {
        for (int a = 0; a < 3; ++a)
          at[a] = block->coordinate[a] * side + k[a];
        count += all->count[crowd_place(all, at)];
      }
  return count > all->most;
}

/* The finest level whose leaves have sides of 2 h, so that a rank can count them. */
static int finest_level(const sph_case *c) {
  int level = 0;
  while (c->dim * (level + 1) <= 24 && c->length >= 2 * SPH_H * (2 << level))
    ++level;
  return level;
}

static rind_error split_leaves(rind_context *context, int most, const double *drawn, sph_case *c) {
  crowd all = {.dim = c->dim, .level = finest_level(c), .most = most};
  const bool counted = count_crowd(c, drawn, &all);
  rind_error error = rind_context_agree(context, counted ? RIND_OK : RIND_ERROR_MEMORY);
  if (error == RIND_OK) error = rind_forest_refine(c->forest, all.level, is_crowded, &all);
  free(all.count);
  return error;
}

static rind_error make_forest(rind_context *context, int level, int most, const double *drawn,
                              sph_case *c) {
  const rind_brick brick = {.dim = c->dim,
                            .periodic = {1, 1, 1},
                            .level = level,
                            .upper = {c->length, c->length, c->length}};
  rind_error error = rind_forest_create_brick(context, &brick, &c->forest);
  if (error == RIND_OK && most > 0 && level < finest_level(c))
    error = split_leaves(context, most, drawn, c);
  if (error == RIND_OK) error = make_set(context, drawn, c);
  return error == RIND_OK ? rind_sph_create(c->particles, &model, &c->sph) : error;
}

/* About 16 leaves a rank, unless they would be smaller than 2 h. */
static int choose_level(const sph_case *c, int ranks) {
  const int finest = finest_level(c);
  int level = 0;
  while (level < finest && 1 << (c->dim * level) < 16 * ranks)
    ++level;
  return level;
}

/* Every rank draws all particles; the arrays are each one's part. */
static rind_error check_demand(rind_context *context, const sph_case *c, int level) {
  const double numbers = 8.0 * c->dim * rind_context_size(context);
  const double arrays = (double)c->type_bytes * (2 * c->dim + 1);
  const app_demand particles = {(double)c->count, "particles", numbers + arrays, "--particles"};
  const app_demand leaves = {app_uniform_blocks(c->dim, (const int[3]){1, 1, 1}, level), "leaves",
                             APP_BLOCK_BYTES, "--forest"};
  const rind_error error = app_check_demand(context, &particles);
  return error == RIND_OK ? app_check_demand(context, &leaves) : error;
}

int sph_case_create(rind_context *context, const sph_options *options, sph_case *made) {
  sph_case c = {.dim = options->dim,
                .count = options->particles,
                .type = (rind_type)options->type,
                .device = options->device};
  const int ranks = rind_context_size(context);
  c.type_bytes = rind_type_bytes(c.type);
  const double volume = (double)c.count / SPH_DENSITY;
  c.length = c.dim == 2 ? sqrt(volume) : cbrt(volume);
  const int finest = finest_level(&c);
  if (options->forest > finest) {
    app_complain(MPI_COMM_WORLD, program,
                 "--forest is %d, should be at most %d: leaves may be no smaller than 2 h, %g, in "
                 "a box of %g",
                 options->forest, finest, 2 * SPH_H, c.length);
    return APP_USAGE;
  }
  const int level = options->forest < 0 ? choose_level(&c, ranks) : options->forest;
  rind_error error = check_demand(context, &c, level);
  double *drawn = error == RIND_OK ? draw(&c, options->seed) : NULL;
  if (error == RIND_OK)
    error = rind_context_agree(context, drawn != NULL ? RIND_OK : RIND_ERROR_MEMORY);
  if (error == RIND_OK && options->forest < 0 && ranks == 1)
    error = make_box(context, drawn, &c);
  else if (error == RIND_OK)
    error = make_forest(context, level, options->split, drawn, &c);
  free(drawn);
  bool room = true;
  c.density = create(&c);
  for (int a = 0; a < c.dim; ++a) {
    c.along[a] = create(&c);
    room = room && c.along[a] != NULL;
  }
  if (error == RIND_OK && !(room && c.density != NULL)) error = RIND_ERROR_MEMORY;
  error = rind_context_agree(context, error);
  if (error == RIND_OK) {
    *made = c;
    return APP_OK;
  }
  const char *text = rind_last_error(context);
  app_complain(MPI_COMM_WORLD, program, "%s",
               text[0] != '\0' ? text : "no memory for the particles");
  sph_case_destroy(&c);
  return app_status_of(error);
}

void sph_case_destroy(sph_case *c) {
  rind_sph_destroy(&c->sph);
  rind_particles_destroy(&c->particles);
  rind_forest_destroy(&c->forest);
  for (int a = 0; a < 3; ++a) {
    destroy(c, c->at[a]);
    destroy(c, c->along[a]);
  }
  destroy(c, c->density);
  memset(c, 0, sizeof *c);
}

/* The rank's values, particle by particle, to where their ids say; the others are 0. */
static bool put_by_id(const sph_case *c, const void *array, double *values) {
  const size_t bytes = (size_t)c->local * c->type_bytes;
  void *raw = malloc(bytes + 1);
  bool good = raw != NULL;
  if (good && c->device)
    good = sph_device_copy(raw, array, bytes) == 0;
  else if (good)
    memcpy(raw, array, bytes);
  const int64_t *id = c->particles != NULL ? rind_particles_id(c->particles) : NULL;
  for (int64_t i = 0; good && i < c->local; ++i)
    values[id != NULL ? id[i] : i] =
        c->type == RIND_FLOAT64 ? ((double *)raw)[i] : (double)((float *)raw)[i];
  free(raw);
  return good;
}

bool sph_case_read(const sph_case *c, const void *array, double **values) {
  int rank, good;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *all = calloc((size_t)c->count + 1, sizeof *all);
  good = all != NULL && put_by_id(c, array, all);
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  /* Each value is one rank's. */
  if (good)
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : all, all, (int)c->count, MPI_DOUBLE, MPI_SUM, 0,
               MPI_COMM_WORLD);
  if (!good || rank != 0) {
    free(all);
    all = NULL;
  }
  *values = all;
  return good;
}
