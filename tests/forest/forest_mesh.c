/* forest_mesh.c - forests of .inp files: what is glued to what, and what is wrong with a file. */
#include <check.h>
#include <rind/forest_p4est.h>
#include <rind/schedule.h>

#include <string.h>

static rind_context *context;
static const char *path;

/* Collective. Rank 0 writes the file. */
static void write_file(const char *text) {
  if (rind_context_rank(context) == 0) {
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s cannot be written", path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static const char two_by_one[] = "\xef\xbb\xbf"
                                 "*Heading\n two squares\n"
                                 "** a comment\n"
                                 "*NODE, NSET=all\n"
                                 "10, 0, 0, 0\n20, 1., 0\n 30, 2e0, 0, 0\n"
                                 "40, 0, 1, 0\n50, 1, 1, 0\r\n60, 2, 1, 0\n70, 9, 9, 9\n"
                                 "*Element, elset=b, type=CPS4R\n"
                                 "1, 10, 20, 50, 40\n"
                                 "7, 20, 30,\n 60, 50\n"
                                 "*Material, name=steel\n1, 2, 3\n";

static const char two_cubes[] = "*node\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n"
                                "5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
                                "9,0,0,2\n10,1,0,2\n11,1,1,2\n12,0,1,2\n"
                                "*element,type=C3D8\n1,1,2,3,4,5,6,7,8\n2,5,6,7,8,9,10,11,12\n";

static int everywhere(const rind_block *block, void *user) {
  (void)user;
  return block->tree == 0;
}

/* Links over all ranks, and blocks. */
static void count(const rind_forest *forest, long counts[2]) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  long mine[2] = {arrays->first_link[arrays->num_local], arrays->num_local};
  MPI_Allreduce(mine, counts, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void test_squares(void) {
  rind_forest *forest = NULL;
  long counts[2] = {0};
  write_file(two_by_one);
  CHECK_OK(rind_forest_create_mesh(context, path, 0, &forest), context);
  if (!forest) return;
  count(forest, counts);
  CHECK(rind_forest_dim(forest) == 2 && counts[0] == 2 && counts[1] == 2, "%ld links of %ld blocks",
        counts[0], counts[1]);
  CHECK_OK(rind_forest_refine(forest, 1, everywhere, NULL), context);
  count(forest, counts);
  CHECK(counts[1] == 5, "%ld blocks", counts[1]);
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    const double side = block->level == 0 ? 1.0 : 0.5;
    CHECK(block->side[0] == side && block->lower[0] >= block->tree &&
              block->lower[0] + side <= block->tree + 1,
          "tree %d, level %d at %g", block->tree, block->level, block->lower[0]);
  }
  rind_forest_destroy(&forest);
}

static void test_cubes(void) {
  rind_forest *forest = NULL;
  long counts[2] = {0};
  write_file(two_cubes);
  CHECK_OK(rind_forest_create_mesh(context, path, 1, &forest), context);
  if (!forest) return;
  count(forest, counts);
  /* A 2 x 2 x 4 box of blocks: 4 columns, in each 2 ends with 3 + 4 and 2 middles with 3 + 8. */
  CHECK(rind_forest_dim(forest) == 3 && counts[1] == 16 && counts[0] == 4 * (2 * 7 + 2 * 11),
        "%ld links of %ld blocks", counts[0], counts[1]);
  rind_schedule *schedule = NULL;
  CHECK_OK(rind_schedule_create(forest, 4, 2, NULL, &schedule), context);
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

typedef struct broken {
  const char *text;
  const char *words; /* that the line about it holds */
} broken;

static const broken files[] = {
    {"", "no elements"},
    {"*node\n1,0,0\n", "no elements"},
    {"*node\n1,0,0\n1,1,0\n*element,type=S4\n1,1,1,1,1\n", "line 3: node 1 stands in line 2"},
    {"*node\n1,0\n", "line 2: a number is missing"},
    {"*node\n1,0,zero\n", "line 2: coordinate 'zero'"},
    {"*node\n1,0,nan\n", "coordinate 'nan'"},
    {"*node\n1,0,1e999\n", "coordinate '1e999'"},
    {"*node\n-1,0,0\n", "node '-1'"},
    {"*node\n99999999999999999999,0,0\n", "node '99999999999999999999'"},
    {"*node\n1,0,0,0,0\n", "line 2: '0' after the end of a node"},
    {"*element\n", "line 1: *ELEMENT without TYPE="},
    {"*element,type=C3D10\n", "element type 'C3D10'"},
    {"*element,type=CPS3\n", "element type 'CPS3'"},
    {"*element,type=S4\n1,1,2,3\n", "line 2: a number is missing"},
    {"*element,type=S4\n1,1,2,3,\n*node\n", "a keyword where"},
    {"*node\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*element,type=S4\n1,1,2,3,5\n",
     "line 7: element 1 has node 5, which does not exist"},
    {"*node\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*element,type=S4\n1,1,2,3,3\n", "node 3 twice"},
    {"*node\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*element,type=S4\n1,1,2,3,4\n1,1,2,3,4\n",
     "line 8: element 1 stands in line 7"},
    {"*node\n1,0,0\n2,1,0\n3,2,0\n4,3,0\n*element,type=S4\n1,1,2,3,4\n", "degenerate"},
    {"*node\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,1,0,1\n6,0,0,1\n7,1,0,-1\n8,0,0,-1\n"
     "*element,type=S4\n1,1,2,3,4\n2,1,2,5,6\n3,1,2,7,8\n",
     "element 3 shares a face with elements 1 and 2"},
    {"*node\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,-1\n6,1,0,-1\n7,1,1,-1\n8,0,1,-1\n"
     "*element,type=C3D8\n1,1,2,3,4,5,6,7,8\n",
     "inside out"},
    {"*node\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,1\n6,2,2\n7,1,2\n*element,type=S4\n1,1,2,3,4\n"
     "2,3,5,6,7\n",
     "line 11: element 2 touches element 1 at node 3"},
    {"*node\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
     "9,2,1,0\n10,2,2,0\n11,1,2,0\n12,2,1,1\n13,2,2,1\n14,1,2,1\n"
     "*element,type=C3D8\n1,1,2,3,4,5,6,7,8\n2,3,9,10,11,7,12,13,14\n",
     "element 2 touches element 1 at node"},
};

static void test_broken(void) {
  rind_forest *forest = NULL;
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
    write_file(files[f].text);
    CHECK_ERROR(rind_forest_create_mesh(context, path, 0, &forest), RIND_ERROR_FORMAT, context);
    CHECK(strstr(rind_last_error(context), files[f].words) &&
              !strchr(rind_last_error(context), '\n'),
          "file %zu: \"%s\" is not in: %s", f, files[f].words, rind_last_error(context));
  }
  write_file(two_by_one);
  CHECK_ERROR(rind_forest_create_mesh(context, path, -1, &forest), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_forest_create_mesh(context, path, 28, &forest), RIND_ERROR_OVERFLOW, context);
  CHECK_ERROR(rind_forest_create_mesh(context, NULL, 0, &forest), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_forest_create_mesh(context, "/nowhere/mesh.inp", 0, &forest), RIND_ERROR_IO,
              context);
  CHECK_ERROR(rind_forest_create_mesh(context, "/", 0, &forest), RIND_ERROR_IO, context);
  CHECK(strstr(rind_last_error(context), "no regular file"), "%s", rind_last_error(context));
  CHECK_ERROR(rind_forest_create_mesh(context, "", 0, &forest), RIND_ERROR_IO, context);
  CHECK(!forest, "a forest in spite of errors");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  path = argc > 1 ? argv[1] : "forest_mesh.inp";
  CHECK(rind_context_create(MPI_COMM_WORLD, NULL, &context) == RIND_OK, "no context");
  test_squares();
  test_cubes();
  test_broken();
  if (rind_context_rank(context) == 0) remove(path);
  rind_context_destroy(&context);
  return check_end();
}
