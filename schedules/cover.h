/* cover.h - which phase writes every cell of a block, one block and component at a time. */
#pragma once
#include <schedule_data.h>

/* Of the padded block; zero when a block begins. */
typedef struct rind_cover {
  int dim, ghosts;
  int64_t side;
  unsigned char *writer; /* [side^dim], axis 0 fastest: 1 + the phase; 0: none yet */
} rind_cover;

/* Keeps the text of RIND_ERROR_MEMORY. */
rind_error rind_cover_create(const rind_schedule *schedule, rind_cover *cover);
void rind_cover_destroy(rind_cover *cover);

/* A cell of the padded block. */
unsigned char *rind_cover_writer(const rind_cover *cover, const int cell[3]);

/* Cells low .. high - 1 of a region, in the layers of the schedule's rules. */
void rind_cover_region(const rind_schedule *schedule, int region, int low[3], int high[3]);

/* All fills of the block have been noted: every region that the rules ask for is written whole and
 * by the right phase, all others not at all. Then begins the next block. */
rind_error rind_cover_finish(rind_cover *cover, const rind_schedule *schedule, int block,
                             int component);
