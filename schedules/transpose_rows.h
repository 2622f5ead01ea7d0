/* transpose_rows.h - the rows of one link turned round: for each cell that they read, the ghosts
 * that it contributes to. */
#pragma once
#include <template.h>
#include <transpose.h>

/* Fills of one link in canonical order. */
typedef struct rind_link_fills {
  const rind_schedule *schedule;
  const int32_t *pattern; /* [num_patterns], of the schedule, ascending in canonical order */
  int num_patterns;
  uint32_t slots; /* bit s: the terms of slot s, which all read one block */
} rind_link_fills;

/* Append the patterns of the transposed rows to set; of their fields, phase and takes are left to
 * the caller. RIND_ERROR_MEMORY, RIND_ERROR_OVERFLOW; without text. */
rind_error rind_transpose_rows(const rind_link_fills *fills, rind_transpose_form form,
                               rind_template_set *set);
/* Append boxes of no terms that cover the fills' ghosts. Errors as above. */
rind_error rind_transpose_clear(const rind_link_fills *fills, rind_template_set *set);
