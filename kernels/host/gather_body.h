/* gather_body.h - the fused gather for one pair of types. Included once a pair, after defining
 *     GATHER_TO, GATHER_SOURCE    types of the destination's and of the source's cells
 *     GATHER_NAME(word)           word with the pair's ending
 *     GATHER_STORE(to, value)     writes a ghost; every ghost passes here once, or there:
 *     GATHER_STORE_QUAD(to, value)    QUAD_WIDTH ghosts next to each other
 * Loops and terms are inlined into the functions of rows, with constants for what is named const.
 */
#include <average_body.h>
#include <copy_body.h>
#include <gather.h>
#include <gather_ahead.h>
#include <gather_inline.h>
#include <list_body.h>
#include <sum_body.h>

/* Rows whose cells lie next to each other; those of docs/rows.md have constant widths. */
static void GATHER_NAME(sum_run_row)(const rind_gather_row *row, GATHER_TO *to,
                                     const GATHER_TO *own, const GATHER_SOURCE *source) {
  const int lanes = row->num_lanes, terms = row->num_terms;
  const int first = row->num_own_first, last = row->num_own_last;
  if (lanes == 4)
    GATHER_NAME(sum_runs)(row, to, own, source, 4, terms, first, last);
  else if (lanes == 2)
    GATHER_NAME(sum_runs)(row, to, own, source, 2, terms, first, last);
  else if (terms == 8 && first == 0 && last == 0) /* average, 3D */
    GATHER_NAME(average_runs)(row, to, source);
  else if (terms == 4 && first == 0 && last == 0) /* average, 2D */
    GATHER_NAME(sum_runs)(row, to, own, source, 1, 4, 0, 0);
  else if (terms == 1 && first == 1) /* mirror, constant */
    GATHER_NAME(sum_runs)(row, to, own, source, 1, 1, 1, 0);
  else if (terms == 2 && first == 2) /* linear */
    GATHER_NAME(sum_runs)(row, to, own, source, 1, 2, 2, 0);
  else
    GATHER_NAME(sum_runs)(row, to, own, source, 1, terms, first, last);
}

/* Rows of docs/rows.md have bodies of their own, with constant widths; those of four lanes are
 * lists of cells, as a rule. */
static void GATHER_NAME(sum_row)(const rind_gather_row *row, GATHER_TO *to, const GATHER_TO *own,
                                 const GATHER_SOURCE *source) {
  const int lanes = row->num_lanes, terms = row->num_terms;
  const int first = row->num_own_first, last = row->num_own_last;
  if (GATHER_NAME(is_run)(row))
    GATHER_NAME(sum_run_row)(row, to, own, source);
  else if (lanes == 2 && terms == 7 && first == 1 && last == 0) /* quadratic, 2D */
    GATHER_NAME(sum_loops)(row, to, own, source, 2, 3, 7, 1, 0);
  else if (lanes == 1 && terms == 8 && first == 0 && last == 0 && GATHER_NAME(has_neighbours)(row))
    GATHER_NAME(average_row)(row, to, source); /* average, 3D */
  else if (lanes == 1 && terms == 8 && first == 0 && last == 0)
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 8, 0, 0);
  else if (lanes == 1 && terms == 4 && first == 0 && last == 0) /* average, 2D */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 4, 0, 0);
  else if (lanes == 1 && terms == 1 && first == 1) /* mirror, constant */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 1, 1, 0);
  else if (lanes == 1 && terms == 2 && first == 1 && last == 0) /* mirror and value */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 2, 1, 0);
  else if (lanes == 1 && terms == 2 && first == 2) /* linear */
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, 2, 2, 0);
  else if (lanes == 4)
    GATHER_NAME(sum_loops)(row, to, own, source, 4, 3, terms, first, last);
  else if (lanes == 2)
    GATHER_NAME(sum_loops)(row, to, own, source, 2, 3, terms, first, last);
  else
    GATHER_NAME(sum_loops)(row, to, own, source, 1, 4, terms, first, last);
}

/* The fills [first, last) of a run. */
static void GATHER_NAME(gather_some)(const rind_gather *gather, int first, int last,
                                     void *const *to_base, const void *const *own_base,
                                     const void *const *source_base, rind_gather_looking *looking,
                                     int end_of_run) {
  for (int f = first; f < last; ++f) {
    if (looking->steps) rind_gather_ask_step(gather, end_of_run, looking, to_base);
    const rind_gather_fill fill = gather->fill[f];
    const rind_gather_row *row = &gather->row[fill.row];
    const int how = gather->pair ? gather->pair[f] : RIND_GATHER_ALONE;
    if (how == RIND_GATHER_CELLS && last - f >= row->cells->num_rows) {
      GATHER_NAME(sum_list)(row, to_base[fill.to], own_base[fill.to], source_base[fill.source]);
      f += row->cells->num_rows - 1;
      continue;
    }
    if (row->body != RIND_GATHER_COPY) {
      GATHER_NAME(sum_row)(row, to_base[fill.to], own_base[fill.to], source_base[fill.source]);
      continue;
    }
    const GATHER_NAME(copy) there = GATHER_NAME(copy_of)(gather, f, to_base, source_base);
    if (f + 1 < last && how != RIND_GATHER_ALONE) {
      GATHER_NAME(copy_both)(row, there, GATHER_NAME(copy_of)(gather, f + 1, to_base, source_base));
      ++f;
    } else {
      GATHER_NAME(copy_row)(row, there);
    }
  }
}

/* The same, which may ask for the lines of later ones. */
static void GATHER_NAME(gather_fills)(const rind_gather *gather, int first, int last,
                                      void *const *to_base, const void *const *own_base,
                                      const void *const *source_base) {
  rind_gather_looking looking = {0};
  for (int f = first, end; f < last; f = end) {
    end = rind_gather_look_ahead(gather, f, last, &looking, to_base);
    GATHER_NAME(gather_some)(gather, f, end, to_base, own_base, source_base, &looking, last);
  }
}

#undef GATHER_TO
#undef GATHER_SOURCE
#undef GATHER_NAME
