/* oracle_p8est.c - random forests in p8est's own meshes of trees. */
#include <p4est_to_p8est.h>

#define scene_wrap_trees_2d scene_wrap_trees_3d
#include "oracle_p4est.c"
