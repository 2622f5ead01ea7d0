/* sph_file.c - writes particles with HDF5: docs.vtk.org, VTKHDF file format, version 1.0. */
#include "sph_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <hdf5.h>

#include "outputs.h"

/* A dataset of one or two dimensions; columns 0: one. */
static bool write_set(hid_t group, const char *name, hid_t type, int64_t rows, int columns,
                      const void *values) {
  const hsize_t extent[2] = {(hsize_t)rows, (hsize_t)columns};
  const hid_t space = H5Screate_simple(columns > 0 ? 2 : 1, extent, NULL);
  const hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = set >= 0;
  if (good && rows > 0) good = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (set >= 0) H5Dclose(set);
  if (space >= 0) H5Sclose(space);
  return good;
}

/* Version and type; the type is a string of exactly its length. */
static bool write_attributes(hid_t group) {
  static const char kind[] = "UnstructuredGrid";
  const int version[2] = {1, 0};
  const hsize_t two = 2;
  const hid_t pair = H5Screate_simple(1, &two, NULL), one = H5Screate(H5S_SCALAR);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, sizeof kind - 1);
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  const hid_t a = H5Acreate2(group, "Version", H5T_STD_I32LE, pair, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t b = H5Acreate2(group, "Type", text, one, H5P_DEFAULT, H5P_DEFAULT);
  const bool good =
      a >= 0 && b >= 0 && H5Awrite(a, H5T_NATIVE_INT, version) >= 0 && H5Awrite(b, text, kind) >= 0;
  if (a >= 0) H5Aclose(a);
  if (b >= 0) H5Aclose(b);
  H5Tclose(text);
  H5Sclose(pair);
  H5Sclose(one);
  return good;
}

/* Every point is a vertex of its own. */
static bool write_cells(hid_t group, int64_t count) {
  const size_t room = (size_t)count + 1;
  int64_t *number = malloc(room * sizeof *number);
  uint8_t *kind = malloc(room);
  bool good = number != NULL && kind != NULL;
  for (size_t i = 0; good && i < room; ++i) {
    number[i] = (int64_t)i;
    kind[i] = 1;
  }
  good = good && write_set(group, "NumberOfPoints", H5T_NATIVE_INT64, 1, 0, &count) &&
         write_set(group, "NumberOfCells", H5T_NATIVE_INT64, 1, 0, &count) &&
         write_set(group, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, 0, &count) &&
         write_set(group, "Connectivity", H5T_NATIVE_INT64, count, 0, number) &&
         write_set(group, "Offsets", H5T_NATIVE_INT64, count + 1, 0, number) &&
         write_set(group, "Types", H5T_NATIVE_UINT8, count, 0, kind);
  free(number);
  free(kind);
  return good;
}

static bool write_all(hid_t file, int64_t count, const double *position, const sph_array *arrays,
                      int num_arrays) {
  const hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) return false;
  const hid_t data = H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = data >= 0 && write_attributes(group) && write_cells(group, count) &&
              write_set(group, "Points", H5T_NATIVE_DOUBLE, count, 3, position);
  for (int k = 0; good && k < num_arrays; ++k)
    good = write_set(data, arrays[k].name, H5T_NATIVE_DOUBLE, count,
                     arrays[k].components > 1 ? arrays[k].components : 0, arrays[k].values);
  if (data >= 0) H5Gclose(data);
  H5Gclose(group);
  return good;
}

int sph_file_write(const char *path, int64_t count, const double *position, const sph_array *arrays,
                   int num_arrays) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  char *part = app_part_begin(path);
  const hid_t file = part != NULL ? H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : -1;
  const bool written = file >= 0 && write_all(file, count, position, arrays, num_arrays);
  const bool closed = file >= 0 && H5Fclose(file) >= 0;
  return part != NULL && app_part_end(part, path, written && closed);
}
