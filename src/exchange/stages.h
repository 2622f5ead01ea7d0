/* stages.h - which fills of an adjoint's batch may run side by side. */
#pragma once
#include <adjoint_data.h>

/* Stage s is the fills [stage_fill[s], stage_fill[s + 1]), batch b the stages [batch_stage[b],
 * batch_stage[b + 1]). */
typedef struct rind_stages {
  int num_stages;
  int *stage_fill;  /* [num_stages + 1] */
  int *batch_stage; /* [num_batches + 1] */
} rind_stages;

/* Sorts the fills of every batch into as few stages as there can be: fills of a stage write
 * different cells, and those that write one cell stay in order, each in a later stage than the one
 * before it. elements, origin: of a block, as in rind_gather_scratch. False without memory. */
bool rind_stages_create(rind_batches *batches, ptrdiff_t elements, ptrdiff_t origin,
                        rind_stages *stages);
void rind_stages_destroy(rind_stages *stages);
