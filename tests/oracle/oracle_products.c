/* oracle_products.c - the library's adjoint by both methods, and as the transpose of the fill. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "oracle_backward.h"

static void run_adjoint(const backward *b, rind_exchange *exchange, bool split) {
  backward_put(b);
  if (split) {
    CHECK_OK(rind_fill_adjoint_begin(exchange, b->field), b->context);
    CHECK_OK(rind_fill_adjoint_end(exchange, b->field), b->context);
  } else {
    CHECK_OK(rind_fill_adjoint(exchange, b->field), b->context);
  }
}

/* The ghosts [num_values] that a fill of values makes, 0 elsewhere. */
static void fill_values(const backward *b, rind_exchange *exchange, oracle_value value,
                        const uint64_t *noise, double *ghost) {
  scene_poison(b->memory, b->forest, value, noise);
  CHECK_OK(rind_fill(exchange, b->field), b->context);
  for (int block = 0; block < b->memory->num_blocks; ++block) {
    const int leaf = (int)rind_forest_block(b->forest, block)->global;
    int cell[3];
    scene_first_cell(b->memory, cell);
    do {
      for (int c = 0; c < b->scene->components; ++c) {
        const int64_t i = oracle_adjoint_index(b->adjoint, leaf, cell, c);
        ghost[i] = 0;
        if (b->adjoint->written[i] > 0) ghost[i] = scene_value(b->memory, block, cell, c);
      }
    } while (scene_next_cell(b->memory, cell));
  }
}

static double zero_value(const void *user, int leaf, const int cell[3], int component) {
  (void)user, (void)leaf, (void)cell, (void)component;
  return 0;
}

/* sum of |u| X over interiors, where X are the sums of |weight ghost| through all phases. */
static double sum_of_terms(const backward *b, const uint64_t *noise, const double *seed) {
  double *size = malloc((size_t)b->adjoint->num_values * sizeof *size + 1);
  if (size == NULL) abort();
  for (int64_t i = 0; i < b->adjoint->num_values; ++i)
    size[i] = fabs(seed[i]);
  oracle_adjoint_apply(b->adjoint, ORACLE_ABSOLUTE, size);
  double sum = 0;
  for (int leaf = 0; leaf < b->by.judge->num_leaves; ++leaf) {
    int cell[3];
    scene_first_cell(b->memory, cell);
    do {
      if (!backward_is_interior(b, cell)) continue;
      for (int c = 0; c < b->scene->components; ++c) {
        const int64_t i = oracle_adjoint_index(b->adjoint, leaf, cell, c);
        if (b->adjoint->read[i]) sum += fabs(scene_noise(noise, leaf, cell, c)) * size[i];
      }
    } while (scene_next_cell(b->memory, cell));
  }
  free(size);
  return sum;
}

/* <G u + c - c, v> = <u, G^T v>; interiors of v count on both sides. */
static void check_products(const backward *b, rind_exchange *exchange, uint64_t noise) {
  const size_t bytes = (size_t)b->adjoint->num_values * sizeof(double) + 1;
  double *filled = calloc(1, bytes), *constant = calloc(1, bytes);
  if (filled == NULL || constant == NULL) abort();
  fill_values(b, exchange, scene_noise, &noise, filled);
  fill_values(b, exchange, zero_value, &noise, constant);
  run_adjoint(b, exchange, false);
  double mine[3] = {0, 0, 0}, product[3];
  for (int block = 0; block < b->memory->num_blocks; ++block) {
    const int leaf = (int)rind_forest_block(b->forest, block)->global;
    int cell[3];
    scene_first_cell(b->memory, cell);
    do {
      for (int c = 0; c < b->scene->components; ++c) {
        const int64_t i = oracle_adjoint_index(b->adjoint, leaf, cell, c);
        if (backward_is_interior(b, cell)) {
          if (!b->adjoint->read[i]) continue;
          double u = scene_noise(&noise, leaf, cell, c);
          if (b->scene->type == RIND_FLOAT32) u = (double)(float)u;
          mine[0] += u * b->seed[i];
          mine[1] += u * scene_value(b->memory, block, cell, c);
        } else if (b->adjoint->written[i] > 0) {
          mine[0] += (filled[i] - constant[i]) * b->seed[i];
          mine[2] += fabs(constant[i] * b->seed[i]);
        }
      }
    } while (scene_next_cell(b->memory, cell));
  }
  MPI_Allreduce(mine, product, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double terms = sum_of_terms(b, &noise, b->seed) + product[2];
  const double relative = b->scene->type == RIND_FLOAT32 ? 1e-6 : 1e-13;
  char text[512];
  scene_print(b->scene, text);
  CHECK(fabs(product[0] - product[1]) <= relative * terms,
        "%s: <Gu, v> %.17g, <u, G^T v> %.17g, apart by %.2g of the terms (%s)", b->name, product[0],
        product[1], fabs(product[0] - product[1]) / terms, text);
  free(filled);
  free(constant);
}

static void check_method(const backward *b, rind_adjoint_method method,
                         const rind_schedule *schedule, scene_walls *walls,
                         scene_adjoint_counts *judged) {
  rind_exchange *exchange = NULL;
  rind_exchange_options options = scene_options(b->scene, walls);
  options.adjoint = true;
  options.adjoint_method = method;
  options.wall_adjoint = scene_transpose_wall;
  const int turn = (int)(b->scene->seed % 3) + (int)method;
  options.max_message_bytes = turn % 3 == 0 ? 256 : 0;
  CHECK_OK(rind_exchange_create(schedule, &b->memory->layout, &options, &exchange), b->context);
  if (exchange == NULL) return;
  CHECK_OK(rind_exchange_set_wall_values(exchange, 0, b->scene->wall_values), b->context);
  for (int pass = 0; pass < 2; ++pass) {
    walls->last_adjoint = 0;
    run_adjoint(b, exchange, (turn + pass) % 2 == 0);
    backward_judge(b, method == RIND_ADJOINT_TRANSPOSED ? "transposed" : "per term", walls, judged);
  }
  const long calls[2] = {walls->calls, walls->adjoint_calls};
  walls->last_adjoint = 0;
  check_products(b, exchange, b->scene->seed);
  CHECK(walls->calls - calls[0] == 2 * (walls->adjoint_calls - calls[1]),
        "%s: %ld calls of two fills, %ld of an adjoint", b->name, walls->calls - calls[0],
        walls->adjoint_calls - calls[1]);
  rind_exchange_destroy(&exchange);
}

void scene_check_adjoint(const scene *s, const char *name, const rind_forest *forest,
                         const oracle *judge, const rind_schedule *schedule, scene_walls *walls,
                         scene_memory *memory, rind_field *field, scene_adjoint_counts *judged) {
  backward b;
  backward_open(s, name, forest, judge, memory, field, &b);
  walls->noise = s->seed;
  check_method(&b, RIND_ADJOINT_TRANSPOSED, schedule, walls, judged);
  check_method(&b, RIND_ADJOINT_PER_TERM, schedule, walls, judged);
  backward_close(&b);
}
