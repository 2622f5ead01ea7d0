/* forest_brick.c - bricks: silence, boxes, refinement by callback, and every mistake once. */
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include <p4est_base.h>

#include "check.h"
#include "world.h"

typedef struct mistake {
  rind_brick brick;
  rind_error error;
  const char *part; /* of the text */
} mistake;

static const mistake mistakes[] = {
    {{.dim = 0}, RIND_ERROR_INVALID, "dimension 0: 2 or 3"},
    {{.dim = 4}, RIND_ERROR_INVALID, "dimension 4: 2 or 3"},
    {{.dim = 2, .trees = {1, -3}}, RIND_ERROR_INVALID, "-3 trees along axis 1"},
    {{.dim = 2, .trees = {1, 1, 5}}, RIND_ERROR_INVALID, "5 trees along axis 2"},
    {{.dim = 2, .level = -1}, RIND_ERROR_INVALID, "level -1: 0 to "},
    {{.dim = 2, .level = 30}, RIND_ERROR_INVALID, "level 30: 0 to 29"},
    {{.dim = 3, .level = 40}, RIND_ERROR_INVALID, "level 40: 0 to "},
    {{.dim = 2, .trees = {65536, 65536}}, RIND_ERROR_OVERFLOW, "4294967296 trees"},
    {{.dim = 3, .trees = {2000000000, 2000000000, 2000000000}}, RIND_ERROR_OVERFLOW, "trees"},
    {{.dim = 3, .trees = {1000, 1000, 100}, .level = 3}, RIND_ERROR_OVERFLOW, "51200000000 blocks"},
    {{.dim = 2, .level = 29}, RIND_ERROR_OVERFLOW, "288230376151711744 blocks"},
    {{.dim = 2, .lower = {0, 1}, .upper = {1, 1}}, RIND_ERROR_INVALID, "from 1 to 1 along axis 1"},
    {{.dim = 2, .lower = {2, 0}, .upper = {1, 1}}, RIND_ERROR_INVALID, "from 2 to 1 along axis 0"},
    {{.dim = 2, .upper = {1, NAN}}, RIND_ERROR_INVALID, "nan along axis 1"},
    {{.dim = 2, .upper = {INFINITY, 1}}, RIND_ERROR_INVALID, "from 0 to inf along axis 0"},
    {{.dim = 3, .upper = {1, 1}}, RIND_ERROR_INVALID, "from 0 to 0 along axis 2"},
    {{.dim = 3, .lower = {-1e308, 0, 0}, .upper = {1e308, 1, 1}}, RIND_ERROR_INVALID, "axis 0"},
};

static void check_text(const rind_context *context, const char *part) {
  char first[1024] = "";
  strncpy(first, rind_last_error(context), sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strcmp(first, rind_last_error(context)) == 0, "\"%s\" here, \"%s\" on rank 0",
        rind_last_error(context), first);
  CHECK(strstr(first, part), "\"%s\" does not say \"%s\"", first, part);
}

static void make_mistakes(rind_context *context) {
  rind_forest *forest = NULL;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
    CHECK_ERROR(rind_forest_create_brick(context, &mistakes[i].brick, &forest), mistakes[i].error,
                context);
    check_text(context, mistakes[i].part);
  }
  CHECK_ERROR(rind_forest_create_brick(context, NULL, &forest), RIND_ERROR_INVALID, context);
  check_text(context, "NULL");
  const rind_brick brick = {.dim = 2};
  CHECK_ERROR(rind_forest_create_brick(NULL, &brick, &forest), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_forest_create_brick(context, &brick, NULL), RIND_ERROR_INVALID, context);
  const int rank = rind_context_rank(context), size = rind_context_size(context);
  const rind_brick other = {.dim = 2, .trees = {1 + (rank == size - 1)}};
  if (size > 1) {
    CHECK_ERROR(rind_forest_create_brick(context, &other, &forest), RIND_ERROR_INVALID, context);
    check_text(context, "another brick than rank 0");
    const rind_brick bad = {.dim = rank == 1 ? 7 : 3};
    CHECK_ERROR(rind_forest_create_brick(context, &bad, &forest), RIND_ERROR_INVALID, context);
    check_text(context, "dimension 7");
  }
  CHECK(!forest, "a forest was made");
}

static int always(const rind_block *block, void *user) {
  (void)block, (void)user;
  return 1;
}

static void make_refinement_mistakes(rind_context *context) {
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &(rind_brick){.dim = 3, .level = 1}, &forest),
           context);
  const rind_block *block = rind_forest_get_arrays(forest)->block;
  CHECK_ERROR(rind_forest_refine(forest, 31, always, NULL), RIND_ERROR_INVALID, context);
  check_text(context, "max_level is 31: 0 to ");
  CHECK_ERROR(rind_forest_refine(forest, -1, always, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_forest_refine(forest, 2, NULL, NULL), RIND_ERROR_INVALID, context);
  CHECK(rind_forest_num_global_blocks(forest) == 8 && rind_forest_revision(forest) == 0 &&
            rind_forest_get_arrays(forest)->block == block,
        "the forest has changed");
  rind_forest_destroy(&forest);
}

/* Splits the blocks whose number is even, known from the forest before; counts the calls. */
typedef struct census {
  const rind_forest *forest;
  int known;
  int unknown;
} census;

static int splits_even(const rind_block *block, void *user) {
  census *counts = user;
  if (block->index < 0) {
    CHECK(block->global == -1 && block->side[0] == ldexp(1, -block->level),
          "a new block has number %lld, side %g", (long long)block->global, block->side[0]);
    ++counts->unknown;
    return 0;
  }
  ++counts->known;
  const rind_block *same = rind_forest_block(counts->forest, block->index);
  CHECK(same && world_same_block(same, block) && same->owner == block->owner,
        "block %d is described otherwise than in the forest", block->index);
  return block->global % 2 == 0;
}

static void refine_by_number(rind_context *context, int dim) {
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &(rind_brick){.dim = dim, .level = 2}, &forest),
           context);
  census counts = {.forest = forest};
  const int num_local = rind_forest_num_blocks(forest), children = 1 << dim;
  const int64_t num_global = rind_forest_num_global_blocks(forest);
  int even = 0;
  for (int b = 0; b < num_local; ++b)
    even += rind_forest_block(forest, b)->global % 2 == 0;
  CHECK_OK(rind_forest_refine(forest, 4, splits_even, &counts), context);
  CHECK(counts.known == num_local, "%d blocks asked about, %d there are", counts.known, num_local);
  CHECK(counts.unknown == children * even, "%d new blocks asked about, %d there are",
        counts.unknown, children * even);
  CHECK(rind_forest_num_global_blocks(forest) == num_global + num_global / 2 * (children - 1),
        "%lld blocks", (long long)rind_forest_num_global_blocks(forest));
  CHECK(rind_forest_revision(forest) == 1, "revision %lld",
        (long long)rind_forest_revision(forest));
  rind_forest_destroy(&forest);
}

static void check_box(rind_context *context) {
  const rind_brick brick = {
      .dim = 2, .trees = {3, 2}, .level = 1, .lower = {0, -1}, .upper = {1, 7}};
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    CHECK(block->side[0] == 1.0 / 6 && block->side[1] == 2 && block->side[2] == 0,
          "block %d has sides %g %g %g", b, block->side[0], block->side[1], block->side[2]);
    const double steps = block->lower[0] * 6, rows = (block->lower[1] + 1) / 2;
    CHECK(fabs(steps - round(steps)) < 1e-15 && rows == round(rows) && block->lower[2] == 0,
          "block %d lies at %.17g %.17g %g", b, block->lower[0], block->lower[1], block->lower[2]);
  }
  rind_forest_destroy(&forest);
}

/* Whether anything was printed to stdout or stderr meanwhile. */
static void check_silence(rind_context *context) {
  char name[] = "rind_silence_XXXXXX";
  const int file = mkstemp(name), out = dup(1), err = dup(2);
  CHECK(file >= 0, "no temporary file");
  unlink(name);
  fflush(NULL);
  dup2(file, 1);
  dup2(file, 2);
  rind_forest *forest = NULL;
  const rind_brick brick = {.dim = 3, .trees = {2, 2, 2}};
  const rind_error made = rind_forest_create_brick(context, &brick, &forest);
  const rind_error refined = rind_forest_refine(forest, 1, always, NULL);
  rind_forest_destroy(&forest);
  fflush(NULL);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  const off_t length = lseek(file, 0, SEEK_END);
  close(file);
  CHECK(made == RIND_OK && refined == RIND_OK, "%s", rind_last_error(context));
  CHECK(length == 0, "%ld characters were printed", (long)length);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  check_silence(context);
  /* A caller may initialise sc and p4est after that, together or not. */
  sc_init(MPI_COMM_WORLD, 0, 0, NULL, SC_LP_ERROR);
  check_silence(context);
  p4est_init(NULL, SC_LP_ERROR);
  make_mistakes(context);
  make_refinement_mistakes(context);
  refine_by_number(context, 2);
  refine_by_number(context, 3);
  check_box(context);
  rind_context_destroy(&context);
  sc_finalize();
  return check_end();
}
