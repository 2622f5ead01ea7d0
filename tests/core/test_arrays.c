/* test_arrays.c - forests from plain arrays: numbers that are refused, and outputs that are NULL.
 */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <rind/rind.h>
#include <string.h>

static rind_context *context;
static int rank, size;

static void refuse(const rind_forest_arrays *arrays, rind_error error, const char *words) {
  rind_forest *forest = NULL;
  CHECK_ERROR(rind_forest_create_arrays(context, arrays, NULL, &forest), error, context);
  CHECK(strstr(rind_last_error(context), words), "\"%s\" instead of \"%s\"",
        rind_last_error(context), words);
  CHECK(!forest, "a forest from a call that failed");
}

static void check_numbers(void) {
  static const int32_t first_link[1] = {0};
  static const rind_block block[1];
  static const uint8_t walls[1];
  const rind_forest_arrays good = {
      .dim = 2, .first_link = first_link, .block = block, .walls = walls};
  rind_forest_arrays bad = good;
  bad.num_local = bad.num_remote = INT_MAX;
  bad.num_global = (int64_t)1 << 40;
  refuse(&bad, RIND_ERROR_OVERFLOW, "2147483647 local and 2147483647 remote blocks: at most");
  bad = good;
  bad.balance = (rind_balance)7;
  refuse(&bad, RIND_ERROR_INVALID, "balance 7: full (0) or faces (1)");
  bad = good;
  bad.num_global = -5;
  refuse(&bad, RIND_ERROR_INVALID, "-5 blocks over all ranks: at least");
  if (size == 1) return;
  bad = good;
  bad.dim = rank == size - 1 ? 3 : 2;
  refuse(&bad, RIND_ERROR_INVALID, "gives 3 as the forest's dimension, rank 0 2: alike");
  bad = good;
  bad.num_global = rank == size - 1 ? 9 : 0;
  refuse(&bad, RIND_ERROR_INVALID, "gives 9 as the forest's number of global blocks, rank 0 0");
}

/* Blocks that lie nowhere, or are nobody's. */
static void check_blocks(void) {
  static const int32_t first_link[2] = {0, 0};
  static const uint8_t walls[1] = {15};
  const rind_block good = {
      .global = rank, .owner = rank, .lower = {(double)rank}, .side = {1.0, 1.0}};
  rind_block block = good;
  rind_forest_arrays arrays = {.dim = 2,
                               .num_local = 1,
                               .num_global = size,
                               .first_link = first_link,
                               .block = &block,
                               .walls = walls};
  block.lower[1] = NAN;
  refuse(&arrays, RIND_ERROR_INVALID, "lies at nan with side 1 along axis 1: finite");
  block = good;
  block.side[0] = INFINITY;
  refuse(&arrays, RIND_ERROR_INVALID, "with side inf along axis 0");
  block = good;
  block.side[0] = 0.0;
  refuse(&arrays, RIND_ERROR_INVALID, "with side 0 along axis 0");
  block = good;
  block.level = INT_MAX;
  refuse(&arrays, RIND_ERROR_INVALID, "has level 2147483647: at most 30");
  block = good;
  arrays.num_global = size + 2;
  refuse(&arrays, RIND_ERROR_INVALID, "together, num_global is");
}

/* A call that has a context says which argument is NULL, not what went wrong before. */
static void check_null(rind_error error, const char *words) {
  CHECK(error == RIND_ERROR_INVALID, "%s", rind_error_name(error));
  CHECK(strcmp(rind_last_error(context), words) == 0, "\"%s\" instead of \"%s\"",
        rind_last_error(context), words);
}

static void check_outputs(void) {
  static const int32_t first_link[1] = {0};
  const rind_forest_arrays arrays = {.dim = 2, .first_link = first_link};
  const rind_layout layout = {.cells = 4, .ghosts = 1, .components = 1};
  rind_forest *forest = NULL;
  rind_field *field = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_forest_create_arrays(context, &arrays, NULL, &forest), context);
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  CHECK_OK(rind_schedule_create(forest, 4, 1, NULL, &schedule), context);
  CHECK_OK(rind_exchange_create(schedule, &layout, NULL, &exchange), context);
  check_null(rind_forest_create_arrays(context, &arrays, NULL, NULL), "forest is NULL");
  check_null(rind_field_create(forest, &layout, NULL), "field is NULL");
  check_null(rind_field_copy(field, NULL), "to is NULL");
  check_null(rind_field_copy(NULL, field), "from is NULL");
  check_null(rind_schedule_create(forest, 4, 1, NULL, NULL), "schedule is NULL");
  check_null(rind_schedule_fill(schedule, 0, NULL), "view is NULL");
  check_null(rind_schedule_get_stats(schedule, NULL), "stats is NULL");
  check_null(rind_schedule_print(schedule, NULL), "file is NULL");
  check_null(rind_exchange_create(schedule, &layout, NULL, NULL), "exchange is NULL");
  check_null(rind_exchange_get_stats(exchange, NULL), "stats is NULL");
  check_null(rind_fill(exchange, NULL), "field is NULL");
  check_null(rind_fill_fields(exchange, NULL), "fields is NULL");
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_field_destroy(&field);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  check_numbers();
  check_blocks();
  check_outputs();
  rind_context_destroy(&context);
  return check_end();
}
