/* mesh_file.c - forests whose trees are the elements of an .inp file, which rank 0 reads. */
#include <brick_maker.h>
#include <core.h>
#include <inp.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The file's bytes with a 0 behind them. Keeps the text of its errors. */
static rind_error read_bytes(rind_context *context, const char *path, FILE *file, char **text,
                             size_t *size) {
  enum { FIRST = 1 << 16 };
  size_t room = FIRST, used = 0;
  char *bytes = malloc(room + 1);
  while (bytes && !feof(file) && !ferror(file)) {
    if (used == room) {
      char *more = room <= SIZE_MAX / 4 ? realloc(bytes, 2 * room + 1) : NULL;
      if (!more) break;
      bytes = more;
      room *= 2;
    }
    used += fread(bytes + used, 1, room - used, file);
  }
  const bool whole = bytes && feof(file);
  if (whole) {
    bytes[used] = '\0';
    *text = bytes;
    *size = used;
    return RIND_OK;
  }
  const bool broken = bytes && ferror(file);
  free(bytes);
  if (broken) return rind_context_fail(context, RIND_ERROR_IO, "%s: %s", path, strerror(errno));
  return rind_context_fail(context, RIND_ERROR_MEMORY,
                           "%s: no memory for more than %zu bytes of it", path, used);
}

static rind_error read_file(rind_context *context, const char *path, rind_inp *inp) {
  struct stat about;
  RIND_REQUIRE(context, stat(path, &about) == 0, RIND_ERROR_IO, "mesh file '%s': %s", path,
               strerror(errno));
  RIND_REQUIRE(context, S_ISREG(about.st_mode), RIND_ERROR_IO,
               "mesh file '%s': it is no regular file", path);
  FILE *file = fopen(path, "rb");
  RIND_REQUIRE(context, file, RIND_ERROR_IO, "mesh file '%s': %s", path, strerror(errno));
  char *text = NULL, message[RIND_INP_TEXT];
  size_t size = 0;
  rind_error error = read_bytes(context, path, file, &text, &size);
  fclose(file);
  if (error != RIND_OK) return error;
  error = rind_inp_parse(text, size, inp, message);
  free(text);
  RIND_REQUIRE(context, error == RIND_OK, error, "%s: %s", path, message);
  return RIND_OK;
}

/* Every tree has as many blocks; links are counted in 32 bits, 8 resp. 26 a block. */
static rind_error check_level(rind_context *context, const rind_inp *inp, int level) {
  const rind_brick_maker *maker = rind_brick_maker_of(inp->dim);
  RIND_REQUIRE(context, level >= 0 && level <= maker->max_level, RIND_ERROR_INVALID,
               "the mesh is asked for on level %d: 0 to %d it must be in %dD", level,
               maker->max_level, inp->dim);
  const int most = INT32_MAX / (inp->dim == 2 ? 8 : 26), size = rind_context_size(context);
  const double blocks = ldexp(inp->num_elements, inp->dim * level);
  RIND_REQUIRE(context, blocks <= (double)most * size, RIND_ERROR_OVERFLOW,
               "the mesh has %d trees of level %d, %.0f blocks on %d ranks: at most %d a rank it "
               "may have in %dD",
               inp->num_elements, level, blocks, size, most, inp->dim);
  return RIND_OK;
}

/* Collective. Rank 0's mesh for all. */
static rind_error share(rind_context *context, rind_inp *inp) {
  const MPI_Comm comm = rind_context_comm(context);
  int32_t sizes[3] = {inp->dim, inp->num_nodes, inp->num_elements};
  int failed = MPI_Bcast(sizes, 3, MPI_INT32_T, 0, comm) != MPI_SUCCESS;
  rind_error error = RIND_OK;
  if (rind_context_rank(context) != 0 && !failed) {
    *inp = (rind_inp){.dim = sizes[0], .num_nodes = sizes[1], .num_elements = sizes[2]};
    inp->node = calloc((size_t)sizes[1], 3 * sizeof *inp->node);
    inp->corner = calloc((size_t)sizes[2] << sizes[0], sizeof *inp->corner);
    if (!inp->node || !inp->corner)
      error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a mesh of %d elements",
                                sizes[2]);
  }
  if (failed) error = rind_context_fail(context, RIND_ERROR_MPI, "MPI_Bcast of a mesh failed");
  RIND_TRY(rind_context_agree(context, error));
  const int num_corners = 1 << sizes[0];
  MPI_Datatype point, element;
  MPI_Type_contiguous(3, MPI_DOUBLE, &point);
  MPI_Type_contiguous(num_corners, MPI_INT32_T, &element);
  MPI_Type_commit(&point);
  MPI_Type_commit(&element);
  failed = MPI_Bcast(inp->node, sizes[1], point, 0, comm) != MPI_SUCCESS ||
           MPI_Bcast(inp->corner, sizes[2], element, 0, comm) != MPI_SUCCESS;
  MPI_Type_free(&point);
  MPI_Type_free(&element);
  return rind_context_agree(
      context,
      failed ? rind_context_fail(context, RIND_ERROR_MPI, "MPI_Bcast of a mesh failed") : RIND_OK);
}

rind_error rind_forest_create_mesh(rind_context *context, const char *path, int level,
                                   rind_forest **forest) {
  if (!context) return RIND_ERROR_INVALID;
  rind_inp inp = {0};
  rind_error error = RIND_CHECK_RESULT(context, forest);
  if (error == RIND_OK && !path)
    error = rind_context_fail(context, RIND_ERROR_INVALID, "the path is NULL");
  error = rind_context_agree(context, error);
  if (error == RIND_OK && rind_context_rank(context) == 0) error = read_file(context, path, &inp);
  error = rind_context_agree(context, error);
  if (error == RIND_OK) error = share(context, &inp);
  if (error == RIND_OK) error = rind_context_agree(context, check_level(context, &inp, level));
  if (error == RIND_OK)
    error = rind_brick_maker_of(inp.dim)->create_mesh(context, &inp, level, forest);
  rind_inp_free(&inp);
  return error;
}
