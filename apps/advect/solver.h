/* solver.h - finite-volume advection of one scalar on a forest, second order in space and time.
 *
 * Linear reconstruction with central or van Albada slopes, upwind fluxes, Heun's two-stage method
 * (SSP-RK2). Face velocities are differences of a stream function or vector potential, so they are
 * divergence-free in each cell, and the same on both sides of a face, block faces included.
 * Ghosts begin as NaN: one that is read without having been filled shows in the result. */
#pragma once
#include <rind/rind.h>
#include <stdint.h>

#include "problem.h"

typedef enum advect_limiter { LIMITER_NONE, LIMITER_ALBADA } advect_limiter;
/* "none", "albada", NULL. */
extern const char *const limiter_words[];

/* Where the fields are. Fused: on the device, ghosts are gathered by the stencil's kernel and not
 * stored, but for those of other ranks. */
typedef enum advect_place { PLACE_HOST, PLACE_DEVICE, PLACE_FUSED } advect_place;

typedef struct advect_solver advect_solver;

/* Sums over the domain; norms are divided by its volume. */
typedef struct solver_norms {
  double mass;
  double l1, l2, linf;
  double least, greatest; /* of the field */
} solver_norms;

/* Seconds of this rank. */
typedef struct solver_times {
  double fill, compute;
} solver_times;

/* Collective over comm, the ranks of the forest. Borrows forest and problem. Sets the initial
 * field.
 */
rind_error solver_create(MPI_Comm comm, const rind_forest *forest, const advect_problem *problem,
                         int cells, rind_type type, advect_limiter limiter, advect_place place,
                         advect_solver **solver);
void solver_destroy(advect_solver **solver);

/* What values may reach, if those of all steps, slopes and norms are to be finite. */
double solver_largest(rind_type type, advect_limiter limiter);
/* Largest sum over the axes of a cell's outflow rates, over all ranks: the Courant number is this
 * times the time step. Ranks agree on it. */
double solver_rate(const advect_solver *solver);
/* Collective. One step from time t to t + dt. On the device it may be under way on return. */
rind_error solver_step(advect_solver *solver, double t, double dt);
/* Until all steps are done. */
rind_error solver_wait(advect_solver *solver);
/* Waits, and brings the field from the device: what follows is about the field as it was then. */
rind_error solver_fetch(advect_solver *solver);
/* Collective. Against the exact solution at time t. The same on any number of ranks. */
solver_norms solver_compare(const advect_solver *solver, double t);
/* Collective. Of the bits of all interior cells; the same on any number of ranks. */
uint64_t solver_checksum(const advect_solver *solver);
solver_times solver_seconds(const advect_solver *solver);

/* The advected field. Borrowed. */
const rind_field *solver_field(const advect_solver *solver);
double solver_value(const advect_solver *solver, int block, int i, int j, int k);
