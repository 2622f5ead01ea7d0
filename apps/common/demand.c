/* demand.c - counts blocks and bytes without making them. */
#include "demand.h"

#include <limits.h>
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

double app_uniform_blocks(int dim, const int trees[3], int level) {
  double blocks = ldexp(1, dim * level);
  for (int a = 0; a < dim; ++a)
    blocks *= trees[a] > 0 ? trees[a] : 1;
  return blocks;
}

double app_block_bytes(int dim, int cells, int ghosts, double value_bytes) {
  return pow(cells + 2.0 * ghosts, dim) * value_bytes;
}

typedef struct tally {
  int dim, max_level;
  rind_refine_function splits;
  void *user;
  double blocks, most;
} tally;

/* The block, or what it is split into. */
static void add_block(tally *t, const rind_block *block) {
  if (t->blocks >= t->most) return;
  if (block->level >= t->max_level || !t->splits(block, t->user)) {
    ++t->blocks;
    return;
  }
  for (int k = 0; k < 1 << t->dim; ++k) {
    rind_block child = *block;
    child.global = child.index = -1;
    ++child.level;
    for (int a = 0; a < t->dim; ++a) {
      const int upper = k >> a & 1;
      child.coordinate[a] = 2 * block->coordinate[a] + upper;
      child.side[a] = block->side[a] / 2;
      child.lower[a] = block->lower[a] + upper * child.side[a];
    }
    add_block(t, &child);
  }
}

double app_refined_blocks(const rind_forest *forest, int max_level, rind_refine_function splits,
                          void *user, double most) {
  tally t = {rind_forest_dim(forest), max_level, splits, user, 0, most};
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b)
    add_block(&t, rind_forest_block(forest, b));
  MPI_Allreduce(MPI_IN_PLACE, &t.blocks, 1, MPI_DOUBLE, MPI_SUM,
                rind_context_comm(rind_forest_context(forest)));
  return t.blocks;
}

double app_memory(MPI_Comm comm) {
  MPI_Comm node;
  int sharers;
  struct rlimit limit;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &sharers);
  MPI_Comm_free(&node);
  double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / sharers;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = fmin(bytes, (double)limit.rlim_cur);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, comm);
  return bytes;
}

rind_error app_check_demand(rind_context *context, const app_demand *demand) {
  const double bytes = demand->count * demand->bytes_each;
  const double memory = app_memory(rind_context_comm(context));
  const int ranks = rind_context_size(context);
  if (bytes > memory)
    return rind_context_fail(context, RIND_ERROR_MEMORY,
                             "%.15g %s would take %.4g bytes or more, there are %.4g: ask for less "
                             "with %s",
                             demand->count, demand->things, bytes, memory, demand->options);
  if (demand->count > (double)INT_MAX * ranks)
    return rind_context_fail(context, RIND_ERROR_MEMORY,
                             "%.15g %s would take %.4g bytes or more, and %d ranks count no more "
                             "than %.15g: ask for less with %s",
                             demand->count, demand->things, bytes, ranks, (double)INT_MAX * ranks,
                             demand->options);
  return RIND_OK;
}

rind_error app_check_refinement(const rind_forest *forest, int levels, rind_refine_function splits,
                                void *user, const app_demand *demand) {
  rind_context *context = rind_forest_context(forest);
  const double memory = app_memory(rind_context_comm(context));
  const double most = fmin(memory / demand->bytes_each, INT_MAX);
  app_demand refined = *demand;
  refined.count = ldexp(demand->count, rind_forest_dim(forest) * levels);
  if (refined.count <= most) return RIND_OK;
  int base = 0;
  if (rind_forest_num_blocks(forest) > 0) base = rind_forest_block(forest, 0)->level;
  refined.count = app_refined_blocks(forest, base + levels, splits, user, most + 1);
  return app_check_demand(context, &refined);
}
