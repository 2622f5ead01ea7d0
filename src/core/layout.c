/* layout.c - where the values of a block lie: strides, sizes and their checks. */
#include <core.h>

#include <limits.h>

size_t rind_type_bytes(rind_type type) {
  return type == RIND_FLOAT32 ? sizeof(float) : sizeof(double);
}

static rind_error check_numbers(rind_context *context, const rind_layout *layout) {
  RIND_REQUIRE(context, layout->dim == 2 || layout->dim == 3, RIND_ERROR_INVALID,
               "the layout has dimension %d: 2 or 3 it must be", layout->dim);
  RIND_REQUIRE(context, layout->cells >= 1, RIND_ERROR_INVALID,
               "the layout has %d cells a block and axis: at least 1 it must be", layout->cells);
  RIND_REQUIRE(context, layout->ghosts >= 0, RIND_ERROR_INVALID,
               "the layout has %d ghost layers: at least 0 it must be", layout->ghosts);
  RIND_REQUIRE(context, layout->components >= 1, RIND_ERROR_INVALID,
               "the layout has %d components: at least 1 it must be", layout->components);
  RIND_REQUIRE(
      context, layout->type == RIND_FLOAT64 || layout->type == RIND_FLOAT32, RIND_ERROR_INVALID,
      "the layout has type %d: RIND_FLOAT64 (0) or RIND_FLOAT32 (1) it must be", (int)layout->type);
  RIND_REQUIRE(
      context, layout->space == RIND_HOST || layout->space == RIND_DEVICE, RIND_ERROR_INVALID,
      "the layout has space %d: RIND_HOST (0) or RIND_DEVICE (1) it must be", (int)layout->space);
  RIND_REQUIRE(context, layout->storage == RIND_PACKED || layout->storage == RIND_BLOCKS,
               RIND_ERROR_INVALID,
               "the layout has storage %d: RIND_PACKED (0) or RIND_BLOCKS (1) it must be",
               (int)layout->storage);
  RIND_REQUIRE(context,
               layout->order == RIND_COMPONENTS_OUTERMOST ||
                   layout->order == RIND_COMPONENTS_INNERMOST,
               RIND_ERROR_INVALID,
               "the layout has component order %d: RIND_COMPONENTS_OUTERMOST (0) or "
               "RIND_COMPONENTS_INNERMOST (1) it must be",
               (int)layout->order);
  for (int a = 0; a < 5; ++a) {
    const ptrdiff_t stride = a < 3    ? layout->cell_stride[a]
                             : a == 3 ? layout->component_stride
                                      : layout->block_stride;
    static const char *const what[5] = {"cell stride of axis 0", "cell stride of axis 1",
                                        "cell stride of axis 2", "component stride",
                                        "block stride"};
    RIND_REQUIRE(context, stride >= 0, RIND_ERROR_INVALID,
                 "the layout's %s is %td: it must be positive, or 0 to be worked out", what[a],
                 stride);
  }
  return RIND_OK;
}

/* One loop over a field's elements. */
typedef struct loop {
  ptrdiff_t *stride;
  ptrdiff_t extent;
  const char *what;
} loop;

enum { MOST_LOOPS = 5 };

/* From the innermost outwards, blocks last. */
static int list_loops(rind_layout *layout, ptrdiff_t padded, int num_blocks,
                      loop loops[MOST_LOOPS]) {
  static const char *const axes[3] = {"cell stride of axis 0", "cell stride of axis 1",
                                      "cell stride of axis 2"};
  const loop components = {&layout->component_stride, layout->components, "component stride"};
  int n = 0;
  if (layout->order == RIND_COMPONENTS_INNERMOST) loops[n++] = components;
  for (int a = 0; a < layout->dim; ++a)
    loops[n++] = (loop){&layout->cell_stride[a], padded, axes[a]};
  if (layout->order == RIND_COMPONENTS_OUTERMOST) loops[n++] = components;
  loops[n++] = (loop){&layout->block_stride, num_blocks, "block stride"};
  return n;
}

/* Strides that are 0 become tight: they step over all the loops inside theirs, whichever of these
 * has the largest stride. False on overflow. */
static bool fill_in(rind_layout *layout, ptrdiff_t padded, ptrdiff_t limit) {
  loop loops[MOST_LOOPS];
  const int n = list_loops(layout, padded, 1, loops);
  ptrdiff_t tight = 1;
  for (int i = 0; i < n; ++i) {
    if (*loops[i].stride == 0) *loops[i].stride = tight;
    if (*loops[i].stride > limit / loops[i].extent) return false;
    const ptrdiff_t passed = *loops[i].stride * loops[i].extent;
    if (passed > tight) tight = passed;
  }
  return true;
}

/* Whether a stride does not step over all that the smaller strides reach: *small, with *least that
 * would. */
static bool is_too_small(rind_layout *layout, ptrdiff_t padded, int num_blocks, loop *small,
                         ptrdiff_t *least) {
  loop loops[MOST_LOOPS];
  const int n = list_loops(layout, padded, layout->storage == RIND_PACKED ? num_blocks : 1, loops);
  for (int i = 1; i < n; ++i) {
    const loop moved = loops[i];
    int j = i;
    for (; j > 0 && *loops[j - 1].stride > *moved.stride; --j)
      loops[j] = loops[j - 1];
    loops[j] = moved;
  }
  ptrdiff_t reach = 0;
  for (int i = 0; i < n; ++i) {
    if (loops[i].extent <= 1) continue;
    *least = reach + 1;
    *small = loops[i];
    if (*loops[i].stride < *least) return true;
    reach += *loops[i].stride * (loops[i].extent - 1);
  }
  return false;
}

/* The least that the stride which is too small in made can be while those asked for stay: past
 * larger ones too, where it leaves them no room. If they do not nest either, the least beside
 * smaller ones. */
static ptrdiff_t find_least(const rind_layout *asked, rind_layout made, ptrdiff_t padded,
                            int num_blocks, ptrdiff_t limit) {
  loop small, other;
  ptrdiff_t least, next;
  is_too_small(&made, padded, num_blocks, &small, &least);
  ptrdiff_t tried = least;
  for (int i = 0; i < 2 * MOST_LOOPS; ++i) {
    made = *asked;
    *small.stride = tried;
    if (!fill_in(&made, padded, limit)) break;
    if (!is_too_small(&made, padded, num_blocks, &other, &next)) return tried;
    tried = other.stride == small.stride ? next : *other.stride + 1;
  }
  return least;
}

rind_error rind_layout_complete(rind_context *context, int num_blocks, rind_layout *layout) {
  RIND_REQUIRE(context, layout, RIND_ERROR_INVALID, "the layout is NULL");
  RIND_REQUIRE(context, num_blocks >= 0, RIND_ERROR_INVALID, "%d blocks: at least 0 it must be",
               num_blocks);
  RIND_TRY(check_numbers(context, layout));
  rind_layout made = *layout;
  const ptrdiff_t padded = (ptrdiff_t)made.cells + 2 * (ptrdiff_t)made.ghosts;
  const ptrdiff_t limit = PTRDIFF_MAX / (ptrdiff_t)rind_type_bytes(made.type) / 8;
  const bool fits = padded <= INT_MAX && fill_in(&made, padded, limit) &&
                    made.block_stride <= limit / (num_blocks > 0 ? num_blocks : 1);
  RIND_REQUIRE(
      context, fits, RIND_ERROR_OVERFLOW,
      "%d blocks of (%d + 2*%d)^%d cells with %d components and the strides (%td, %td, %td), "
      "component %td, block %td (0: tight) are more than memory can hold",
      num_blocks, made.cells, made.ghosts, made.dim, made.components, layout->cell_stride[0],
      layout->cell_stride[1], made.dim == 3 ? layout->cell_stride[2] : 0, layout->component_stride,
      layout->block_stride);
  loop small;
  ptrdiff_t least = 0;
  const bool nests = !is_too_small(&made, padded, num_blocks, &small, &least);
  if (!nests) least = find_least(layout, made, padded, num_blocks, limit);
  RIND_REQUIRE(
      context, nests, RIND_ERROR_INVALID,
      "the strides (%td, %td, %td), component %td, block %td do not nest for (%d + 2*%d)^%d "
      "cells with %d components, so that cells can meet: the %s should be at least %td, or "
      "other strides smaller",
      made.cell_stride[0], made.cell_stride[1], made.dim == 3 ? made.cell_stride[2] : 0,
      made.component_stride, made.block_stride, made.cells, made.ghosts, made.dim, made.components,
      small.what, least);
  *layout = made;
  return RIND_OK;
}

size_t rind_layout_block_elements(const rind_layout *layout) {
  const ptrdiff_t last = layout->cells + 2 * layout->ghosts - 1;
  ptrdiff_t reach = layout->component_stride * (layout->components - 1);
  for (int a = 0; a < layout->dim; ++a)
    reach += layout->cell_stride[a] * last;
  return (size_t)reach + 1;
}

ptrdiff_t rind_layout_interior_offset(const rind_layout *layout) {
  ptrdiff_t offset = 0;
  for (int a = 0; a < layout->dim; ++a)
    offset += layout->ghosts * layout->cell_stride[a];
  return offset;
}
