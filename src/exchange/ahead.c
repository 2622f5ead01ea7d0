/* ahead.c - which lines of a block are asked for before its fills run. */
#include <bound.h>

#include <core.h>
#include <stdlib.h>
#include <string.h>

/* Smaller fields are kept by a last cache, as a rule, where asking costs more than it gains; of
 * larger blocks too much would be asked for at once. Measured: docs/adr/0015-lines-ahead.md. */
enum { LINE = 64, LEAST_FIELD = 1 << 24, MOST_OF_BLOCK = 1 << 18 }; /* bytes */
/* What a second cache keeps of the blocks that have been touched, at least. */
enum { KEPT = 1 << 19 };

/* True for the ghosts of faces, and for cells as near to a face as those are. */
static bool is_touched(const rind_layout *layout, const int cell[3]) {
  const int n = layout->cells, g = layout->ghosts;
  int outside = 0;
  bool near = false;
  for (int a = 0; a < layout->dim; ++a) {
    outside += cell[a] < 0 || cell[a] >= n;
    near = near || cell[a] < g || cell[a] >= n - g;
  }
  return near && outside <= 1;
}

typedef void cell_visitor(void *user, const rind_layout *layout, const int cell[3]);

static void visit_touched(const rind_layout *layout, cell_visitor *visit, void *user) {
  const int g = layout->ghosts, end = layout->cells + g;
  const int low_z = layout->dim == 3 ? -g : 0, end_z = layout->dim == 3 ? end : 1;
  int cell[3];
  for (cell[2] = low_z; cell[2] < end_z; ++cell[2])
    for (cell[1] = -g; cell[1] < end; ++cell[1])
      for (cell[0] = -g; cell[0] < end; ++cell[0])
        if (is_touched(layout, cell)) visit(user, layout, cell);
}

static void count_values(void *user, const rind_layout *layout, const int cell[3]) {
  size_t *count = user;
  (void)cell;
  *count += (size_t)layout->components;
}

/* The lines of values, each as often as it has some, from the one with the block's first element.
 */
typedef struct line_list {
  ptrdiff_t *line;
  int count;
} line_list;

static void list_lines(void *user, const rind_layout *layout, const int cell[3]) {
  line_list *list = user;
  ptrdiff_t at = rind_layout_interior_offset(layout);
  for (int a = 0; a < layout->dim; ++a)
    at += cell[a] * layout->cell_stride[a];
  for (int c = 0; c < layout->components; ++c, at += layout->component_stride)
    list->line[list->count++] = at * (ptrdiff_t)rind_type_bytes(layout->type) / LINE;
}

static int compare_lines(const void *left, const void *right) {
  const ptrdiff_t a = *(const ptrdiff_t *)left, b = *(const ptrdiff_t *)right;
  return (a > b) - (a < b);
}

/* Lines from the one with the block's first element on, each once and ascending; their number.
 * Blocks begin with a line, as a rule; a line more or less at their ends does no harm. */
static int make_lines(const rind_layout *layout, ptrdiff_t *line) {
  const ptrdiff_t base =
      rind_layout_interior_offset(layout) * (ptrdiff_t)rind_type_bytes(layout->type);
  line_list list = {.line = line};
  visit_touched(layout, list_lines, &list);
  qsort(line, (size_t)list.count, sizeof *line, compare_lines);
  int count = 0;
  for (int i = 0; i < list.count; ++i)
    if (i == 0 || line[i] != line[i - 1]) line[count++] = line[i];
  for (int i = 0; i < count; ++i)
    line[i] = line[i] * LINE - base;
  return count;
}

static bool make(rind_bound *bound, int num_blocks, int again, const ptrdiff_t *line,
                 int num_lines) {
  const rind_gather gather = rind_bound_gather(bound);
  int32_t *place = rind_allocate((size_t)num_blocks, sizeof *place);
  if (!place) return false;
  const int count = rind_gather_list_touches(&gather, again, num_blocks, place, NULL);
  const size_t line_bytes = (size_t)num_lines * sizeof *line;
  bound->ahead_bytes =
      sizeof *bound->ahead + line_bytes + (size_t)count * sizeof(rind_gather_touch);
  bound->ahead = rind_allocate(bound->ahead_bytes, 1);
  if (bound->ahead) {
    ptrdiff_t *lines = (ptrdiff_t *)(void *)(bound->ahead + 1);
    rind_gather_touch *touch = (rind_gather_touch *)(void *)(lines + num_lines);
    memcpy(lines, line, line_bytes);
    rind_gather_list_touches(&gather, again, num_blocks, place, touch);
    *bound->ahead = (rind_gather_ahead){.near = rind_gather_asks_near(),
                                        .num_lines = num_lines,
                                        .num_touches = count,
                                        .line = lines,
                                        .touch = touch};
  }
  free(place);
  return bound->ahead != NULL;
}

/* From the first to the last element of blocks of a layout. */
static double count_bytes(const rind_layout *layout, int num_blocks) {
  const double elements = (double)rind_layout_block_elements(layout);
  const double stride = layout->storage == RIND_PACKED ? (double)layout->block_stride : elements;
  return ((num_blocks - 1) * stride + elements) * (double)rind_type_bytes(layout->type);
}

bool rind_bound_look_ahead(rind_bound *bound, const rind_layout *layout, int num_blocks,
                           bool again) {
  if (bound->num_fills == 0 || count_bytes(layout, num_blocks) < LEAST_FIELD) return true;
  size_t values = 0;
  visit_touched(layout, count_values, &values);
  if (values > MOST_OF_BLOCK / rind_type_bytes(layout->type)) return true;
  ptrdiff_t *line = rind_allocate(values, sizeof *line);
  if (!line) return false;
  const int num_lines = make_lines(layout, line);
  const bool made = num_lines > MOST_OF_BLOCK / LINE ||
                    make(bound, num_blocks, again ? KEPT / (num_lines * LINE) : 0, line, num_lines);
  free(line);
  return made;
}
