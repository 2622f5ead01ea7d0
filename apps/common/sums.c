/* sums.c - sums in global block order: each rank goes on where the one before it stopped. */
#include "sums.h"

#include <stdlib.h>

/* More than enough for the sums of one call. */
enum { MOST = 16, TAG = 71 };

void app_sum_blocks(MPI_Comm comm, const double *values, int num_blocks, int count, double *total) {
  app_sum running[MOST] = {{0, 0}};
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int first = 0; first < count; first += MOST) {
    const int some = count - first < MOST ? count - first : MOST;
    for (int c = 0; c < some; ++c)
      running[c] = (app_sum){0, 0};
    if (rank > 0) MPI_Recv(running, 2 * some, MPI_DOUBLE, rank - 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int block = 0; block < num_blocks; ++block)
      for (int c = 0; c < some; ++c)
        app_sum_add(&running[c], values[(size_t)block * (size_t)count + (size_t)(first + c)]);
    if (rank + 1 < size) MPI_Send(running, 2 * some, MPI_DOUBLE, rank + 1, TAG, comm);
    MPI_Bcast(running, 2 * some, MPI_DOUBLE, size - 1, comm);
    for (int c = 0; c < some; ++c)
      total[first + c] = app_sum_value(&running[c]);
  }
}

uint64_t app_checksum_total(MPI_Comm comm, uint64_t mine) {
  uint64_t total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, comm);
  return total;
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void app_over_ranks(MPI_Comm comm, double mine, double *median, double *largest) {
  double results[2] = {mine, mine};
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double *all = rank == 0 ? malloc((size_t)size * sizeof *all) : NULL;
  int room = rank != 0 || all != NULL;
  MPI_Bcast(&room, 1, MPI_INT, 0, comm);
  if (room) MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm);
  if (all != NULL) {
    qsort(all, (size_t)size, sizeof *all, compare_doubles);
    results[0] = (all[(size - 1) / 2] + all[size / 2]) / 2;
    results[1] = all[size - 1];
    free(all);
  }
  MPI_Bcast(results, 2, MPI_DOUBLE, 0, comm);
  *median = results[0];
  *largest = results[1];
}
