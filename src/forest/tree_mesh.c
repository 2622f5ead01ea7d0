/* tree_mesh.c - where the blocks of a mesh of trees lie in the caller's coordinates. */
#include <tree_mesh.h>

#include <math.h>
#include <string.h>

/* The multilinear map of a tree. Coordinates that do not vary come out exactly. */
static void map_point(int dim, double corner[8][3], const double fraction[3], double point[3]) {
  for (int i = 0; i < 3; ++i) {
    double value[8];
    for (int k = 0; k < 1 << dim; ++k)
      value[k] = corner[k][i];
    for (int a = 0; a < dim; ++a)
      for (int k = 0; k < 1 << (dim - 1 - a); ++k)
        value[k] = value[2 * k] + fraction[a] * (value[2 * k + 1] - value[2 * k]);
    point[i] = value[0];
  }
}

static double distance(const double from[3], const double to[3]) {
  const double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
  return sqrt(x * x + y * y + z * z);
}

void rind_tree_mesh_place(const rind_tree_mesh *mesh, rind_block *block) {
  const double scale = ldexp(1, -block->level);
  double corner[8][3], fraction[3];
  mesh->corners(mesh->self, block->tree, corner);
  memset(block->lower, 0, sizeof block->lower);
  memset(block->side, 0, sizeof block->side);
  for (int a = 0; a < 3; ++a)
    fraction[a] = block->coordinate[a] * scale;
  if (!mesh->is_brick) map_point(mesh->dim, corner, fraction, block->lower);
  for (int a = 0; a < mesh->dim; ++a) {
    if (mesh->is_brick) {
      block->lower[a] = mesh->lower[a] + mesh->side[a] * (corner[0][a] + fraction[a]);
      block->side[a] = mesh->side[a] * scale;
      continue;
    }
    double end[3], moved[3] = {fraction[0], fraction[1], fraction[2]};
    moved[a] += scale;
    map_point(mesh->dim, corner, moved, end);
    block->side[a] = distance(block->lower, end);
  }
}
