/* forest_p8est.c - forests of a p4est again, in 3D: the only place where p4est names become
 * p8est's.
 */
#include <brick_maker.h>
#include <p4est_to_p8est.h>

#define rind_forest_wrap_p4est rind_forest_wrap_p8est
#define rind_brick_maker_p4est rind_brick_maker_p8est
#define rind_p4est_mesh rind_p8est_mesh
#define rind_p4est_view rind_p8est_view
#define rind_p4est_trees rind_p8est_trees
#define rind_p4est_block rind_p8est_block
#define rind_p4est_new_brick rind_p8est_new_brick
#define rind_p4est_new_trees rind_p8est_new_trees
#include "forest_p4est.c"
#include "p4est_trees.c"
