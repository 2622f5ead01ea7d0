/* rind/forest.h - blocks and the links between them, as plain arrays.
 *
 * A forest is what Rind needs to know of a mesh: each rank's blocks in global order, the blocks of
 * other ranks that touch them, and for each local block and region the blocks that lie there.
 * rind/forest_p4est.h makes forests from p4est; other mesh codes hand over the same arrays. */
#pragma once
#include <stdint.h>

#include <rind/context.h>
#include <rind/error.h>
#include <rind/export.h>

typedef struct rind_forest rind_forest;

/* A region of a block is a direction o in {-1, 0, 1}^3 (o[2] = 0 in 2D), numbered
 * (o[0] + 1) + 3 (o[1] + 1) + 9 (o[2] + 1); 13 is the block itself. */
#define RIND_NUM_REGIONS 27
#define RIND_REGION_SELF 13

#define RIND_MAX_LEVEL 30 /* of a block */

/* A leaf of the forest. */
typedef struct rind_block {
  int64_t global;        /* number along the space-filling curve, over all ranks */
  int32_t tree;          /* of the coarse mesh */
  int32_t level;         /* sides are 2^-level of the tree's */
  int32_t coordinate[3]; /* lower corner in the tree, in block sides of this level */
  int32_t owner;         /* rank */
  int32_t index;         /* local index at the owner */
  double lower[3];       /* lower corner in the caller's coordinates */
  double side[3];        /* side lengths in the caller's coordinates; 0 along an unused axis */
} rind_block;

/* A neighbour of a block in one of its regions.
 *
 * The neighbour is described in this block's frame, in which this block is [0, 2]^dim, that is in
 * half block sides: a same-level neighbour has sides of 2, a finer one of 1, a coarser one of 4.
 * Along this block's axis a runs the neighbour's axis axis[a], backwards where flip[a] is 1. */
typedef struct rind_link {
  int32_t neighbour; /* block index: local blocks first, then remote ones */
  int8_t region;     /* of this block */
  int8_t relation;   /* the neighbour's level minus this block's: -1, 0 or 1 */
  int8_t origin[3];  /* lower corner of the neighbour */
  int8_t axis[3];
  int8_t flip[3];
} rind_link;

/* Balance: levels differ by at most one across faces, edges and corners, or across faces only;
 * there are no links across edges and corners then. */
typedef enum rind_balance { RIND_BALANCE_FULL = 0, RIND_BALANCE_FACES = 1 } rind_balance;

/* A region without a link lies behind a wall if a face that it touches is in walls; otherwise it
 * is uncovered (irregular corners of unstructured meshes). */
typedef struct rind_forest_arrays {
  int dim;
  rind_balance balance;
  int num_local;
  int num_remote;          /* blocks of other ranks that touch local ones */
  int64_t num_global;      /* over all ranks */
  const rind_block *block; /* [num_local + num_remote], local ones in global order, then remote ones
                              in global order */
  const int32_t *first_link; /* [num_local + 1] */
  const rind_link *link;     /* [first_link[num_local]], of block b: first_link[b] and on, sorted by
                                region, then by origin (axis 0 fastest) */
  const uint8_t *walls;      /* [num_local], bit 2a: the lower face of axis a is a wall, 2a+1: the
                                upper */
} rind_forest_arrays;

/* A face of a fine block on a coarser one. Faces are numbered 2 axis + upper in each block's own
 * axes. */
typedef struct rind_coarse_fine_face {
  int32_t coarse; /* block index: local blocks first, then remote ones */
  int32_t fine;
  int8_t coarse_face;
  int8_t fine_face;
} rind_coarse_fine_face;

/* Return not 0 to split the block. Its global and index are those before the refinement, or -1 if
 * it came to be in it. */
typedef int (*rind_refine_function)(const rind_block *block, void *user);

/* Where points lie in a mesh of trees: what particles need. */
typedef struct rind_forest_trees {
  int32_t (*count)(const void *mesh);
  /* The corners of a tree in the caller's coordinates. 0 unless it is an axis-aligned box whose
   * axes are those of its blocks. */
  int (*box)(const void *mesh, int32_t tree, double lower[3], double upper[3]);
  /* Where the plane lies at a fraction of a tree along an axis, as rind_block.lower has it. */
  double (*plane)(const void *mesh, int32_t tree, int axis, double fraction);
  /* The tree over face 2 axis + upper; -1 at a wall. */
  int32_t (*across)(const void *mesh, int32_t tree, int face);
  int max_level;
  /* The rank that has the lower corner of a block; coordinate in block sides of level, up to
   * max_level. */
  int (*find_owner)(const void *mesh, int32_t tree, int level, const int32_t coordinate[3]);
} rind_forest_trees;

/* What a mesh code can do with its forest. Functions may be NULL. */
typedef struct rind_forest_backend {
  void *mesh;
  const rind_forest_trees *trees; /* borrowed; NULL: points cannot be found */
  /* Moves on with every change of the mesh; NULL: it never changes. */
  int64_t (*revision)(void *mesh);
  /* Collective. Splits, balances and partitions the mesh, then replaces *arrays. */
  rind_error (*refine)(void *mesh, int max_level, rind_refine_function refine, void *user,
                       rind_forest_arrays *arrays);
  /* Frees the mesh and its arrays. */
  void (*destroy)(void *mesh);
} rind_forest_backend;

RIND_BEGIN_DECLS

/* Collective. A forest from plain arrays. Without a back end the arrays are copied; with one they
 * are borrowed from the mesh until it is destroyed or refined. backend may be NULL.
 * RIND_ERROR_INVALID names the first block or link that is out of range. */
RIND_API rind_error rind_forest_create_arrays(rind_context *context,
                                              const rind_forest_arrays *arrays,
                                              const rind_forest_backend *backend,
                                              rind_forest **forest);
/* Destroys the back end's mesh too, unless it was wrapped. Accepts NULL. */
RIND_API void rind_forest_destroy(rind_forest **forest);

/* Collective. Splits every block for which refine says so, again and again up to max_level, then
 * balances (full) and partitions. Fields, schedules and exchanges of the forest are stale then.
 * RIND_ERROR_UNSUPPORTED if the forest was wrapped, or made from arrays without a back end that
 * refines. */
RIND_API rind_error rind_forest_refine(rind_forest *forest, int max_level,
                                       rind_refine_function refine, void *user);

/* The plain arrays. Borrowed, valid until the forest changes. */
RIND_API const rind_forest_arrays *rind_forest_get_arrays(const rind_forest *forest);
RIND_API rind_context *rind_forest_context(const rind_forest *forest);
RIND_API int rind_forest_dim(const rind_forest *forest);
/* Blocks of this rank, and of all. */
RIND_API int rind_forest_num_blocks(const rind_forest *forest);
RIND_API int64_t rind_forest_num_global_blocks(const rind_forest *forest);
/* A local block. NULL if there is none of that index. Borrowed. */
RIND_API const rind_block *rind_forest_block(const rind_forest *forest, int block);
/* Changes whenever the blocks do. */
RIND_API int64_t rind_forest_revision(const rind_forest *forest);
/* The coarse-fine faces with a local block on either side, each once, by local block and region.
 * Sets *num to their number and writes the first max of them; max may be 0 and faces NULL. */
RIND_API rind_error rind_forest_coarse_fine_faces(const rind_forest *forest, int max,
                                                  rind_coarse_fine_face *faces, int *num);
/* Collective only in its use: RIND_ERROR_STALE if the mesh behind a wrapped forest has changed
 * since the forest was made; refine and wrap anew then. */
RIND_API rind_error rind_forest_check(const rind_forest *forest);

RIND_END_DECLS
