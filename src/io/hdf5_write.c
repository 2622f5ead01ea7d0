/* hdf5_write.c - collective writing with HDF5, silent and without time stamps. */
#include "hdf5_write.h"

#include <string.h>

hid_t rind_hdf5_create(const char *path, MPI_Comm comm) {
  hid_t file = -1;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL) >= 0 &&
      H5Pset_coll_metadata_write(access, 1) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (access >= 0) H5Pclose(access);
  return file;
}

hid_t rind_hdf5_group(hid_t parent, const char *name) {
  hid_t group = -1;
  const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
  if (properties >= 0 && H5Pset_obj_track_times(properties, 0) >= 0)
    group = H5Gcreate2(parent, name, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (properties >= 0) H5Pclose(properties);
  return group;
}

/* Writes one attribute, then closes space. */
static bool put(hid_t object, const char *name, hid_t file_type, hid_t memory_type, hid_t space,
                const void *values) {
  bool done = false;
  if (space < 0) return false;
  const hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) {
    done = H5Awrite(attribute, memory_type, values) >= 0;
    done = H5Aclose(attribute) >= 0 && done;
  }
  H5Sclose(space);
  return done;
}

bool rind_hdf5_put_text(hid_t object, const char *name, const char *text) {
  bool done = false;
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && H5Tset_size(type, strlen(text)) >= 0 &&
      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_ASCII) >= 0)
    done = put(object, name, type, type, H5Screate(H5S_SCALAR), text);
  if (type >= 0) H5Tclose(type);
  return done;
}

bool rind_hdf5_put_int32(hid_t object, const char *name, int count, const int32_t *values) {
  const hsize_t extent = (hsize_t)count;
  return put(object, name, H5T_STD_I32LE, H5T_NATIVE_INT32, H5Screate_simple(1, &extent, NULL),
             values);
}

bool rind_hdf5_put_double(hid_t object, const char *name, int count, const double *values) {
  const hsize_t extent = (hsize_t)count;
  return put(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &extent, NULL),
             values);
}

bool rind_hdf5_table_create(hid_t group, const char *name, rind_hdf5_table *table) {
  const hsize_t extent[2] = {table->rows, table->columns};
  table->dataset = -1;
  const hid_t space = H5Screate_simple(table->columns > 1 ? 2 : 1, extent, NULL);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  /* Every value is written, so filling first would double the work. */
  if (space >= 0 && properties >= 0 && H5Pset_obj_track_times(properties, 0) >= 0 &&
      H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0)
    table->dataset =
        H5Dcreate2(group, name, table->file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (properties >= 0) H5Pclose(properties);
  if (space >= 0) H5Sclose(space);
  return table->dataset >= 0;
}

bool rind_hdf5_table_write(const rind_hdf5_table *table, hsize_t first, hsize_t count,
                           const void *values) {
  static const char nothing[8];
  const hsize_t start[2] = {first, 0}, extent[2] = {count, table->columns};
  bool done = false;
  const hid_t file_space = H5Dget_space(table->dataset);
  const hid_t memory_space = H5Screate_simple(table->columns > 1 ? 2 : 1, extent, NULL);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  if (file_space >= 0 && memory_space >= 0 && transfer >= 0 &&
      H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0) {
    const bool selected =
        count > 0 ? H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0
                  : H5Sselect_none(file_space) >= 0 && H5Sselect_none(memory_space) >= 0;
    done = selected && H5Dwrite(table->dataset, table->memory_type, memory_space, file_space,
                                transfer, count > 0 ? values : nothing) >= 0;
  }
  if (transfer >= 0) H5Pclose(transfer);
  if (memory_space >= 0) H5Sclose(memory_space);
  if (file_space >= 0) H5Sclose(file_space);
  return done;
}
