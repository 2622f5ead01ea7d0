/* matrix_times_field.c - whether the matrix that rind-bench export wrote, times a field, is what
 * rind_fill makes of it, bit for bit, in both types; and that it has a row for every ghost that the
 * fill writes. Arguments: FILE FOREST DIM GHOSTS all|faces. */
#include <bench.h>
#include <check.h>
#include <hdf5.h>
#include <math.h>
#include <string.h>

typedef struct matrix {
  int64_t shape[2];
  int64_t *start, *column, *ghost;
  double *weight;
} matrix;

static void *read_dataset(hid_t file, const char *name, hid_t type, int64_t count) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  void *values = malloc((size_t)count * 8 + 1);
  CHECK(H5Sget_simple_extent_npoints(space) == count, "%s has %lld values instead of %lld", name,
        (long long)H5Sget_simple_extent_npoints(space), (long long)count);
  if (H5Sget_simple_extent_npoints(space) > count ||
      H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

static void read_matrix(const char *path, matrix *m) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t shape = H5Aopen(file, "shape", H5P_DEFAULT);
  if (H5Aread(shape, H5T_NATIVE_INT64, m->shape) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  H5Aclose(shape);
  m->start = read_dataset(file, "indptr", H5T_NATIVE_INT64, m->shape[0] + 1);
  m->ghost = read_dataset(file, "ghost", H5T_NATIVE_INT64, m->shape[0]);
  m->column = read_dataset(file, "indices", H5T_NATIVE_INT64, m->start[m->shape[0]]);
  m->weight = read_dataset(file, "data", H5T_NATIVE_DOUBLE, m->start[m->shape[0]]);
  H5Fclose(file);
}

/* The value of an interior cell, numbered as columns are. */
static double value_of(int64_t cell, rind_type type) {
  const double value = 1.0 + 0.5 * sin(0.37 * (double)(cell % 100003)) + 1e-3 * (double)(cell % 7);
  return type == RIND_FLOAT64 ? value : (double)(float)value;
}

static double get(const rind_field *field, int block, ptrdiff_t at) {
  const void *data = rind_field_pointer(field, block);
  return rind_field_layout(field)->type == RIND_FLOAT64 ? ((const double *)data)[at]
                                                        : (double)((const float *)data)[at];
}

static void put(rind_field *field, int block, ptrdiff_t at, double value) {
  void *data = rind_field_pointer(field, block);
  if (rind_field_layout(field)->type == RIND_FLOAT64)
    ((double *)data)[at] = value;
  else
    ((float *)data)[at] = (float)value;
}

static void set_interiors(const rind_forest *forest, rind_field *field) {
  const rind_layout *layout = rind_field_layout(field);
  const int n = layout->cells, depth = layout->dim == 3 ? n : 1;
  for (int b = 0; b < rind_field_num_blocks(field); ++b) {
    int64_t cell = rind_forest_block(forest, b)->global * n * n * depth;
    for (int k = 0; k < depth; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          put(field, b,
              i * layout->cell_stride[0] + j * layout->cell_stride[1] + k * layout->cell_stride[2],
              value_of(cell++, layout->type));
  }
}

/* Rows of local blocks; returns their number. */
static int64_t compare_rows(const rind_forest *forest, const matrix *m, const rind_field *field) {
  const rind_layout *layout = rind_field_layout(field);
  const int64_t elements = (int64_t)rind_layout_block_elements(layout);
  const int64_t first =
      rind_forest_num_blocks(forest) > 0 ? rind_forest_block(forest, 0)->global : 0;
  int64_t count = 0;
  for (int64_t row = 0; row < m->shape[0]; ++row) {
    const int64_t block = m->ghost[row] / elements - first;
    if (block < 0 || block >= rind_forest_num_blocks(forest)) continue;
    double sum = 0.0;
    for (int64_t e = m->start[row]; e < m->start[row + 1]; ++e) {
      const double product = m->weight[e] * value_of(m->column[e], layout->type);
      sum = e == m->start[row] ? product : sum + product;
    }
    if (layout->type == RIND_FLOAT32) sum = (double)(float)sum;
    const double filled =
        get(field, (int)block,
            (ptrdiff_t)(m->ghost[row] % elements) - rind_layout_interior_offset(layout));
    CHECK(memcmp(&sum, &filled, sizeof sum) == 0, "row %lld is %a, the fill %a", (long long)row,
          sum, filled);
    ++count;
  }
  return count;
}

/* Every ghost is named once. */
static void check_once(const matrix *m, int64_t elements) {
  char *seen = calloc((size_t)elements, 1);
  for (int64_t row = 0; row < m->shape[0]; ++row) {
    const int64_t ghost = m->ghost[row];
    CHECK(ghost >= 0 && ghost < elements && !seen[ghost], "row %lld: ghost %lld again or outside",
          (long long)row, (long long)ghost);
    if (ghost >= 0 && ghost < elements) seen[ghost] = 1;
  }
  free(seen);
}

static void compare(rind_context *context, rind_forest *forest, const matrix *m,
                    const rind_schedule *schedule, rind_type type) {
  const rind_layout layout = {.cells = rind_schedule_cells(schedule),
                              .ghosts = rind_schedule_ghosts(schedule),
                              .components = 1,
                              .type = type};
  rind_field *field = NULL;
  rind_exchange *exchange = NULL;
  rind_schedule_stats stats;
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  CHECK_OK(rind_exchange_create(schedule, &layout, NULL, &exchange), context);
  set_interiors(forest, field);
  CHECK_OK(rind_fill(exchange, field), context);
  CHECK_OK(rind_schedule_get_stats(schedule, &stats), context);
  const int64_t rows = compare_rows(forest, m, field);
  CHECK(rows == stats.ghost_cells, "%lld rows for %lld ghosts", (long long)rows,
        (long long)stats.ghost_cells);
  check_once(m, (int64_t)rind_layout_block_elements(rind_field_layout(field)) *
                    rind_forest_num_global_blocks(forest));
  rind_exchange_destroy(&exchange);
  rind_field_destroy(&field);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  if (argc != 6) {
    fprintf(stderr, "usage: matrix_times_field FILE FOREST DIM GHOSTS all|faces\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  matrix m;
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  bench_forest what = {.dim = atoi(argv[3]), .periodic = {-1, 0, 0}};
  while (bench_names[what.name] && strcmp(bench_names[what.name], argv[2]) != 0)
    ++what.name;
  const rind_rules rules = {.regions = strcmp(argv[5], "faces") == 0 ? RIND_REGIONS_FACES
                                                                     : RIND_REGIONS_ALL};
  read_matrix(argv[1], &m);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  CHECK_OK(bench_forest_create(context, &what, &forest), context);
  CHECK_OK(rind_schedule_create(forest, what.cells, atoi(argv[4]), &rules, &schedule), context);
  compare(context, forest, &m, schedule, RIND_FLOAT64);
  compare(context, forest, &m, schedule, RIND_FLOAT32);
  free(m.start);
  free(m.column);
  free(m.ghost);
  free(m.weight);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
  return check_end();
}
