/* test_layout.c - strides of every layout, and the refusal of bad sizes and strides. */
#include <check.h>
#include <rind/rind.h>

#include <limits.h>
#include <stdbool.h>
#include <string.h>

static rind_context *context;

/* Elements from the first stored one: a cell counted from the first ghost, and a component. */
static size_t element(const rind_layout *layout, const int cell[3], int component) {
  ptrdiff_t at = component * layout->component_stride;
  for (int a = 0; a < layout->dim; ++a)
    at += cell[a] * layout->cell_stride[a];
  return (size_t)at;
}

/* Every cell has an element of its own; tight layouts use every element. */
static void check_cells_apart(const rind_layout *layout, bool tight) {
  const size_t num_elements = rind_layout_block_elements(layout);
  const int padded = layout->cells + 2 * layout->ghosts;
  unsigned char *seen = calloc(num_elements, 1);
  size_t used = 0, outside = 0, twice = 0;
  int cell[3] = {0, 0, 0};
  for (int c = 0; c < layout->components; ++c)
    for (cell[2] = 0; cell[2] < (layout->dim == 3 ? padded : 1); ++cell[2])
      for (cell[1] = 0; cell[1] < padded; ++cell[1])
        for (cell[0] = 0; cell[0] < padded; ++cell[0]) {
          const size_t at = element(layout, cell, c);
          if (at >= num_elements) {
            ++outside;
          } else {
            twice += seen[at];
            seen[at] = 1;
            ++used;
          }
        }
  CHECK(outside == 0 && twice == 0, "%zu cells outside the block, %zu on another's", outside,
        twice);
  CHECK(!tight || used == num_elements, "%zu of %zu elements used", used, num_elements);
  free(seen);
}

static void check_tight(rind_layout layout) {
  CHECK_OK(rind_layout_complete(context, 5, &layout), context);
  const ptrdiff_t padded = layout.cells + 2 * layout.ghosts;
  const ptrdiff_t volume = layout.dim == 3 ? padded * padded * padded : padded * padded;
  const bool innermost = layout.order == RIND_COMPONENTS_INNERMOST;
  const ptrdiff_t x = innermost ? layout.components : 1;
  CHECK(layout.cell_stride[0] == x, "x stride %td", layout.cell_stride[0]);
  CHECK(layout.cell_stride[1] == x * padded, "y stride %td", layout.cell_stride[1]);
  CHECK(layout.dim == 2 || layout.cell_stride[2] == x * padded * padded, "z stride %td",
        layout.cell_stride[2]);
  CHECK(layout.component_stride == (innermost ? 1 : volume), "component stride %td",
        layout.component_stride);
  CHECK(layout.storage == RIND_BLOCKS || layout.block_stride == volume * layout.components,
        "block stride %td", layout.block_stride);
  const int first[3] = {layout.ghosts, layout.ghosts, layout.ghosts};
  CHECK(rind_layout_interior_offset(&layout) == (ptrdiff_t)element(&layout, first, 0),
        "interior at %td", rind_layout_interior_offset(&layout));
  check_cells_apart(&layout, true);
  const rind_layout once = layout;
  CHECK_OK(rind_layout_complete(context, 5, &layout), context);
  CHECK(memcmp(&once, &layout, sizeof once) == 0, "completing twice changes the layout");
}

static void check_all_tight(void) {
  for (int choice = 0; choice < 2 * 3 * 3 * 3 * 8; ++choice) {
    int rest = choice;
    rind_layout layout;
    memset(&layout, 0, sizeof layout);
    layout.dim = 2 + rest % 2, rest /= 2;
    layout.cells = 1 + 2 * (rest % 3), rest /= 3;
    layout.ghosts = rest % 3, rest /= 3;
    layout.components = 1 + rest % 3, rest /= 3;
    layout.type = rest % 2 ? RIND_FLOAT32 : RIND_FLOAT64, rest /= 2;
    layout.storage = rest % 2 ? RIND_BLOCKS : RIND_PACKED, rest /= 2;
    layout.order = rest % 2 ? RIND_COMPONENTS_INNERMOST : RIND_COMPONENTS_OUTERMOST;
    check_tight(layout);
  }
}

static const rind_layout plain = {.dim = 3, .cells = 4, .ghosts = 2, .components = 2};

/* Strides that the caller chose are kept, the others follow from them. */
static void check_wide(void) {
  rind_layout layout = plain;
  layout.cell_stride[1] = 10; /* rows of 8 padded to 10 */
  layout.block_stride = 5000;
  CHECK_OK(rind_layout_complete(context, 3, &layout), context);
  CHECK(layout.cell_stride[0] == 1 && layout.cell_stride[1] == 10 && layout.cell_stride[2] == 80,
        "strides %td %td %td", layout.cell_stride[0], layout.cell_stride[1], layout.cell_stride[2]);
  CHECK(layout.component_stride == 640 && layout.block_stride == 5000, "component %td, block %td",
        layout.component_stride, layout.block_stride);
  check_cells_apart(&layout, false);

  layout = plain; /* z fastest */
  layout.cell_stride[2] = 1, layout.cell_stride[1] = 8, layout.cell_stride[0] = 64;
  layout.component_stride = 512;
  CHECK_OK(rind_layout_complete(context, 1, &layout), context);
  check_cells_apart(&layout, true);

  layout = plain; /* blocks interleaved inside the cells */
  layout.cell_stride[0] = 3, layout.block_stride = 1;
  CHECK_OK(rind_layout_complete(context, 3, &layout), context);
  check_cells_apart(&layout, false);
}

/* Elements that cells of two blocks share, or that lie outside these blocks' array. */
static size_t count_meetings(const rind_layout *layout) {
  const int padded = layout->cells + 2 * layout->ghosts;
  const size_t num_elements = (size_t)layout->block_stride + rind_layout_block_elements(layout);
  unsigned char *seen = calloc(num_elements, 1);
  size_t meetings = 0;
  int cell[3] = {0, 0, 0};
  for (int block = 0; block < 2; ++block)
    for (int c = 0; c < layout->components; ++c)
      for (cell[2] = 0; cell[2] < (layout->dim == 3 ? padded : 1); ++cell[2])
        for (cell[1] = 0; cell[1] < padded; ++cell[1])
          for (cell[0] = 0; cell[0] < padded; ++cell[0]) {
            const size_t at = (size_t)(block * layout->block_stride) + element(layout, cell, c);
            meetings += at >= num_elements || seen[at]++ > 0;
          }
  free(seen);
  return meetings;
}

/* Loops over axes (0, 1, 2) and components (3) in the order that place says, innermost first, with
 * gap elements between rows and the like; the strides of given loops are the caller's. */
static void check_nest(rind_layout layout, const int place[4], int given, ptrdiff_t gap) {
  const ptrdiff_t padded = layout.cells + 2 * layout.ghosts;
  ptrdiff_t stride = 1, tight = 1;
  for (int i = 0; i < 4; ++i) {
    const int loop = place[i];
    if (loop == 2 && layout.dim == 2) continue;
    if (given >> i & 1)
      *(loop == 3 ? &layout.component_stride : &layout.cell_stride[loop]) = stride;
    tight = stride * (loop == 3 ? layout.components : padded);
    stride = tight + gap;
  }
  const rind_layout asked = layout;
  const rind_error error = rind_layout_complete(context, 2, &layout);
  const bool kept = given == 15;
  CHECK(error == RIND_OK || !kept, "refused: %s", rind_last_error(context));
  if (error != RIND_OK) return;
  const size_t meetings = count_meetings(&layout);
  CHECK(meetings == 0,
        "%zu cells meet: dim %d, n %d, g %d, %d components, order %d, given %d of "
        "%d%d%d%d, block stride %td",
        meetings, asked.dim, asked.cells, asked.ghosts, asked.components, (int)asked.order, given,
        place[0], place[1], place[2], place[3], layout.block_stride);
  CHECK(!kept || (layout.block_stride == tight &&
                  (gap > 0 || (size_t)tight == rind_layout_block_elements(&layout))),
        "block stride %td, tight %td, elements %zu", layout.block_stride, tight,
        rind_layout_block_elements(&layout));
}

/* Every nesting of axes and components, whatever the order says. */
static void check_nests(void) {
  static const int cells[4] = {2, 4, 6, 10};
  for (int choice = 0; choice < 4 * 4 * 5 * 2 * 2 * 24; ++choice) {
    int rest = choice, left[4] = {0, 1, 2, 3}, place[4];
    rind_layout layout = {.cells = cells[rest % 4]};
    rest /= 4, layout.ghosts = 1 + rest % 4;
    rest /= 4, layout.components = 1 + rest % 5;
    rest /= 5, layout.order = rest % 2 ? RIND_COMPONENTS_INNERMOST : RIND_COMPONENTS_OUTERMOST;
    rest /= 2, layout.dim = 2 + rest % 2, rest /= 2;
    for (int i = 0, of = 4; i < 4; ++i, --of) {
      const int k = rest % of;
      place[i] = left[k], left[k] = left[of - 1], rest /= of;
    }
    check_nest(layout, place, 15, 0);
    check_nest(layout, place, 15, 3);
    if (layout.cells <= 4)
      for (int given = 0; given < 15; ++given)
        check_nest(layout, place, given, 0);
  }
}

/* The layout is refused with a text that holds the value, and stays as it was. */
static void check_refused(int num_blocks, rind_layout layout, rind_error error, const char *value) {
  const rind_layout before = layout;
  CHECK_ERROR(rind_layout_complete(context, num_blocks, &layout), error, context);
  CHECK(memcmp(&before, &layout, sizeof before) == 0, "a refused layout was changed");
  CHECK(strstr(rind_last_error(context), value), "no %s in \"%s\"", value,
        rind_last_error(context));
}

static void check_bad_numbers(void) {
  rind_layout bad[8];
  for (int i = 0; i < 8; ++i)
    bad[i] = plain;
  bad[0].dim = 4;
  bad[1].cells = 0;
  bad[2].ghosts = -1;
  bad[3].components = 0;
  bad[4].type = (rind_type)7;
  bad[5].space = (rind_space)7;
  bad[6].storage = (rind_storage)7;
  bad[7].order = (rind_component_order)7;
  static const char *const value[8] = {"4", "0", "-1", "0", "7", "7", "7", "7"};
  for (int i = 0; i < 8; ++i)
    check_refused(1, bad[i], RIND_ERROR_INVALID, value[i]);
  check_refused(-3, plain, RIND_ERROR_INVALID, "-3");
  CHECK_ERROR(rind_layout_complete(context, 1, NULL), RIND_ERROR_INVALID, context);
}

static void check_bad_strides(void) {
  rind_layout layout = plain;
  layout.cell_stride[1] = -10;
  check_refused(1, layout, RIND_ERROR_INVALID, "-10");
  layout = plain;
  layout.cell_stride[1] = 7; /* a row has 8 */
  check_refused(1, layout, RIND_ERROR_INVALID, "7");
  layout = plain;
  layout.component_stride = 511; /* a component has 512 */
  check_refused(1, layout, RIND_ERROR_INVALID, "511");
  layout = plain;
  layout.block_stride = 1023;
  check_refused(2, layout, RIND_ERROR_INVALID, "1023");
  layout.block_stride = 10; /* 64 lies inside a component's planes, 512 inside the components */
  check_refused(2, layout, RIND_ERROR_INVALID, "the block stride should be at least 1024,");
  CHECK_OK(rind_layout_complete(context, 1, &layout), context); /* one block meets no other */
  layout = plain;
  layout.storage = RIND_BLOCKS;
  layout.block_stride = 1023;
  CHECK_OK(rind_layout_complete(context, 2, &layout), context); /* not used */
  layout = plain; /* cells next to each other leave no place for components between them */
  layout.order = RIND_COMPONENTS_INNERMOST;
  layout.cell_stride[0] = 1;
  check_refused(1, layout, RIND_ERROR_INVALID, "the cell stride of axis 0 should be at least 2");
  layout = (rind_layout){.dim = 2, .cells = 3, .components = 1, .cell_stride = {2, 3}};
  check_refused(1, layout, RIND_ERROR_INVALID, "do not nest"); /* no two of these meet */
}

static void check_overflow(void) {
  rind_layout layout = plain;
  layout.cells = INT_MAX - 3; /* padded, one more than an int holds */
  check_refused(1, layout, RIND_ERROR_OVERFLOW, "2147483644");
  layout.cells = INT_MAX - 4;
  check_refused(1, layout, RIND_ERROR_OVERFLOW, "2147483643");
  layout.dim = 2, layout.components = INT_MAX;
  check_refused(1, layout, RIND_ERROR_OVERFLOW, "2147483643");
  layout = plain;
  layout.ghosts = INT_MAX;
  check_refused(1, layout, RIND_ERROR_OVERFLOW, "2147483647");
  layout = plain;
  layout.cells = 1 << 18; /* 2^54 elements a block of one component fit, 2^20 such blocks do not */
  layout.ghosts = 0, layout.components = 1;
  CHECK_OK(rind_layout_complete(context, 1, &layout), context);
  layout.block_stride = 0;
  check_refused(1 << 20, layout, RIND_ERROR_OVERFLOW, "1048576");
  layout = plain;
  layout.cell_stride[2] = PTRDIFF_MAX;
  check_refused(1, layout, RIND_ERROR_OVERFLOW, "the strides (0, 0, 9223372036854775807)");
  layout = plain;
  layout.block_stride = PTRDIFF_MAX;
  check_refused(1, layout, RIND_ERROR_OVERFLOW, "block 9223372036854775807");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_SELF, NULL, &context), context);
  CHECK(rind_type_bytes(RIND_FLOAT64) == 8 && rind_type_bytes(RIND_FLOAT32) == 4, "type sizes");
  check_all_tight();
  check_wide();
  check_nests();
  check_bad_numbers();
  check_bad_strides();
  check_overflow();
  rind_context_destroy(&context);
  return check_end();
}
