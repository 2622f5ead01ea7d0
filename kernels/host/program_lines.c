/* program_lines.c - how much a program touches of the lines of memory that it touches. */
#include <block_programs.h>
#include <core.h>
#include <stdlib.h>

enum { SECTOR_BYTES = 32, LINE_BYTES = 128, SECTORS = LINE_BYTES / SECTOR_BYTES };

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Units of so many bytes that ascending elements lie in. */
static int64_t count_units(const int64_t *element, int64_t count, int value_bytes, int unit_bytes) {
  int64_t units = 0, last = 0;
  for (int64_t e = 0; e < count; ++e) {
    const int64_t unit = (element[e] - element[0]) * value_bytes / unit_bytes;
    units += e == 0 || unit != last;
    last = unit;
  }
  return units;
}

/* The first item with copies of the program that most blocks have. */
static const rind_program_item *most_used(const rind_programs *programs) {
  for (int i = 0; i < programs->num_items; ++i)
    if (programs->item[i].num_moves > 0 && programs->item[i].first_move == 0)
      return &programs->item[i];
  return NULL;
}

bool rind_programs_fill_lines(const rind_programs *programs, int value_bytes, bool *fill_lines) {
  const rind_program_item *item = most_used(programs);
  *fill_lines = false;
  if (!item) return true;
  const int64_t num_moves = (int64_t)item->num_moves * RIND_PROGRAM_LANES;
  int64_t *element = rind_allocate(2 * (size_t)num_moves, sizeof *element);
  int64_t count = 0;
  if (!element) return false;
  for (int64_t m = 0; m < num_moves; ++m) {
    const rind_program_move *move = &programs->move[m];
    if (move->cell != RIND_PROGRAM_NO_CELL) element[count++] = move->cell;
    if (RIND_PROGRAM_SLOT(move->term) != RIND_PROGRAM_NONE)
      element[count++] = RIND_PROGRAM_OFFSET(move->term);
  }
  qsort(element, (size_t)count, sizeof *element, compare);
  *fill_lines = 3 * count_units(element, count, value_bytes, SECTOR_BYTES) >=
                2 * SECTORS * count_units(element, count, value_bytes, LINE_BYTES);
  free(element);
  return true;
}
