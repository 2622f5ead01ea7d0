/* bench_matrix_file.c - HDF5 lays the datasets out, contiguous; their values are written into the
 * file as into any other, because HDF5 cannot end well on a disk that has become full. */
#include <bench_matrix_file.h>

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than HDF5 needs beside the values. */
enum { MARGIN = 1 << 16 };

/* Makes a dataset and tells its place. */
static bool make_dataset(hid_t file, const char *name, hid_t type, int64_t count, int64_t *offset) {
  const hsize_t extent = (hsize_t)count;
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  hid_t dataset = -1;
  if (space >= 0 && properties >= 0 && H5Pset_obj_track_times(properties, 0) >= 0 &&
      H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
      H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) >= 0)
    dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  bool done = dataset >= 0;
  if (done) {
    const haddr_t place = H5Dget_offset(dataset);
    *offset = (int64_t)place;
    done = count == 0 || place != HADDR_UNDEF;
    done = H5Dclose(dataset) >= 0 && done;
  }
  if (properties >= 0) H5Pclose(properties);
  if (space >= 0) H5Sclose(space);
  return done;
}

static bool note(hid_t file, const char *name, int count, const int64_t *values) {
  const hsize_t extent = (hsize_t)count;
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  if (space < 0) return false;
  const hid_t attribute = H5Acreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, values) >= 0;
  if (attribute >= 0) done = H5Aclose(attribute) >= 0 && done;
  H5Sclose(space);
  return done;
}

/* The file without values. */
static bool lay_out(const char *path, const bench_matrix_size *size, const bench_matrix_note *notes,
                    int num_notes, bench_matrix_file *out) {
  static const char *const names[BENCH_NUM_COLUMNS] = {"indptr", "ghost", "indices", "data"};
  const int64_t counts[BENCH_NUM_COLUMNS] = {size->rows + 1, size->rows, size->entries,
                                             size->entries};
  const hid_t types[BENCH_NUM_COLUMNS] = {
      H5T_NATIVE_INT64, H5T_NATIVE_INT64,
      out->bytes[BENCH_INDICES] == 4 ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64, H5T_NATIVE_DOUBLE};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  bool done = file >= 0;
  for (int c = 0; c < BENCH_NUM_COLUMNS && done; ++c)
    done = make_dataset(file, names[c], types[c], counts[c], &out->offset[c]);
  done = done && note(file, "shape", 2, (int64_t[]){size->rows, size->columns});
  for (int n = 0; n < num_notes && done; ++n)
    done = note(file, notes[n].name, 1, &notes[n].value);
  if (file >= 0) done = H5Fclose(file) >= 0 && done;
  return done;
}

/* Opens the file and takes its room on the disk. What is no file, a pipe say, is left alone. */
static bool take_room(const char *path, int flags, int64_t bytes, int *handle) {
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
    errno = S_ISDIR(there.st_mode) ? EISDIR : ENOTSUP;
    return false;
  }
  *handle = open(path, O_WRONLY | flags, 0666);
  if (*handle < 0) return false;
  const int code = posix_fallocate(*handle, 0, (off_t)bytes);
  if (code == 0 || code == EINVAL || code == EOPNOTSUPP) return true;
  close(*handle);
  *handle = -1;
  remove(path);
  errno = code;
  return false;
}

bool bench_matrix_file_create(const char *path, const bench_matrix_size *size,
                              const bench_matrix_note *notes, int num_notes,
                              bench_matrix_file *out) {
  *out = (bench_matrix_file){.handle = -1, .bytes = {8, 8, 8, 8}};
  if (size->columns <= INT32_MAX) out->bytes[BENCH_INDICES] = 4;
  const int64_t entry = out->bytes[BENCH_INDICES] + out->bytes[BENCH_DATA];
  const int64_t bytes = 16 * size->rows + entry * size->entries;
  if (!take_room(path, O_CREAT | O_TRUNC, bytes + MARGIN, &out->handle)) return false;
  close(out->handle);
  out->handle = -1;
  if (!lay_out(path, size, notes, num_notes, out)) {
    remove(path);
    errno = EIO;
    return false;
  }
  return take_room(path, 0, bytes, &out->handle);
}

bool bench_matrix_file_write(const bench_matrix_file *out, bench_column column, int64_t first,
                             int64_t count, void *values) {
  if (out->bytes[column] == 4) {
    char *narrow = values;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t value = (int32_t)((const int64_t *)values)[i];
      memcpy(narrow + i * (int64_t)sizeof value, &value, sizeof value);
    }
  }
  const char *from = values;
  int64_t at = out->offset[column] + first * out->bytes[column];
  int64_t left = count * out->bytes[column];
  while (left > 0) {
    const ssize_t written = pwrite(out->handle, from, (size_t)left, (off_t)at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written, at += written, left -= written;
  }
  return true;
}

bool bench_matrix_file_close(bench_matrix_file *out) {
  const int handle = out->handle;
  out->handle = -1;
  return handle < 0 || close(handle) == 0;
}
