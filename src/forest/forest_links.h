/* forest_links.h - the plain arrays of a forest, from its local blocks and its trees. */
#pragma once
#include <rind/forest.h>
#include <tree_mesh.h>

/* Collective. local: [num_local] blocks from malloc with tree, level and coordinate set; it is
 * taken over, also on failure. RIND_ERROR_UNBALANCED unless the levels of neighbours across faces
 * differ by at most one. If only those do, the arrays are RIND_BALANCE_FACES and have links across
 * faces only. */
rind_error rind_forest_links_build(rind_context *context, const rind_tree_mesh *mesh,
                                   rind_block *local, int num_local, rind_forest_arrays *arrays);
void rind_forest_links_free(rind_forest_arrays *arrays);
