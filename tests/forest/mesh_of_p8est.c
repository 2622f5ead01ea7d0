/* mesh_of_p8est.c - mesh_of_p4est.c again, in 3D. */
#include "meshes.h"

#include <p4est_to_p8est.h>

#define rind_forest_wrap_p4est rind_forest_wrap_p8est
#define mesh_kind_2d mesh_kind_3d
#include "mesh_of_p4est.c"
