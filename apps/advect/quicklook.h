/* quicklook.h - one PNG of a run: the field at the beginning, half-way and at the end, and where
 * the blocks are. 3D: views along the three axes, greatest values, with the outlines of the blocks
 * about the bell's first centre. */
#pragma once
#include "problem.h"
#include "solver.h"

enum { QUICKLOOK_MOMENTS = 3 };

typedef struct quicklook quicklook;

/* Collective over comm. What all pictures of the forest share; borrows both. NULL on every rank if
 * there is no memory on one. */
quicklook *quicklook_create(MPI_Comm comm, const rind_forest *forest,
                            const advect_problem *problem);
void quicklook_destroy(quicklook **look);

/* Collective. Keeps the field's picture at moment 0, 1 or 2 and time t. */
void quicklook_capture(quicklook *look, const advect_solver *solver, int moment, double t);

/* Collective. Puts the picture together and writes it, on rank 0. An exit status, on every rank,
 * with a line of text in message[length] if it is not 0. */
int quicklook_write(quicklook *look, const char *title, const char *path, char *message,
                    int length);
