/* dataset.h - a two-dimensional array of numbers from an HDF5 file, as a function on a rectangle.
 */
#pragma once
#include <mpi.h>

typedef struct advect_dataset {
  int rows, columns; /* rows run from the upper edge down */
  double *values;    /* [rows][columns] */
  double least, greatest;
  char units[24]; /* from the dataset's attribute "units", "" if it has none */
} advect_dataset;

/* Collective. Rank 0 reads, all ranks get everything. Any integer or floating-point type. On
 * failure an exit status (status.h), on every rank, with one line of text in message[length]. */
int dataset_read(MPI_Comm comm, const char *path, const char *name, advect_dataset *data,
                 char *message, int length);
void dataset_free(advect_dataset *data);

/* Bilinear between the centres of the array's pixels, constant beyond the outermost; (x, y) in the
 * unit square, y upwards. */
double dataset_at(const advect_dataset *data, double x, double y);
