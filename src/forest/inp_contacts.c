/* inp_contacts.c - faces that elements share, and chains of them around nodes and edges. */
#include <inp_contacts.h>

#include <core.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A face by its corners, ascending (-1 first in 2D), and the element that has it. */
typedef struct face {
  int32_t corner[4];
  int32_t element;
} face;

/* A place of an element: one of its corners or edges, by its nodes; place is its number over all
 * elements. */
typedef struct place {
  int32_t node[2]; /* ascending; -1 first for a corner */
  int64_t place;
} place;

static rind_error fail(char message[RIND_INP_TEXT], const char *format, ...) RIND_PRINTF(2, 3);
static rind_error fail(char message[RIND_INP_TEXT], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, RIND_INP_TEXT, format, arguments);
  va_end(arguments);
  return RIND_ERROR_FORMAT;
}

static int compare_faces(const void *left, const void *right) {
  const face *a = left, *b = right;
  for (int i = 0; i < 4; ++i)
    if (a->corner[i] != b->corner[i]) return a->corner[i] < b->corner[i] ? -1 : 1;
  return (a->element > b->element) - (a->element < b->element);
}

static int compare_places(const void *left, const void *right) {
  const place *a = left, *b = right;
  for (int i = 0; i < 2; ++i)
    if (a->node[i] != b->node[i]) return a->node[i] < b->node[i] ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

static bool same_face(const face *a, const face *b) {
  return memcmp(a->corner, b->corner, sizeof a->corner) == 0;
}

static face face_of(const int32_t *corner, int dim, int axis, int upper, int32_t element) {
  face made = {.corner = {-1, -1, -1, -1}, .element = element};
  int count = 4 - (1 << (dim - 1));
  for (int c = 0; c < 1 << dim; ++c) {
    const int side = c >> axis & 1;
    if (side != upper) continue;
    int at = count++;
    for (; at > 0 && made.corner[at - 1] > corner[c]; --at)
      made.corner[at] = made.corner[at - 1];
    made.corner[at] = corner[c];
  }
  return made;
}

/* All faces of all elements, those that are shared next to each other; NULL without memory. */
static face *list_faces(const rind_inp *inp, size_t *num_faces) {
  const int dim = inp->dim;
  *num_faces = 2 * (size_t)dim * (size_t)inp->num_elements;
  face *faces = calloc(*num_faces, sizeof *faces);
  if (!faces) return NULL;
  for (int32_t e = 0; e < inp->num_elements; ++e)
    for (int f = 0; f < 2 * dim; ++f)
      faces[2 * (size_t)dim * (size_t)e + (size_t)f] =
          face_of(inp->corner + ((size_t)e << dim), dim, f / 2, f % 2, e);
  qsort(faces, *num_faces, sizeof *faces, compare_faces);
  return faces;
}

static rind_error check_pairs(const rind_inp_mesh *mesh, const face *faces, size_t num_faces,
                              char message[RIND_INP_TEXT]) {
  for (size_t f = 2; f < num_faces; ++f)
    if (same_face(&faces[f], &faces[f - 2])) {
      const rind_inp_element *last = &mesh->element[faces[f].element];
      return fail(message,
                  "line %ld: element %lld shares a face with elements %lld and %lld: at most two "
                  "may share one",
                  last->line, (long long)last->id,
                  (long long)mesh->element[faces[f - 2].element].id,
                  (long long)mesh->element[faces[f - 1].element].id);
    }
  return RIND_OK;
}

/* The corners of an element (edges false) or its edges: nodes, ascending. */
static int num_places(int dim, bool edges) {
  return edges ? 12 : 1 << dim;
}

static void place_nodes(const int32_t *corner, int number, bool edges, int32_t node[2]) {
  node[0] = -1;
  node[1] = corner[number % 8];
  if (!edges) return;
  const int axis = number / 4, which = number % 4;
  const int low = (which & ((1 << axis) - 1)) | which >> axis << (axis + 1);
  const int32_t a = corner[low], b = corner[low | 1 << axis];
  node[0] = a < b ? a : b;
  node[1] = a < b ? b : a;
}

static bool face_holds(const face *of, int32_t node) {
  for (int i = 0; i < 4; ++i)
    if (of->corner[i] == node) return true;
  return node < 0;
}

static int64_t root_of(int64_t *parent, int64_t from) {
  while (parent[from] != from) {
    parent[from] = parent[parent[from]];
    from = parent[from];
  }
  return from;
}

/* Joins the places of two elements that lie on the face they share. */
static void join(const rind_inp *inp, const face *here, const face *there, bool edges,
                 int64_t *parent) {
  const int count = num_places(inp->dim, edges);
  const int32_t *first = inp->corner + ((size_t)here->element << inp->dim);
  const int32_t *second = inp->corner + ((size_t)there->element << inp->dim);
  for (int p = 0; p < count; ++p) {
    int32_t node[2], other[2];
    place_nodes(first, p, edges, node);
    if (!face_holds(here, node[0]) || !face_holds(here, node[1])) continue;
    for (int q = 0; q < count; ++q) {
      place_nodes(second, q, edges, other);
      if (memcmp(node, other, sizeof node) != 0) continue;
      parent[root_of(parent, (int64_t)here->element * count + p)] =
          root_of(parent, (int64_t)there->element * count + q);
    }
  }
}

/* All elements at a node or edge must have been joined. */
static rind_error check_places(const rind_inp_mesh *mesh, const rind_inp *inp, bool edges,
                               int64_t *parent, place *places, char message[RIND_INP_TEXT]) {
  const int count = num_places(inp->dim, edges);
  const int64_t total = (int64_t)inp->num_elements * count;
  for (int64_t p = 0; p < total; ++p) {
    places[p].place = p;
    place_nodes(inp->corner + ((size_t)(p / count) << inp->dim), (int)(p % count), edges,
                places[p].node);
  }
  qsort(places, (size_t)total, sizeof *places, compare_places);
  for (int64_t p = 1; p < total; ++p) {
    const place *a = &places[p - 1], *b = &places[p];
    if (memcmp(a->node, b->node, sizeof a->node) != 0 ||
        root_of(parent, a->place) == root_of(parent, b->place))
      continue;
    const rind_inp_element *one = &mesh->element[a->place / count];
    const rind_inp_element *two = &mesh->element[b->place / count];
    return fail(message,
                "line %ld: element %lld touches element %lld at node %lld, but no chain of faces "
                "goes around it: glue them by faces, or give them nodes of their own",
                two->line, (long long)two->id, (long long)one->id,
                (long long)mesh->node[b->node[1]].id);
  }
  return RIND_OK;
}

static rind_error check_chains(const rind_inp_mesh *mesh, const rind_inp *inp, const face *faces,
                               size_t num_faces, bool edges, char message[RIND_INP_TEXT]) {
  const size_t total = (size_t)inp->num_elements * (size_t)num_places(inp->dim, edges);
  int64_t *parent = calloc(total, sizeof *parent);
  place *places = calloc(total, sizeof *places);
  rind_error error = parent && places ? RIND_OK : RIND_ERROR_MEMORY;
  if (error == RIND_OK) {
    for (size_t p = 0; p < total; ++p)
      parent[p] = (int64_t)p;
    for (size_t f = 1; f < num_faces; ++f)
      if (same_face(&faces[f], &faces[f - 1])) join(inp, &faces[f - 1], &faces[f], edges, parent);
    error = check_places(mesh, inp, edges, parent, places, message);
  }
  free(parent);
  free(places);
  return error;
}

rind_error rind_inp_check_contacts(const rind_inp_mesh *mesh, const rind_inp *inp,
                                   char message[RIND_INP_TEXT]) {
  size_t num_faces;
  face *faces = list_faces(inp, &num_faces);
  if (!faces) return RIND_ERROR_MEMORY;
  rind_error error = check_pairs(mesh, faces, num_faces, message);
  if (error == RIND_OK) error = check_chains(mesh, inp, faces, num_faces, false, message);
  if (error == RIND_OK && inp->dim == 3)
    error = check_chains(mesh, inp, faces, num_faces, true, message);
  free(faces);
  return error;
}
