/* io_vtkhdf.c - VTKHDF files: every cell read back, bytes alike on any number of ranks, errors. */
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <hdf5.h>
#include <p4est_extended.h>
#include <rind/forest_p4est.h>
#include <rind/io.h>
#include <rind/rind.h>

#include "check.h"

enum { CELLS = 4, PATH = 600 };

static const char *folder;

static void file_name(char path[PATH], const char *stem) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(path, PATH, "%s/%s.np%d.hdf", folder, stem, size);
}

/* Toward a corner, twice. */
static int refine_corner(const rind_block *block, void *user) {
  (void)user;
  return block->lower[0] < -1.99 && block->lower[1] < 0.01;
}

static double encoded(int64_t global, int cell, int component) {
  return (double)global * 1e6 + cell * 10 + component;
}

static rind_forest *make_forest(rind_context *context, int dim) {
  rind_forest *forest = NULL;
  const rind_brick brick = {.dim = dim,
                            .trees = {3, 2, 1},
                            .periodic = {0, 1, 0},
                            .level = 1,
                            .lower = {-2, 0, 1},
                            .upper = {1, 2, 2.5}};
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  CHECK_OK(rind_forest_refine(forest, 3, refine_corner, NULL), context);
  return forest;
}

static rind_field *make_field(rind_forest *forest, rind_layout layout) {
  rind_context *context = rind_forest_context(forest);
  rind_field *field = NULL;
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  if (field == NULL) return NULL;
  const rind_layout *whole = rind_field_layout(field);
  const int depth = whole->dim == 3 ? CELLS : 1;
  for (int b = 0; b < rind_field_num_blocks(field); ++b)
    for (int cell = 0; cell < depth * CELLS * CELLS; ++cell)
      for (int c = 0; c < whole->components; ++c) {
        const int i = cell % CELLS, j = cell / CELLS % CELLS, k = cell / CELLS / CELLS;
        const ptrdiff_t at = i * whole->cell_stride[0] + j * whole->cell_stride[1] +
                             k * whole->cell_stride[2] + c * whole->component_stride;
        const double value = encoded(rind_forest_block(forest, b)->global, cell, c);
        if (whole->type == RIND_FLOAT64)
          ((double *)rind_field_pointer(field, b))[at] = value;
        else
          ((float *)rind_field_pointer(field, b))[at] = (float)value;
      }
  return field;
}

static void write_all(rind_context *context, int dim, const char *path) {
  rind_forest *forest = make_forest(context, dim);
  rind_field *wide = make_field(
      forest, (rind_layout){.cells = CELLS, .ghosts = 2, .components = 1, .type = RIND_FLOAT64});
  rind_field *vector = make_field(forest, (rind_layout){.cells = CELLS,
                                                        .ghosts = 1,
                                                        .components = 3,
                                                        .type = RIND_FLOAT32,
                                                        .storage = RIND_BLOCKS,
                                                        .order = RIND_COMPONENTS_OUTERMOST});
  const rind_named_field fields[] = {{"wide", wide}, {"vector_3", vector}};
  CHECK_OK(rind_write_vtkhdf(forest, path, fields, 2), context);
  rind_field_destroy(&vector);
  rind_field_destroy(&wide);
  rind_forest_destroy(&forest);
}

/* Blocks of all ranks, in global order. */
static rind_block *gather_blocks(const rind_forest *forest, int *count) {
  const MPI_Comm comm = rind_context_comm(rind_forest_context(forest));
  const int mine = rind_forest_num_blocks(forest) * (int)sizeof(rind_block);
  int bytes[64], offset[64], size;
  MPI_Comm_size(comm, &size);
  MPI_Allgather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, comm);
  int total = 0;
  for (int r = 0; r < size; ++r) {
    offset[r] = total;
    total += bytes[r];
  }
  *count = total / (int)sizeof(rind_block);
  rind_block *blocks = malloc((size_t)total + 1);
  const rind_block *own = rind_forest_get_arrays(forest)->block;
  MPI_Allgatherv(own, mine, MPI_BYTE, blocks, bytes, offset, MPI_BYTE, comm);
  return blocks;
}

static void *read_set(hid_t group, const char *name, hid_t type, size_t bytes, hsize_t extent[2]) {
  const hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = H5Dget_space(set);
  extent[0] = extent[1] = 1;
  H5Sget_simple_extent_dims(space, extent, NULL);
  void *values = calloc((size_t)(extent[0] * extent[1]) + 1, bytes);
  CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "%s", name);
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

static void check_values(hid_t cell_data, const rind_block *blocks, const int *of_level, int count,
                         int block_cells) {
  hsize_t extent[2];
  double *wide = read_set(cell_data, "wide", H5T_NATIVE_DOUBLE, sizeof(double), extent);
  CHECK(extent[0] == (hsize_t)count * (hsize_t)block_cells, "%d rows", (int)extent[0]);
  float *vector = read_set(cell_data, "vector_3", H5T_NATIVE_FLOAT, sizeof(float), extent);
  CHECK(extent[1] == 3, "%d columns", (int)extent[1]);
  int32_t *level = read_set(cell_data, "level", H5T_NATIVE_INT32, sizeof(int32_t), extent);
  int32_t *owner = read_set(cell_data, "owner", H5T_NATIVE_INT32, sizeof(int32_t), extent);
  for (int n = 0; n < count; ++n)
    for (int cell = 0; cell < block_cells; ++cell) {
      const rind_block *block = &blocks[of_level[n]];
      const int at = n * block_cells + cell;
      CHECK(wide[at] == encoded(block->global, cell, 0), "block %d cell %d is %g", n, cell,
            wide[at]);
      for (int c = 0; c < 3; ++c)
        CHECK(vector[3 * at + c] == (float)encoded(block->global, cell, c), "block %d cell %d", n,
              cell);
      CHECK(level[at] == block->level && owner[at] == block->owner, "block %d cell %d: %d %d", n,
            cell, level[at], owner[at]);
    }
  free(owner);
  free(level);
  free(vector);
  free(wide);
}

/* Boxes times spacing must be where the blocks are. */
static void check_boxes(hid_t group, const double origin[3], const rind_block *blocks,
                        const int *of_level, int count, int dim) {
  hsize_t extent[2];
  double spacing[3];
  const hid_t attribute = H5Aopen(group, "Spacing", H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_DOUBLE, spacing);
  H5Aclose(attribute);
  int32_t *box = read_set(group, "AMRBox", H5T_NATIVE_INT32, sizeof(int32_t), extent);
  CHECK(extent[0] == (hsize_t)count && extent[1] == 6, "%d boxes, should be %d", (int)extent[0],
        count);
  for (int n = 0; n < count && extent[0] == (hsize_t)count; ++n)
    for (int a = 0; a < 3; ++a) {
      const rind_block *block = &blocks[of_level[n]];
      const int32_t first = box[6 * n + 2 * a], last = box[6 * n + 2 * a + 1];
      if (a >= dim) {
        CHECK(first == 0 && last == 0, "box %d is %d..%d along axis %d", n, first, last, a);
        continue;
      }
      CHECK(last == first + CELLS - 1, "box %d: %d..%d", n, first, last);
      CHECK(fabs(spacing[a] * CELLS - block->side[a]) < 1e-14, "spacing %g", spacing[a]);
      CHECK(fabs(origin[a] + first * spacing[a] - block->lower[a]) < 1e-13, "box %d axis %d", n, a);
    }
  free(box);
}

static void check_file(rind_context *context, int dim, const char *path) {
  rind_forest *forest = make_forest(context, dim);
  int num_blocks, version[2] = {0, 0}, found = 0;
  double origin[3] = {0, 0, 0};
  char type[32] = "";
  rind_block *blocks = gather_blocks(forest, &num_blocks);
  int *of_level = malloc(((size_t)num_blocks + 1) * sizeof *of_level);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK(file >= 0, "%s", path);
  const hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
  hid_t attribute = H5Aopen(root, "Version", H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_INT, version);
  H5Aclose(attribute);
  attribute = H5Aopen(root, "Type", H5P_DEFAULT);
  const hid_t text = H5Aget_type(attribute);
  CHECK(H5Tget_size(text) == 14 && H5Tget_cset(text) == H5T_CSET_ASCII, "size %d",
        (int)H5Tget_size(text));
  H5Aread(attribute, text, type);
  H5Tclose(text);
  H5Aclose(attribute);
  attribute = H5Aopen(root, "Origin", H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_DOUBLE, origin);
  H5Aclose(attribute);
  CHECK(version[0] == 1 && version[1] == 0, "version %d.%d", version[0], version[1]);
  CHECK(strcmp(type, "OverlappingAMR") == 0, "type %s", type);
  /* Levels 1 to 3 of the forest. */
  for (int l = 0; l < 3; ++l) {
    char name[16];
    int count = 0;
    for (int b = 0; b < num_blocks; ++b)
      if (blocks[b].level == l + 1) of_level[count++] = b;
    CHECK(count > 0, "level %d is empty", l);
    found += count;
    snprintf(name, sizeof name, "Level%d", l);
    const hid_t group = H5Gopen2(root, name, H5P_DEFAULT);
    const hid_t cell_data = H5Gopen2(group, "CellData", H5P_DEFAULT);
    CHECK(H5Lexists(group, "PointData", H5P_DEFAULT) > 0, "%s", name);
    check_boxes(group, origin, blocks, of_level, count, dim);
    check_values(cell_data, blocks, of_level, count, CELLS * CELLS * (dim == 3 ? CELLS : 1));
    H5Gclose(cell_data);
    H5Gclose(group);
  }
  CHECK(found == num_blocks && H5Lexists(root, "Level3", H5P_DEFAULT) == 0, "%d of %d blocks",
        found, num_blocks);
  H5Gclose(root);
  H5Fclose(file);
  free(of_level);
  free(blocks);
  rind_forest_destroy(&forest);
}

static char *read_bytes(const char *path, long *count) {
  FILE *file = fopen(path, "rb");
  *count = -1;
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *count = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)*count + 1);
  CHECK(fread(bytes, 1, (size_t)*count, file) == (size_t)*count, "%s", path);
  fclose(file);
  return bytes;
}

/* Where the owners are stored may differ. */
static void blank_owners(const char *path, char *bytes) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  for (int l = 0; l < 3; ++l) {
    char name[64];
    snprintf(name, sizeof name, "VTKHDF/Level%d/CellData/owner", l);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const haddr_t at = H5Dget_offset(set);
    CHECK(at != HADDR_UNDEF, "%s", name);
    if (at != HADDR_UNDEF) memset(bytes + at, 0, (size_t)H5Dget_storage_size(set));
    H5Dclose(set);
  }
  H5Fclose(file);
}

/* Rank 0 writes alone, too: the same bytes. */
static void check_bytes(int dim, const char *path) {
  int rank;
  char alone_path[PATH];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    long count, alone_count;
    rind_context *alone = NULL;
    file_name(alone_path, dim == 2 ? "alone2" : "alone3");
    CHECK_OK(rind_context_create(MPI_COMM_SELF, NULL, &alone), NULL);
    /* A time stamp would be another one now. */
    sleep(1);
    write_all(alone, dim, alone_path);
    rind_context_destroy(&alone);
    char *bytes = read_bytes(path, &count), *alone_bytes = read_bytes(alone_path, &alone_count);
    CHECK(count > 0 && count == alone_count, "%ld bytes, alone %ld", count, alone_count);
    if (count > 0 && count == alone_count) {
      blank_owners(path, bytes);
      blank_owners(alone_path, alone_bytes);
      CHECK(memcmp(bytes, alone_bytes, (size_t)count) == 0, "%s differs from %s", path, alone_path);
    }
    free(bytes);
    free(alone_bytes);
    unlink(alone_path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void expect(rind_error got, rind_error expected, rind_context *context, const char *part) {
  CHECK(got == expected && strstr(rind_last_error(context), part) != NULL, "%s: %s, not %s ... %s",
        rind_error_name(got), rind_last_error(context), rind_error_name(expected), part);
}

static void check_errors(rind_context *context) {
  char path[PATH], part[PATH + 8], other[PATH];
  rind_forest *forest = make_forest(context, 2);
  const rind_layout layout = {.cells = CELLS, .ghosts = 1, .components = 1};
  rind_layout larger = layout;
  larger.cells = 2 * CELLS;
  rind_field *field = make_field(forest, layout), *large = NULL;
  CHECK_OK(rind_field_create(forest, &larger, &large), context);
  file_name(path, "errors");
  snprintf(part, sizeof part, "%s.part", path);
  const rind_named_field good = {"u", field};
  CHECK_ERROR(rind_write_vtkhdf(NULL, path, &good, 1), RIND_ERROR_INVALID, NULL);
  expect(rind_write_vtkhdf(forest, NULL, &good, 1), RIND_ERROR_INVALID, context, "path");
  expect(rind_write_vtkhdf(forest, path, &good, 0), RIND_ERROR_INVALID, context, "0 fields");
  const char *const bad_names[] = {"", "a.b", "a/b", "level", NULL};
  for (int i = 0; i < 5; ++i) {
    const rind_named_field bad = {bad_names[i], field};
    expect(rind_write_vtkhdf(forest, path, &bad, 1), RIND_ERROR_INVALID, context, "field 0");
  }
  const rind_named_field twice[] = {good, good}, unlike[] = {good, {"v", large}};
  const rind_named_field missing = {"u", NULL};
  expect(rind_write_vtkhdf(forest, path, twice, 2), RIND_ERROR_INVALID, context, "taken");
  expect(rind_write_vtkhdf(forest, path, unlike, 2), RIND_ERROR_MISMATCH, context, "8 cells");
  expect(rind_write_vtkhdf(forest, path, &missing, 1), RIND_ERROR_INVALID, context, "NULL");
  CHECK(access(path, F_OK) != 0 && access(part, F_OK) != 0, "%s exists", path);
  snprintf(other, sizeof other, "%s/no/such/folder.hdf", folder);
  expect(rind_write_vtkhdf(forest, other, &good, 1), RIND_ERROR_IO, context, other);
  /* A folder of the file's name. */
  mkdir(path, 0777);
  expect(rind_write_vtkhdf(forest, path, &good, 1), RIND_ERROR_IO, context, path);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(access(part, F_OK) != 0, "%s is left over", part);
  rmdir(path);
  MPI_Barrier(MPI_COMM_WORLD);
  /* No room: found out before anybody writes, and the old file stays. */
  CHECK_OK(rind_write_vtkhdf(forest, path, &good, 1), context);
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 1000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  expect(rind_write_vtkhdf(forest, path, &good, 1), RIND_ERROR_IO, context, path);
  setrlimit(RLIMIT_FSIZE, &limit);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(access(path, F_OK) == 0 && access(part, F_OK) != 0, "%s", path);
  CHECK_OK(rind_write_vtkhdf(forest, path, &good, 1), context);
  MPI_Barrier(MPI_COMM_WORLD);
  unlink(path);
  rind_field_destroy(&large);
  rind_field_destroy(&field);
  rind_forest_destroy(&forest);
}

/* Links of the part's name, and to a name that is too long, are not written through. */
static void check_taken(rind_context *context, const char *path, const char *link,
                        const rind_named_field *named, const rind_forest *forest) {
  char part[PATH + 8], longest[PATH];
  struct stat there;
  const bool first = rind_context_rank(context) == 0;
  snprintf(part, sizeof part, "%s.part", path);
  snprintf(longest, sizeof longest, "%s/%0201d", folder, 0);
  if (first) {
    close(open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666));
    close(open(longest, O_CREAT | O_WRONLY, 0666));
    unlink(part);
    CHECK(symlink(strrchr(path, '/') + 1, part) == 0, "no link");
    unlink(link);
    CHECK(symlink(strrchr(longest, '/') + 1, link) == 0, "no link");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const char *const taken[] = {path, part};
  for (int i = 0; i < 2; ++i)
    expect(rind_write_vtkhdf(forest, taken[i], named, 1), RIND_ERROR_IO, context, "taken");
  expect(rind_write_vtkhdf(forest, link, named, 1), RIND_ERROR_IO, context, "name too long");
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(lstat(part, &there) == 0 && S_ISLNK(there.st_mode), "the link is gone");
  CHECK(stat(path, &there) == 0 && there.st_size == 0, "the file is written through a link");
  MPI_Barrier(MPI_COMM_WORLD);
  if (first) unlink(part), unlink(longest);
}

/* What is there and is no plain file stays, and links lead on. */
static void check_places(rind_context *context) {
  char path[PATH], link[PATH], other[PATH], longest[PATH];
  struct stat there;
  rind_forest *forest = make_forest(context, 2);
  rind_field *field =
      make_field(forest, (rind_layout){.cells = CELLS, .ghosts = 1, .components = 1});
  const rind_named_field named = {"u", field};
  const bool first = rind_context_rank(context) == 0;
  file_name(path, "place");
  file_name(other, "pipe");
  file_name(link, "link");
  unlink(path);
  snprintf(longest, sizeof longest, "%s/%0201d", folder, 0);
  expect(rind_write_vtkhdf(forest, longest, &named, 1), RIND_ERROR_INVALID, context, "201");
  if (first) unlink(other), unlink(link);
  if (first) CHECK(mkfifo(other, 0666) == 0, "no pipe");
  expect(rind_write_vtkhdf(forest, other, &named, 1), RIND_ERROR_IO, context, "plain file");
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(lstat(other, &there) == 0 && S_ISFIFO(there.st_mode), "the pipe is gone");
  if (first) CHECK(symlink(strrchr(path, '/') + 1, link) == 0, "no link");
  expect(rind_write_vtkhdf(forest, link, &named, 1), RIND_ERROR_IO, context, link);
  MPI_Barrier(MPI_COMM_WORLD);
  if (first) close(open(path, O_CREAT | O_WRONLY, 0666));
  CHECK_OK(rind_write_vtkhdf(forest, link, &named, 1), context);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(lstat(link, &there) == 0 && S_ISLNK(there.st_mode), "the link is gone");
  CHECK(stat(path, &there) == 0 && there.st_size > 1000, "nothing is where the link leads");
  MPI_Barrier(MPI_COMM_WORLD);
  check_taken(context, path, link, &named, forest);
  if (first) unlink(path), unlink(other), unlink(link);
  rind_field_destroy(&field);
  rind_forest_destroy(&forest);
}

/* Neighbours that are turned against each other have no common index space. */
static void check_rotated(rind_context *context) {
  char path[PATH];
  p4est_connectivity_t *moebius = p4est_connectivity_new_moebius();
  p4est_t *mesh = p4est_new_ext(MPI_COMM_WORLD, moebius, 0, 1, 1, 0, NULL, NULL);
  rind_forest *forest = NULL;
  rind_field *field = NULL;
  const rind_layout layout = {.cells = CELLS, .ghosts = 1, .components = 1};
  CHECK_OK(rind_forest_wrap_p4est(context, mesh, &forest), context);
  CHECK_OK(rind_field_create(forest, &layout, &field), context);
  const rind_named_field named = {"u", field};
  file_name(path, "moebius");
  CHECK_ERROR(rind_write_vtkhdf(forest, path, &named, 1), RIND_ERROR_UNSUPPORTED, context);
  rind_field_destroy(&field);
  rind_forest_destroy(&forest);
  p4est_destroy(mesh);
  p4est_connectivity_destroy(moebius);
}

int main(int argc, char **argv) {
  char path[PATH];
  int rank;
  rind_context *context = NULL;
  check_begin(&argc, &argv);
  folder = argc > 1 ? argv[1] : ".";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  for (int dim = 2; dim <= 3; ++dim) {
    file_name(path, dim == 2 ? "flat" : "solid");
    write_all(context, dim, path);
    check_file(context, dim, path);
    check_bytes(dim, path);
    if (rank == 0) unlink(path);
  }
  check_errors(context);
  check_places(context);
  check_rotated(context);
  rind_context_destroy(&context);
  return check_end();
}
