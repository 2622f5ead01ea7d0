/* ending.h - how programs end: nothing that they printed may be lost unnoticed. */
#pragma once
#include <mpi.h>

/* Collective. Writes out what is still to be printed. If that, or anything printed before, failed
 * on some rank, APP_OK becomes APP_IO, with a line on stderr. Finalizes MPI and returns the status,
 * the same on every rank if the given one is. */
int app_end(MPI_Comm comm, const char *program, int status);
