/* ahead.c - which lines of a block are asked for before its fills run. */
#include <bound.h>

#include <core.h>
#include <stdlib.h>
#include <string.h>

/* Smaller fields are kept by a last cache, as a rule, where asking costs more than it gains; of
 * larger blocks too much would be asked for at once. Measured: docs/adr/0015-lines-ahead.md. */
enum { LINE = 64, LEAST_FIELD = 1 << 24, MOST_OF_BLOCK = 1 << 18 }; /* bytes */
/* Of blocks that are longer, in lines, nothing is asked for. */
enum { MOST_SPAN = 1 << 20 };
/* What a second cache keeps of the blocks that have been touched, at least. */
enum { KEPT = 1 << 19 };
/* Bits of a word; and most lists of lines. */
enum { WORD = 64, MOST_LISTS = 64 };

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

/* How many values of a block such cells have. */
static double count_touched(const rind_layout *layout) {
  const double n = layout->cells, g = layout->ghosts, inner = n > 2 * g ? n - 2 * g : 0;
  double all = 1, far = 1;
  for (int a = 0; a < layout->dim; ++a) {
    all *= n;
    far *= inner;
  }
  return (all - far + 2 * layout->dim * g * all / n) * layout->components;
}

/* The lines of a cell's values, counted from the one with the block's first element. */
static int list_cell(const rind_layout *layout, const int cell[3], ptrdiff_t *line) {
  ptrdiff_t at = rind_layout_interior_offset(layout);
  for (int a = 0; a < layout->dim; ++a)
    at += cell[a] * layout->cell_stride[a];
  for (int c = 0; c < layout->components; ++c, at += layout->component_stride)
    line[c] = at * (ptrdiff_t)rind_type_bytes(layout->type) / LINE;
  return layout->components;
}

/* Those of all such cells, each as often as it has values. */
static int list_cells(const rind_layout *layout, ptrdiff_t *line) {
  const int g = layout->ghosts, end = layout->cells + g;
  const int low_z = layout->dim == 3 ? -g : 0, end_z = layout->dim == 3 ? end : 1;
  int cell[3], count = 0;
  for (cell[2] = low_z; cell[2] < end_z; ++cell[2])
    for (cell[1] = -g; cell[1] < end; ++cell[1])
      for (cell[0] = -g; cell[0] < end; ++cell[0])
        if (is_touched(layout, cell)) count += list_cell(layout, cell, line + count);
  return count;
}

static int compare_lines(const void *left, const void *right) {
  const ptrdiff_t a = *(const ptrdiff_t *)left, b = *(const ptrdiff_t *)right;
  return (a > b) - (a < b);
}

/* Each of them once and ascending; their number. Blocks begin with a line, as a rule; a line more
 * or less at their ends does no harm. */
static int make_lines(const rind_layout *layout, ptrdiff_t *line) {
  const int num_values = list_cells(layout, line);
  qsort(line, (size_t)num_values, sizeof *line, compare_lines);
  int count = 0;
  for (int i = 0; i < num_values; ++i)
    if (i == 0 || line[i] != line[i - 1]) line[count++] = line[i];
  return count;
}

/* The lines of a block, and what becomes a bound's list of them. */
typedef struct line_maker {
  const rind_layout *layout;
  const ptrdiff_t *line; /* [num_lines], ascending */
  int num_lines, num_words;
  ptrdiff_t span;  /* lines from the block's first on to the last of these */
  int32_t *number; /* [span] of each of these, 1 + where it stands; 0: of another */
  uint64_t *bits;  /* of the row that is visited: destination, source */
  int num_lists;
  uint64_t *list; /* [MOST_LISTS * num_words], the first one has all lines */
} line_maker;

static void mark_value(void *user, bool of_source, ptrdiff_t offset) {
  const line_maker *maker = user;
  const ptrdiff_t at = (rind_layout_interior_offset(maker->layout) + offset) *
                       (ptrdiff_t)rind_type_bytes(maker->layout->type) / LINE;
  const int32_t l = at >= 0 && at < maker->span ? maker->number[at] - 1 : -1;
  if (l < 0) return;
  maker->bits[(of_source ? maker->num_words : 0) + l / WORD] |= (uint64_t)1 << l % WORD;
}

static int count_bits(const uint64_t *word, int num_words) {
  int count = 0;
  for (int w = 0; w < num_words; ++w)
    for (uint64_t bits = word[w]; bits != 0; bits &= bits - 1)
      ++count;
  return count;
}

/* The list of a touch. Where it has most lines of the block all are asked for, since memory is fast
 * where they follow each other; and where there are too many lists. */
static int find_list(line_maker *maker, const uint64_t *lines) {
  const size_t words = (size_t)maker->num_words;
  if (2 * count_bits(lines, maker->num_words) > maker->num_lines) return 0;
  for (int l = 1; l < maker->num_lists; ++l)
    if (memcmp(maker->list + (size_t)l * words, lines, words * sizeof *lines) == 0) return l;
  if (maker->num_lists == MOST_LISTS) return 0;
  memcpy(maker->list + (size_t)maker->num_lists * words, lines, words * sizeof *lines);
  return maker->num_lists++;
}

/* The lines of each list, from line on. */
static void write_lists(const line_maker *maker, rind_gather_line_list *list,
                        rind_gather_line *line) {
  const ptrdiff_t base =
      rind_layout_interior_offset(maker->layout) * (ptrdiff_t)rind_type_bytes(maker->layout->type);
  for (int i = 0; i < maker->num_lists; ++i) {
    const uint64_t *bits = maker->list + (size_t)i * (size_t)maker->num_words;
    int count = 0;
    for (int l = 0; l < maker->num_lines; ++l) {
      if (!(bits[l / WORD] >> l % WORD & 1)) continue;
      line[count] = (rind_gather_line){.at = maker->line[l] * LINE - base};
      if (count > 0) line[count - 1].next = &line[count];
      ++count;
    }
    list[i] = (rind_gather_line_list){count, line};
    line += count;
  }
}

/* How many lines to ask for before each fill to have asked for all before the last. */
static int lines_a_step(const rind_gather *gather, const rind_gather_touch *touch, int count) {
  int64_t lines = 0;
  for (int t = 0; t < count; ++t)
    lines += touch[t].list->num_lines;
  const int64_t steps = rind_gather_count_steps(gather);
  return (int)((lines + steps - 1) / steps);
}

/* The bound's list of count touches, each of which has the list of its number. */
static bool write_ahead(rind_bound *bound, const line_maker *maker, const rind_gather_touch *touch,
                        const int32_t *number, int count) {
  const int num_lines = count_bits(maker->list, maker->num_lists * maker->num_words);
  const size_t list_bytes = (size_t)maker->num_lists * sizeof(rind_gather_line_list);
  const size_t touch_bytes = (size_t)count * sizeof *touch;
  bound->ahead_bytes = sizeof *bound->ahead + list_bytes + touch_bytes +
                       (size_t)num_lines * sizeof(rind_gather_line);
  bound->ahead = rind_allocate(bound->ahead_bytes, 1);
  if (!bound->ahead) return false;
  rind_gather_line_list *lists = (rind_gather_line_list *)(void *)(bound->ahead + 1);
  rind_gather_touch *touches = (rind_gather_touch *)(void *)(lists + maker->num_lists);
  write_lists(maker, lists, (rind_gather_line *)(void *)(touches + count));
  memcpy(touches, touch, touch_bytes);
  for (int t = 0; t < count; ++t)
    touches[t].list = &lists[number[t]];
  const rind_gather gather = rind_bound_gather(bound);
  *bound->ahead = (rind_gather_ahead){.near = rind_gather_asks_near(),
                                      .lines_a_step = lines_a_step(&gather, touches, count),
                                      .num_lists = maker->num_lists,
                                      .num_touches = count,
                                      .list = lists,
                                      .touch = touches};
  return true;
}

/* Lists the touches, with the lines of each. */
static bool add_touches(rind_bound *bound, int num_blocks, int again, line_maker *maker,
                        const uint64_t *of_row) {
  const rind_gather gather = rind_bound_gather(bound);
  rind_gather_place *place = rind_allocate((size_t)num_blocks, sizeof *place);
  if (!place) return false;
  const int count = rind_gather_list_touches(&gather, again, num_blocks, place, NULL, NULL);
  const size_t touches = (size_t)count, words = (size_t)maker->num_words;
  rind_gather_touch *touch = rind_allocate(touches, sizeof *touch);
  uint64_t *of_touch = rind_allocate(touches * words, sizeof *of_touch);
  int32_t *number = rind_allocate(touches, sizeof *number);
  bool added = touch && of_touch && number;
  if (added) {
    const rind_gather_lines lines = {maker->num_words, of_row, of_touch};
    rind_gather_list_touches(&gather, again, num_blocks, place, touch, &lines);
    for (size_t t = 0; t < touches; ++t)
      number[t] = find_list(maker, of_touch + t * words);
    added = write_ahead(bound, maker, touch, number, count);
  }
  free(place);
  free(touch);
  free(of_touch);
  free(number);
  return added;
}

static bool make(rind_bound *bound, const rind_layout *layout, int num_blocks, int again,
                 const ptrdiff_t *line, int num_lines) {
  line_maker maker = {.layout = layout,
                      .line = line,
                      .num_lines = num_lines,
                      .num_words = (num_lines + WORD - 1) / WORD,
                      .span = line[num_lines - 1] + 1,
                      .num_lists = 1};
  if (maker.span > MOST_SPAN) return true;
  const size_t words = (size_t)maker.num_words, rows = (size_t)bound->num_rows;
  uint64_t *of_row = rind_allocate(2 * rows * words, sizeof *of_row);
  maker.list = rind_allocate(MOST_LISTS * words, sizeof *maker.list);
  maker.number = rind_allocate((size_t)maker.span, sizeof *maker.number);
  bool made = of_row && maker.list && maker.number;
  for (int l = 0; made && l < num_lines; ++l) {
    maker.list[l / WORD] |= (uint64_t)1 << l % WORD;
    maker.number[line[l]] = 1 + l;
  }
  for (size_t row = 0; made && row < rows; ++row) {
    maker.bits = of_row + 2 * row * words;
    rind_gather_visit_row(&bound->row[row], mark_value, &maker);
  }
  made = made && add_touches(bound, num_blocks, again, &maker, of_row);
  free(of_row);
  free(maker.list);
  free(maker.number);
  return made;
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
  const double values = count_touched(layout);
  if (values > (double)(MOST_OF_BLOCK / rind_type_bytes(layout->type))) return true;
  ptrdiff_t *line = rind_allocate((size_t)values, sizeof *line);
  if (!line) return false;
  const int num_lines = make_lines(layout, line);
  const bool made =
      num_lines > MOST_OF_BLOCK / LINE ||
      make(bound, layout, num_blocks, again ? KEPT / (num_lines * LINE) : 0, line, num_lines);
  free(line);
  return made;
}
