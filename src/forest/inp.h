/* inp.h - reads the nodes and elements of an Abaqus .inp text, free of MPI and p4est.
 *
 * Sections: *NODE with lines "id, x, y[, z]", *ELEMENT, TYPE=.. with lines "id, node, node, ..",
 * which go on in the next line after a final comma; others are passed over. Lines that begin with
 * ** are comments. Elements have 4 nodes (quadrilaterals, counterclockwise) or 8 (hexahedra, lower
 * face counterclockwise, then the upper one). Source: Abaqus Keywords Reference Guide, *NODE,
 * *ELEMENT. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <rind/error.h>

typedef struct rind_inp {
  int dim;           /* 2 or 3, of the elements */
  int32_t num_nodes; /* that elements use, in ascending order of their ids */
  double *node;      /* [num_nodes][3] */
  int32_t num_elements;
  int32_t *corner; /* [num_elements][2^dim], indices into node, x fastest, then y, then z */
} rind_inp;

enum { RIND_INP_TEXT = 400 };

/* Reads a text of size bytes that a 0 follows. RIND_ERROR_FORMAT, with the line and what would be
 * right in message; RIND_ERROR_MEMORY, RIND_ERROR_OVERFLOW. *inp is empty on errors. */
rind_error rind_inp_parse(const char *text, size_t size, rind_inp *inp,
                          char message[RIND_INP_TEXT]);
void rind_inp_free(rind_inp *inp);
