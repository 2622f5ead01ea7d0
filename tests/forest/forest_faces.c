/* forest_faces.c - the list of coarse-fine faces: each once over all ranks, both sides agree. */
#include <check.h>
#include <rind/forest_p4est.h>

#include <string.h>

static rind_context *context;

static int lower_half(const rind_block *block, void *user) {
  (void)user;
  return block->lower[0] + 0.5 * block->side[0] < 0.5;
}

/* Where a face lies, twice: from each side. */
static double plane(const rind_block *block, int face) {
  return block->lower[face / 2] + (face % 2 ? block->side[face / 2] : 0.0);
}

static void check_face(const rind_forest_arrays *arrays, const rind_coarse_fine_face *face) {
  const rind_block *coarse = &arrays->block[face->coarse], *fine = &arrays->block[face->fine];
  CHECK(coarse->level + 1 == fine->level, "levels %d and %d", coarse->level, fine->level);
  CHECK(face->coarse_face / 2 == face->fine_face / 2 && face->coarse_face != face->fine_face,
        "faces %d and %d of a brick", face->coarse_face, face->fine_face);
  CHECK(plane(coarse, face->coarse_face) == plane(fine, face->fine_face), "planes %g and %g",
        plane(coarse, face->coarse_face), plane(fine, face->fine_face));
}

static void test_brick(int dim, long expected) {
  const rind_brick brick = {.dim = dim, .level = 2, .upper = {1, 1, dim == 3}};
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  CHECK_OK(rind_forest_refine(forest, 3, lower_half, NULL), context);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  int num = -1, again = -1;
  CHECK_OK(rind_forest_coarse_fine_faces(forest, 0, NULL, &num), context);
  rind_coarse_fine_face *faces = calloc((size_t)num + 1, sizeof *faces);
  CHECK_OK(rind_forest_coarse_fine_faces(forest, num, faces, &again), context);
  CHECK(again == num, "%d, then %d faces", num, again);
  /* A face between ranks is listed by both: halves add up. */
  long halves = 0, sum = 0;
  for (int f = 0; f < num; ++f) {
    check_face(arrays, &faces[f]);
    halves += (faces[f].coarse < arrays->num_local) + (faces[f].fine < arrays->num_local);
    for (int e = 0; e < f; ++e)
      CHECK(faces[e].coarse != faces[f].coarse || faces[e].fine != faces[f].fine ||
                faces[e].coarse_face != faces[f].coarse_face,
            "face %d is face %d", f, e);
  }
  MPI_Allreduce(&halves, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == 2 * expected, "%ld halves of %ld faces", sum, expected);
  CHECK_ERROR(rind_forest_coarse_fine_faces(forest, 1, NULL, &num), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_forest_coarse_fine_faces(forest, -1, faces, &num), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_forest_coarse_fine_faces(forest, 0, NULL, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_forest_coarse_fine_faces(NULL, 0, NULL, &num), RIND_ERROR_INVALID, context);
  free(faces);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK(rind_context_create(MPI_COMM_WORLD, NULL, &context) == RIND_OK, "no context");
  test_brick(2, 8);
  test_brick(3, 64);
  rind_context_destroy(&context);
  return check_end();
}
