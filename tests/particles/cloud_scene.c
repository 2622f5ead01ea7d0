/* cloud_scene.c - small adaptive forests, and particles whose numbers are made of their ids. */
#include "cloud_scene.h"

#include <math.h>
#include <string.h>

#include <check.h>
#include <meshes.h>

static const struct {
  rind_brick brick;
  int max_level;
  double share;
} bricks[NUM_CLOUDS - 2] = {
    {{.dim = 2, .trees = {3, 2}, .level = 1, .lower = {0.1, -0.7}, .upper = {2.2, 0.7}}, 4, 0.4},
    {{.dim = 2, .periodic = {1, 1}, .level = 2}, 5, 0.4},
    {{.dim = 3,
      .trees = {2, 1, 1},
      .periodic = {1, 0, 1},
      .level = 1,
      .lower = {-1.3, 0.2, 5.1},
      .upper = {2.9, 1.7, 6.3}},
     3,
     0.35},
    {{.dim = 3, .level = 1}, 3, 0.35}};

static void create_brick(cloud_scene *scene) {
  const rind_brick *brick = &bricks[scene->number].brick;
  scene->dim = brick->dim;
  for (int a = 0; a < brick->dim; ++a) {
    scene->lower[a] = brick->lower[a];
    scene->upper[a] = brick->upper[a] > brick->lower[a] ? brick->upper[a]
                      : brick->trees[a] > 0             ? brick->trees[a]
                                                        : 1;
    scene->periodic[a] = brick->periodic[a];
  }
  CHECK_OK(rind_forest_create_brick(scene->context, brick, &scene->forest), scene->context);
  cloud_scene_refine(scene, 5);
}

static void create_wrapped(MPI_Comm comm, cloud_scene *scene) {
  const int flat = scene->number == NUM_CLOUDS - 2;
  const mesh_kind *kind = flat ? &mesh_kind_2d : &mesh_kind_3d;
  const mesh_recipe recipe = {.trees = flat ? "brick23" : "periodic",
                              .level = 1,
                              .max_level = flat ? 4 : 3,
                              .seed = 8,
                              .share = 0.4,
                              .balance = MESH_FULL};
  scene->dim = kind->dim;
  scene->mesh = kind->create(comm, &recipe);
  for (int a = 0; a < kind->dim; ++a) {
    scene->upper[a] = flat ? 2 + a : 1;
    scene->periodic[a] = !flat;
  }
  CHECK_OK(kind->wrap(scene->context, scene->mesh, &scene->forest), scene->context);
}

void cloud_scene_create(MPI_Comm comm, int number, int threads, cloud_scene *scene) {
  *scene = (cloud_scene){.number = number};
  CHECK_OK(rind_context_create(comm, &(rind_context_options){.threads = threads}, &scene->context),
           NULL);
  if (number < NUM_CLOUDS - 2)
    create_brick(scene);
  else
    create_wrapped(comm, scene);
}

void cloud_scene_refine(cloud_scene *scene, uint64_t seed) {
  world_splitting splitting = {.seed = seed, .share = bricks[scene->number].share};
  CHECK_OK(
      rind_forest_refine(scene->forest, bricks[scene->number].max_level, world_splits, &splitting),
      scene->context);
}

void cloud_scene_destroy(cloud_scene *scene) {
  rind_forest_destroy(&scene->forest);
  if (scene->mesh) (scene->dim == 2 ? &mesh_kind_2d : &mesh_kind_3d)->destroy(scene->mesh);
  rind_context_destroy(&scene->context);
}

double cloud_random(uint64_t seed, int64_t id) {
  const int32_t words[3] = {(int32_t)(id & 0x7fffffff), (int32_t)(id >> 31), 7};
  return world_random(seed, 1, 2, words);
}

double cloud_attribute(int attribute, int64_t id) {
  return attribute == 0 ? 0.5 + cloud_random(31, id) : cloud_random(32, id) - 0.5;
}

/* Of a block of the world: a coordinate of its lower corner, or of the domain's upper border. */
static double border(const cloud_scene *scene, const world *all, int64_t id, int axis) {
  const int b = (int)(cloud_random(41, id) * all->num_blocks);
  if (cloud_random(42 + (uint64_t)axis, id) < 0.05) return scene->upper[axis];
  return all->block[b].lower[axis];
}

void cloud_position(const cloud_scene *scene, const world *all, int64_t id, double x[3]) {
  x[2] = 0;
  for (int a = 0; a < scene->dim; ++a) {
    const double length = scene->upper[a] - scene->lower[a];
    const double u = cloud_random(11 + (uint64_t)a, id);
    x[a] = scene->lower[a] + u * length;
    if (x[a] > scene->upper[a]) x[a] = scene->upper[a];
    if (id % 10 == 3 && cloud_random(51 + (uint64_t)a, id) < 0.6)
      x[a] = border(scene, all, id, a);
    else if (id % 10 == 5) /* as near to one as can be */
      x[a] =
          fmin(fmax(nextafter(border(scene, all, id, a), id % 20 < 10 ? -99 : 99), scene->lower[a]),
               scene->upper[a]);
    else if (scene->periodic[a] && id % 10 == 4)
      x[a] += length * floor(7 * cloud_random(61 + (uint64_t)a, id) - 3);
  }
}

void cloud_give(const cloud_scene *scene, const world *all, int64_t total, cloud_given *given) {
  const int rank = rind_context_rank(scene->context), size = rind_context_size(scene->context);
  *given = (cloud_given){.id = malloc((size_t)(total + 1) * sizeof(int64_t))};
  for (int64_t id = rank; id < total; id += size)
    given->id[given->count++] = id;
  for (int64_t i = given->count - 1; i > 0; --i) {
    const int64_t j = (int64_t)(cloud_random(71, i) * (double)(i + 1)), moved = given->id[i];
    given->id[i] = given->id[j];
    given->id[j] = moved;
  }
  const size_t bytes = (size_t)(given->count + 1) * sizeof(double);
  for (int a = 0; a < 3; ++a)
    given->position[a] = malloc(bytes);
  for (int k = 0; k < CLOUD_ATTRIBUTES; ++k)
    given->attribute[k] = malloc(bytes);
  for (int64_t i = 0; i < given->count; ++i) {
    double x[3];
    cloud_position(scene, all, given->id[i], x);
    for (int a = 0; a < 3; ++a)
      given->position[a][i] = x[a];
    for (int k = 0; k < CLOUD_ATTRIBUTES; ++k)
      given->attribute[k][i] = cloud_attribute(k, given->id[i]);
  }
  given->arrays = (rind_particle_arrays){
      .count = given->count,
      .position = {given->position[0], given->position[1], given->position[2]},
      .id = given->id,
      .num_attributes = CLOUD_ATTRIBUTES,
      .attribute = (const double *const *)given->attribute};
}

void cloud_given_free(cloud_given *given) {
  free(given->id);
  for (int a = 0; a < 3; ++a)
    free(given->position[a]);
  for (int k = 0; k < CLOUD_ATTRIBUTES; ++k)
    free(given->attribute[k]);
}

/* Where the block ends along an axis: where the next one begins, if there is one. */
static double end_of(const cloud_scene *scene, const world *all, int b, int a) {
  const double end = all->block[b].lower[a] + all->block[b].side[a];
  if (fabs(end - scene->upper[a]) < 1e-9) return scene->upper[a];
  for (int c = 0; c < all->num_blocks; ++c)
    if (fabs(all->block[c].lower[a] - end) < 1e-9) return all->block[c].lower[a];
  return end;
}

int cloud_find(const cloud_scene *scene, const world *all, const double x[3], int *num_found) {
  int found = -1;
  *num_found = 0;
  for (int b = 0; b < all->num_blocks; ++b) {
    const rind_block *block = &all->block[b];
    int inside = 1;
    for (int a = 0; a < scene->dim && inside; ++a) {
      inside = x[a] >= block->lower[a] && x[a] <= block->lower[a] + 1.001 * block->side[a];
      if (!inside) continue;
      const double end = end_of(scene, all, b, a);
      inside = x[a] < end || (x[a] == end && end == scene->upper[a]);
    }
    if (!inside) continue;
    found = b;
    ++*num_found;
  }
  return found;
}

void *cloud_collect(MPI_Comm comm, const void *items, int64_t count, int64_t *total) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  int *counts = malloc((size_t)size * sizeof *counts),
      *first = malloc((size_t)size * sizeof *first);
  const int mine = (int)count;
  MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, comm);
  *total = 0;
  for (int r = 0; r < size; ++r) {
    first[r] = (int)*total;
    *total += counts[r];
  }
  void *all = malloc((size_t)(*total + 1) * 8);
  MPI_Allgatherv(items, mine, MPI_INT64_T, all, counts, first, MPI_INT64_T, comm);
  free(counts);
  free(first);
  return all;
}
