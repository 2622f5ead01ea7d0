/* oracle_elements.c - meshes of elements: rings, grids with holes, turned at random; .inp files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_scene.h"

static int add_node(scene_elements *all, double x, double y, double z) {
  const double at[3] = {x, y, z};
  for (int i = 0; i < all->num_nodes; ++i) {
    const double *node = all->node[i];
    if (fabs(node[0] - x) + fabs(node[1] - y) + fabs(node[2] - z) < 1e-9) return i;
  }
  if (all->num_nodes == SCENE_MAX_NODES) abort();
  memcpy(all->node[all->num_nodes], at, sizeof at);
  return all->num_nodes++;
}

static int *add_element(scene_elements *all) {
  if (all->num_elements == SCENE_MAX_ELEMENTS) abort();
  return all->element[all->num_elements++];
}

/* The middle (spoke 0), the end of a spoke, or the corner between two of them. */
static int ring_node(scene_elements *all, int around, double spoke, double radius, int z) {
  const double angle = 6.283185307179586 * spoke / around;
  return add_node(all, radius * cos(angle), radius * sin(angle), z);
}

scene_elements scene_ring(int dim, int around, int elements, int layers) {
  scene_elements all = {.dim = dim};
  for (int i = 0; i < elements; ++i) {
    for (int z = 0; z < (dim == 2 ? 1 : layers); ++z) {
      int *corner = add_element(&all);
      for (int upper = 0; upper < dim - 1; ++upper) {
        corner[4 * upper] = ring_node(&all, around, 0, 0, z + upper);
        corner[4 * upper + 1] = ring_node(&all, around, i, 1, z + upper);
        corner[4 * upper + 2] = ring_node(&all, around, (i + 1) % around, 1, z + upper);
        corner[4 * upper + 3] = ring_node(&all, around, i + 0.5, 1.4, z + upper);
      }
    }
  }
  return all;
}

static bool has_node(const scene_elements *all, int element, int node) {
  for (int k = 0; k < 1 << all->dim; ++k) {
    if (all->element[element][k] == node) return true;
  }
  return false;
}

static int num_shared(const scene_elements *all, int t, int u) {
  int num = 0;
  for (int k = 0; k < 1 << all->dim; ++k)
    num += has_node(all, u, all->element[t][k]);
  return num;
}

/* The elements that have both nodes form one chain of shared faces. */
static bool is_joined_at(const scene_elements *all, int a, int b) {
  int member[SCENE_MAX_ELEMENTS], reached[SCENE_MAX_ELEMENTS] = {1}, num = 0, num_reached = 1;
  for (int t = 0; t < all->num_elements; ++t) {
    if (has_node(all, t, a) && has_node(all, t, b)) member[num++] = t;
  }
  for (int round = 0; round < num; ++round) {
    for (int i = 0; i < num * num; ++i) {
      const int t = i / num, u = i % num;
      if (!reached[t] || reached[u]) continue;
      if (num_shared(all, member[t], member[u]) < 1 << (all->dim - 1)) continue;
      reached[u] = 1;
      ++num_reached;
    }
  }
  return num == 0 || num_reached == num;
}

/* No two elements touch in an edge or corner only: p4est 2.2 cannot balance such meshes. */
static bool is_manifold(const scene_elements *all) {
  for (int a = 0; a < all->num_nodes; ++a) {
    for (int b = 0; b <= a; ++b) {
      if (!is_joined_at(all, a, b)) return false;
    }
  }
  return true;
}

scene_elements scene_grid(int dim, const int size[3], int percent, uint64_t seed) {
  scene_elements all = {.dim = dim};
  uint64_t state = scene_mix(seed);
  const int num_places = size[0] * size[1] * (dim == 3 ? size[2] : 1);
  for (int i = 0; i < num_places; ++i) {
    int *corner = add_element(&all);
    for (int k = 0; k < 1 << dim; ++k) {
      corner[k] = add_node(&all, i % size[0] + (k & 1), i / size[0] % size[1] + (k >> 1 & 1),
                           i / size[0] / size[1] + (k >> 2));
    }
  }
  for (int i = num_places - 1; i > 0; --i) {
    if (scene_draw(&state, 100) >= percent) continue;
    scene_elements fewer = all;
    --fewer.num_elements;
    memmove(fewer.element[i], all.element[i + 1],
            (size_t)(all.num_elements - i - 1) * sizeof all.element[0]);
    if (is_manifold(&fewer)) all = fewer;
  }
  return all;
}

/* The middle of some of four points, bits of which. */
static int mean_node(scene_elements *all, int which) {
  static const double point[4][3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
  double sum[3] = {0, 0, 0};
  int num = 0;
  for (int p = 0; p < 4; ++p) {
    if ((which >> p & 1) == 0) continue;
    ++num;
    for (int a = 0; a < 3; ++a)
      sum[a] += point[p][a];
  }
  return add_node(all, sum[0] / num, sum[1] / num, sum[2] / num);
}

scene_elements scene_tetrahedron(void) {
  /* The other three points, so that their directions are right-handed. */
  static const int others[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  scene_elements all = {.dim = 3};
  for (int p = 0; p < 4; ++p) {
    int *corner = add_element(&all);
    for (int k = 0; k < 8; ++k) {
      int which = 1 << p;
      for (int a = 0; a < 3; ++a)
        which |= (k >> a & 1) << others[p][a];
      corner[k] = mean_node(&all, which);
    }
  }
  return all;
}

/* A turn of the axes, never a mirror image. */
static oracle_frame draw_turn(int dim, uint64_t *state) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  oracle_frame turn = oracle_frame_straight();
  const int order = dim == 3 ? scene_draw(state, 6) : scene_draw(state, 2) * 5;
  memcpy(turn.axis, orders[order], sizeof turn.axis);
  int product = order < 3 ? 1 : -1;
  for (int a = 0; a < dim - 1; ++a) {
    turn.sign[a] = scene_draw(state, 2) == 0 ? 1 : -1;
    product *= turn.sign[a];
  }
  turn.sign[dim - 1] = product;
  return turn;
}

void scene_turn(scene_elements *all, uint64_t seed) {
  uint64_t state = scene_mix(seed ^ 0x7042);
  for (int t = 0; t < all->num_elements; ++t) {
    const oracle_frame turn = draw_turn(all->dim, &state);
    int corner[8];
    for (int k = 0; k < 1 << all->dim; ++k) {
      int from = 0;
      for (int a = 0; a < all->dim; ++a)
        from |= ((k >> a & 1) ^ (turn.sign[a] < 0)) << turn.axis[a];
      corner[k] = all->element[t][from];
    }
    memcpy(all->element[t], corner, sizeof(int) << all->dim);
  }
}

static bool write_inp(const scene_elements *all, const char *path) {
  static const int abaqus[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  FILE *file = fopen(path, "w");
  if (file == NULL) return false;
  fprintf(file, "*NODE\n");
  for (int i = 0; i < all->num_nodes; ++i) {
    const double *at = all->node[i];
    fprintf(file, "%d, %.17g, %.17g, %.17g\n", 3 * i + 5, at[0], at[1], at[2]);
  }
  fprintf(file, "*ELEMENT, TYPE=%s\n", all->dim == 2 ? "S4" : "C3D8");
  for (int t = 0; t < all->num_elements; ++t) {
    fprintf(file, "%d", t + 1);
    for (int k = 0; k < 1 << all->dim; ++k)
      fprintf(file, ", %d", 3 * all->element[t][abaqus[k]] + 5);
    fprintf(file, "\n");
  }
  return fclose(file) == 0;
}

static int refine_at_random(const rind_block *block, void *user) {
  return scene_splits(user, block->tree, block->level, block->coordinate);
}

rind_error scene_create_elements(rind_context *context, const scene *s, const scene_elements *all,
                                 const char *path, scene_mesh *mesh, rind_forest **forest) {
  mesh->trees = oracle_trees_from_elements(all->dim, all->num_elements, all->element, all->node);
  int written = 1;
  if (rind_context_rank(context) == 0) written = write_inp(all, path);
  MPI_Bcast(&written, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!written) return RIND_ERROR_IO;
  rind_error error = rind_forest_create_mesh(context, path, s->brick.level, forest);
  if (rind_context_rank(context) == 0) remove(path);
  if (error != RIND_OK) return error;
  scene user = *s;
  error = rind_forest_refine(*forest, s->max_level, refine_at_random, &user);
  if (error != RIND_OK) rind_forest_destroy(forest);
  return error;
}
