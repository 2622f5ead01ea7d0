/* oracle_order.c - the order of the adjoint's sums shows in the bits, and collisions are as many as
 * docs/rows.md says.
 *
 * One coarse face with four fine 8^3 blocks: fills in ascending order, or ghost after ghost, give
 * other bits than the canonical order in some cells of any draw. In float32 a scatter that rounds
 * after each add is within its bound of the contract, and not equal. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "oracle_adjoint.h"
#include "oracle_scene.h"

enum { NUM_DRAWS = 400, NUM_FACE_CELLS = 384 }; /* 2 coarse layers of 8^2, one fine of 16^2 */

/* A brick whose blocks below the middle of axis 0 are refined. */
typedef struct halved {
  scene scene;
  scene_run run;
  rind_rules rules;
  oracle_fill by;
  oracle_adjoint *adjoint;
} halved;

static int below_middle(const rind_block *block, void *user) {
  const scene *s = user;
  const double middle = 0.5 * (s->brick.trees[0] > 0 ? s->brick.trees[0] : 1);
  return block->lower[0] + 0.5 * block->side[0] < middle;
}

/* False if it cannot be made, with a failed check. Borrows *h until close_halved. */
static bool open_halved(halved *h, int dim, const int trees[3], bool periodic, int cells,
                        rind_type type) {
  memset(h, 0, sizeof *h);
  h->scene = (scene){.seed = 5,
                     .brick = {.dim = dim,
                               .trees = {trees[0], trees[1], trees[2]},
                               .periodic = {0, periodic, periodic}},
                     .ghosts = 1,
                     .cells = cells,
                     .components = 1,
                     .type = type,
                     .rules = {.regions = RIND_REGIONS_FACES}};
  rind_error error = rind_context_create(MPI_COMM_WORLD, NULL, &h->run.context);
  if (!error) error = rind_forest_create_brick(h->run.context, &h->scene.brick, &h->run.forest);
  if (!error) error = rind_forest_refine(h->run.forest, 1, below_middle, &h->scene);
  CHECK_OK(error, h->run.context);
  if (error) return false;
  h->run.judge = oracle_create(MPI_COMM_WORLD, h->run.forest, &h->scene.brick, cells, h->run.text);
  CHECK(h->run.judge != NULL, "%s", h->run.text);
  if (h->run.judge == NULL) return false;
  h->rules = scene_rules(&h->scene);
  h->by = scene_oracle_fill(&h->scene, h->run.judge, &h->rules, &h->scene.seed);
  h->adjoint = oracle_adjoint_create(&h->by, h->scene.ghosts);
  return true;
}

static void close_halved(halved *h) {
  oracle_adjoint_destroy(h->adjoint);
  scene_close(&h->run);
}

/* In [-1, 1). */
static double uniform(uint64_t noise, const int at[3], int which) {
  const uint64_t place = (uint64_t)at[2] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[0] << 8;
  return (double)(scene_mix(noise ^ scene_mix(place + (uint64_t)which)) >> 11) * 0x1p-52 - 1.0;
}

/* Only ghosts of quadratic rows have values; cells that these read, too. */
static void draw_values(const halved *h, uint64_t noise, double *value) {
  const oracle_contributions *list = &h->adjoint->of[ORACLE_PHASE_BLOCKS];
  memset(value, 0, (size_t)h->adjoint->num_values * sizeof *value);
  for (long i = 0; i < list->num; ++i) {
    const int64_t at[2] = {list->item[i].cell, list->item[i].ghost};
    for (int k = 0; k < 2; ++k) {
      const int cell[3] = {(int)(at[k] & 255), (int)(at[k] >> 8 & 255), (int)(at[k] >> 16 & 255)};
      const double noisy = uniform(noise, cell, k);
      value[at[k]] = h->scene.type == RIND_FLOAT32 ? (double)(float)noisy : noisy;
    }
  }
}

/* Drops the contributions of ghosts that are not quadratic. */
static void keep_quadratic(halved *h) {
  oracle_contributions *list = &h->adjoint->of[ORACLE_PHASE_BLOCKS];
  long num = 0;
  memset(h->adjoint->read, 0, (size_t)h->adjoint->num_values);
  for (long i = 0; i < list->num; ++i) {
    long terms = 0;
    for (long k = i; k < list->num && list->item[k].ghost == list->item[i].ghost; ++k)
      ++terms;
    if (terms == (h->scene.brick.dim == 2 ? 7 : 19)) {
      for (long k = i; k < i + terms; ++k) {
        h->adjoint->read[list->item[k].cell] = 1;
        list->item[num++] = list->item[k];
      }
    }
    i += terms - 1;
  }
  list->num = num;
}

static long count_different(const halved *h, const double *a, const double *b) {
  long num = 0;
  for (int64_t i = 0; i < h->adjoint->num_values; ++i)
    num += memcmp(&a[i], &b[i], sizeof *a) != 0;
  return num;
}

/* The extremes of docs/rows.md are those of 400 draws; other draws have other extremes. */
static const long other_draws = 5;

static void check_wrong_order(oracle_order order, const char *name, long low, long high) {
  const int two[3] = {2, 1, 1};
  halved h;
  if (open_halved(&h, 3, two, false, 8, RIND_FLOAT64)) {
    keep_quadratic(&h);
    long reached = 0, least = NUM_FACE_CELLS, most = 0, sum = 0;
    for (int64_t i = 0; i < h.adjoint->num_values; ++i)
      reached += h.adjoint->read[i];
    CHECK(reached == NUM_FACE_CELLS, "rows read %ld cells, not %d", reached, NUM_FACE_CELLS);
    const size_t bytes = (size_t)h.adjoint->num_values * sizeof(double);
    double *right = malloc(bytes), *other = malloc(bytes);
    if (right == NULL || other == NULL) abort();
    for (int draw = 0; draw < NUM_DRAWS; ++draw) {
      draw_values(&h, (uint64_t)draw + 1, right);
      memcpy(other, right, bytes);
      oracle_adjoint_apply(h.adjoint, ORACLE_CANONICAL, right);
      oracle_adjoint_apply(h.adjoint, order, other);
      const long different = count_different(&h, right, other);
      sum += different;
      if (different < least) least = different;
      if (different > most) most = different;
    }
    const double mean = (double)sum / NUM_DRAWS;
    printf("%s: %ld to %ld of %d cells differ, %.1f on average\n", name, least, most,
           NUM_FACE_CELLS, mean);
    CHECK(least >= low - other_draws && most <= high + other_draws && mean > low && mean < high,
          "%s: %ld to %ld of %d cells differ, not %ld to %ld", name, least, most, NUM_FACE_CELLS,
          low, high);
    free(right);
    free(other);
  }
  close_halved(&h);
}

/* The scatter into floats: contributions eps32 (|x| + sum |w g|) from the contract. */
static void check_float_scatter(void) {
  const int two[3] = {2, 1, 1};
  halved h;
  if (open_halved(&h, 3, two, false, 8, RIND_FLOAT32)) {
    keep_quadratic(&h);
    const size_t count = (size_t)h.adjoint->num_values, bytes = count * sizeof(double);
    double *right = malloc(bytes), *scattered = malloc(bytes), *terms = malloc(bytes);
    long *num = calloc(count, sizeof *num);
    if (right == NULL || scattered == NULL || terms == NULL || num == NULL) abort();
    const oracle_contributions *list = &h.adjoint->of[ORACLE_PHASE_BLOCKS];
    for (long i = 0; i < list->num; ++i)
      ++num[list->item[i].cell];
    long different = 0, beyond = 0;
    for (int draw = 0; draw < NUM_DRAWS / 10; ++draw) {
      draw_values(&h, (uint64_t)draw + 1, right);
      memcpy(scattered, right, bytes);
      for (size_t i = 0; i < count; ++i)
        terms[i] = fabs(right[i]);
      oracle_adjoint_apply(h.adjoint, ORACLE_CANONICAL, right);
      oracle_adjoint_apply(h.adjoint, ORACLE_ROUND_OFTEN, scattered);
      oracle_adjoint_apply(h.adjoint, ORACLE_ABSOLUTE, terms);
      different += count_different(&h, right, scattered);
      for (size_t i = 0; i < count; ++i)
        beyond += fabs(right[i] - scattered[i]) > (double)num[i] * FLT_EPSILON * terms[i];
    }
    printf("float scatter: %.0f of %d cells differ\n", (double)different / (NUM_DRAWS / 10),
           NUM_FACE_CELLS);
    CHECK(different > 0, "the scatter into floats has the contract's bits");
    CHECK(beyond == 0, "%ld cells beyond the bound", beyond);
    free(right);
    free(scattered);
    free(terms);
    free(num);
  }
  close_halved(&h);
}

static int by_fill_and_cell(const void *left, const void *right) {
  const oracle_contribution *a = left, *b = right;
  if (a->fill != b->fill) return a->fill < b->fill ? -1 : 1;
  return (a->cell > b->cell) - (a->cell < b->cell);
}

/* Adds of interpolation, and those among them to a cell that a term of the same fill has hit. */
static void check_collisions(int dim, const int trees[3], bool periodic, int cells, long adds,
                             long collisions) {
  halved h;
  if (open_halved(&h, dim, trees, periodic, cells, RIND_FLOAT64)) {
    keep_quadratic(&h);
    oracle_contributions *list = &h.adjoint->of[ORACLE_PHASE_BLOCKS];
    qsort(list->item, (size_t)list->num, sizeof *list->item, by_fill_and_cell);
    long again = 0;
    for (long i = 1; i < list->num; ++i)
      again += by_fill_and_cell(&list->item[i - 1], &list->item[i]) == 0;
    CHECK(list->num == adds && again == collisions,
          "%dD, n %d, %d blocks: %ld adds, %ld collisions, not %ld and %ld", dim, cells,
          h.run.judge->num_leaves, list->num, again, adds, collisions);
  }
  close_halved(&h);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const int two[3] = {2, 1, 1}, four[3] = {4, 4, 4}, eight[3] = {8, 8, 8};
  check_wrong_order(ORACLE_ASCENDING, "ascending fills", 69, 99);
  check_wrong_order(ORACLE_BY_GHOST, "ghost after ghost", 67, 98);
  check_float_scatter();
  /* Per fine face: two of them in 2D, four in 3D. */
  check_collisions(2, two, false, 8, 2L * 56, 2L * 16);
  check_collisions(2, two, false, 32, 2L * 224, 2L * 112);
  check_collisions(3, two, false, 8, 4L * 1216, 4L * 640);
  check_collisions(3, two, false, 16, 4L * 4864, 4L * 3456);
  /* R8 and R4. */
  check_collisions(3, four, true, 8, 77824, 40960);
  check_collisions(3, four, false, 8, 77824, 40960);
  check_collisions(3, eight, false, 4, 77824, 0);
  return check_end();
}
