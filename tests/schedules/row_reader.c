/* row_reader.c - one ghost cell's row as positions in space, worked out from boxes and geometry. */
#include "row_reader.h"

static void box_cell(const rind_box *box, const int i[3], int cell[3]) {
  for (int a = 0; a < 3; ++a)
    cell[box->axis[a]] = box->origin[box->axis[a]] + i[a] * box->step[a];
}

rind_error row_read(const rind_schedule *schedule, const hand_forest *forest, int fill,
                    const int i[3], row *read) {
  const int cells = rind_schedule_cells(schedule);
  rind_error error = rind_schedule_fill(schedule, fill, &read->fill);
  if (error != RIND_OK) return error;
  const int to = forest->global_of[read->fill.block];
  const hand_block *block = &forest->block[to];
  long here[3], there[3];
  box_cell(&read->fill.box, i, read->cell);
  hand_forest_centre(forest, to, cells, read->cell, here);
  for (int t = 0; t < read->fill.num_terms && t < ROW_TERMS; ++t) {
    rind_term_view term;
    error = rind_schedule_term(schedule, fill, t, &term);
    if (error != RIND_OK) return error;
    read->weight[t] = term.weight;
    read->block[t] = forest->global_of[term.block];
    box_cell(&term.box, i, read->source[t]);
    hand_forest_centre(forest, read->block[t], cells, read->source[t], there);
    for (int a = 0; a < 3; ++a) {
      const int s = block->along[a];
      const long period = forest->periodic[s] ? 2L * cells * forest->size[s] : 0;
      long away = there[s] - here[s];
      while (period > 0 && 2 * away > period)
        away -= period;
      while (period > 0 && 2 * away < -period)
        away += period;
      read->away[t][a] = block->backwards[a] ? -away : away;
    }
  }
  return RIND_OK;
}
