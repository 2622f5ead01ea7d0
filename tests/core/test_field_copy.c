/* test_field_copy.c - copies between layouts, types and spaces are exact, ghosts included. */
#include "lone_blocks.h"
#include <check.h>
#include <device_memory.h>
#include <rind/rind.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { NUM_LAYOUTS = 9, CELLS = 4, GHOSTS = 2, COMPONENTS = 2 };

static rind_context *context;

/* All combinations of type, storage and order, then one with gaps. */
static rind_layout layout_number(int number, int dim) {
  rind_layout layout = {.dim = dim, .cells = CELLS, .ghosts = GHOSTS, .components = COMPONENTS};
  if (number == 8) {
    layout.cell_stride[0] = 3;
    layout.block_stride = 20000;
    return layout;
  }
  layout.type = number & 1 ? RIND_FLOAT32 : RIND_FLOAT64;
  layout.storage = number & 2 ? RIND_BLOCKS : RIND_PACKED;
  layout.order = number & 4 ? RIND_COMPONENTS_INNERMOST : RIND_COMPONENTS_OUTERMOST;
  return layout;
}

/* A value that float cannot hold, another in every place. */
static double code(int64_t block, const int cell[3], int component) {
  return 1.0 / 3.0 + (double)(((block * 20 + cell[2]) * 20 + cell[1]) * 20 + cell[0]) + component;
}

/* Calls visit for every cell, ghosts too, with the place of its value. */
typedef void visit(void *value, rind_type type, double expected);

static void each_cell(rind_field *field, visit *what) {
  const rind_layout *layout = rind_field_layout(field);
  const int low = -GHOSTS, high = CELLS + GHOSTS, dim = layout->dim;
  int cell[3];
  for (int b = 0; b < rind_field_num_blocks(field); ++b)
    for (int c = 0; c < COMPONENTS; ++c)
      for (cell[2] = dim == 3 ? low : 0; cell[2] < (dim == 3 ? high : 1); ++cell[2])
        for (cell[1] = low; cell[1] < high; ++cell[1])
          for (cell[0] = low; cell[0] < high; ++cell[0]) {
            ptrdiff_t at = c * layout->component_stride;
            for (int a = 0; a < dim; ++a)
              at += cell[a] * layout->cell_stride[a];
            char *value = (char *)rind_field_pointer(field, b) +
                          at * (ptrdiff_t)rind_type_bytes(layout->type);
            what(value, layout->type, code(b, cell, c));
          }
}

static void set(void *value, rind_type type, double expected) {
  if (type == RIND_FLOAT64)
    *(double *)value = expected;
  else
    *(float *)value = (float)expected;
}

/* Float values that came through double, or the other way, are the rounded ones. */
static bool rounded;
static void check_value(void *value, rind_type type, double expected) {
  const double wanted = rounded ? (double)(float)expected : expected;
  const double got = type == RIND_FLOAT64 ? *(double *)value : (double)*(float *)value;
  CHECK(got == wanted, "%.17g instead of %.17g", got, wanted);
}

static void check_host(const rind_forest *forest) {
  const int dim = rind_forest_dim(forest);
  for (int i = 0; i < NUM_LAYOUTS; ++i)
    for (int j = 0; j < NUM_LAYOUTS; ++j) {
      const rind_layout a = layout_number(i, dim), b = layout_number(j, dim);
      rind_field *from = NULL, *to = NULL;
      CHECK_OK(rind_field_create(forest, &a, &from), context);
      CHECK_OK(rind_field_create(forest, &b, &to), context);
      each_cell(from, set);
      CHECK_OK(rind_field_copy(from, to), context);
      rounded = a.type == RIND_FLOAT32 || b.type == RIND_FLOAT32;
      each_cell(to, check_value);
      rounded = a.type == RIND_FLOAT32;
      each_cell(from, check_value);
      CHECK_OK(rind_field_copy(to, to), context);
      rind_field_destroy(&from);
      rind_field_destroy(&to);
    }
}

/* What lies in the gaps of the destination survives a copy. */
static void check_gaps(const rind_forest *forest) {
  const int dim = rind_forest_dim(forest);
  const rind_layout tight = layout_number(0, dim), gaps = layout_number(8, dim);
  rind_field *from = NULL, *to = NULL;
  CHECK_OK(rind_field_create(forest, &tight, &from), context);
  CHECK_OK(rind_field_create(forest, &gaps, &to), context);
  const ptrdiff_t before = rind_layout_interior_offset(rind_field_layout(to));
  const ptrdiff_t elements = (ptrdiff_t)rind_layout_block_elements(rind_field_layout(to));
  for (int b = 0; b < rind_field_num_blocks(to); ++b)
    for (ptrdiff_t e = 0; e < elements; ++e)
      ((double *)rind_field_pointer(to, b))[e - before] = 5.0;
  CHECK_OK(rind_field_copy(from, to), context);
  for (int b = 0; b < rind_field_num_blocks(to); ++b)
    for (ptrdiff_t e = 0; e < elements; ++e) {
      const double got = ((double *)rind_field_pointer(to, b))[e - before];
      const double wanted = e % 3 == 0 ? 0.0 : 5.0;
      CHECK(got == wanted, "element %td is %g", e, got);
    }
  rind_field_destroy(&from);
  rind_field_destroy(&to);
}

/* Host to device to host, through every layout. */
static void check_device(const rind_forest *forest) {
  if (rind_device_count() == 0) return;
  const int dim = rind_forest_dim(forest);
  for (int i = 0; i < NUM_LAYOUTS; ++i) {
    const rind_layout plain = layout_number(0, dim);
    rind_layout device = layout_number(i, dim);
    device.space = RIND_DEVICE;
    rind_field *from = NULL, *there = NULL, *to = NULL;
    CHECK_OK(rind_field_create(forest, &plain, &from), context);
    CHECK_OK(rind_field_create(forest, &device, &there), context);
    CHECK_OK(rind_field_create(forest, &plain, &to), context);
    each_cell(from, set);
    CHECK_OK(rind_field_copy(from, there), context);
    CHECK_OK(rind_field_copy(there, to), context);
    rounded = device.type == RIND_FLOAT32;
    each_cell(to, check_value);
    rind_field_destroy(&from);
    rind_field_destroy(&there);
    rind_field_destroy(&to);
  }
}

/* Each refused copy leaves the destination as it was. */
static void check_refusals(const rind_forest *forest) {
  const rind_layout plain = layout_number(0, rind_forest_dim(forest));
  rind_field *to = NULL;
  CHECK_OK(rind_field_create(forest, &plain, &to), context);
  each_cell(to, set);
  for (int i = 0; i < 3; ++i) {
    rind_layout other = plain;
    if (i == 0) other.cells = CELLS + 2;
    if (i == 1) other.ghosts = GHOSTS - 1;
    if (i == 2) other.components = COMPONENTS + 1;
    rind_field *from = NULL;
    CHECK_OK(rind_field_create(forest, &other, &from), context);
    CHECK_ERROR(rind_field_copy(from, to), RIND_ERROR_MISMATCH, context);
    rind_field_destroy(&from);
  }
  rind_forest *twin = NULL;
  rind_field *from = NULL;
  CHECK_OK(lone_blocks_create(context, rind_forest_dim(forest), 2, NULL, &twin), context);
  CHECK_OK(rind_field_create(twin, &plain, &from), context);
  CHECK_ERROR(rind_field_copy(from, to), RIND_ERROR_MISMATCH, context);
  CHECK_ERROR(rind_field_copy(NULL, to), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_field_copy(to, NULL), RIND_ERROR_INVALID, context);
  rounded = false;
  each_cell(to, check_value);
  rind_field_destroy(&from);
  rind_forest_destroy(&twin);
  rind_field_destroy(&to);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  for (int dim = 2; dim <= 3; ++dim) {
    rind_forest *forest = NULL;
    CHECK_OK(lone_blocks_create(context, dim, 2, NULL, &forest), context);
    check_host(forest);
    check_gaps(forest);
    check_device(forest);
    check_refusals(forest);
    rind_forest_destroy(&forest);
  }
  rind_context_destroy(&context);
  return check_end();
}
