/* forest_p8est.c - forest_p4est.c again, in 3D: the only place where p4est names become p8est's. */
#include <brick_maker.h>
#include <p4est_to_p8est.h>

#define rind_forest_wrap_p4est rind_forest_wrap_p8est
#define rind_brick_maker_p4est rind_brick_maker_p8est
#include "forest_p4est.c"
