/* cell_lists.c - lists of contributions cell by cell, and the joining of cells into boxes. */
#include <cell_lists.h>

#include <core.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Boxes and the room of their lists; the number of boxes stays below INT_MAX by the size of a
 * block. */
static void begin_boxes(rind_cell_lists *lists, const int32_t *count) {
  int64_t first = 0, index = 0;
  int32_t cell[3];
  for (cell[2] = 0; cell[2] < lists->size[2]; ++cell[2])
    for (cell[1] = 0; cell[1] < lists->size[1]; ++cell[1])
      for (cell[0] = 0; cell[0] < lists->size[0]; ++cell[0], ++index) {
        lists->box_at[index] = -1;
        if (count[index] < 0) continue;
        lists->box_at[index] = lists->num_boxes;
        rind_cell_box *box = &lists->box[lists->num_boxes++];
        *box = (rind_cell_box){.extent = {1, 1, 1}, .step = {1, 1, 1}, .first = first};
        for (int a = 0; a < 3; ++a)
          box->origin[a] = lists->low[a] + cell[a];
        first += count[index];
      }
}

rind_error rind_cell_lists_create(const int32_t low[3], const int32_t size[3], const int32_t *count,
                                  rind_cell_lists *lists) {
  const size_t cells = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
  size_t boxes = 0, contributions = 0;
  for (size_t c = 0; c < cells; ++c) {
    boxes += count[c] >= 0;
    contributions += count[c] > 0 ? (size_t)count[c] : 0;
  }
  if (boxes > INT_MAX) return RIND_ERROR_OVERFLOW;
  *lists = (rind_cell_lists){.box_at = rind_allocate(cells, sizeof *lists->box_at),
                             .list = rind_allocate(contributions, sizeof *lists->list),
                             .box = rind_allocate(boxes, sizeof *lists->box)};
  memcpy(lists->low, low, sizeof lists->low);
  memcpy(lists->size, size, sizeof lists->size);
  for (int a = 0; a < 3; ++a) {
    lists->ghost_axis[a] = a;
    lists->direction[a] = 1;
  }
  if (!lists->box_at || !lists->list || !lists->box) {
    rind_cell_lists_destroy(lists);
    return RIND_ERROR_MEMORY;
  }
  begin_boxes(lists, count);
  return RIND_OK;
}

void rind_cell_lists_destroy(rind_cell_lists *lists) {
  free(lists->box_at);
  free(lists->list);
  free(lists->box);
  *lists = (rind_cell_lists){0};
}

void rind_cell_lists_add(rind_cell_lists *lists, const int32_t cell[3],
                         const rind_contribution *contribution) {
  rind_cell_box *box = &lists->box[lists->box_at[rind_cell_index(lists->low, lists->size, cell)]];
  lists->list[box->first + box->count++] = *contribution;
}

/* The shift along axis a from the list of box p to that of q; 0 if they are not shifts of each
 * other in the direction of the axes. Boxes with empty lists are shifts of all others. */
static int32_t shift_between(const rind_cell_lists *lists, const rind_cell_box *p,
                             const rind_cell_box *q, int a) {
  if (p->count != q->count) return 0;
  for (int b = 0; b < a; ++b)
    if (p->extent[b] != q->extent[b] || p->step[b] != q->step[b] || p->shift[b] != q->shift[b])
      return 0;
  if (p->count == 0) return lists->direction[a];
  const rind_contribution *from = lists->list + p->first, *to = lists->list + q->first;
  const int axis = lists->ghost_axis[a], other = (axis + 1) % 3, third = (axis + 2) % 3;
  const int32_t shift = to->ghost[axis] - from->ghost[axis];
  if (shift * lists->direction[a] <= 0) return 0;
  for (int32_t i = 0; i < p->count; ++i)
    if (memcmp(&from[i].weight, &to[i].weight, sizeof from->weight) != 0 ||
        to[i].ghost[axis] - from[i].ghost[axis] != shift ||
        to[i].ghost[other] != from[i].ghost[other] || to[i].ghost[third] != from[i].ghost[third])
      return 0;
  return shift;
}

/* The box that begins steps cells further along axis a, or -1. */
static int next_box(const rind_cell_lists *lists, const rind_cell_box *box, int a, int steps) {
  int32_t cell[3] = {box->origin[0], box->origin[1], box->origin[2]};
  cell[a] += steps;
  if (cell[a] >= lists->low[a] + lists->size[a]) return -1;
  return lists->box_at[rind_cell_index(lists->low, lists->size, cell)];
}

/* How many boxes in a row, step apart, can be one; their common shift. */
static int32_t chain(const rind_cell_lists *lists, const rind_cell_box *first, int a, int step,
                     int32_t *shift) {
  const rind_cell_box *last = first;
  int32_t length = 1;
  for (int next; (next = next_box(lists, last, a, step)) >= 0; ++length) {
    const int32_t here = shift_between(lists, last, &lists->box[next], a);
    if (here == 0 || (length > 1 && here != *shift)) break;
    *shift = here;
    last = &lists->box[next];
  }
  return length;
}

static void join(rind_cell_lists *lists, rind_cell_box *first, int a) {
  int32_t shift[2] = {0, 0};
  const int32_t near = chain(lists, first, a, 1, &shift[0]);
  const int32_t far = chain(lists, first, a, 2, &shift[1]);
  const int step = far > near ? 2 : 1;
  const int32_t length = far > near ? far : near;
  for (int32_t i = 1; i < length; ++i) {
    int32_t cell[3] = {first->origin[0], first->origin[1], first->origin[2]};
    cell[a] += i * step;
    int32_t *at = &lists->box_at[rind_cell_index(lists->low, lists->size, cell)];
    lists->box[*at].extent[0] = 0; /* gone */
    *at = -1;
  }
  first->extent[a] = length;
  first->step[a] = step;
  first->shift[a] = shift[step - 1];
}

void rind_cell_lists_merge(rind_cell_lists *lists) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < lists->num_boxes; ++b)
      if (lists->box[b].extent[0] > 0) join(lists, &lists->box[b], a);
  int kept = 0;
  for (int b = 0; b < lists->num_boxes; ++b)
    if (lists->box[b].extent[0] > 0) lists->box[kept++] = lists->box[b];
  lists->num_boxes = kept;
}
