/* oracle_ranks.c - the same bits on any number of ranks, storage, order of components, threads and
 * method: every variant on all ranks against one fill that each rank makes alone. */
#include <math.h>

#include "check.h"
#include "oracle_scene.h"

typedef struct variant {
  const char *name;
  rind_storage storage;
  rind_component_order order;
  rind_method method;
  bool wide;
  int threads;
  size_t max_message_bytes;
} variant;

static const variant variants[] = {
    {"packed", RIND_PACKED, RIND_COMPONENTS_OUTERMOST, RIND_METHOD_FUSED, false, 1, 0},
    {"blocks", RIND_BLOCKS, RIND_COMPONENTS_OUTERMOST, RIND_METHOD_FUSED, false, 2, 0},
    {"innermost", RIND_PACKED, RIND_COMPONENTS_INNERMOST, RIND_METHOD_FUSED, true, 3, 96},
    {"blocks, gaps", RIND_BLOCKS, RIND_COMPONENTS_INNERMOST, RIND_METHOD_FUSED, true, 1, 8},
    {"term by term", RIND_PACKED, RIND_COMPONENTS_OUTERMOST, RIND_METHOD_TERM_BY_TERM, false, 2, 0},
    {"term by term, blocks", RIND_BLOCKS, RIND_COMPONENTS_INNERMOST, RIND_METHOD_TERM_BY_TERM,
     false, 1, 96},
};

/* Fills a field of the library's own on the ranks of context; the result goes into memory. */
static rind_error fill_variant(const rind_forest *forest, const scene *s, const variant *v,
                               scene_memory *memory) {
  scene plain = *s;
  rind_field *wrapped = NULL, *field = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_layout layout = {.dim = s->brick.dim,
                        .cells = s->cells,
                        .ghosts = s->ghosts,
                        .components = s->components,
                        .type = s->type,
                        .storage = v->storage,
                        .order = v->order};
  const rind_exchange_options options = {.method = v->method,
                                         .max_message_bytes = v->max_message_bytes};
  plain.storage = v->storage == RIND_PACKED ? RIND_BLOCKS : RIND_PACKED;
  plain.wide = v->wide;
  rind_error error = scene_create_field(forest, &plain, memory, &wrapped);
  if (error) return error;
  scene_poison(memory, forest, scene_noise, &s->seed);
  error = rind_field_create(forest, &layout, &field);
  if (!error) error = rind_field_copy(wrapped, field);
  if (!error) error = rind_schedule_create(forest, s->cells, s->ghosts, &s->rules, &schedule);
  if (!error) {
    error = rind_exchange_create(schedule, rind_field_layout(field), &options, &exchange);
  }
  if (!error) error = rind_fill(exchange, field);
  if (!error) error = rind_field_copy(field, wrapped);
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_field_destroy(&field);
  rind_field_destroy(&wrapped);
  return error;
}

/* Values of local blocks that differ from those of the same leaf in reference. */
static long count_differences(const rind_forest *forest, const scene_memory *memory,
                              const scene_memory *reference, long *filled) {
  long different = 0;
  for (int b = 0; b < memory->num_blocks; ++b) {
    const int leaf = (int)rind_forest_block(forest, b)->global;
    int cell[3];
    scene_first_cell(memory, cell);
    do {
      for (int c = 0; c < memory->layout.components; ++c) {
        const double got = scene_value(memory, b, cell, c);
        const bool poisoned = isnan(scene_value(reference, leaf, cell, c));
        const bool same =
            poisoned ? (bool)isnan(got)
                     : scene_bits(memory, b, cell, c) == scene_bits(reference, leaf, cell, c);
        if (!same) ++different;
        if (!poisoned) ++*filled;
      }
    } while (scene_next_cell(memory, cell));
  }
  return different;
}

static void run_case(const scene *s, int *empty) {
  rind_context *alone = NULL;
  rind_forest *whole = NULL;
  scene_memory reference = {.num_blocks = 0};
  CHECK_OK(rind_context_create(MPI_COMM_SELF, NULL, &alone), NULL);
  CHECK_OK(scene_create_forest(alone, s, &whole), alone);
  if (whole == NULL) return;
  CHECK_OK(fill_variant(whole, s, &variants[0], &reference), alone);

  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
    const variant *v = &variants[i];
    /* Rounding to float after each term gives other bits: oracle_mixed.c. */
    if (v->method == RIND_METHOD_TERM_BY_TERM && s->type == RIND_FLOAT32) continue;
    rind_context *context = NULL;
    rind_forest *forest = NULL;
    scene_memory memory = {.num_blocks = 0};
    const rind_context_options options = {.threads = v->threads};
    CHECK_OK(rind_context_create(MPI_COMM_WORLD, &options, &context), NULL);
    CHECK_OK(scene_create_forest(context, s, &forest), context);
    if (forest != NULL) {
      CHECK(rind_forest_num_global_blocks(forest) == rind_forest_num_blocks(whole),
            "%lld blocks on all ranks, %d alone", (long long)rind_forest_num_global_blocks(forest),
            rind_forest_num_blocks(whole));
      CHECK_OK(fill_variant(forest, s, v, &memory), context);
      long filled = 0;
      const long different = count_differences(forest, &memory, &reference, &filled);
      char text[512];
      scene_print(s, text);
      CHECK(different == 0, "%s: %ld of %ld values differ (%s)", v->name, different, filled, text);
      if (memory.num_blocks == 0) ++*empty;
    }
    scene_free_memory(&memory);
    rind_forest_destroy(&forest);
    rind_context_destroy(&context);
  }
  scene_free_memory(&reference);
  rind_forest_destroy(&whole);
  rind_context_destroy(&alone);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  int empty = 0, empties = 0, size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 12; ++i) {
    scene s = scene_random(20, i);
    s.cells = s.ghosts == 3 ? 6 : 4;
    s.rules.interpolation = (rind_interpolation)(i % 3);
    s.rules.regions = i % 4 == 3 ? RIND_REGIONS_FACES : RIND_REGIONS_ALL;
    s.type = i % 5 == 4 ? RIND_FLOAT32 : RIND_FLOAT64;
    if (s.brick.dim == 3) s.max_level = 2;
    if (i < 3) { /* fewer blocks than ranks: 1, 2 and 4 */
      s.brick = (rind_brick){.dim = 2 + i % 2,
                             .trees = {1, 1 + i % 2, 0},
                             .level = i / 2,
                             .periodic = {i % 2, 1, 1 - i % 2}};
      s.percent = 0;
      s.seed &= ~(uint64_t)3;
    }
    run_case(&s, &empty);
  }
  MPI_Allreduce(&empty, &empties, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(empties > 0 || size == 1, "every rank always had blocks");
  return check_end();
}
