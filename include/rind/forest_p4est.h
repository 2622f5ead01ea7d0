/* rind/forest_p4est.h - forests from p4est and p8est (target Rind::p4est). */
#pragma once
#include <rind/forest.h>

struct p4est;
struct p8est;

/* A box of trees. All zero but dim: one tree, no refinement, walls, the unit cube. */
typedef struct rind_brick {
  int dim;         /* 2 or 3 */
  int trees[3];    /* trees along each axis; 0: 1 */
  int periodic[3]; /* not 0: the axis is periodic */
  int level;       /* uniform level to begin with */
  double lower[3]; /* corners in the caller's coordinates; */
  double upper[3]; /* all zero: a tree has unit sides */
} rind_brick;

RIND_BEGIN_DECLS

/* Collective. Blocks are partitioned evenly.
 * RIND_ERROR_INVALID for a bad dimension, extent, level or box, RIND_ERROR_OVERFLOW for more blocks
 * than p4est can count. */
RIND_API rind_error rind_forest_create_brick(rind_context *context, const rind_brick *brick,
                                             rind_forest **forest);
/* Collective. A forest whose trees are the elements of an Abaqus .inp file, which rank 0 reads:
 * 4-node quadrilaterals (2D) or 8-node hexahedra (3D), glued where they share nodes, every tree
 * split uniformly level times. RIND_ERROR_IO names the path; RIND_ERROR_FORMAT the line and what
 * would be right: unknown types, missing or double nodes and elements, degenerate or inside-out
 * elements, faces shared by more than two. */
RIND_API rind_error rind_forest_create_mesh(rind_context *context, const char *path, int level,
                                            rind_forest **forest);
/* Collective. A forest of the caller's p4est, which is read, never changed, and must outlive
 * *forest; its communicator must be congruent to the context's. After the caller has changed the
 * p4est everything made from *forest refuses with RIND_ERROR_STALE. RIND_ERROR_UNBALANCED unless it
 * is 2:1 balanced at least across faces. Trees are neighbours over an edge or corner if all ways
 * there, face by face, agree, and the connectivity records the edge or corner
 * (p4est_connectivity_complete). */
RIND_API rind_error rind_forest_wrap_p4est(rind_context *context, struct p4est *p4est,
                                           rind_forest **forest);
/* Collective. The same in 3D. */
RIND_API rind_error rind_forest_wrap_p8est(rind_context *context, struct p8est *p8est,
                                           rind_forest **forest);

RIND_END_DECLS
