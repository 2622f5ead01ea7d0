/* inp_mesh.h - the nodes and elements of an .inp text as they are read, and their checks. */
#pragma once
#include <inp.h>

typedef struct rind_inp_node {
  int64_t id;
  double at[3];
  long line;
} rind_inp_node;

typedef struct rind_inp_element {
  int64_t id;
  int64_t node[8]; /* ids, in the file's order */
  int corners;     /* 4 or 8 */
  long line;
} rind_inp_element;

typedef struct rind_inp_mesh {
  rind_inp_node *node;
  size_t num_nodes, max_nodes;
  rind_inp_element *element;
  size_t num_elements, max_elements;
} rind_inp_mesh;

/* RIND_ERROR_MEMORY, RIND_ERROR_OVERFLOW for more than 2^27 of them; without text. */
rind_error rind_inp_mesh_add_node(rind_inp_mesh *mesh, const rind_inp_node *node);
rind_error rind_inp_mesh_add_element(rind_inp_mesh *mesh, const rind_inp_element *element);

/* Checks that ids are unique, nodes exist, elements are of one kind, not degenerate and right side
 * out, and that at most two of them share a face; then makes the compact mesh. */
rind_error rind_inp_mesh_finish(rind_inp_mesh *mesh, rind_inp *inp, char message[RIND_INP_TEXT]);
void rind_inp_mesh_free(rind_inp_mesh *mesh);
