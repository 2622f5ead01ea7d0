/* locator.c - finds the block and the rank that a point belongs to. */
#include <locator.h>

#include <math.h>

#include <locator_grid.h>

double rind_locator_wrap(const rind_locator *locator, int axis, double x) {
  const double lower = locator->edge[axis][0], upper = locator->edge[axis][locator->num[axis]];
  if (!locator->periodic[axis] || (x >= lower && x < upper)) return x;
  const double length = upper - lower;
  const double moved = x - floor((x - lower) / length) * length;
  if (moved >= lower && moved < upper) return moved;
  /* Rounding puts it on the border; far away it could be anywhere. */
  return fabs(moved - lower) <= 1e-9 * length || fabs(moved - upper) <= 1e-9 * length ? lower : x;
}

/* The tree's place along an axis; -1 if x is outside. */
static inline int find_along(const rind_locator *locator, int a, double x) {
  const double *edge = locator->edge[a];
  const int num = locator->num[a];
  if (!(x >= edge[0] && x <= edge[num])) return -1;
  const double guess = (x - edge[0]) * locator->per[a];
  int i = guess < num ? (int)guess : num - 1;
  if (x < edge[i] || (i + 1 < num && x >= edge[i + 1])) {
    i = rind_locator_edge(locator, a, x);
    if (i == num) --i;
  }
  return i;
}

/* The planes of a tree are rounded: near one, compare. */
static int32_t settle(const rind_locator *locator, int32_t tree, int a, double x, int32_t q) {
  const int32_t last = (int32_t)(((int64_t)1 << locator->depth) - 1);
  const double unit = ldexp(1, -locator->depth);
  const void *mesh = locator->mesh;
  while (q > 0 && x < locator->trees->plane(mesh, tree, a, q * unit))
    --q;
  while (q < last && x >= locator->trees->plane(mesh, tree, a, (q + 1) * unit))
    ++q;
  return q;
}

/* The place in a tree along an axis, that of the last plane that is not above x. */
static inline int32_t find_place(const rind_locator *locator, int32_t tree, int a, int i,
                                 double x) {
  const double scaled = (x - locator->edge[a][i]) * locator->scale[a][i];
  const int32_t last = (int32_t)(((int64_t)1 << locator->depth) - 1);
  const int32_t q = scaled < last ? (int32_t)scaled : last;
  const double rest = scaled - q, doubt = locator->doubt[a][i];
  return rest > doubt && rest < 1 - doubt ? q : settle(locator, tree, a, x, q);
}

/* The tree at a place of the grid, with that place. A point on the lower border of a hole belongs
 * to the tree before it, if there is one: along axis 0 rather than 1 rather than 2. */
static int32_t find_tree(const rind_locator *locator, const double point[3], int i[3]) {
  int32_t tree = locator->tree[rind_locator_slot(locator, i)];
  for (int back = 1; tree < 0 && back < 1 << locator->dim; ++back) {
    int before[3] = {i[0], i[1], i[2]};
    bool exists = true;
    for (int a = 0; a < locator->dim; ++a) {
      if (!(back >> a & 1)) continue;
      exists = exists && i[a] > 0 && point[a] == locator->edge[a][i[a]];
      before[a] = i[a] - 1;
    }
    if (!exists) continue;
    tree = locator->tree[rind_locator_slot(locator, before)];
    if (tree >= 0)
      for (int a = 0; a < 3; ++a)
        i[a] = before[a];
  }
  return tree;
}

static int ask_owner(const rind_locator *locator, int32_t tree, const int32_t q[3]) {
  return locator->trees->find_owner(locator->mesh, tree, locator->depth, q);
}

/* A rank owns a part if it owns its first and its last place. */
static int find_owner(const rind_locator *locator, int32_t tree, uint64_t key, const int32_t q[3]) {
  const int shift = locator->depth - locator->part_depth;
  const size_t part =
      ((size_t)tree << locator->dim * locator->part_depth) + (size_t)(key >> locator->dim * shift);
  int32_t known;
#pragma omp atomic read
  known = locator->part_owner[part];
  if (known == 0) {
    int32_t first[3] = {0}, last[3] = {0};
    for (int a = 0; a < locator->dim; ++a) {
      first[a] = q[a] >> shift << shift;
      last[a] = first[a] + (int32_t)(((int64_t)1 << shift) - 1);
    }
    const int owner = ask_owner(locator, tree, first);
    known = owner == ask_owner(locator, tree, last) ? owner + 1 : -1;
#pragma omp atomic write
    locator->part_owner[part] = known;
  }
  return known > 0 ? known - 1 : ask_owner(locator, tree, q);
}

rind_nowhere rind_locator_find(const rind_locator *locator, const double point[3], int *block) {
  int i[3] = {0, 0, 0};
  int32_t q[3] = {0, 0, 0};
  for (int a = 0; a < locator->dim; ++a) {
    if (!isfinite(point[a])) return RIND_NOT_FINITE;
    i[a] = find_along(locator, a, point[a]);
    if (i[a] < 0) return locator->periodic[a] ? RIND_TOO_FAR : RIND_OUTSIDE;
  }
  const int32_t tree = find_tree(locator, point, i);
  if (tree < 0) return RIND_OUTSIDE;
  for (int a = 0; a < locator->dim; ++a)
    q[a] = find_place(locator, tree, a, i[a], point[a]);
  const int local = tree - locator->first_tree;
  const uint64_t key = rind_locator_key(locator->dim, q);
  if (local >= 0 && local < locator->num_trees) {
    const uint64_t *from = locator->key + locator->first_block[local];
    size_t n = (size_t)(locator->first_block[local + 1] - locator->first_block[local]);
    while (n > 1) {
      const size_t half = n / 2;
      from = from[half] <= key ? from + half : from;
      n -= half;
    }
    const size_t b = (size_t)(from - locator->key);
    if (n > 0 && *from <= key && key < locator->key_end[b]) {
      *block = (int)b;
      return RIND_SOMEWHERE;
    }
  }
  *block = -1 - find_owner(locator, tree, key, q);
  return RIND_SOMEWHERE;
}
