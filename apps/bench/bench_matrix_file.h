/* bench_matrix_file.h - a sparse matrix in an HDF5 file, written part after part. */
#pragma once
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Datasets indptr, indices, data (compressed rows) and ghost, which names each row's cell. */
typedef enum bench_column {
  BENCH_INDPTR,
  BENCH_GHOST,
  BENCH_INDICES,
  BENCH_DATA,
  BENCH_NUM_COLUMNS
} bench_column;

typedef struct bench_matrix_file {
  hid_t file;
  hid_t dataset[BENCH_NUM_COLUMNS];
  hid_t type[BENCH_NUM_COLUMNS]; /* in memory; borrowed */
} bench_matrix_file;

/* Rows rows, columns cells, entries of which most are 0. */
typedef struct bench_matrix_size {
  int64_t rows, columns, entries;
} bench_matrix_size;

/* Replaces the file. Indices are 32 bits wide if all columns fit, else 64. False if it cannot be
 * made or has no room; *out is to be closed all the same. No time stamps: the same matrix has the
 * same bytes. */
bool bench_matrix_file_create(const char *path, const bench_matrix_size *size,
                              bench_matrix_file *out);
/* An attribute of the file. */
bool bench_matrix_file_note(bench_matrix_file *out, const char *name, int count,
                            const int64_t *values);
/* Values from first on of one dataset: int64_t, or double for BENCH_DATA; indices may be narrowed
 * in place. */
bool bench_matrix_file_write(bench_matrix_file *out, bench_column column, int64_t first,
                             int64_t count, void *values);
/* False if what was written before did not reach the file. */
bool bench_matrix_file_close(bench_matrix_file *out);
