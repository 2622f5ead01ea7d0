/* cell_lists.h - what each cell of a block contributes to, and boxes of cells that are alike. */
#pragma once
#include <schedule_data.h>

/* A ghost that a cell contributes to. */
typedef struct rind_contribution {
  double weight;
  int32_t ghost[3];
} rind_contribution;

/* Cells origin[a] + i step[a]: cell i contributes to the ghosts of cell 0's list, moved by
 * i shift[a] along the ghosts' axis that runs along axis a. */
typedef struct rind_cell_box {
  int32_t origin[3];
  int32_t extent[3];
  int32_t step[3];
  int32_t shift[3];
  int64_t first; /* in rind_cell_lists.list */
  int32_t count;
} rind_cell_box;

typedef struct rind_cell_lists {
  int32_t low[3], size[3]; /* of the grid */
  int32_t ghost_axis[3];   /* of the ghosts' block, that runs along the cells' axis a */
  int32_t direction[3];    /* 1 or -1 */
  int32_t *box_at;         /* [grid], index into box[] of the box that begins there, or -1 */
  rind_contribution *list;
  rind_cell_box *box; /* [num_boxes], one a cell at first, in the order of the grid */
  int num_boxes;
} rind_cell_lists;

/* A grid of size cells from low on: a box of one cell and an empty list of room count[] for each
 * cell with count[] >= 0. RIND_ERROR_MEMORY, RIND_ERROR_OVERFLOW; without text. */
rind_error rind_cell_lists_create(const int32_t low[3], const int32_t size[3], const int32_t *count,
                                  rind_cell_lists *lists);
void rind_cell_lists_destroy(rind_cell_lists *lists);

/* Index in the grid. */
static inline int64_t rind_cell_index(const int32_t low[3], const int32_t size[3],
                                      const int32_t cell[3]) {
  return (cell[0] - low[0]) +
         size[0] * ((int64_t)(cell[1] - low[1]) + size[1] * (int64_t)(cell[2] - low[2]));
}

/* Appends to the list of a cell, which has room. */
void rind_cell_lists_add(rind_cell_lists *lists, const int32_t cell[3],
                         const rind_contribution *contribution);

/* Joins boxes whose lists are the same but for a constant shift, axis by axis. Steps are 1 or 2:
 * whichever gives the longer box. */
void rind_cell_lists_merge(rind_cell_lists *lists);
