/* forest_wrap.c - forests around the caller's p4est: balance, staleness, and nothing touched. */
#include <string.h>

#include <p4est_base.h>

#include "check.h"
#include "meshes.h"
#include "world.h"

static const mesh_kind *const kinds[2] = {&mesh_kind_2d, &mesh_kind_3d};

/* Every rank has the text of rank 0, and something is in it. */
static void check_text(const rind_context *context, const char *what, const char *part) {
  char first[1024] = "";
  strncpy(first, rind_last_error(context), sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strcmp(first, rind_last_error(context)) == 0, "%s: \"%s\" here, \"%s\" on rank 0", what,
        rind_last_error(context), first);
  CHECK(strstr(first, part), "%s: \"%s\" does not say \"%s\"", what, first, part);
}

static mesh_recipe recipe_of(const mesh_kind *kind, mesh_balance balance) {
  return (mesh_recipe){.trees = kind->dim == 2 ? "brick23" : "rotcubes",
                       .max_level = kind->dim == 2 ? 6 : 3,
                       .seed = 4,
                       .share = 0.35,
                       .balance = balance};
}

static int is_face(int region) {
  return region == 4 || region == 10 || region == 12 || region == 14 || region == 16 ||
         region == 22;
}

static void wrap_balanced(rind_context *context, const mesh_kind *kind, mesh_balance balance) {
  const mesh_recipe recipe = recipe_of(kind, balance);
  void *mesh = kind->create(MPI_COMM_WORLD, &recipe);
  const double before = kind->fingerprint(mesh);
  rind_forest *forest = NULL;
  CHECK_OK(kind->wrap(context, mesh, &forest), context);
  CHECK(kind->fingerprint(mesh) == before, "%dD: the mesh has changed", kind->dim);
  if (forest) {
    world all;
    world_gather(forest, &all);
    CHECK(all.balance == (balance == MESH_FULL ? RIND_BALANCE_FULL : RIND_BALANCE_FACES),
          "%dD: balance %d", kind->dim, all.balance);
    int num_corners = 0;
    for (int l = 0; l < all.first_link[all.num_blocks]; ++l)
      num_corners += !is_face(all.link[l].link.region);
    CHECK((num_corners > 0) == (balance == MESH_FULL), "%dD: %d links over corners", kind->dim,
          num_corners);
    world_free(&all);
    CHECK_ERROR(rind_forest_refine(forest, 5, world_splits, NULL), RIND_ERROR_UNSUPPORTED, context);
    CHECK_OK(rind_forest_check(forest), context);
    kind->split_all(mesh);
    CHECK_ERROR(rind_forest_check(forest), RIND_ERROR_STALE, context);
  }
  rind_forest_destroy(&forest);
  kind->destroy(mesh);
}

/* The block at fault does not depend on who owns it. */
static void check_alone(const rind_context *context, const mesh_kind *kind,
                        const mesh_recipe *recipe) {
  rind_context *self = NULL;
  rind_forest *forest = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_SELF, NULL, &self), NULL);
  void *mesh = kind->create(MPI_COMM_SELF, recipe);
  CHECK_ERROR(kind->wrap(self, mesh, &forest), RIND_ERROR_UNBALANCED, self);
  CHECK(strcmp(rind_last_error(self), rind_last_error(context)) == 0, "\"%s\", alone \"%s\"",
        rind_last_error(context), rind_last_error(self));
  kind->destroy(mesh);
  rind_context_destroy(&self);
}

static void refuse_unbalanced(rind_context *context, const mesh_kind *kind) {
  const mesh_recipe recipe = recipe_of(kind, MESH_UNBALANCED);
  void *mesh = kind->create(MPI_COMM_WORLD, &recipe);
  const double before = kind->fingerprint(mesh);
  rind_forest *forest = NULL;
  CHECK_ERROR(kind->wrap(context, mesh, &forest), RIND_ERROR_UNBALANCED, context);
  CHECK(!forest, "%dD: a forest was made", kind->dim);
  check_text(context, "unbalanced", "balance the mesh 2:1");
  check_alone(context, kind, &recipe);
  CHECK(kind->fingerprint(mesh) == before, "%dD: the mesh has changed", kind->dim);
  kind->destroy(mesh);
}

static void refuse_others(rind_context *context, const mesh_kind *kind) {
  rind_forest *forest = NULL;
  CHECK_ERROR(kind->wrap(context, NULL, &forest), RIND_ERROR_INVALID, context);
  check_text(context, "NULL", "NULL");
  const int rank = rind_context_rank(context), size = rind_context_size(context);
  const mesh_recipe recipe = {.trees = "unit", .level = 2, .max_level = 2};
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  void *mesh = kind->create(backwards, &recipe), *own = kind->create(MPI_COMM_SELF, &recipe);
  if (size > 1) {
    CHECK_ERROR(kind->wrap(context, mesh, &forest), RIND_ERROR_MISMATCH, context);
    check_text(context, "ranks backwards", "same ranks in the same order");
    CHECK_ERROR(kind->wrap(context, own, &forest), RIND_ERROR_MISMATCH, context);
    check_text(context, "one rank", "1 ranks");
    /* Only one rank is at fault: all refuse. */
    mesh_recipe good = recipe;
    void *fine = kind->create(MPI_COMM_WORLD, &good);
    CHECK_ERROR(kind->wrap(context, rank == size - 1 ? NULL : fine, &forest), RIND_ERROR_INVALID,
                context);
    check_text(context, "NULL on one rank", "NULL");
    kind->destroy(fine);
  }
  CHECK(!forest, "a forest was made");
  CHECK_ERROR(kind->wrap(NULL, mesh, &forest), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(kind->wrap(context, mesh, NULL), RIND_ERROR_INVALID, context);
  kind->destroy(mesh);
  kind->destroy(own);
  MPI_Comm_free(&backwards);
}

/* Side lengths and corners come from the trees' vertices. */
static void check_place(rind_context *context) {
  const mesh_recipe recipe = {.trees = "brick235", .level = 1, .max_level = 1};
  void *mesh = mesh_kind_3d.create(MPI_COMM_WORLD, &recipe);
  rind_forest *forest = NULL;
  CHECK_OK(mesh_kind_3d.wrap(context, mesh, &forest), context);
  for (int b = 0; forest && b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    double at[3], fraction[3];
    for (int a = 0; a < 3; ++a) {
      fraction[a] = block->coordinate[a] / 2.0;
      CHECK(block->side[a] == 0.5, "block %d has side %.17g", b, block->side[a]);
    }
    mesh_kind_3d.point(mesh, block->tree, fraction, at);
    CHECK(memcmp(at, block->lower, sizeof at) == 0, "block %d lies at %g %g %g", b, block->lower[0],
          block->lower[1], block->lower[2]);
  }
  rind_forest_destroy(&forest);
  mesh_kind_3d.destroy(mesh);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  /* As a solver would: before the library has anything to do. */
  sc_init(MPI_COMM_WORLD, 0, 0, NULL, SC_LP_ERROR);
  p4est_init(NULL, SC_LP_ERROR);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  for (int k = 0; k < 2; ++k) {
    wrap_balanced(context, kinds[k], MESH_FULL);
    wrap_balanced(context, kinds[k], MESH_FACES);
    refuse_unbalanced(context, kinds[k]);
    refuse_others(context, kinds[k]);
  }
  check_place(context);
  rind_context_destroy(&context);
  sc_finalize();
  return check_end();
}
