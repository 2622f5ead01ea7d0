/* exchange_errors.c - each mistake once: its error on every rank, and all objects usable after. */
#include <check.h>
#include <device_memory.h>
#include <exchange_refuse.h>

#include <limits.h>
#include <string.h>

static void check_create(const scene *s, const rind_layout *good) {
  rind_exchange *exchange = NULL;
  CHECK_ERROR(rind_exchange_create(NULL, good, NULL, &exchange), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_exchange_create(s->schedule, good, NULL, NULL), RIND_ERROR_INVALID, s->context);
  refuse_create(s, NULL, NULL, RIND_ERROR_INVALID);
  rind_layout bad = *good;
  bad.dim = 5 - good->dim;
  refuse_create(s, &bad, NULL, RIND_ERROR_MISMATCH);
  bad = *good;
  bad.cells += 2;
  refuse_create(s, &bad, NULL, RIND_ERROR_MISMATCH);
  bad = *good;
  bad.ghosts -= 1;
  refuse_create(s, &bad, NULL, RIND_ERROR_MISMATCH);
  bad = *good;
  bad.components = 0;
  refuse_create(s, &bad, NULL, RIND_ERROR_INVALID);
  bad = *good;
  bad.space = RIND_DEVICE;
  if (rind_device_count() == 0) refuse_create(s, &bad, NULL, RIND_ERROR_UNSUPPORTED);
  bad = *good;
  bad.cell_stride[1] = PTRDIFF_MAX / 2;
  refuse_create(s, &bad, NULL, RIND_ERROR_OVERFLOW);
  rind_exchange_options options = {.method = (rind_method)7};
  refuse_create(s, good, &options, RIND_ERROR_INVALID);
  options = (rind_exchange_options){.families = (uint32_t)1 << RIND_NUM_FAMILIES};
  refuse_create(s, good, &options, RIND_ERROR_INVALID);
  options = (rind_exchange_options){.max_message_bytes = (size_t)INT_MAX + 1};
  refuse_create(s, good, &options, RIND_ERROR_INVALID);
  /* Ranks that disagree. */
  if (rind_context_size(s->context) == 1) return;
  const int rank = rind_context_rank(s->context);
  bad = *good;
  bad.components += rank % 2;
  bad.component_stride = bad.block_stride = 0;
  refuse_create(s, &bad, NULL, RIND_ERROR_MISMATCH);
  options = (rind_exchange_options){.max_message_bytes = (size_t)(1000 + rank)};
  refuse_create(s, good, &options, RIND_ERROR_MISMATCH);
  bad = *good;
  bad.cells += rank == 1 ? 2 : 0;
  refuse_create(s, &bad, NULL, RIND_ERROR_MISMATCH);
}

/* A field that the exchange must refuse; nothing of it changes. */
static void refuse_field(const scene *s, rind_exchange *exchange, const memory *m,
                         rind_error expected) {
  const size_t bytes = m->num_elements * rind_type_bytes(m->layout.type);
  char *before = malloc(bytes + 1);
  memcpy(before, m->data, bytes);
  CHECK_ERROR(rind_fill_begin(exchange, m->field), expected, s->context);
  CHECK_ERROR(rind_fill_end(exchange, m->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill(exchange, m->field), expected, s->context);
  CHECK(memcmp(before, m->data, bytes) == 0, "a refused field was written to");
  free(before);
}

static void check_fields(const scene *s, rind_exchange *exchange, memory *good) {
  static const rind_rules rules = {0};
  scene other;
  memory m;
  memory_create(s, SHAPE_PACKED, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 2, &m);
  refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
  memory_destroy(&m);
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, 2, &m);
  refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
  memory_destroy(&m);
  memory_create(s, SHAPE_BLOCKS, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &m);
  refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
  memory_destroy(&m);
  memory_create(s, SHAPE_WIDE, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &m);
  refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
  memory_destroy(&m);
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1, &m);
  refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
  memory_destroy(&m);
  scene_create(MPI_COMM_WORLD, 2, 1, NULL, &other);
  memory_create(&other, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &m);
  refuse_field(s, exchange, &m, RIND_ERROR_MISMATCH);
  CHECK(strstr(rind_last_error(s->context), "another forest"), "no word of another forest: %s",
        rind_last_error(s->context));
  memory_destroy(&m);
  scene_destroy(&other);
  CHECK_OK(rind_fill(exchange, good->field), s->context);
  CHECK(memory_faults(s, good, &rules) == 0, "the exchange no longer fills");
}

static void check_order(const scene *s, rind_exchange *exchange, memory *good) {
  memory other;
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &other);
  CHECK_ERROR(rind_fill_begin(NULL, good->field), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_begin(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_end(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_exchange_get_stats(exchange, NULL), RIND_ERROR_INVALID, s->context);
  CHECK_ERROR(rind_fill_end(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_OK(rind_fill_begin(exchange, good->field), s->context);
  CHECK_ERROR(rind_fill_begin(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_begin(exchange, other.field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill(exchange, good->field), RIND_ERROR_STATE, s->context);
  CHECK_ERROR(rind_fill_end(exchange, other.field), RIND_ERROR_STATE, s->context);
  CHECK_OK(rind_fill_end(exchange, good->field), s->context);
  CHECK_OK(rind_fill(exchange, other.field), s->context);
  memory_destroy(&other);
}

/* An exchange may go while a fill is under way. */
static void check_early_end(const scene *s, memory *good) {
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_exchange_create(s->schedule, &good->layout, NULL, &exchange), s->context);
  CHECK_OK(rind_fill_begin(exchange, good->field), s->context);
  rind_exchange_destroy(&exchange);
  CHECK(!exchange, "destroy leaves the pointer");
  rind_exchange_destroy(&exchange);
  rind_exchange_destroy(NULL);
}

static int refine_all(const rind_block *block, void *user) {
  (void)block, (void)user;
  return 1;
}

static void check_stale(scene *s, rind_exchange *exchange, memory *good) {
  CHECK_OK(rind_forest_refine(s->forest, 3, refine_all, NULL), s->context);
  refuse_field(s, exchange, good, RIND_ERROR_STALE);
  refuse_create(s, &good->layout, NULL, RIND_ERROR_STALE);
  rind_schedule *schedule = NULL;
  rind_exchange *fresh = NULL;
  CHECK_OK(rind_schedule_create(s->forest, s->cells, s->ghosts, NULL, &schedule), s->context);
  CHECK_OK(rind_exchange_create(schedule, &good->layout, NULL, &fresh), s->context);
  refuse_field(s, fresh, good, RIND_ERROR_STALE);
  rind_exchange_destroy(&fresh);
  rind_schedule_destroy(&schedule);
}

/* Block 0 at rank 0 knows block 1 at rank 1, but not the reverse. */
static void check_not_mutual(void) {
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  const int rank = rind_context_rank(context), size = rind_context_size(context);
  rind_block block[2];
  for (int b = 0; b < 2; ++b)
    block[b] = (rind_block){.global = b, .coordinate = {b}, .level = 1, .owner = b, .side = {1, 1}};
  const rind_link link = {.neighbour = 1, .region = 14, .origin = {2, 0, 0}, .axis = {0, 1, 2}};
  const int32_t first_link[2] = {0, rank == 0};
  const uint8_t walls[1] = {0};
  const rind_forest_arrays arrays = {.dim = 2,
                                     .num_local = rank < 2,
                                     .num_remote = rank == 0,
                                     .num_global = 2,
                                     .block = rank == 1 ? &block[1] : block,
                                     .first_link = first_link,
                                     .link = &link,
                                     .walls = walls};
  if (size > 1) {
    CHECK_OK(rind_forest_create_arrays(context, &arrays, NULL, &forest), context);
    CHECK_OK(rind_schedule_create(forest, 4, 1, NULL, &schedule), context);
    const scene s = {.context = context, .forest = forest, .schedule = schedule};
    const rind_layout layout = {.dim = 2, .cells = 4, .ghosts = 1, .components = 1};
    if (schedule) refuse_create(&s, &layout, NULL, RIND_ERROR_INVALID);
  }
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
}

/* Asking for graphs, on one rank too, is no error where there can be none. */
static void check_graph_on_host(const scene *s, memory *good) {
  const rind_exchange_options options = {.graph = rind_context_rank(s->context) == 0};
  rind_exchange *exchange = NULL;
  rind_exchange_stats stats = {.graphs = 7};
  CHECK_OK(rind_exchange_create(s->schedule, &good->layout, &options, &exchange), s->context);
  CHECK_OK(rind_exchange_get_stats(exchange, &stats), s->context);
  CHECK(stats.graphs == 0, "%d graphs", stats.graphs);
  CHECK_OK(rind_fill(exchange, good->field), s->context);
  rind_exchange_destroy(&exchange);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  scene s;
  memory good;
  rind_exchange *exchange = NULL;
  scene_create(MPI_COMM_WORLD, 1, 1, NULL, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2, &good);
  CHECK_OK(rind_exchange_create(s.schedule, &good.layout, NULL, &exchange), s.context);
  check_create(&s, &good.layout);
  check_fields(&s, exchange, &good);
  check_order(&s, exchange, &good);
  check_early_end(&s, &good);
  check_graph_on_host(&s, &good);
  CHECK_OK(rind_fill(exchange, good.field), s.context);
  check_stale(&s, exchange, &good);
  rind_exchange_destroy(&exchange);
  memory_destroy(&good);
  scene_destroy(&s);
  check_not_mutual();
  return check_end();
}
