/* inp_mesh.c - from the ids of an .inp text to a mesh of corners, or to what is wrong with it. */
#include <inp_contacts.h>
#include <inp_mesh.h>

#include <core.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 1 << 27, FIRST_ROOM = 256 };

static rind_error fail(char message[RIND_INP_TEXT], const char *format, ...) RIND_PRINTF(2, 3);
static rind_error fail(char message[RIND_INP_TEXT], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, RIND_INP_TEXT, format, arguments);
  va_end(arguments);
  return RIND_ERROR_FORMAT;
}

static rind_error grow(void **items, size_t count, size_t *room, size_t bytes) {
  if (count < *room) return RIND_OK;
  if (count >= MOST_ITEMS) return RIND_ERROR_OVERFLOW;
  const size_t more = *room > 0 ? 2 * *room : FIRST_ROOM;
  void *larger = realloc(*items, more * bytes);
  if (!larger) return RIND_ERROR_MEMORY;
  *items = larger;
  *room = more;
  return RIND_OK;
}

rind_error rind_inp_mesh_add_node(rind_inp_mesh *mesh, const rind_inp_node *node) {
  void *items = mesh->node;
  RIND_TRY(grow(&items, mesh->num_nodes, &mesh->max_nodes, sizeof *node));
  mesh->node = items;
  mesh->node[mesh->num_nodes++] = *node;
  return RIND_OK;
}

rind_error rind_inp_mesh_add_element(rind_inp_mesh *mesh, const rind_inp_element *element) {
  void *items = mesh->element;
  RIND_TRY(grow(&items, mesh->num_elements, &mesh->max_elements, sizeof *element));
  mesh->element = items;
  mesh->element[mesh->num_elements++] = *element;
  return RIND_OK;
}

void rind_inp_mesh_free(rind_inp_mesh *mesh) {
  free(mesh->node);
  free(mesh->element);
  *mesh = (rind_inp_mesh){0};
}

static int compare_nodes(const void *left, const void *right) {
  const rind_inp_node *a = left, *b = right;
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  return (a->line > b->line) - (a->line < b->line);
}

static int compare_ids(const void *left, const void *right) {
  const rind_inp_element *a = *(rind_inp_element *const *)left;
  const rind_inp_element *b = *(rind_inp_element *const *)right;
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  return (a->line > b->line) - (a->line < b->line);
}

static rind_error check_nodes(rind_inp_mesh *mesh, char message[RIND_INP_TEXT]) {
  if (mesh->num_nodes > 0) qsort(mesh->node, mesh->num_nodes, sizeof *mesh->node, compare_nodes);
  for (size_t i = 1; i < mesh->num_nodes; ++i)
    if (mesh->node[i].id == mesh->node[i - 1].id)
      return fail(message, "line %ld: node %lld stands in line %ld, too", mesh->node[i].line,
                  (long long)mesh->node[i].id, mesh->node[i - 1].line);
  return RIND_OK;
}

static rind_error check_elements(const rind_inp_mesh *mesh, char message[RIND_INP_TEXT]) {
  if (mesh->num_elements == 0)
    return fail(message, "it has no elements: *ELEMENT, TYPE=.. is missing");
  for (size_t e = 1; e < mesh->num_elements; ++e)
    if (mesh->element[e].corners != mesh->element[0].corners)
      return fail(message, "line %ld: element %lld has %d nodes, those before have %d: all alike",
                  mesh->element[e].line, (long long)mesh->element[e].id, mesh->element[e].corners,
                  mesh->element[0].corners);
  const rind_inp_element **by_id = calloc(mesh->num_elements, sizeof *by_id);
  if (!by_id) return RIND_ERROR_MEMORY;
  for (size_t e = 0; e < mesh->num_elements; ++e)
    by_id[e] = &mesh->element[e];
  qsort(by_id, mesh->num_elements, sizeof *by_id, compare_ids);
  rind_error error = RIND_OK;
  for (size_t e = 1; e < mesh->num_elements && error == RIND_OK; ++e)
    if (by_id[e]->id == by_id[e - 1]->id)
      error = fail(message, "line %ld: element %lld stands in line %ld, too", by_id[e]->line,
                   (long long)by_id[e]->id, by_id[e - 1]->line);
  free(by_id);
  return error;
}

/* Index of a node among the sorted ones, -1 if there is none. */
static int32_t find_node(const rind_inp_mesh *mesh, int64_t id) {
  const rind_inp_node key = {.id = id};
  size_t low = 0, high = mesh->num_nodes;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (mesh->node[middle].id < key.id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < mesh->num_nodes && mesh->node[low].id == id ? (int32_t)low : -1;
}

/* Corners of an element in the order x, y, z fastest to slowest, as indices of sorted nodes. */
static rind_error find_corners(const rind_inp_mesh *mesh, const rind_inp_element *element,
                               int32_t *corner, char message[RIND_INP_TEXT]) {
  static const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  for (int c = 0; c < element->corners; ++c) {
    const int64_t id = element->node[order[c]];
    corner[c] = find_node(mesh, id);
    if (corner[c] < 0)
      return fail(message, "line %ld: element %lld has node %lld, which does not exist",
                  element->line, (long long)element->id, (long long)id);
    for (int b = 0; b < c; ++b)
      if (corner[b] == corner[c])
        return fail(message, "line %ld: element %lld has node %lld twice", element->line,
                    (long long)element->id, (long long)id);
  }
  return RIND_OK;
}

static void minus(const double *a, const double *b, double *difference) {
  for (int i = 0; i < 3; ++i)
    difference[i] = a[i] - b[i];
}

static void cross(const double *a, const double *b, double *product) {
  product[0] = a[1] * b[2] - a[2] * b[1];
  product[1] = a[2] * b[0] - a[0] * b[2];
  product[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A quadrilateral must have an area, a hexahedron a positive Jacobian at each corner. */
static rind_error check_shape(const rind_inp_mesh *mesh, const rind_inp_element *element,
                              const int32_t *corner, char message[RIND_INP_TEXT]) {
  const int dim = element->corners == 8 ? 3 : 2;
  for (int c = 0; c < element->corners; ++c) {
    double edge[3][3] = {{0}}, normal[3];
    const double *here = mesh->node[corner[c]].at;
    for (int a = 0; a < dim; ++a) {
      const bool upper = c >> a & 1;
      const double *there = mesh->node[corner[c ^ (1 << a)]].at;
      minus(upper ? here : there, upper ? there : here, edge[a]);
    }
    cross(edge[0], edge[1], normal);
    const double size = dim == 2 ? dot(normal, normal) : dot(normal, edge[2]);
    if (!(size > 0.0))
      return fail(message, "line %ld: element %lld is %s at node %lld", element->line,
                  (long long)element->id, dim == 2 ? "degenerate" : "degenerate or inside out",
                  (long long)mesh->node[corner[c]].id);
  }
  return RIND_OK;
}

/* Leaves out nodes that no element has. */
static rind_error compact_nodes(const rind_inp_mesh *mesh, rind_inp *inp) {
  const size_t num_corners = (size_t)inp->num_elements << inp->dim;
  int32_t *renamed = calloc(mesh->num_nodes + 1, sizeof *renamed);
  if (!renamed) return RIND_ERROR_MEMORY;
  for (size_t c = 0; c < num_corners; ++c)
    renamed[inp->corner[c]] = 1;
  for (size_t i = 0; i < mesh->num_nodes; ++i)
    renamed[i] = renamed[i] ? inp->num_nodes++ : -1;
  inp->node = calloc((size_t)inp->num_nodes, 3 * sizeof *inp->node);
  for (size_t i = 0; inp->node && i < mesh->num_nodes; ++i)
    if (renamed[i] >= 0)
      memcpy(inp->node + 3 * (size_t)renamed[i], mesh->node[i].at, sizeof mesh->node[i].at);
  for (size_t c = 0; c < num_corners; ++c)
    inp->corner[c] = renamed[inp->corner[c]];
  free(renamed);
  return inp->node ? RIND_OK : RIND_ERROR_MEMORY;
}

rind_error rind_inp_mesh_finish(rind_inp_mesh *mesh, rind_inp *inp, char message[RIND_INP_TEXT]) {
  RIND_TRY(check_nodes(mesh, message));
  RIND_TRY(check_elements(mesh, message));
  const int corners = mesh->element[0].corners;
  inp->dim = corners == 8 ? 3 : 2;
  inp->num_elements = (int32_t)mesh->num_elements;
  inp->corner = calloc(mesh->num_elements, (size_t)corners * sizeof *inp->corner);
  if (!inp->corner) return RIND_ERROR_MEMORY;
  for (size_t e = 0; e < mesh->num_elements; ++e) {
    int32_t *corner = inp->corner + e * (size_t)corners;
    RIND_TRY(find_corners(mesh, &mesh->element[e], corner, message));
    RIND_TRY(check_shape(mesh, &mesh->element[e], corner, message));
  }
  RIND_TRY(rind_inp_check_contacts(mesh, inp, message));
  return compact_nodes(mesh, inp);
}
