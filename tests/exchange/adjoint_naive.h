/* adjoint_naive.h - what an adjoint should give: the scatter of docs/rows.md, by the public view of
 * the schedule that fills. */
#pragma once
#include <exchange_naive.h>

/* Collective. In the order of contributions: fills from last to first over all ranks, terms from
 * first to last; in double, rounded to the fields' types once a phase. families: as in
 * rind_exchange_options. The memories stay as they are; n->all has the result, to be freed. */
void naive_adjoint(naive *n, uint32_t families);

/* The adjoint of a function of walls: half of every ghost goes to the nearest interior cell. To be
 * used as rind_exchange_options.wall_adjoint; user may be NULL. */
void naive_wall_adjoint(void *user, const rind_wall_call *call);

/* Makes every cell of the field, ghosts too, a value of its block, cell and component. */
void memory_set_all(const scene *s, memory *m);
