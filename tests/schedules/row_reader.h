/* row_reader.h - one ghost cell's row as positions in space, worked out from boxes and geometry. */
#pragma once
#include <rind/schedule.h>

#include "hand_forest.h"

enum { ROW_TERMS = 125 };

typedef struct row {
  rind_fill_view fill;
  int cell[3]; /* the ghost */
  double weight[ROW_TERMS];
  int block[ROW_TERMS];     /* global */
  int source[ROW_TERMS][3]; /* the term's cell */
  /* From the ghost's centre to the term's, along the destination block's own axes. A cell of a
   * block has sides of 2 * side. */
  long away[ROW_TERMS][3];
} row;

/* The row of the fill's cell with loop index i. Periodic images: the nearest. */
rind_error row_read(const rind_schedule *schedule, const hand_forest *forest, int fill,
                    const int i[3], row *read);
