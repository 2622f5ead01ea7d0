/* particles_deposit.c - deposits keep sums, equal a plain scatter, have the same bits on any number
 * of ranks and threads and in any storage; gradients are the transpose and the finite difference.
 */
#include "deposit_stage.h"

#include <math.h>
#include <string.h>

#include <check.h>

/* Of one component over all cells of all ranks, in long double. */
static double total_of(const rind_field *field, int component) {
  const rind_layout *layout = rind_field_layout(field);
  long double sum = 0, all = 0;
  for (int b = 0; b < rind_field_num_blocks(field); ++b) {
    int i[3] = {0, 0, 0};
    do {
      sum += get(field, b, i, component);
    } while (next_cell(layout->dim, 0, CELLS, i));
  }
  MPI_Allreduce(&sum, &all, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return (double)all;
}

static double attribute_of(int64_t id, int component) {
  return attributes[component] < 0 ? 1 : cloud_attribute(attributes[component], id);
}

static void check_sums(const stage *on, double tolerance) {
  for (int c = 0; c < COMPONENTS; ++c) {
    long double sum = 0, size = 0;
    for (int64_t id = 0; id < TOTAL; ++id) {
      sum += attribute_of(id, c);
      size += fabs(attribute_of(id, c));
    }
    const double got = total_of(on->field, c);
    CHECK(fabs((double)(got - sum)) <= tolerance * (double)size,
          "scene %d, component %d: the cells hold %.17g, the particles %.17g", on->scene.number, c,
          got, (double)sum);
  }
}

/* The same by hand: each particle to the cells around it in its block, then the adjoint. */
static void scatter(stage *by_hand, const rind_particles *set) {
  const int dim = by_hand->scene.dim;
  const int64_t *first = rind_particles_first_in_block(set);
  for (int b = 0; b < rind_field_num_blocks(by_hand->field); ++b)
    for (int64_t p = first[b]; p < first[b + 1]; ++p) {
      const rind_block *block = rind_forest_block(by_hand->scene.forest, b);
      for (int c = 0; c < COMPONENTS; ++c)
        for (int corner = 0; corner < 1 << dim; ++corner) {
          int i[3] = {0, 0, 0};
          double w = attribute_of(rind_particles_id(set)[p], c);
          for (int a = 0; a < dim; ++a) {
            const double u =
                (rind_particles_position(set, a)[p] - block->lower[a]) / block->side[a] * CELLS;
            i[a] = (int)floor(u - 0.5) + (corner >> a & 1);
            w *= 1 - fabs(u - (i[a] + 0.5));
          }
          put(by_hand->field, b, i, c, get(by_hand->field, b, i, c) + w);
        }
    }
  CHECK_OK(rind_fill_adjoint(by_hand->exchange, by_hand->field), by_hand->scene.context);
}

static void check_scatter(const stage *on, stage *by_hand, double tolerance) {
  scatter(by_hand, on->set);
  int64_t n = 0, m = 0;
  double *got = interiors(on->field, &n), *want = interiors(by_hand->field, &m);
  for (int64_t i = 0; i < n && n == m; ++i)
    CHECK(fabs(got[i] - want[i]) <= tolerance * (1 + fabs(want[i])),
          "scene %d: value %lld is %.17g, by hand %.17g", on->scene.number, (long long)i, got[i],
          want[i]);
  free(got);
  free(want);
}

static void check_bits(const stage *on, const stage *alone) {
  int64_t n = 0, m = 0, total = 0;
  double *mine = interiors(on->field, &n), *want = interiors(alone->field, &m);
  double *got = cloud_collect(MPI_COMM_WORLD, mine, n, &total);
  int64_t first = 0;
  while (first < total && total == m && memcmp(&got[first], &want[first], sizeof *got) == 0)
    ++first;
  CHECK(total == m && first == m, "scene %d: value %lld of %lld is %.17g, on one rank %.17g",
        on->scene.number, (long long)first, (long long)m, first < total ? got[first] : 0,
        first < m ? want[first] : 0);
  free(mine);
  free(want);
  free(got);
}

/* Ghosts are 0 after a deposit. */
static void check_ghosts(const stage *on) {
  const int dim = on->scene.dim;
  for (int b = 0; b < rind_field_num_blocks(on->field); ++b)
    for (int c = 0; c < COMPONENTS; ++c) {
      int i[3] = {-GHOSTS, -GHOSTS, dim == 3 ? -GHOSTS : 0};
      do {
        int inside = 1;
        for (int a = 0; a < dim; ++a)
          inside = inside && i[a] >= 0 && i[a] < CELLS;
        CHECK(inside || get(on->field, b, i, c) == 0, "ghost (%d, %d, %d) of block %d is %g", i[0],
              i[1], i[2], b, get(on->field, b, i, c));
      } while (next_cell(dim, -GHOSTS, CELLS + GHOSTS, i));
    }
}

static void run(int number, const rind_layout *layout, int threads) {
  stage on, alone, by_hand;
  const double tolerance = layout->type == RIND_FLOAT64 ? 1e-14 : 1e-6;
  const rind_layout plain = {
      .cells = CELLS, .ghosts = GHOSTS, .components = COMPONENTS, .type = layout->type};
  stage_create(MPI_COMM_WORLD, number, threads, layout, &on);
  stage_create(MPI_COMM_SELF, number, 1, &plain, &alone);
  stage_create(MPI_COMM_WORLD, number, 1, &plain, &by_hand);
  /* What was in the field has no influence. */
  for (int b = 0; b < rind_field_num_blocks(on.field); ++b) {
    int i[3] = {-GHOSTS, -GHOSTS, on.scene.dim == 3 ? -GHOSTS : 0};
    do {
      put(on.field, b, i, 1, NAN);
    } while (next_cell(on.scene.dim, -GHOSTS, CELLS + GHOSTS, i));
  }
  CHECK_OK(rind_deposit(on.set, attributes, on.exchange, on.field), on.scene.context);
  CHECK_OK(rind_deposit(alone.set, attributes, alone.exchange, alone.field), alone.scene.context);
  check_sums(&on, tolerance);
  check_scatter(&on, &by_hand, 10 * tolerance);
  check_bits(&on, &alone);
  check_ghosts(&on);
  stage_destroy(&on);
  stage_destroy(&alone);
  stage_destroy(&by_hand);
}

/* L = the sum of h H over all cells of all ranks, H deposited from the set as it is. */
static double loss(stage *on, const double *h) {
  CHECK_OK(rind_deposit(on->set, attributes, on->exchange, on->field), on->scene.context);
  int64_t n = 0;
  double *deposited = interiors(on->field, &n);
  long double sum = 0, all = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += (long double)deposited[i] * h[i];
  MPI_Allreduce(&sum, &all, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(deposited);
  return (double)all;
}

/* Particles whose pushes by up to step stay in their group, where L is smooth. */
static int is_inner(const stage *on, int b, int64_t p, double step) {
  const rind_block *block = rind_forest_block(on->scene.forest, b);
  for (int a = 0; a < on->scene.dim; ++a) {
    const double u =
        (rind_particles_position(on->set, a)[p] - block->lower[a]) / block->side[a] * CELLS;
    const double f = u - 0.5 - floor(u - 0.5);
    const double far = 2 * step / block->side[a] * CELLS;
    if (f < far || f > 1 - far || u < far || u > CELLS - far) return 0;
  }
  return 1;
}

/* Along a random direction of all inner particles; L is a polynomial of degree dim in the step, so
 * that five points are exact. */
static void check_difference(stage *on, const double *h, double *const slope[3], int64_t count) {
  const double step = 1e-3;
  const int dim = on->scene.dim, num_blocks = rind_forest_num_blocks(on->scene.forest);
  double *start[3], value[5];
  long double along = 0, expected = 0, size = 0, all_size = 0;
  for (int a = 0; a < dim; ++a) {
    start[a] = malloc((size_t)(count + 1) * sizeof(double));
    memcpy(start[a], rind_particles_position(on->set, a), (size_t)count * sizeof(double));
  }
  char *inner = calloc((size_t)count + 1, 1);
  const int64_t *first = rind_particles_first_in_block(on->set);
  for (int b = 0; b < num_blocks; ++b)
    for (int64_t p = first[b]; p < first[b + 1]; ++p)
      inner[p] = (char)is_inner(on, b, p, step);
  for (int k = 0; k < 5; ++k) {
    for (int a = 0; a < dim; ++a)
      for (int64_t p = 0; p < count; ++p) {
        const double d = cloud_random(95 + (uint64_t)a, rind_particles_id(on->set)[p]) - 0.5;
        if (inner[p]) rind_particles_position(on->set, a)[p] = start[a][p] + (k - 2) * step * d;
        if (k == 0 && inner[p]) along += (long double)slope[a][p] * d;
        if (k == 0 && inner[p]) size += fabsl((long double)slope[a][p] * d);
      }
    value[k] = loss(on, h);
  }
  MPI_Allreduce(&along, &expected, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&size, &all_size, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double got = (value[0] - 8 * value[1] + 8 * value[3] - value[4]) / (12 * step);
  CHECK(all_size > 0 && fabs((double)(got - expected)) <= 1e-9 * (double)all_size,
        "scene %d: the derivative is %.15g, by differences %.15g", on->scene.number,
        (double)expected, got);
  for (int a = 0; a < dim; ++a) {
    memcpy(rind_particles_position(on->set, a), start[a], (size_t)count * sizeof(double));
    free(start[a]);
  }
  free(inner);
}

static void run_gradient(int number, int threads) {
  stage on, alone;
  const rind_layout layout = {.cells = CELLS, .ghosts = GHOSTS, .components = COMPONENTS};
  stage_create(MPI_COMM_WORLD, number, threads, &layout, &on);
  stage_create(MPI_COMM_SELF, number, 1, &layout, &alone);
  const int dim = on.scene.dim;
  const int64_t count = rind_particles_count(on.set);
  double *slope[3] = {NULL}, *value[COMPONENTS], *other[3] = {NULL};
  for (int a = 0; a < dim; ++a) {
    slope[a] = malloc((size_t)(count + 1) * sizeof(double));
    other[a] = malloc((TOTAL + 1) * sizeof(double));
  }
  for (int c = 0; c < COMPONENTS; ++c)
    value[c] = malloc((size_t)(count + 1) * sizeof(double));
  int64_t n = 0;
  fill_weights(&on);
  fill_weights(&alone);
  double *h = interiors(on.field, &n);
  CHECK_OK(rind_deposit_gradient(on.set, attributes, on.exchange, on.field, slope, value),
           on.scene.context);
  CHECK_OK(rind_deposit_gradient(alone.set, attributes, alone.exchange, alone.field, other, NULL),
           alone.scene.context);
  for (int a = 0; a < dim; ++a) {
    int64_t total = 0;
    double *got = cloud_collect(MPI_COMM_WORLD, slope[a], count, &total);
    CHECK(total == TOTAL && memcmp(got, other[a], TOTAL * sizeof *got) == 0,
          "scene %d: derivatives along axis %d have other bits than on one rank", number, a);
    free(got);
  }
  /* H is linear in the attributes: h H = the sum of attributes times derivatives. */
  long double sum[2] = {0, 0}, all[2];
  for (int c = 0; c < COMPONENTS; ++c)
    for (int64_t p = 0; p < count; ++p) {
      const long double term = value[c][p] * attribute_of(rind_particles_id(on.set)[p], c);
      sum[0] += term;
      sum[1] += fabsl(term);
    }
  MPI_Allreduce(sum, all, 2, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double got = loss(&on, h);
  CHECK(fabs((double)(got - all[0])) <= 1e-13 * (double)all[1],
        "scene %d: <h, H> is %.17g, over particles %.17g", number, got, (double)all[0]);
  check_difference(&on, h, slope, count);
  for (int a = 0; a < dim; ++a) {
    free(slope[a]);
    free(other[a]);
  }
  for (int c = 0; c < COMPONENTS; ++c)
    free(value[c]);
  free(h);
  stage_destroy(&on);
  stage_destroy(&alone);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const rind_layout layouts[3] = {
      {.cells = CELLS, .ghosts = GHOSTS, .components = COMPONENTS},
      {.cells = CELLS,
       .ghosts = GHOSTS,
       .components = COMPONENTS,
       .storage = RIND_BLOCKS,
       .order = RIND_COMPONENTS_INNERMOST},
      {.cells = CELLS, .ghosts = GHOSTS, .components = COMPONENTS, .type = RIND_FLOAT32}};
  for (int number = 0; number < NUM_CLOUDS; ++number) {
    run(number, &layouts[number % 3], 1 + number % 2);
    run_gradient(number, 1 + number % 2);
  }
  run(2, &layouts[0], 3);
  return check_end();
}
