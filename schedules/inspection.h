/* inspection.h - what the files of the verifier share: the fill that is looked at. */
#pragma once
#include <cover.h>
#include <rind/forest.h>

/* One fill under inspection. */
typedef struct rind_inspection {
  const rind_schedule *schedule;
  const rind_forest_arrays *arrays;
  int fill;
  int phase;
  rind_fill_view view;
} rind_inspection;

/* Where invariants have no number: the fills are sorted and point at what exists. */
enum { RIND_CANONICAL_ORDER = 0 };

/* Keeps "fill 3 (copy, block 7, region (1, 0, 0), box 0) breaks invariant 5: ...". */
rind_error rind_inspection_fault(const rind_inspection *at, int invariant, const char *format, ...)
    RIND_PRINTF(3, 4);

static inline rind_phase_kind rind_inspection_kind(const rind_inspection *at) {
  return (rind_phase_kind)at->schedule->phase[at->phase].kind;
}

/* First and last coordinate of a box on the axis that loop a runs along. */
void rind_inspection_span(const rind_box *box, const int32_t extent[3], int a, int64_t *low,
                          int64_t *high);

/* Invariants 1 and 7: loops and axes match one to one, so a box has the fill's extent; steps. */
rind_error rind_inspection_shape(const rind_inspection *at, const rind_box *box, const char *what);

/* Invariants 2, 3, 5 and 6: the fill's terms. cover: what was written before. */
rind_error rind_inspection_row(const rind_inspection *at, const rind_cover *cover);
