/* bench_matrix_file.c - lays the datasets out once, contiguous, and writes slabs of them. */
#include <bench_matrix_file.h>

#include <string.h>

static hid_t make_dataset(hid_t file, const char *name, hid_t type, int64_t count) {
  const hsize_t extent = (hsize_t)count;
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  hid_t dataset = -1;
  if (space >= 0 && properties >= 0 && H5Pset_obj_track_times(properties, 0) >= 0 &&
      H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
      H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) >= 0)
    dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (properties >= 0) H5Pclose(properties);
  if (space >= 0) H5Sclose(space);
  return dataset;
}

bool bench_matrix_file_create(const char *path, const bench_matrix_size *size,
                              bench_matrix_file *out) {
  static const char *const names[BENCH_NUM_COLUMNS] = {"indptr", "ghost", "indices", "data"};
  const int64_t counts[BENCH_NUM_COLUMNS] = {size->rows + 1, size->rows, size->entries,
                                             size->entries};
  const bool narrow = size->columns <= INT32_MAX;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  out->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  bool done = out->file >= 0;
  for (int c = 0; c < BENCH_NUM_COLUMNS; ++c) {
    out->type[c] = c == BENCH_DATA                ? H5T_NATIVE_DOUBLE
                   : narrow && c == BENCH_INDICES ? H5T_NATIVE_INT32
                                                  : H5T_NATIVE_INT64;
    out->dataset[c] = done ? make_dataset(out->file, names[c], out->type[c], counts[c]) : -1;
    done = done && out->dataset[c] >= 0;
  }
  return done && bench_matrix_file_note(out, "shape", 2, (int64_t[]){size->rows, size->columns});
}

bool bench_matrix_file_note(bench_matrix_file *out, const char *name, int count,
                            const int64_t *values) {
  const hsize_t extent = (hsize_t)count;
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  if (space < 0) return false;
  const hid_t attribute =
      H5Acreate2(out->file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, values) >= 0;
  if (attribute >= 0) done = H5Aclose(attribute) >= 0 && done;
  H5Sclose(space);
  return done;
}

bool bench_matrix_file_write(bench_matrix_file *out, bench_column column, int64_t first,
                             int64_t count, void *values) {
  if (count == 0) return true;
  if (H5Tequal(out->type[column], H5T_NATIVE_INT32) > 0) {
    char *narrow = values;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t value = (int32_t)((const int64_t *)values)[i];
      memcpy(narrow + i * (int64_t)sizeof value, &value, sizeof value);
    }
  }
  const hsize_t start = (hsize_t)first, extent = (hsize_t)count;
  const hid_t there = H5Dget_space(out->dataset[column]);
  const hid_t here = H5Screate_simple(1, &extent, NULL);
  const bool done =
      there >= 0 && here >= 0 &&
      H5Sselect_hyperslab(there, H5S_SELECT_SET, &start, NULL, &extent, NULL) >= 0 &&
      H5Dwrite(out->dataset[column], out->type[column], here, there, H5P_DEFAULT, values) >= 0;
  if (here >= 0) H5Sclose(here);
  if (there >= 0) H5Sclose(there);
  return done;
}

bool bench_matrix_file_close(bench_matrix_file *out) {
  bool done = true;
  for (int c = 0; c < BENCH_NUM_COLUMNS; ++c)
    if (out->dataset[c] >= 0) done = H5Dclose(out->dataset[c]) >= 0 && done;
  if (out->file >= 0) done = H5Fclose(out->file) >= 0 && done;
  return done;
}
