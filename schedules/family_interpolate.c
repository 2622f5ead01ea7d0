/* family_interpolate.c - the rows of a coarser neighbour: splits the region into boxes of equal
 * rows, an axis at a time, and hands each box to the family that the rules ask for. */
#include <core.h>
#include <family.h>
#include <taps.h>

#include <stdlib.h>

/* Two parities and three shifts along the region; a layer outwards has one of them. */
enum { MAX_TANGENTIAL = 6 };

static rind_axis_class class_of(const rind_frame *frame, int axis, int cell) {
  const rind_rules *rules = &frame->set->rules;
  const int inside = cell - frame->start[axis], coarse = inside / 2;
  const int direction = frame->direction[axis];
  rind_axis_class c = {.first = cell, .coarse = coarse, .parity = inside % 2};
  if (rules->interpolation == RIND_INTERPOLATION_USER)
    c.shift = rind_taps_shift(rules->taps, c.parity, coarse, frame->cells);
  else if (rules->interpolation != RIND_INTERPOLATION_INJECTION)
    c.shift = coarse == 0 ? 1 : coarse == frame->cells - 1 ? -1 : 0;
  if (direction != 0) c.layer = direction > 0 ? cell - frame->cells + 1 : -cell;
  return c;
}

/* The classes of an axis, in the order of their first cells; returns how many. */
static int split_axis(const rind_frame *frame, int axis, rind_axis_class *classes) {
  if (axis >= frame->dim) {
    classes[0] = (rind_axis_class){.count = 1};
    return 1;
  }
  int count = 0;
  for (int cell = frame->low[axis]; cell < frame->high[axis]; ++cell) {
    const rind_axis_class c = class_of(frame, axis, cell);
    int k = frame->direction[axis] != 0 ? count : 0; /* each layer is a class of its own */
    while (k < count && (classes[k].parity != c.parity || classes[k].shift != c.shift))
      ++k;
    if (k == count) classes[count++] = c;
    ++classes[k].count;
  }
  return count;
}

/* The family of a box. facing: in layer 1 or 2 of a face. */
static rind_family family_of(const rind_frame *frame, bool facing) {
  switch (frame->set->rules.interpolation) {
  case RIND_INTERPOLATION_INJECTION:
    return RIND_FAMILY_INJECTION;
  case RIND_INTERPOLATION_CONSERVATIVE:
    return facing ? RIND_FAMILY_CONSERVATIVE_FACING : RIND_FAMILY_CONSERVATIVE;
  case RIND_INTERPOLATION_USER:
    return RIND_FAMILY_USER;
  case RIND_INTERPOLATION_QUADRATIC:
    return facing ? RIND_FAMILY_QUADRATIC : RIND_FAMILY_COARSE_ONLY;
  default:
    return RIND_FAMILY_COARSE_ONLY;
  }
}

static rind_error add_row(const rind_frame *frame, const rind_axis_class *const c[3],
                          rind_family family, int normal) {
  const int coarse[3] = {c[0]->coarse, c[1]->coarse, c[2]->coarse};
  switch (family) {
  case RIND_FAMILY_INJECTION:
    return rind_frame_add(frame, 1.0, coarse);
  case RIND_FAMILY_CONSERVATIVE_FACING:
    return rind_family_conservative(frame, c, normal);
  case RIND_FAMILY_CONSERVATIVE:
    return rind_family_conservative(frame, c, -1);
  case RIND_FAMILY_USER:
    return rind_family_user(frame, c);
  case RIND_FAMILY_QUADRATIC:
    return rind_family_quadratic(frame, c, normal);
  default:
    return rind_family_coarse_only(frame, c);
  }
}

/* normal: the axis of a face, -1 for a corner. */
static rind_error make_box(const rind_frame *frame, const rind_axis_class *const c[3], int normal,
                           int number) {
  const int low[3] = {c[0]->first, c[1]->first, c[2]->first};
  const int extent[3] = {c[0]->count, c[1]->count, c[2]->count};
  const rind_family family = family_of(frame, normal >= 0 && c[normal]->layer <= 2);
  RIND_TRY(rind_frame_begin(frame, family, number, low, extent, 2, 1));
  return add_row(frame, c, family, normal);
}

/* Every combination of the axes' classes is a box, axis 0 fastest. */
static rind_error make_boxes(const rind_frame *frame, rind_axis_class *const classes[3]) {
  int count[3], normal = -1, number = 0;
  for (int a = 0; a < 3; ++a) {
    count[a] = split_axis(frame, a, classes[a]);
    if (frame->direction[a] != 0 && rind_region_is_face(frame->key->region)) normal = a;
  }
  for (int k = 0; k < count[2]; ++k)
    for (int j = 0; j < count[1]; ++j)
      for (int i = 0; i < count[0]; ++i) {
        const rind_axis_class *const c[3] = {&classes[0][i], &classes[1][j], &classes[2][k]};
        RIND_TRY(make_box(frame, c, normal, number++));
      }
  return RIND_OK;
}

rind_error rind_family_interpolate(const rind_frame *frame) {
  const int layers = frame->set->rules.layers;
  const size_t max = (size_t)(layers > MAX_TANGENTIAL ? layers : MAX_TANGENTIAL);
  rind_axis_class *classes = rind_allocate(3 * max, sizeof *classes);
  if (!classes) return RIND_ERROR_MEMORY;
  rind_axis_class *const of_axis[3] = {classes, classes + max, classes + 2 * max};
  const rind_error error = make_boxes(frame, of_axis);
  free(classes);
  return error;
}
