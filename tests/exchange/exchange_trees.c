/* exchange_trees.c - forests by number, of turned blocks and of glued trees. */
#include <exchange_trees.h>

#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name;
  int dim, blocks[3], periodic[3];
  unsigned refined, seed, irregular;
  int cells, ghosts;
} hands[NUM_HAND_TREES] = {
    {"2D by hand, straight", 2, {3, 3}, {0, 0}, 0x11, 0, 0, 4, 2},
    {"2D by hand, turned", 2, {3, 2}, {0, 1}, 0x12, 5, 0, 6, 3},
    {"2D by hand, turned, irregular", 2, {3, 3}, {1, 1}, 0x101, 6, 3, 4, 1},
    {"3D by hand, straight", 3, {2, 2, 1}, {0, 0, 1}, 0x1, 0, 0, 4, 2},
    {"3D by hand, turned", 3, {2, 2, 2}, {0, 1, 0}, 0x42, 9, 0, 4, 2},
    {"3D by hand, turned, irregular", 3, {2, 2, 2}, {0, 0, 0}, 0x9, 11, 8, 6, 1}};

static const struct {
  const mesh_kind *kind;
  mesh_recipe recipe;
  int cells, ghosts;
} meshes[NUM_TREES - NUM_HAND_TREES] = {
    {&mesh_kind_2d, {"moebius", 0, 2, 3, 0.4, MESH_FULL}, 4, 2},
    {&mesh_kind_2d, {"star", 1, 2, 4, 0.3, MESH_FULL}, 4, 1},
    {&mesh_kind_2d, {"disk", 0, 2, 5, 0.4, MESH_FULL}, 4, 2},
    {&mesh_kind_2d, {"pillow", 0, 2, 6, 0.5, MESH_FULL}, 4, 2},
    {&mesh_kind_3d, {"rotcubes", 0, 1, 7, 0.5, MESH_FULL}, 4, 1},
    {&mesh_kind_3d, {"rotwrap", 0, 2, 8, 0.4, MESH_FULL}, 4, 2},
    {&mesh_kind_3d, {"shell", 0, 1, 9, 0.2, MESH_FULL}, 4, 1}};

static void must(rind_error error, const rind_context *context, const char *what) {
  if (error == RIND_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, rind_error_name(error), rind_last_error(context));
  abort();
}

static void create_hand(int number, trees *t) {
  t->s.name = hands[number].name;
  t->s.dim = hands[number].dim;
  t->s.cells = hands[number].cells;
  t->s.ghosts = hands[number].ghosts;
  t->hand = malloc(sizeof *t->hand);
  hand_forest_grid(t->hand, hands[number].dim, hands[number].blocks, hands[number].periodic,
                   hands[number].refined);
  if (hands[number].seed > 0) hand_forest_turn(t->hand, hands[number].seed);
  t->hand->irregular = hands[number].irregular;
  must(hand_forest_create(t->s.context, t->hand, &t->s.forest), t->s.context, t->s.name);
}

static void create_mesh(MPI_Comm comm, int number, trees *t) {
  t->s.name = meshes[number].recipe.trees;
  t->kind = meshes[number].kind;
  t->s.dim = t->kind->dim;
  t->s.cells = meshes[number].cells;
  t->s.ghosts = meshes[number].ghosts;
  t->mesh = t->kind->create(comm, &meshes[number].recipe);
  must(t->kind->wrap(t->s.context, t->mesh, &t->s.forest), t->s.context, t->s.name);
}

void trees_create(MPI_Comm comm, int number, int threads, const rind_rules *rules, trees *t) {
  const rind_context_options options = {.threads = threads};
  *t = (trees){0};
  must(rind_context_create(comm, &options, &t->s.context), NULL, "context");
  if (number < NUM_HAND_TREES)
    create_hand(number, t);
  else
    create_mesh(comm, number - NUM_HAND_TREES, t);
  must(rind_schedule_create(t->s.forest, t->s.cells, t->s.ghosts, rules, &t->s.schedule),
       t->s.context, t->s.name);
}

void trees_destroy(trees *t) {
  scene_destroy(&t->s);
  if (t->mesh) t->kind->destroy(t->mesh);
  free(t->hand);
  *t = (trees){0};
}
