/* p4est_trees.c - the trees of a p4est: how they touch, where they lie, who owns what; 2D and,
 * included by forest_p8est.c, 3D. */
#include <forest_of_p4est.h>

#include <string.h>

/* The corner of a tree in direction o, or the edge if o has a 0. */
static int corner_in(const int o[3]) {
  int number = 0, bit = 0;
  for (int a = 0; a < P4EST_DIM; ++a)
    if (o[a] != 0) number |= (o[a] > 0) << bit++;
  return number;
}

#ifdef P4_TO_P8
static int32_t get_z(const p4est_quadrant_t *q) {
  return q->z;
}

static void set_z(p4est_quadrant_t *q, int32_t z) {
  q->z = z;
}

p4est_connectivity_t *rind_p4est_new_brick(const rind_brick *brick) {
  const int *trees = brick->trees, *periodic = brick->periodic;
  return p4est_connectivity_new_brick(trees[0], trees[1], trees[2], periodic[0], periodic[1],
                                      periodic[2]);
}

p4est_connectivity_t *rind_p4est_new_trees(p4est_topidx_t num_vertices, p4est_topidx_t num_trees) {
  return p4est_connectivity_new(num_vertices, num_trees, 0, 0, 0, 0);
}

static bool is_joined_edge(const p4est_connectivity_t *trees, int32_t tree, const int o[3],
                           int32_t other, const int other_o[3]) {
  int along = 0, other_along = 0;
  for (int a = 0; a < 3; ++a) {
    if (o[a] == 0) along = a;
    if (other_o[a] == 0) other_along = a;
  }
  if (!trees->tree_to_edge) return false;
  const p4est_topidx_t edge =
      trees->tree_to_edge[(size_t)tree * P8EST_EDGES + 4 * along + corner_in(o)];
  return edge >= 0 && edge == trees->tree_to_edge[(size_t)other * P8EST_EDGES + 4 * other_along +
                                                  corner_in(other_o)];
}
#else
static int32_t get_z(const p4est_quadrant_t *q) {
  (void)q;
  return 0;
}

static void set_z(p4est_quadrant_t *q, int32_t z) {
  (void)q, (void)z;
}

p4est_connectivity_t *rind_p4est_new_brick(const rind_brick *brick) {
  return p4est_connectivity_new_brick(brick->trees[0], brick->trees[1], brick->periodic[0],
                                      brick->periodic[1]);
}

p4est_connectivity_t *rind_p4est_new_trees(p4est_topidx_t num_vertices, p4est_topidx_t num_trees) {
  return p4est_connectivity_new(num_vertices, num_trees, 0, 0);
}

/* There are no edges but faces in 2D. */
static bool is_joined_edge(const p4est_connectivity_t *trees, int32_t tree, const int o[3],
                           int32_t other, const int other_o[3]) {
  (void)trees, (void)tree, (void)o, (void)other, (void)other_o;
  return false;
}
#endif

static bool cross_face(const void *self, int32_t tree, int face, rind_tree_chart *chart) {
  const rind_p4est_mesh *of = self;
  int transform[9]; /* my axes, the other's, codes: first and second tangential, normal */
  const p4est_topidx_t other =
      p4est_find_face_transform(of->p4est->connectivity, tree, face, transform);
  if (other < 0) return false;
  *chart = (rind_tree_chart){.tree = other, .axis = {0, 1, 2}, .sign = {1, 1, 1}};
  for (int i = 0; i < 3; ++i) {
    if (i == 1 && P4EST_DIM == 2) continue;
    const int a = transform[i], code = transform[6 + i];
    /* Tangential: 0 x, 1 1-x. Normal: 0 -x, 1 x+1, 2 x-1, 3 2-x. */
    static const int8_t signs[2][4] = {{1, -1, 0, 0}, {-1, 1, 1, -1}};
    static const int8_t shifts[2][4] = {{0, 1, 0, 0}, {0, 1, -1, 2}};
    chart->axis[a] = (int8_t)transform[3 + i];
    chart->sign[a] = signs[i == 2][code];
    chart->shift[a] = shifts[i == 2][code];
  }
  return true;
}

static bool is_joined(const void *self, int32_t tree, const int o[3], int32_t other,
                      const int other_o[3]) {
  const rind_p4est_mesh *of = self;
  const p4est_connectivity_t *trees = of->p4est->connectivity;
  int num_axes = 0;
  for (int a = 0; a < P4EST_DIM; ++a)
    num_axes += o[a] != 0;
  if (num_axes < P4EST_DIM) return is_joined_edge(trees, tree, o, other, other_o);
  if (!trees->tree_to_corner) return false;
  const p4est_topidx_t corner = trees->tree_to_corner[(size_t)tree * P4EST_CHILDREN + corner_in(o)];
  return corner >= 0 &&
         corner == trees->tree_to_corner[(size_t)other * P4EST_CHILDREN + corner_in(other_o)];
}

static int find_owner(const void *self, int32_t tree, int level, const int32_t coordinate[3]) {
  const rind_p4est_mesh *of = self;
  const int shift = P4EST_MAXLEVEL - level;
  p4est_quadrant_t q;
  P4EST_QUADRANT_INIT(&q);
  q.level = (int8_t)level;
  q.x = coordinate[0] << shift;
  q.y = coordinate[1] << shift;
  set_z(&q, coordinate[2] << shift);
  return p4est_comm_find_owner(of->p4est, tree, &q, of->p4est->mpirank);
}

static bool is_balanced(const void *self) {
  const rind_p4est_mesh *of = self;
  return p4est_is_balanced(of->p4est, P4EST_CONNECT_FULL) != 0;
}

static void corners(const void *self, int32_t tree, double corner[8][3]) {
  const rind_p4est_mesh *of = self;
  const p4est_connectivity_t *trees = of->p4est->connectivity;
  for (int k = 0; k < P4EST_CHILDREN; ++k) {
    const size_t at = (size_t)tree * P4EST_CHILDREN + (size_t)k;
    for (int a = 0; a < 3; ++a)
      corner[k][a] = trees->num_vertices == 0 /* each tree a unit cube */
                         ? (k >> a & 1)
                         : trees->vertices[3 * (size_t)trees->tree_to_vertex[at] + (size_t)a];
  }
}

static int32_t count_trees(const void *self) {
  return ((const rind_p4est_mesh *)self)->p4est->connectivity->num_trees;
}

/* A brick's corners are counts of trees; its last planes are the caller's. */
static double place_plane(const rind_p4est_mesh *of, int axis, double count) {
  return count == of->num_trees[axis] ? of->upper[axis] : of->lower[axis] + of->side[axis] * count;
}

static int find_box(const void *self, int32_t tree, double lower[3], double upper[3]) {
  const rind_p4est_mesh *of = self;
  const int last = P4EST_CHILDREN - 1;
  double corner[8][3];
  corners(of, tree, corner);
  for (int a = 0; a < 3; ++a) {
    for (int k = 0; k < P4EST_CHILDREN; ++k)
      if (corner[k][a] != corner[a < P4EST_DIM && (k >> a & 1) ? last : 0][a]) return 0;
    lower[a] = of->is_brick ? place_plane(of, a, corner[0][a]) : corner[0][a];
    upper[a] = of->is_brick ? place_plane(of, a, corner[last][a]) : corner[last][a];
    if (a < P4EST_DIM && !(lower[a] < upper[a])) return 0;
  }
  return 1;
}

static double find_plane(const void *self, int32_t tree, int axis, double fraction) {
  const rind_p4est_mesh *of = self;
  double corner[8][3];
  corners(of, tree, corner);
  const double lower = corner[0][axis], upper = corner[P4EST_CHILDREN - 1][axis];
  return of->is_brick ? place_plane(of, axis, lower + fraction)
                      : lower + fraction * (upper - lower);
}

static int32_t find_across(const void *self, int32_t tree, int face) {
  rind_tree_chart chart;
  return cross_face(self, tree, face, &chart) ? chart.tree : -1;
}

const rind_forest_trees rind_p4est_trees = {.count = count_trees,
                                            .box = find_box,
                                            .plane = find_plane,
                                            .across = find_across,
                                            .max_level = P4EST_QMAXLEVEL,
                                            .find_owner = find_owner};

rind_block rind_p4est_block(p4est_topidx_t tree, const p4est_quadrant_t *q) {
  const int shift = P4EST_MAXLEVEL - q->level;
  return (rind_block){.tree = tree,
                      .level = q->level,
                      .coordinate = {q->x >> shift, q->y >> shift, get_z(q) >> shift}};
}

rind_tree_mesh rind_p4est_view(rind_p4est_mesh *of) {
  rind_tree_mesh view = {.self = of,
                         .dim = P4EST_DIM,
                         .max_level = P4EST_QMAXLEVEL,
                         .first_global = of->p4est->global_first_quadrant,
                         .is_brick = of->is_brick,
                         .cross_face = cross_face,
                         .is_joined = is_joined,
                         .find_owner = find_owner,
                         .corners = corners,
                         .is_balanced = is_balanced};
  memcpy(view.lower, of->lower, sizeof view.lower);
  memcpy(view.side, of->side, sizeof view.side);
  return view;
}
