/* transpose.h - the adjoint of a schedule as a schedule: rows of source cells. */
#pragma once
#include <schedule_data.h>

/* Merged: a row of a cell holds all ghosts of a link that it contributes to. Per term: a row for
 * each term of each fill, which is the scatter of that term. Both add the same products in the same
 * order. */
typedef enum rind_transpose_form {
  RIND_TRANSPOSE_MERGED,
  RIND_TRANSPOSE_PER_TERM
} rind_transpose_form;

/* The adjoint of the fills of the families in the mask (0: all). Not collective. *adjoint is
 * written on success only. */
rind_error rind_schedule_transpose(const rind_schedule *schedule, uint32_t families,
                                   rind_transpose_form form, rind_schedule **adjoint);

/* The run of an adjoint that pattern number fill belongs to. */
const rind_run_data *rind_run_of_fill(const rind_schedule *adjoint, int fill);
/* The pattern, destination and source of a fill of either kind of schedule. */
rind_schedule_fill_data rind_fill_data(const rind_schedule *schedule, int fill);
