/* bench_matrix_file.h - a sparse matrix in an HDF5 file, written part after part. */
#pragma once
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

/* Rows rows, columns cells, entries of which most are 0. */
typedef struct bench_matrix_size {
  int64_t rows, columns, entries;
} bench_matrix_size;

/* A number that the file remembers. */
typedef struct bench_matrix_note {
  const char *name;
  int64_t value;
} bench_matrix_note;

typedef struct bench_matrix_file {
  int handle;                        /* of the open file; -1: none */
  int64_t offset[BENCH_NUM_COLUMNS]; /* bytes, of each dataset in the file */
  int64_t bytes[BENCH_NUM_COLUMNS];  /* of a value */
} bench_matrix_file;

/* Replaces the file and takes all the room that it needs. Indices are 32 bits wide if all columns
 * fit, else 64. False, with errno, if it cannot be made: there is no file then. No time stamps: the
 * same matrix has the same bytes. */
bool bench_matrix_file_create(const char *path, const bench_matrix_size *size,
                              const bench_matrix_note *notes, int num_notes,
                              bench_matrix_file *out);
/* Values from first on of one dataset: int64_t, or double for BENCH_DATA; indices may be narrowed
 * in place. False, with errno, as below. */
bool bench_matrix_file_write(const bench_matrix_file *out, bench_column column, int64_t first,
                             int64_t count, void *values);
bool bench_matrix_file_close(bench_matrix_file *out);
