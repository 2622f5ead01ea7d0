/* demand.h - what a program is asked for, held against the memory that there is, before any of it
 * is made. */
#pragma once
#include <rind/forest.h>

/* Of all ranks together; in double, because what is asked for may be more than 64 bits count. */
typedef struct app_demand {
  double count;
  const char *things;  /* "blocks of 16^3 cells" */
  double bytes_each;   /* or less, never more */
  const char *options; /* that ask for less: "--level or --cells" */
} app_demand;

/* What no block goes without: its record, links and leaf. */
#define APP_BLOCK_BYTES 200.0

/* Blocks of a box of trees that are split level times. */
double app_uniform_blocks(int dim, const int trees[3], int level);
/* Bytes of a block's values with its ghosts. */
double app_block_bytes(int dim, int cells, int ghosts, double value_bytes);
/* Collective. Blocks after a refinement up to max_level, without those that balance asks for; a
 * rank counts no more than most. */
double app_refined_blocks(const rind_forest *forest, int max_level, rind_refine_function splits,
                          void *user, double most);

/* Collective. Bytes that all ranks may have: their nodes' memory, or less by ulimit -v. */
double app_memory(MPI_Comm comm);
/* Collective. RIND_ERROR_MEMORY, with a line of counts and bytes, if that is more than app_memory,
 * or more than 2^31 - 1 things a rank. */
rind_error app_check_demand(rind_context *context, const app_demand *demand);
/* Collective. The same of a forest whose blocks, counted by the demand, are to be split up to
 * levels times. They are counted only where they could be too many. */
rind_error app_check_refinement(const rind_forest *forest, int levels, rind_refine_function splits,
                                void *user, const app_demand *demand);
