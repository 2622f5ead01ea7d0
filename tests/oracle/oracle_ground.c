/* oracle_ground.c - the list of meshes whose trees are turned against each other. */
#include <string.h>

#include "oracle_scene.h"

typedef enum maker { NAMED, RING, GRID, TETRAHEDRON } maker;

typedef struct ground {
  const char *name;
  int dim;
  maker how;
  int numbers[3]; /* of p4est's; around, elements, layers of a ring; sizes of a grid */
  int level;      /* at most, to begin with */
  int deeper;     /* levels more, at most */
} ground;

static const ground grounds[] = {
    {"moebius", 2, NAMED, {0}, 1, 2},
    {"rotcubes", 3, NAMED, {0}, 0, 2},
    {"star", 2, NAMED, {0}, 1, 2},
    {"shell", 3, NAMED, {0}, 0, 1},
    {"cubed", 2, NAMED, {0}, 1, 2},
    {"sphere", 3, NAMED, {0}, 0, 1},
    {"ring of 3", 2, RING, {3, 3, 1}, 1, 2},
    {"ring of 3 in two layers", 3, RING, {3, 3, 2}, 0, 2},
    {"rotwrap", 2, NAMED, {0}, 2, 2},
    {"rotwrap", 3, NAMED, {0}, 1, 2},
    {"disk", 2, NAMED, {0, 0}, 1, 2},
    {"twotrees", 3, NAMED, {0}, 1, 2},
    {"twotrees", 2, NAMED, {0}, 1, 3},
    {"tetrahedron", 3, TETRAHEDRON, {0}, 1, 2},
    {"disk", 2, NAMED, {1, 0}, 1, 2},
    {"twowrap", 3, NAMED, {0}, 1, 2},
    {"grid", 2, GRID, {4, 3, 1}, 1, 2},
    {"grid", 3, GRID, {3, 2, 2}, 0, 2},
    {"corner", 2, NAMED, {0}, 1, 3},
    {"twocubes", 3, NAMED, {0}, 1, 2},
    {"ring of 5", 2, RING, {5, 5, 1}, 1, 2},
    {"ring of 5", 3, RING, {5, 5, 1}, 0, 2},
    {"periodic", 2, NAMED, {0}, 2, 2},
    {"periodic", 3, NAMED, {0}, 1, 2},
    {"pillow", 2, NAMED, {0}, 1, 3},
    {"bare", 3, NAMED, {0}, 0, 2},
    {"bare", 2, NAMED, {0}, 1, 2},
    {"twotrees", 3, NAMED, {0}, 1, 2},
    {"fan of 3 in 4", 2, RING, {4, 3, 1}, 1, 2},
    {"fan of 3 in 4", 3, RING, {4, 3, 2}, 0, 2},
    {"fan of 5 in 7", 2, RING, {7, 5, 1}, 1, 2},
    {"grid", 3, GRID, {2, 2, 3}, 0, 2},
    {"disk", 2, NAMED, {1, 1}, 1, 2},
    {"fan of 4 in 5", 3, RING, {5, 4, 1}, 0, 2},
    {"fan of 4 in 5", 2, RING, {5, 4, 1}, 1, 2},
    {"twotrees", 3, NAMED, {0}, 1, 2},
};
enum { NUM_GROUNDS = sizeof grounds / sizeof *grounds };

static const ground *ground_of(int index) {
  return &grounds[index % NUM_GROUNDS];
}

const char *scene_ground_name(int index) {
  return ground_of(index)->name;
}

void scene_choose_ground(scene *s, int index) {
  const ground *g = ground_of(index);
  uint64_t state = scene_mix(s->seed ^ 0x96041d);
  s->brick = (rind_brick){.dim = g->dim, .level = scene_draw(&state, g->level + 1)};
  s->max_level = s->brick.level + scene_draw(&state, g->deeper + 1);
  if (s->max_level == 0) s->max_level = 1;
  s->percent = g->dim == 2 ? 10 + scene_draw(&state, 40) : 5 + scene_draw(&state, 15);
}

rind_error scene_create_ground(rind_context *context, scene *s, int index, const char *path,
                               scene_mesh *mesh, rind_forest **forest) {
  const ground *g = ground_of(index);
  int numbers[3] = {g->numbers[0], g->numbers[1], g->numbers[2]};
  if (g->how == NAMED) {
    uint64_t state = scene_mix(s->seed ^ 0x7e33);
    if (strcmp(g->name, "twotrees") == 0) {
      numbers[0] = scene_draw(&state, 2 * g->dim);
      numbers[1] = scene_draw(&state, 2 * g->dim);
      numbers[2] = scene_draw(&state, g->dim == 2 ? 2 : 4);
    }
    return (g->dim == 2 ? scene_wrap_trees_2d : scene_wrap_trees_3d)(context, s, g->name, numbers,
                                                                     mesh, forest);
  }
  scene_elements all;
  if (g->how == RING) {
    all = scene_ring(g->dim, numbers[0], numbers[1], numbers[2]);
  } else if (g->how == GRID) {
    all = scene_grid(g->dim, numbers, 30, s->seed);
  } else {
    all = scene_tetrahedron();
  }
  scene_turn(&all, s->seed);
  return scene_create_elements(context, s, &all, path, mesh, forest);
}
