/* hdf5_write.h - the few HDF5 calls that a VTKHDF file needs: attributes, groups, and datasets that
 * all ranks write together. HDF5 prints nothing; a negative hid_t or false means failure. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>
#include <mpi.h>

/* Collective. A new file at path, or over an old one. */
hid_t rind_hdf5_create(const char *path, MPI_Comm comm);
/* Collective. A group without time stamps, so that equal content means equal bytes. */
hid_t rind_hdf5_group(hid_t parent, const char *name);
/* Collective. ASCII text of exactly its length: readers of VTKHDF refuse other kinds. */
bool rind_hdf5_put_text(hid_t object, const char *name, const char *text);
bool rind_hdf5_put_int32(hid_t object, const char *name, int count, const int32_t *values);
bool rind_hdf5_put_double(hid_t object, const char *name, int count, const double *values);

/* A dataset [rows] or, if columns > 1, [rows][columns]. */
typedef struct rind_hdf5_table {
  hid_t file_type, memory_type;
  hsize_t rows, columns;
  hid_t dataset;
} rind_hdf5_table;

/* Collective. */
bool rind_hdf5_table_create(hid_t group, const char *name, rind_hdf5_table *table);
/* Collective. Rows first .. first + count - 1; count may be 0, values then NULL. */
bool rind_hdf5_table_write(const rind_hdf5_table *table, hsize_t first, hsize_t count,
                           const void *values);
