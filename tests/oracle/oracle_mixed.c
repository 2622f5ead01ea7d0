/* oracle_mixed.c - float fields with double weights: a fused fill rounds each ghost once; a loop
 * that rounds after every term differs by at most K eps32 sum |w s|, and does differ. */
#include <float.h>
#include <math.h>

#include "check.h"
#include "oracle_scene.h"

typedef struct tally {
  long wrong;     /* fused is not the double row, rounded once */
  long unlike;    /* one rank: term by term is not the sum rounded after each term */
  long too_far;   /* term by term is beyond the bound */
  long different; /* the two methods differ */
  long narrow;    /* the bit contract and a float accumulator differ */
  long ghosts;
} tally;

/* What rounding to float after every term would give. */
static float narrow_sum(const oracle_row *row, const uint64_t *noise, int component) {
  float sum = 0;
  for (int k = 0; k < row->num_terms; ++k) {
    const oracle_term *t = &row->term[k];
    const float s = (float)scene_noise(noise, t->leaf, t->cell, component);
    sum = (float)((double)sum + t->weight * (double)s);
  }
  return sum;
}

static void compare(const scene *s, const rind_forest *forest, const oracle *judge,
                    const scene_memory *fused, const scene_memory *stepped, tally *t) {
  for (int b = 0; b < fused->num_blocks; ++b) {
    const int leaf = (int)rind_forest_block(forest, b)->global;
    int cell[3];
    scene_first_cell(fused, cell);
    do {
      oracle_row row;
      if (!oracle_find_row(judge, &s->rules, leaf, cell, &row)) continue;
      for (int c = 0; c < s->components; ++c) {
        const double got = scene_value(fused, b, cell, c);
        const double other = scene_value(stepped, b, cell, c);
        const double want = oracle_sum(&row, RIND_FLOAT32, scene_noise, &s->seed, c);
        const double size = oracle_sum_abs(&row, RIND_FLOAT32, scene_noise, &s->seed, c);
        ++t->ghosts;
        if (!(got == want)) ++t->wrong;
        if (!(fabs(got - other) <= row.num_terms * (double)FLT_EPSILON * size)) ++t->too_far;
        const double narrow = (double)narrow_sum(&row, &s->seed, c);
        if (other != narrow) ++t->unlike;
        if (got != other) ++t->different;
        if (got != narrow) ++t->narrow;
      }
    } while (scene_next_cell(fused, cell));
  }
}

static rind_error fill(const rind_forest *forest, const rind_schedule *schedule, const scene *s,
                       rind_method method, scene_memory *memory) {
  const rind_exchange_options options = {.method = method};
  rind_field *field = NULL;
  rind_exchange *exchange = NULL;
  rind_error error = scene_create_field(forest, s, memory, &field);
  if (!error) error = rind_exchange_create(schedule, &memory->layout, &options, &exchange);
  if (!error) {
    scene_poison(memory, forest, scene_noise, &s->seed);
    error = rind_fill(exchange, field);
  }
  rind_exchange_destroy(&exchange);
  rind_field_destroy(&field);
  return error;
}

static void run_case(const scene *s, tally *t) {
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  oracle *judge = NULL;
  scene_memory fused = {.num_blocks = 0}, stepped = {.num_blocks = 0};
  char text[256] = "";
  rind_error error = rind_context_create(MPI_COMM_WORLD, NULL, &context);
  if (!error) error = scene_create_forest(context, s, &forest);
  if (!error) error = rind_schedule_create(forest, s->cells, s->ghosts, &s->rules, &schedule);
  if (!error) error = fill(forest, schedule, s, RIND_METHOD_FUSED, &fused);
  if (!error) error = fill(forest, schedule, s, RIND_METHOD_TERM_BY_TERM, &stepped);
  CHECK(error == RIND_OK, "%s: %s", rind_error_name(error), rind_last_error(context));
  if (!error) judge = oracle_create(MPI_COMM_WORLD, forest, &s->brick, s->cells, text);
  CHECK(judge != NULL, "%s", text);
  if (judge != NULL) compare(s, forest, judge, &fused, &stepped, t);
  oracle_destroy(judge);
  scene_free_memory(&fused);
  scene_free_memory(&stepped);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  long different = 0, narrow = 0;
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 8; ++i) {
    scene s = {.seed = scene_mix(300 + (uint64_t)i) | 1,
               .brick = {.dim = 2 + i % 2,
                         .trees = {1 + i % 3, 1, i % 2 == 0 ? 0 : 1},
                         .periodic = {i / 2 % 2, 0, 0},
                         .level = 1},
               .max_level = 2,
               .percent = 30,
               .ghosts = 1 + i / 2 % 3,
               .cells = i / 2 % 3 == 2 ? 6 : 4,
               .components = 1 + i / 4,
               .rules = {.interpolation = (rind_interpolation)(i / 2 % 2)},
               .type = RIND_FLOAT32,
               .storage = i % 3 == 0 ? RIND_BLOCKS : RIND_PACKED};
    tally t = {.wrong = 0};
    run_case(&s, &t);
    CHECK(t.wrong == 0, "case %d: %ld of %ld are not the double row rounded once", i, t.wrong,
          t.ghosts);
    CHECK(t.too_far == 0, "case %d: %ld of %ld beyond K eps32 sum |w s|", i, t.too_far, t.ghosts);
    /* Averages from other ranks arrive as one value. */
    CHECK(size > 1 || t.unlike == 0, "case %d: %ld of %ld are not rounded after each term", i,
          t.unlike, t.ghosts);
    different += t.different;
    narrow += t.narrow;
  }
  long mine[2] = {different, narrow}, all[2] = {0, 0};
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all[0] > 1000, "only %ld ghosts show that term by term rounds to float each time", all[0]);
  CHECK(all[1] > 1000, "only %ld ghosts tell a float accumulator from a double one", all[1]);
  return check_end();
}
