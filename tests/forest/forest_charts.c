/* forest_charts.c - forests of rotated trees: links lead back, and to the same point of space. */
#include <math.h>

#include <sc.h>

#include "check.h"
#include "meshes.h"
#include "world.h"

typedef struct topology {
  const mesh_kind *kind;
  const char *trees;
  int is_embedded; /* the trees' vertices say where they are, and faces are joined there only */
  int most_levels;
} topology;

static const topology topologies[] = {
    {&mesh_kind_2d, "moebius", 1, 3},  {&mesh_kind_2d, "star", 1, 3},
    {&mesh_kind_2d, "corner", 1, 3},   {&mesh_kind_2d, "cubed", 1, 3},
    {&mesh_kind_2d, "disk", 1, 3},     {&mesh_kind_2d, "pillow", 1, 3},
    {&mesh_kind_2d, "periodic", 0, 3}, {&mesh_kind_2d, "rotwrap", 0, 3},
    {&mesh_kind_2d, "brick23", 1, 3},  {&mesh_kind_2d, "bare", 1, 3},
    {&mesh_kind_3d, "rotcubes", 1, 2}, {&mesh_kind_3d, "twocubes", 1, 2},
    {&mesh_kind_3d, "twowrap", 0, 2},  {&mesh_kind_3d, "rotwrap", 0, 2},
    {&mesh_kind_3d, "periodic", 0, 2}, {&mesh_kind_3d, "shell", 0, 1},
    {&mesh_kind_3d, "sphere", 0, 1},   {&mesh_kind_3d, "brick235", 1, 1},
    {&mesh_kind_3d, "bare", 1, 2},
};

static int side_of(const rind_link *link) {
  return link->relation == 0 ? 2 : link->relation < 0 ? 4 : 1;
}

static void direction_of(int region, int o[3]) {
  o[0] = region % 3 - 1;
  o[1] = region / 3 % 3 - 1;
  o[2] = region / 9 - 1;
}

/* The block's lower corner as the neighbour sees it, in half sides of the neighbour. */
static void origin_from(const rind_link *link, int dim, int origin[3]) {
  const int side = side_of(link);
  for (int a = 0; a < 3; ++a)
    origin[a] = 0;
  for (int a = 0; a < dim; ++a) {
    const int away = link->flip[a] ? link->origin[a] + side - 2 : -link->origin[a];
    origin[link->axis[a]] = away * 2 / side;
  }
}

/* back leads where link came from, and undoes its turn. */
static int leads_back(const rind_link *link, const rind_link *back, int dim) {
  int origin[3];
  origin_from(link, dim, origin);
  int right = back->relation == -link->relation;
  for (int a = 0; a < 3; ++a)
    right = right && back->origin[a] == origin[a] && back->axis[link->axis[a]] == a &&
            back->flip[link->axis[a]] == link->flip[a];
  return right;
}

static int num_links_back(const world *all, int b, const world_link *link) {
  int num = 0;
  for (int l = all->first_link[link->neighbour]; l < all->first_link[link->neighbour + 1]; ++l)
    if (all->link[l].neighbour == b && leads_back(&link->link, &all->link[l].link, all->dim)) ++num;
  return num;
}

/* The middle of where the block and its neighbour touch, from both. */
static void check_point(const topology *of, const void *mesh, const world *all, int b,
                        const world_link *link) {
  const rind_block *block = &all->block[b], *other = &all->block[link->neighbour];
  const rind_link *to = &link->link;
  const int side = side_of(to);
  int o[3];
  direction_of(to->region, o);
  double here[3] = {0, 0, 0}, there[3] = {0, 0, 0};
  for (int a = 0; a < all->dim; ++a) {
    const double low = to->origin[a] > 0 ? to->origin[a] : 0;
    const double high = to->origin[a] + side < 2 ? to->origin[a] + side : 2;
    const double middle = o[a] < 0 ? 0 : o[a] > 0 ? 2 : (low + high) / 2;
    const double inside =
        (to->flip[a] ? to->origin[a] + side - middle : middle - to->origin[a]) / side;
    here[a] = ldexp(block->coordinate[a] + middle / 2, -block->level);
    there[to->axis[a]] = ldexp(other->coordinate[to->axis[a]] + inside, -other->level);
  }
  double from[3], at[3];
  of->kind->point(mesh, block->tree, here, from);
  of->kind->point(mesh, other->tree, there, at);
  const double apart = fabs(from[0] - at[0]) + fabs(from[1] - at[1]) + fabs(from[2] - at[2]);
  CHECK(apart < 1e-12, "%s %dD: block %d touches %lld in region %d, but %g away", of->trees,
        all->dim, b, (long long)link->neighbour, to->region, apart);
}

static void check_links(const topology *of, const void *mesh, const world *all, int rank) {
  for (int b = 0; b < all->num_blocks; ++b) {
    if (all->block[b].owner != rank) continue;
    int faces = 0;
    for (int l = all->first_link[b]; l < all->first_link[b + 1]; ++l) {
      const world_link *link = &all->link[l];
      CHECK(num_links_back(all, b, link) > 0, "%s %dD: link %d of block %d to %lld, no way back",
            of->trees, all->dim, l - all->first_link[b], b, (long long)link->neighbour);
      if (of->is_embedded) check_point(of, mesh, all, b, link);
      for (int a = 0, step = 1; a < all->dim; ++a, step *= 3) {
        if (link->link.region == RIND_REGION_SELF - step) faces |= 1 << 2 * a;
        if (link->link.region == RIND_REGION_SELF + step) faces |= 2 << 2 * a;
      }
    }
    CHECK((faces ^ all->walls[b]) == (1 << 2 * all->dim) - 1,
          "%s %dD: block %d has links over faces %x, walls %x", of->trees, all->dim, b, faces,
          all->walls[b]);
  }
}

static int has_link(const world *all, int b, int region) {
  for (int l = all->first_link[b]; l < all->first_link[b + 1]; ++l)
    if (all->link[l].link.region == region) return 1;
  return 0;
}

/* Regions that are neither linked nor behind a wall. */
static int num_uncovered(const world *all) {
  int num = 0;
  for (int b = 0; b < all->num_blocks; ++b)
    for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
      if (region == RIND_REGION_SELF || (all->dim == 2 && region / 9 != 1)) continue;
      int o[3], walled = 0;
      direction_of(region, o);
      for (int a = 0; a < all->dim; ++a)
        walled |= o[a] != 0 && (all->walls[b] >> (2 * a + (o[a] > 0)) & 1);
      if (!walled && !has_link(all, b, region)) ++num;
    }
  return num;
}

static void run_topology(rind_context *context, const topology *of) {
  for (int level = 0; level <= of->most_levels; ++level) {
    const mesh_recipe recipe = {.trees = of->trees,
                                .level = level > 1,
                                .max_level = level,
                                .seed = 11 + (uint64_t)level,
                                .share = 0.4};
    void *mesh = of->kind->create(MPI_COMM_WORLD, &recipe);
    rind_forest *forest = NULL;
    CHECK_OK(of->kind->wrap(context, mesh, &forest), context);
    if (forest) {
      world all;
      world_gather(forest, &all);
      CHECK(all.balance == RIND_BALANCE_FULL, "%s %dD: not balanced", of->trees, of->kind->dim);
      check_links(of, mesh, &all, rind_context_rank(context));
      world_free(&all);
    }
    rind_forest_destroy(&forest);
    of->kind->destroy(mesh);
  }
}

/* Without refinement as many regions lack a neighbour as the trees' corners and edges say. */
static void check_uncovered(rind_context *context, const mesh_kind *kind, const char *trees,
                            int level, int expected) {
  const mesh_recipe recipe = {.trees = trees, .level = level, .max_level = level};
  void *mesh = kind->create(MPI_COMM_WORLD, &recipe);
  rind_forest *forest = NULL;
  CHECK_OK(kind->wrap(context, mesh, &forest), context);
  if (forest) {
    world all;
    world_gather(forest, &all);
    const int num = num_uncovered(&all);
    CHECK(num == expected, "%s %dD: %d regions uncovered instead of %d", trees, kind->dim, num,
          expected);
    world_free(&all);
  }
  rind_forest_destroy(&forest);
  kind->destroy(mesh);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  sc_set_log_defaults(NULL, NULL, SC_LP_ERROR);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  for (size_t i = 0; i < sizeof topologies / sizeof *topologies; ++i)
    run_topology(context, &topologies[i]);
  check_uncovered(context, &mesh_kind_2d, "star", 2, 6);   /* six trees around the centre */
  check_uncovered(context, &mesh_kind_2d, "cubed", 2, 24); /* the corners of a cube's surface */
  check_uncovered(context, &mesh_kind_2d, "bare", 2, 4);
  check_uncovered(context, &mesh_kind_2d, "brick23", 2, 0);
  check_uncovered(context, &mesh_kind_2d, "rotwrap", 2, 0);
  check_uncovered(context, &mesh_kind_3d, "rotwrap", 1, 0);
  check_uncovered(context, &mesh_kind_3d, "brick235", 1, 0);
  check_uncovered(context, &mesh_kind_3d, "bare", 0, 8 * 4);
  rind_context_destroy(&context);
  return check_end();
}
