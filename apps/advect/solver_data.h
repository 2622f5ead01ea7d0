/* solver_data.h - what a solver is inside. */
#pragma once
#include "rates.h"
#include "solver.h"

enum { GHOSTS = 2 };

struct advect_solver {
  const rind_forest *forest;     /* borrowed */
  const advect_problem *problem; /* borrowed */
  MPI_Comm comm;
  int dim, cells, num_blocks;
  int threads; /* for what is not part of a step */
  rind_type type;
  bool limited;
  bool overlaps; /* work on interiors while messages travel */
  rind_schedule *schedule;
  rind_field *field; /* on the host; with a device what was fetched last */
  rind_field *stage; /* these on the host alone */
  rind_exchange *exchange;
  size_t rate_bytes; /* of a block */
  char *rates;       /* [num_blocks], outflow rates of rates.h */
  void *scratch;     /* [dim][faces across an axis] */
  double rate;
  solver_times seconds;
  struct device_solver *device; /* or NULL */
};

/* Lower corner and sides of cell (i, j, k), in extents. */
void solver_cell_box(const advect_solver *s, int block, int i, int j, int k, double lower[3],
                     double side[3]);

/* Collective. Fields, exchange and tables of a solver that has its schedule and field; fused: with
 * tiles. All cells and ghosts are as in field, which is NaN so far. */
rind_error device_solver_create(advect_solver *s, bool fused);
void device_solver_destroy(struct device_solver **device);
/* Collective. The initial field is in s->field; tries a stage, whose result is overwritten. */
rind_error device_solver_begin(advect_solver *s);
/* Collective. Stage 0 or 1 of a step; enqueued. */
rind_error device_solver_stage(advect_solver *s, int stage, double dt);
/* Waits, and adds to the seconds. */
rind_error device_solver_wait(advect_solver *s);
/* Copies the field to s->field. */
rind_error device_solver_fetch(advect_solver *s);
