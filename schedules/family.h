/* family.h - what the files of row families share.
 *
 * A family sees one link at a time, in the destination block's frame and cells: the boxes it fills
 * there, and cells of the neighbour counted along the destination's axes. Turning these into the
 * neighbour's own axes is the last step, in rows.c, and no family's business. */
#pragma once
#include <rows.h>

/* A link in the destination's frame. Along axis a the region's cells are low[a] .. high[a] - 1, and
 * the neighbour begins at own cell start[a]. Axes beyond dim have extent 1. */
typedef struct rind_frame {
  rind_template_set *set;
  const rind_template_key *key;
  int group;
  int dim, cells;
  int direction[3];
  int low[3], high[3], start[3];
} rind_frame;

/* Cells first, first + 2, .. of one axis of an interpolated region, whose rows read alike. */
typedef struct rind_axis_class {
  int first, count;
  int coarse; /* the neighbour's cell that holds the first */
  int parity; /* of the cells in their coarse cell: 0 the lower half, 1 the upper */
  int shift;  /* of the taps: 1 at the neighbour's lower end, -1 at its upper end, else 0 */
  int layer;  /* 1, 2, .. outwards where the direction is not 0 */
} rind_axis_class;

/* Begins the pattern of a box; the neighbour's cells step by source_step along the destination's
 * axes. */
rind_error rind_frame_begin(const rind_frame *frame, rind_family family, int number,
                            const int low[3], const int extent[3], int step, int source_step);
/* Adds a term: a cell of the neighbour, or of the destination block itself. Own terms come first or
 * last. */
rind_error rind_frame_add(const rind_frame *frame, double weight, const int at[3]);
rind_error rind_frame_add_own(const rind_frame *frame, double weight, const int at[3]);

/* Same level; one level finer; one level coarser. Each makes all patterns of the link. */
rind_error rind_family_copy(const rind_frame *frame);
rind_error rind_family_restrict(const rind_frame *frame);
rind_error rind_family_interpolate(const rind_frame *frame);

/* The terms of one interpolated box, a class an axis. normal: the axis of the face. */
rind_error rind_family_quadratic(const rind_frame *frame, const rind_axis_class *const classes[3],
                                 int normal);
rind_error rind_family_coarse_only(const rind_frame *frame,
                                   const rind_axis_class *const classes[3]);
rind_error rind_family_user(const rind_frame *frame, const rind_axis_class *const classes[3]);
/* normal -1: no facing layer, the coarse block alone. */
rind_error rind_family_conservative(const rind_frame *frame,
                                    const rind_axis_class *const classes[3], int normal);

/* The first of an axis' three taps. */
static inline int rind_axis_class_tap(const rind_axis_class *c) {
  return c->coarse - 1 + c->shift;
}
