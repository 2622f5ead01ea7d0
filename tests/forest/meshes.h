/* meshes.h - forests in a p4est or p8est of the test's. */
#pragma once
#include <stdint.h>

#include <rind/forest_p4est.h>

/* Balance of a mesh: as in p4est, or none at all. */
typedef enum mesh_balance { MESH_FULL, MESH_FACES, MESH_UNBALANCED } mesh_balance;

typedef struct mesh_recipe {
  const char *trees; /* a name of p4est's catalogue, or "bare": two by two (by two) trees that know
                        nothing of their edges and corners */
  int level;
  int max_level;
  uint64_t seed; /* world_random splits this share of the blocks below max_level */
  double share;
  mesh_balance balance;
} mesh_recipe;

/* For one dimension. A mesh is a p4est_t or p8est_t. */
typedef struct mesh_kind {
  int dim;
  void *(*create)(MPI_Comm comm, const mesh_recipe *recipe); /* collective */
  void (*destroy)(void *mesh);                               /* collective */
  rind_error (*wrap)(rind_context *context, void *mesh, rind_forest **forest);
  void (*split_all)(void *mesh); /* collective; the revision moves on */
  /* Of this rank: changes with any leaf, its data, the user pointer and the revision. */
  double (*fingerprint)(const void *mesh);
  /* The point of space at fraction of a tree (its multilinear map). */
  void (*point)(const void *mesh, int32_t tree, const double fraction[3], double point[3]);
} mesh_kind;

extern const mesh_kind mesh_kind_2d, mesh_kind_3d;
