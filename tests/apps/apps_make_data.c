/* apps_make_data.c - writes an HDF5 file of datasets, good and bad, for the checks of rind-advect.
 */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>

enum { N = 12 };

static int put(hid_t file, const char *name, int rank, hid_t file_type, hid_t type,
               const void *values) {
  const hsize_t extent[3] = {N, N, N};
  const hid_t space = H5Screate_simple(rank, extent, NULL);
  const hid_t set = H5Dcreate2(file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const int failed = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
  H5Dclose(set);
  H5Sclose(space);
  return failed;
}

/* Without a value: nothing is stored of it. */
static int put_empty(hid_t file, const char *name, hsize_t rows, hsize_t columns) {
  const hsize_t extent[2] = {rows, columns}, chunk[2] = {1, 1024};
  const hid_t space = H5Screate_simple(2, extent, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(how, 2, chunk);
  const hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
  return set < 0;
}

/* Values of both signs, so many times as large. */
static int put_scaled(hid_t file, const char *name, const double *values, double scale) {
  static double scaled[N * N];
  for (int i = 0; i < N * N; ++i)
    scaled[i] = values[i] * (i / 3 % 2 ? scale : -scale);
  return put(file, name, 2, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scaled);
}

static int put_group(hid_t file, const char *name) {
  const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
  return group < 0 || H5Lcreate_soft("/nothing", file, "lost", H5P_DEFAULT, H5P_DEFAULT) < 0;
}

int main(int argc, char **argv) {
  static double values[N * N * N], broken[N * N];
  static char words[N * N][4];
  if (argc != 2) return 2;
  for (int i = 0; i < N * N * N; ++i)
    values[i] = 100 + 3 * (i % N) + i / N % N;
  for (int i = 0; i < N * N; ++i)
    broken[i] = i == 3 * N + 4 ? NAN : 1;
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 4);
  int failed = put(file, "doubles", 2, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
  failed += put(file, "big_endian_shorts", 2, H5T_STD_I16BE, H5T_NATIVE_DOUBLE, values);
  failed += put(file, "bytes", 2, H5T_STD_U8LE, H5T_NATIVE_DOUBLE, values);
  failed += put(file, "nan", 2, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, broken);
  failed += put(file, "line", 1, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
  failed += put(file, "cube", 3, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
  failed += put(file, "words", 2, text, text, words);
  failed += put_empty(file, "large", 1 << 24, (hsize_t)1 << 40); /* 2^64 values */
  failed += put_empty(file, "long", 2, (hsize_t)1 << 28);
  /* Up to 144 times the scale. */
  failed += put_scaled(file, "e11", values, 2e9);
  failed += put_scaled(file, "e37", values, 1e35);
  failed += put_scaled(file, "e101", values, 2e99);
  failed += put_scaled(file, "e152", values, 5e150);
  failed += put_scaled(file, "e308", values, 1e306);
  failed += put_group(file, "group");
  H5Tclose(text);
  H5Fclose(file);
  return failed > 0;
}
