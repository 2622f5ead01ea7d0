/* dataset.c - reads a two-dimensional dataset on rank 0 and hands it to all ranks. */
#include "dataset.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "status.h"

/* More than any picture of terrain, few enough for every rank to hold. */
enum { MOST_VALUES = 1 << 28 };

typedef struct reader {
  const char *path, *name;
  char *message;
  int length;
} reader;

static int fail(const reader *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(const reader *r, int status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(r->message, (size_t)r->length, format, list);
  va_end(list);
  return status;
}

/* Datasets by their names, groups with a slash behind; links to nothing are left out. */
static herr_t append_name(hid_t group, const char *name, const H5L_info_t *info, void *user) {
  char *names = user;
  (void)info;
  const size_t used = strlen(names);
  const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
  if (object >= 0) H5Oclose(object);
  if (type == H5I_DATASET || type == H5I_GROUP)
    snprintf(names + used, 200 - used, "%s%s%s", used > 0 ? ", " : "", name,
             type == H5I_GROUP ? "/" : "");
  return 0;
}

static int no_dataset(const reader *r, hid_t file) {
  char names[200] = "";
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, append_name, names);
  return fail(r, APP_INPUT, "%s has no dataset %s; it holds %s", r->path, r->name,
              names[0] != '\0' ? names : "nothing");
}

/* The text of the attribute "units", of fixed or variable length. */
static void read_units(hid_t set, advect_dataset *data) {
  const hid_t attribute = H5Aopen(set, "units", H5P_DEFAULT);
  const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
  const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
      H5Sget_simple_extent_npoints(space) == 1) {
    if (H5Tis_variable_str(type) > 0) {
      char *text = NULL;
      if (H5Aread(attribute, type, &text) >= 0 && text != NULL)
        snprintf(data->units, sizeof data->units, "%s", text);
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, &text);
    } else {
      char text[256] = "";
      if (H5Tget_size(type) < sizeof text && H5Aread(attribute, type, text) >= 0)
        snprintf(data->units, sizeof data->units, "%.23s", text);
    }
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
}

static int check_values(const reader *r, advect_dataset *data) {
  data->least = HUGE_VAL;
  data->greatest = -HUGE_VAL;
  for (int i = 0; i < data->rows; ++i)
    for (int j = 0; j < data->columns; ++j) {
      const double value = data->values[(size_t)i * (size_t)data->columns + (size_t)j];
      if (!isfinite(value))
        return fail(r, APP_INPUT, "%s: %s[%d][%d] is %g, should be a finite number", r->path,
                    r->name, i, j, value);
      data->least = fmin(data->least, value);
      data->greatest = fmax(data->greatest, value);
    }
  return APP_OK;
}

static int read_set(const reader *r, hid_t set, advect_dataset *data) {
  hsize_t extent[H5S_MAX_RANK] = {0};
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  if (rank >= 0) H5Sget_simple_extent_dims(space, extent, NULL);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (class != H5T_INTEGER && class != H5T_FLOAT)
    return fail(r, APP_INPUT, "%s: %s does not hold numbers", r->path, r->name);
  if (rank != 2)
    return fail(r, APP_INPUT, "%s: %s has %d dimensions, should have 2", r->path, r->name, rank);
  if (extent[0] < 2 || extent[1] < 2 || extent[0] > MOST_VALUES / extent[1])
    return fail(r, APP_INPUT, "%s: %s is %llu x %llu, should be at least 2 x 2, at most %d values",
                r->path, r->name, (unsigned long long)extent[0], (unsigned long long)extent[1],
                MOST_VALUES);
  data->rows = (int)extent[0];
  data->columns = (int)extent[1];
  data->values = malloc((size_t)(extent[0] * extent[1]) * sizeof *data->values);
  if (data->values == NULL)
    return fail(r, APP_MEMORY, "no memory for the %llu values of %s",
                (unsigned long long)(extent[0] * extent[1]), r->path);
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data->values) < 0)
    return fail(r, APP_IO, "%s: %s could not be read", r->path, r->name);
  read_units(set, data);
  return check_values(r, data);
}

/* On one rank. */
static int read_file(const reader *r, advect_dataset *data) {
  if (access(r->path, R_OK) != 0)
    return fail(r, APP_IO, "cannot read %s: %s", r->path, strerror(errno));
  const hid_t file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return fail(r, APP_INPUT, "%s is not an HDF5 file", r->path);
  int status;
  const hid_t set = H5Dopen2(file, r->name, H5P_DEFAULT);
  if (set < 0) {
    status = no_dataset(r, file);
  } else {
    status = read_set(r, set, data);
    H5Dclose(set);
  }
  H5Fclose(file);
  return status;
}

int dataset_read(MPI_Comm comm, const char *path, const char *name, advect_dataset *data,
                 char *message, int length) {
  const reader r = {path, name, message, length};
  int rank, status = APP_OK;
  memset(data, 0, sizeof *data);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    status = read_file(&r, data);
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, comm);
  if (status != APP_OK) {
    MPI_Bcast(message, length, MPI_CHAR, 0, comm);
    dataset_free(data);
    return status;
  }
  double *values = data->values;
  MPI_Bcast(data, (int)sizeof *data, MPI_BYTE, 0, comm);
  data->values = values;
  const size_t count = (size_t)data->rows * (size_t)data->columns;
  if (rank != 0) data->values = malloc(count * sizeof *data->values);
  int room = data->values != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, comm);
  if (!room) {
    dataset_free(data);
    return fail(&r, APP_MEMORY, "no memory for the %zu values of %s on every rank", count, path);
  }
  MPI_Bcast(data->values, (int)count, MPI_DOUBLE, 0, comm);
  return APP_OK;
}

void dataset_free(advect_dataset *data) {
  free(data->values);
  data->values = NULL;
}

/* Splits a place between pixel centres into the lower pixel and the fraction beyond it. */
static int pixel(double place, int count, double *fraction) {
  const double last = count - 1, at = fmin(fmax(place * count - 0.5, 0), last);
  const int lower = (int)fmin(floor(at), last - 1);
  *fraction = at - lower;
  return lower;
}

double dataset_at(const advect_dataset *data, double x, double y) {
  double s, t;
  const int j = pixel(x, data->columns, &s), i = pixel(1 - y, data->rows, &t);
  const double *upper = data->values + (size_t)i * (size_t)data->columns + (size_t)j;
  const double *lower = upper + data->columns;
  return (1 - t) * ((1 - s) * upper[0] + s * upper[1]) + t * ((1 - s) * lower[0] + s * lower[1]);
}
