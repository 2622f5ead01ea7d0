/* inp_contacts.h - how the elements of an .inp text touch. */
#pragma once
#include <inp_mesh.h>

/* At most two elements may share a face, and elements that share a node (or, in 3D, an edge) must
 * be joined by a chain of faces around it: p4est's balance cannot do with contacts at points alone.
 * inp->corner holds indices into the sorted nodes. */
rind_error rind_inp_check_contacts(const rind_inp_mesh *mesh, const rind_inp *inp,
                                   char message[RIND_INP_TEXT]);
