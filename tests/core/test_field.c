/* test_field.c - fields created, and wrapped around the caller's memory. */
#include "lone_blocks.h"
#include <check.h>
#include <device_memory.h>
#include <rind/rind.h>

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_BLOCKS = 4 };

static rind_context *context;
static int rank, size;

static const rind_layout plain = {.dim = 2, .cells = 4, .ghosts = 1, .components = 2};

/* True if all ranks report the same last error. */
static bool same_text(void) {
  char text[1024];
  snprintf(text, sizeof text, "%s", rind_last_error(context));
  MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
  int same = strcmp(text, rind_last_error(context)) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return same;
}

/* Collective: the call failed on all ranks with the same text and gave no field. */
#define CHECK_REFUSED(call, error, field)                                                          \
  do {                                                                                             \
    CHECK_ERROR(call, error, context);                                                             \
    CHECK(!(field), "a field from a call that failed");                                            \
    CHECK(same_text(), "texts differ: %s", rind_last_error(context));                              \
  } while (0)

static double load(const rind_field *field, int block, ptrdiff_t element) {
  const void *data = rind_field_pointer(field, block);
  return rind_field_layout(field)->type == RIND_FLOAT64 ? ((const double *)data)[element]
                                                        : (double)((const float *)data)[element];
}

static void store(rind_field *field, int block, ptrdiff_t element, double value) {
  void *data = rind_field_pointer(field, block);
  if (rind_field_layout(field)->type == RIND_FLOAT64)
    ((double *)data)[element] = value;
  else
    ((float *)data)[element] = (float)value;
}

/* Every element of a created field is zero, and its block's own. */
static void check_created(const rind_forest *forest, rind_layout layout) {
  rind_field *field = NULL;
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  const rind_layout *made = rind_field_layout(field);
  const int num_blocks = rind_field_num_blocks(field);
  CHECK(num_blocks == rind_forest_num_blocks(forest), "%d blocks", num_blocks);
  CHECK(made->dim == rind_forest_dim(forest), "dimension %d", made->dim);
  const ptrdiff_t first = -rind_layout_interior_offset(made);
  const ptrdiff_t end = first + (ptrdiff_t)rind_layout_block_elements(made);
  for (int b = 0; b < num_blocks; ++b)
    for (ptrdiff_t e = first; e < end; ++e) {
      CHECK(load(field, b, e) == 0.0, "block %d element %td is %g", b, e, load(field, b, e));
      store(field, b, e, b + 1);
    }
  for (int b = 0; b < num_blocks; ++b)
    for (ptrdiff_t e = first; e < end; ++e)
      CHECK(load(field, b, e) == b + 1, "block %d element %td is %g", b, e, load(field, b, e));
  CHECK(!rind_field_pointer(field, -1) && !rind_field_pointer(field, num_blocks),
        "an address for a block that does not exist");
  rind_field_destroy(&field);
  CHECK(!field, "destroy leaves the pointer");
  rind_field_destroy(&field);
}

static void check_create(const rind_forest *forest) {
  for (int choice = 0; choice < 8; ++choice) {
    rind_layout layout = plain;
    layout.dim = 0; /* the forest's */
    layout.type = choice & 1 ? RIND_FLOAT32 : RIND_FLOAT64;
    layout.storage = choice & 2 ? RIND_BLOCKS : RIND_PACKED;
    layout.order = choice & 4 ? RIND_COMPONENTS_INNERMOST : RIND_COMPONENTS_OUTERMOST;
    check_created(forest, layout);
  }
}

static void check_wrap_packed(const rind_forest *forest) {
  double data[MAX_BLOCKS * 72 + 10];
  for (size_t i = 0; i < sizeof data / sizeof *data; ++i)
    data[i] = (double)i;
  const int num_blocks = rind_forest_num_blocks(forest);
  const size_t needed = 72 * (size_t)num_blocks;
  rind_field *field = NULL;
  CHECK_OK(rind_field_wrap_packed(forest, &plain, data, needed, &field), context);
  for (int b = 0; b < num_blocks; ++b)
    CHECK(rind_field_pointer(field, b) == &data[72 * b + 7], "block %d is elsewhere", b);
  rind_field_destroy(&field);
  /* One element short on the last rank only. */
  const size_t given = rank == size - 1 && needed > 0 ? needed - 1 : needed;
  int any_short = given < needed;
  MPI_Allreduce(MPI_IN_PLACE, &any_short, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (any_short)
    CHECK_REFUSED(rind_field_wrap_packed(forest, &plain, data, given, &field), RIND_ERROR_MISMATCH,
                  field);
  /* The last block needs no gap behind it. */
  rind_layout wide = plain;
  wide.block_stride = 74;
  const size_t gaps = num_blocks > 0 ? 2 * (size_t)(num_blocks - 1) : 0;
  CHECK_OK(rind_field_wrap_packed(forest, &wide, data, needed + gaps, &field), context);
  rind_field_destroy(&field);
  rind_layout blocks = plain;
  blocks.storage = RIND_BLOCKS;
  CHECK_REFUSED(rind_field_wrap_packed(forest, &blocks, data, needed, &field), RIND_ERROR_INVALID,
                field);
  if (rind_forest_num_global_blocks(forest) > 0)
    CHECK_REFUSED(rind_field_wrap_packed(forest, &plain, NULL, needed, &field), RIND_ERROR_INVALID,
                  field);
  CHECK_REFUSED(rind_field_wrap_packed(forest, &plain, (char *)data + 4, needed, &field),
                RIND_ERROR_INVALID, field);
  CHECK(strstr(rind_last_error(context), "a multiple of 8 bytes it must be"), "other words: %s",
        rind_last_error(context));
  for (size_t i = 0; i < sizeof data / sizeof *data; ++i)
    CHECK(data[i] == (double)i, "wrapping wrote element %zu", i);
}

static void check_wrap_blocks(const rind_forest *forest) {
  static double memory[MAX_BLOCKS][72];
  void *data[MAX_BLOCKS];
  for (int b = 0; b < MAX_BLOCKS; ++b)
    data[b] = memory[MAX_BLOCKS - 1 - b];
  const int num_blocks = rind_forest_num_blocks(forest);
  rind_layout layout = plain;
  layout.storage = RIND_BLOCKS;
  rind_field *field = NULL;
  CHECK_OK(rind_field_wrap_blocks(forest, &layout, data, num_blocks, &field), context);
  memset(data, 0, sizeof data); /* the list was copied */
  for (int b = 0; b < num_blocks; ++b)
    CHECK(rind_field_pointer(field, b) == &memory[MAX_BLOCKS - 1 - b][7], "block %d is elsewhere",
          b);
  rind_field_destroy(&field);
  if (rind_forest_num_global_blocks(forest) > 0) {
    CHECK_REFUSED(rind_field_wrap_blocks(forest, &layout, data, num_blocks, &field),
                  RIND_ERROR_INVALID, field);
    CHECK_REFUSED(rind_field_wrap_blocks(forest, &layout, NULL, num_blocks, &field),
                  RIND_ERROR_INVALID, field);
  }
  for (int b = 0; b < MAX_BLOCKS; ++b)
    data[b] = memory[b];
  CHECK_REFUSED(rind_field_wrap_blocks(forest, &layout, data, num_blocks + (rank == 0), &field),
                RIND_ERROR_MISMATCH, field);
  CHECK_REFUSED(rind_field_wrap_blocks(forest, &plain, data, num_blocks, &field),
                RIND_ERROR_INVALID, field);
}

static void check_refusals(const rind_forest *forest) {
  rind_field *field = NULL;
  CHECK_ERROR(rind_field_create(NULL, &plain, &field), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_field_create(forest, &plain, NULL), RIND_ERROR_INVALID, context);
  CHECK_REFUSED(rind_field_create(forest, NULL, &field), RIND_ERROR_INVALID, field);
  rind_layout layout = plain;
  layout.dim = 3;
  CHECK_REFUSED(rind_field_create(forest, &layout, &field), RIND_ERROR_MISMATCH, field);
  layout = plain;
  layout.components = 0;
  CHECK_REFUSED(rind_field_create(forest, &layout, &field), RIND_ERROR_INVALID, field);
  CHECK(strstr(rind_last_error(context), "0 components"), "text %s", rind_last_error(context));
  layout = plain;
  layout.cells = INT_MAX / 2;
  layout.components = INT_MAX;
  CHECK_REFUSED(rind_field_create(forest, &layout, &field), RIND_ERROR_OVERFLOW, field);
  layout = plain;
  layout.components = rank == size - 1 ? -5 : 1; /* one rank's mistake */
  CHECK_REFUSED(rind_field_create(forest, &layout, &field), RIND_ERROR_INVALID, field);
  CHECK(strstr(rind_last_error(context), "-5"), "text %s", rind_last_error(context));
}

static void check_null(void) {
  rind_field_destroy(NULL);
  CHECK(!rind_field_layout(NULL), "a layout");
  CHECK(rind_field_num_blocks(NULL) == 0, "blocks");
  CHECK(!rind_field_pointer(NULL, 0), "an address");
}

static void check_stale(void) {
  lone_mesh mesh = {.revision = 7};
  rind_forest *forest = NULL;
  rind_field *field = NULL;
  CHECK_OK(lone_blocks_create(context, 2, 1, &mesh, &forest), context);
  CHECK_OK(rind_field_create(forest, &plain, &field), context);
  rind_field_destroy(&field);
  mesh.revision = 8;
  CHECK_ERROR(rind_forest_check(forest), RIND_ERROR_STALE, context);
  CHECK_REFUSED(rind_field_create(forest, &plain, &field), RIND_ERROR_STALE, field);
  rind_forest_destroy(&forest);
}

/* Without a device the space is refused; with one the field is zeroed there. */
static void check_device(const rind_forest *forest) {
  for (int storage = 0; storage < 2; ++storage) {
    rind_layout layout = plain;
    layout.storage = (rind_storage)storage;
    layout.space = RIND_DEVICE;
    rind_field *field = NULL;
    if (rind_device_count() == 0) {
      if (rind_forest_num_global_blocks(forest) > 0)
        CHECK_REFUSED(rind_field_create(forest, &layout, &field), RIND_ERROR_UNSUPPORTED, field);
      continue;
    }
    CHECK_OK(rind_field_create(forest, &layout, &field), context);
    rind_field *host = NULL;
    CHECK_OK(rind_field_create(forest, &plain, &host), context);
    for (int b = 0; b < rind_field_num_blocks(host); ++b)
      memset((double *)rind_field_pointer(host, b) - 7, 1, 72 * sizeof(double));
    CHECK_OK(rind_field_copy(field, host), context);
    for (int b = 0; b < rind_field_num_blocks(host); ++b)
      for (int e = 0; e < 72; ++e)
        CHECK(((double *)rind_field_pointer(host, b))[e - 7] == 0.0, "block %d element %d", b, e);
    rind_field_destroy(&host);
    rind_field_destroy(&field);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  check_null();
  /* Everybody has some; then rank 0 has none; then nobody has one. */
  const int num_blocks[3] = {2 + rank % 2, rank == 0 ? 0 : 3, 0};
  for (int i = 0; i < 3; ++i) {
    rind_forest *forest = NULL;
    CHECK_OK(lone_blocks_create(context, 2, num_blocks[i], NULL, &forest), context);
    check_create(forest);
    check_wrap_packed(forest);
    check_wrap_blocks(forest);
    check_refusals(forest);
    check_device(forest);
    rind_forest_destroy(&forest);
  }
  check_stale();
  rind_context_destroy(&context);
  return check_end();
}
