/* oracle_dense.c - on small forests G, column by column from fills, is the transpose of what
 * adjoints give, entry by entry.
 *
 * Weights that are sums of few powers of two make all sums exact, however many phases there are;
 * so are single phases with any weights. Other entries agree up to rounding. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "oracle_scene.h"

/* A number for each value of the whole forest, by leaf, component and cell. */
typedef struct numbering {
  const scene *scene;
  int num_leaves;
  int cells_along; /* of a block, padded or not */
  int first;       /* cell */
} numbering;

static int block_cells(const numbering *all) {
  const int n = all->cells_along;
  return all->scene->brick.dim == 2 ? n * n : n * n * n;
}

static int num_values(const numbering *all) {
  return all->num_leaves * all->scene->components * block_cells(all);
}

/* Leaf, component and cell of a number. */
static int find_value(const numbering *all, int number, int cell[3], int *component) {
  int rest = number % block_cells(all);
  for (int a = 0; a < 3; ++a) {
    cell[a] = 0;
    if (a >= all->scene->brick.dim) continue;
    cell[a] = all->first + rest % all->cells_along;
    rest /= all->cells_along;
  }
  *component = number / block_cells(all) % all->scene->components;
  return number / block_cells(all) / all->scene->components;
}

typedef struct dense {
  const scene *scene;
  rind_rules rules;
  scene_run run;
  numbering interior, padded;
  int *local; /* [leaves] local block; -1: of another rank */
  /* [padded values][interior values]; other ranks' are 0 until the end */
  double *fill, *adjoint;
  bool *covered; /* [padded values] */
} dense;

static size_t entry(const dense *d, int padded, int interior) {
  return (size_t)padded * (size_t)num_values(&d->interior) + (size_t)interior;
}

/* All values 0 but one, whose number is in all; ghosts that a fill writes are NaN before it. */
static void put_unit(dense *d, const numbering *all, int unit) {
  int cell[3], component = 0;
  scene_poison_all(&d->run.memory);
  for (int i = 0; i < num_values(&d->padded); ++i) {
    const int leaf = find_value(&d->padded, i, cell, &component);
    const bool interior = oracle_is_interior(d->run.judge, cell);
    const bool used = interior || (all == &d->padded && d->covered[i]);
    if (d->local[leaf] >= 0 && used) scene_put(&d->run.memory, d->local[leaf], cell, component, 0);
  }
  const int leaf = find_value(all, unit, cell, &component);
  if (d->local[leaf] >= 0) scene_put(&d->run.memory, d->local[leaf], cell, component, 1);
}

static void find_columns(dense *d) {
  int cell[3], component = 0;
  for (int j = 0; j < num_values(&d->interior); ++j) {
    put_unit(d, &d->interior, j);
    CHECK_OK(rind_fill(d->run.exchange, d->run.field), d->run.context);
    for (int i = 0; i < num_values(&d->padded); ++i) {
      const int leaf = find_value(&d->padded, i, cell, &component);
      if (d->local[leaf] >= 0 && d->covered[i])
        d->fill[entry(d, i, j)] = scene_value(&d->run.memory, d->local[leaf], cell, component);
    }
  }
}

/* Returns ghosts that are not 0 afterwards. */
static long find_rows(dense *d) {
  int cell[3], component = 0;
  long left = 0;
  for (int i = 0; i < num_values(&d->padded); ++i) {
    if (!d->covered[i]) continue;
    put_unit(d, &d->padded, i);
    CHECK_OK(rind_fill_adjoint(d->run.exchange, d->run.field), d->run.context);
    for (int j = 0; j < num_values(&d->interior); ++j) {
      const int leaf = find_value(&d->interior, j, cell, &component);
      if (d->local[leaf] >= 0)
        d->adjoint[entry(d, i, j)] = scene_value(&d->run.memory, d->local[leaf], cell, component);
    }
    const int leaf = find_value(&d->padded, i, cell, &component);
    if (d->local[leaf] >= 0)
      left += scene_value(&d->run.memory, d->local[leaf], cell, component) != 0;
  }
  return left;
}

static bool open_dense(dense *d, scene *s, const scene_source *source, rind_adjoint_method method) {
  memset(d, 0, sizeof *d);
  d->scene = s;
  d->rules = scene_rules(s);
  const rind_exchange_options options = {.adjoint = true,
                                         .adjoint_method = method,
                                         .num_vectors = s->num_vectors,
                                         .vector = s->vector};
  const bool open =
      scene_open_forest(s, source, &d->run) && scene_open_exchange(s, &d->rules, &options, &d->run);
  CHECK(open, "%s", d->run.text);
  if (!open) return false;
  d->interior = (numbering){s, d->run.judge->num_leaves, s->cells, 0};
  d->padded = (numbering){s, d->run.judge->num_leaves, s->cells + 2 * s->ghosts, -s->ghosts};
  const size_t values = (size_t)num_values(&d->padded);
  const size_t entries = values * (size_t)num_values(&d->interior);
  d->local = malloc((size_t)d->run.judge->num_leaves * sizeof *d->local);
  d->fill = calloc(entries, sizeof *d->fill);
  d->adjoint = calloc(entries, sizeof *d->adjoint);
  d->covered = calloc(values, sizeof *d->covered);
  if (!d->local || !d->fill || !d->adjoint || !d->covered) abort();
  for (int i = 0; i < d->run.judge->num_leaves; ++i)
    d->local[i] = -1;
  for (int b = 0; b < rind_forest_num_blocks(d->run.forest); ++b)
    d->local[rind_forest_block(d->run.forest, b)->global] = b;
  for (int i = 0; i < num_values(&d->padded); ++i) {
    int cell[3], component = 0;
    oracle_row row;
    const int leaf = find_value(&d->padded, i, cell, &component);
    d->covered[i] = oracle_find_component_row(d->run.judge, &d->rules, component, leaf, cell, &row);
  }
  return true;
}

/* apart: times sums of absolute entries of a row. */
static void compare_entries(const dense *d, double apart) {
  const int count = num_values(&d->padded) * num_values(&d->interior);
  MPI_Allreduce(MPI_IN_PLACE, d->fill, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, d->adjoint, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  long wrong = 0, entries = 0;
  for (int i = 0; i < num_values(&d->padded); ++i) {
    double sum = 0;
    for (int j = 0; j < num_values(&d->interior); ++j)
      sum += fabs(d->fill[entry(d, i, j)]);
    for (int j = 0; j < num_values(&d->interior); ++j) {
      const double one = d->fill[entry(d, i, j)], other = d->adjoint[entry(d, i, j)];
      entries += one != 0;
      const bool same = fabs(one - other) <= apart * sum;
      if (same || wrong++ > 0) continue;
      int cell[3], to[3], component = 0, to_component = 0;
      const int leaf = find_value(&d->padded, i, cell, &component);
      const int to_leaf = find_value(&d->interior, j, to, &to_component);
      fprintf(stderr, "ghost %d %d %d (%d) of leaf %d from cell %d %d %d (%d) of leaf %d: %a, %a\n",
              cell[0], cell[1], cell[2], component, leaf, to[0], to[1], to[2], to_component,
              to_leaf, one, other);
    }
  }
  char text[512];
  scene_print(d->scene, text);
  CHECK(entries > 0 && wrong == 0, "%ld of %ld entries differ (%s)", wrong, entries, text);
}

static void close_dense(dense *d) {
  free(d->local);
  free(d->fill);
  free(d->adjoint);
  free(d->covered);
  scene_close(&d->run);
}

static void run_case(scene *s, const scene_source *source, rind_adjoint_method method,
                     double apart) {
  dense d;
  alarm(CHECK_SECONDS);
  if (open_dense(&d, s, source, method)) {
    find_columns(&d);
    const long left = find_rows(&d);
    CHECK(left == 0, "%ld ghosts are not 0", left);
    compare_entries(&d, apart);
  }
  close_dense(&d);
}

/* Two by two trees, or two in 3D, the first of them refined. */
static scene new_scene(int dim, int ghosts, bool periodic) {
  return (scene){
      .seed = 1,
      .brick = {.dim = dim, .trees = {2, dim == 2 ? 2 : 1, 1}, .periodic = {0, periodic, periodic}},
      .max_level = 1,
      .ghosts = ghosts,
      .cells = 4,
      .components = 1};
}

static void run_bricks(void) {
  static const rind_wall sides[2][6] = {{RIND_WALL_EVEN, RIND_WALL_ODD, RIND_WALL_DIRICHLET,
                                         RIND_WALL_NEUMANN, RIND_WALL_CONSTANT, RIND_WALL_EVEN},
                                        {RIND_WALL_LINEAR, RIND_WALL_CONSTANT, RIND_WALL_LINEAR,
                                         RIND_WALL_NONE, RIND_WALL_ODD, RIND_WALL_LINEAR}};
  const scene_source brick = {.name = NULL};
  for (int i = 0; i < 24; ++i) {
    const int dim = i < 16 ? 2 : 3;
    scene s = new_scene(dim, dim == 2 ? 1 + i % 2 : 1, i % 4 == 3);
    s.rules.interpolation = (rind_interpolation)(i % 4);
    if (s.rules.interpolation != RIND_INTERPOLATION_INJECTION)
      s.rules.restriction = (rind_restriction)(i / 4 % 2);
    s.rules.regions = i % 5 == 4 ? RIND_REGIONS_FACES : RIND_REGIONS_ALL;
    s.storage = (rind_storage)(i / 2 % 2);
    const int which = i / 2 % 2;
    memcpy(s.rules.wall, sides[which], sizeof s.rules.wall);
    /* 5/21 and 1/7 are rounded; one product of them is exact. */
    const bool rounded = s.rules.interpolation == RIND_INTERPOLATION_QUADRATIC &&
                         (which == 1 || s.rules.restriction == RIND_RESTRICTION_FLUX_MATCHED);
    run_case(&s, &brick, (rind_adjoint_method)(i / 3 % 2), rounded ? 1e-15 : 0);
  }
}

/* Vectors on two trees that are turned against each other. */
static void run_turned(void) {
  for (int i = 0; i < 6; ++i) {
    scene s = new_scene(i < 4 ? 2 : 3, 1, false);
    s.brick.trees[0] = s.brick.trees[1] = 0;
    s.components = s.brick.dim + 1;
    s.num_vectors = 1;
    s.vector[0] = i % 2;
    s.rules.interpolation = i % 2 ? RIND_INTERPOLATION_QUADRATIC : RIND_INTERPOLATION_CONSERVATIVE;
    for (int w = 0; w < 6; ++w)
      s.rules.wall[w] = (rind_wall)(w % 3);
    const scene_source twotrees = {.name = "twotrees",
                                   .numbers = {i % (2 * s.brick.dim), (i + i / 2) % 4, i % 2}};
    run_case(&s, &twotrees, (rind_adjoint_method)(i % 2), 0);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  run_bricks();
  run_turned();
  return check_end();
}
