/* forest_same.c - a forest is the same on any number of ranks, with empty ones too. */
#include <sc.h>

#include "check.h"
#include "meshes.h"
#include "world.h"

static int same_links(const world_link *one, const world_link *other) {
  return one->neighbour == other->neighbour && world_same_link(&one->link, &other->link);
}

/* All but who owns what. */
static void check_same(const char *name, const world *all, const world *alone) {
  CHECK(all->balance == alone->balance, "%s: balance %d, alone %d", name, all->balance,
        alone->balance);
  CHECK(all->num_blocks == alone->num_blocks, "%s: %d blocks, alone %d", name, all->num_blocks,
        alone->num_blocks);
  if (all->num_blocks != alone->num_blocks) return;
  for (int b = 0; b < all->num_blocks; ++b) {
    CHECK(world_same_block(&all->block[b], &alone->block[b]), "%s: block %d differs", name, b);
    CHECK(all->walls[b] == alone->walls[b], "%s: walls of block %d differ", name, b);
    CHECK(all->first_link[b + 1] == alone->first_link[b + 1], "%s: %d links up to block %d, %d",
          name, all->first_link[b + 1], b, alone->first_link[b + 1]);
  }
  for (int l = 0; l < all->first_link[all->num_blocks]; ++l)
    CHECK(l >= alone->first_link[alone->num_blocks] || same_links(&all->link[l], &alone->link[l]),
          "%s: link %d differs", name, l);
}

static void compare(const char *name, const rind_forest *forest, const rind_forest *alone) {
  world all, one;
  world_gather(forest, &all);
  world_gather(alone, &one);
  check_same(name, &all, &one);
  world_free(&all);
  world_free(&one);
}

static void compare_brick(rind_context *context, rind_context *self, const char *name,
                          const rind_brick *brick, int max_level, double share) {
  rind_forest *forest = NULL, *alone = NULL;
  world_splitting splitting = {.seed = 5, .share = share};
  CHECK_OK(rind_forest_create_brick(context, brick, &forest), context);
  CHECK_OK(rind_forest_create_brick(self, brick, &alone), self);
  if (forest && alone) {
    compare(name, forest, alone);
    for (int step = 0; step < 2; ++step) { /* the second starts from a refined one */
      CHECK_OK(rind_forest_refine(forest, max_level + step, world_splits, &splitting), context);
      CHECK_OK(rind_forest_refine(alone, max_level + step, world_splits, &splitting), self);
      compare(name, forest, alone);
      splitting.seed = 6;
    }
  }
  rind_forest_destroy(&forest);
  rind_forest_destroy(&alone);
}

static void compare_mesh(rind_context *context, rind_context *self, const mesh_kind *kind,
                         const mesh_recipe *recipe) {
  void *mesh = kind->create(MPI_COMM_WORLD, recipe), *own = kind->create(MPI_COMM_SELF, recipe);
  rind_forest *forest = NULL, *alone = NULL;
  CHECK_OK(kind->wrap(context, mesh, &forest), context);
  CHECK_OK(kind->wrap(self, own, &alone), self);
  if (forest && alone) compare(recipe->trees, forest, alone);
  rind_forest_destroy(&forest);
  rind_forest_destroy(&alone);
  kind->destroy(mesh);
  kind->destroy(own);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  sc_set_log_defaults(NULL, NULL, SC_LP_ERROR);
  rind_context *context = NULL, *self = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  CHECK_OK(rind_context_create(MPI_COMM_SELF, NULL, &self), NULL);
  /* Fewer blocks than ranks at first: some ranks have none. */
  compare_brick(context, self, "one tree", &(rind_brick){.dim = 2}, 3, 0.5);
  compare_brick(context, self, "one periodic tree", &(rind_brick){.dim = 3, .periodic = {1, 1, 1}},
                2, 0.5);
  compare_brick(context, self, "never refined", &(rind_brick){.dim = 3, .trees = {3, 1, 1}}, 2, 0);
  compare_brick(context, self, "2D brick",
                &(rind_brick){.dim = 2, .trees = {3, 2}, .periodic = {0, 1}, .level = 1}, 4, 0.4);
  compare_brick(context, self, "3D brick",
                &(rind_brick){.dim = 3,
                              .trees = {2, 3, 1},
                              .periodic = {1, 0, 0},
                              .level = 1,
                              .lower = {-1, 0, 3},
                              .upper = {0.3, 0.1, 10}},
                2, 0.4);
  for (int balance = MESH_FULL; balance <= MESH_FACES; ++balance) {
    compare_mesh(context, self, &mesh_kind_2d,
                 &(mesh_recipe){"star", 0, 4, 3, 0.4, (mesh_balance)balance});
    compare_mesh(context, self, &mesh_kind_2d,
                 &(mesh_recipe){"bare", 1, 4, 3, 0.4, (mesh_balance)balance});
    compare_mesh(context, self, &mesh_kind_3d,
                 &(mesh_recipe){"rotcubes", 0, 2, 3, 0.4, (mesh_balance)balance});
  }
  rind_context_destroy(&context);
  rind_context_destroy(&self);
  return check_end();
}
