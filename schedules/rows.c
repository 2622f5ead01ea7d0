/* rows.c - makes the patterns of a link, family by family, in the destination
 * block's frame. */
#include <core.h>
#include <rows.h>

#include <stdlib.h>

enum { MAX_TAPS = 3 };

static const double quadratic[2][3][MAX_TAPS] = {
    {{-3.0 / 32.0, 7.0 / 16.0, 21.0 / 32.0},
     {5.0 / 32.0, 15.0 / 16.0, -3.0 / 32.0},
     {45.0 / 32.0, -9.0 / 16.0, 5.0 / 32.0}},
    {{5.0 / 32.0, -9.0 / 16.0, 45.0 / 32.0},
     {-3.0 / 32.0, 15.0 / 16.0, 5.0 / 32.0},
     {21.0 / 32.0, 7.0 / 16.0, -3.0 / 32.0}},
};

static const double facing[2][3] = {
    {5.0 / 21.0, 5.0 / 6.0, -1.0 / 14.0},
    {-1.0 / 7.0, 1.0, 1.0 / 7.0},
};

const double *rind_rows_quadratic(int parity, int shift) {
  return quadratic[parity][shift + 1];
}

const double *rind_rows_facing(int layer) {
  return facing[layer - 1];
}

int rind_family_width(rind_family family, int dim) {
  static const int width[RIND_NUM_FAMILIES][2] = {
#define WIDTH(upper, lower, k2, k3) {k2, k3},
      RIND_FAMILY_LIST(WIDTH)
#undef WIDTH
  };
  return (unsigned)family < RIND_NUM_FAMILIES && (dim == 2 || dim == 3) ? width[family][dim - 2]
                                                                        : -1;
}

/* A link in the destination's frame. Along axis a the region's cells are low[a]
 * .. high[a] - 1, and the neighbour begins at own cell start[a]. */
typedef struct frame {
  rind_template_set *set;
  const rind_template_key *key;
  int group;
  int dim, cells;
  int direction[3];
  int low[3], high[3], start[3];
} frame;

static frame frame_of(rind_template_set *set, const rind_template_key *key, int group) {
  frame f = {.set = set, .key = key, .group = group, .dim = set->dim, .cells = set->cells};
  rind_region_direction(key->region, f.direction);
  for (int a = 0; a < 3; ++a) {
    const int n = a < f.dim ? f.cells : 1, layers = set->rules.layers;
    f.low[a] = f.direction[a] < 0 ? -layers : f.direction[a] > 0 ? n : 0;
    f.high[a] = f.direction[a] < 0 ? 0 : f.direction[a] > 0 ? n + layers : n;
    f.start[a] = key->origin[a] * (f.cells / 2);
  }
  return f;
}

/* A new pattern of the frame. The source slot steps by source_step along the
 * destination's axes. */
static rind_pattern *begin_pattern(const frame *f, rind_family family, int number, const int low[3],
                                   const int extent[3], const int step[3],
                                   const int source_step[3]) {
  rind_pattern *pattern = rind_template_add_pattern(f->set);
  if (!pattern) return NULL;
  pattern->family = family;
  pattern->region = f->key->region;
  pattern->number = number;
  pattern->group = f->group;
  for (int a = 0; a < 3; ++a) {
    pattern->extent[a] = extent[a];
    pattern->origin[a] = low[a];
    pattern->step[a] = a < f->dim ? step[a] : 1;
    const int source = a < f->dim ? source_step[a] : 1;
    pattern->slot[RIND_SLOT_OWN].axis[a] = a;
    pattern->slot[RIND_SLOT_OWN].step[a] = pattern->step[a];
    pattern->slot[RIND_SLOT_SOURCE].axis[a] = f->key->axis[a];
    pattern->slot[RIND_SLOT_SOURCE].step[a] = f->key->flip[a] ? -source : source;
  }
  return pattern;
}

/* A term of the neighbour; at is in the neighbour's cells, along the
 * destination's axes. */
static bool add_source(const frame *f, double weight, const int at[3]) {
  rind_pattern_term term = {.weight = weight, .slot = RIND_SLOT_SOURCE};
  for (int a = 0; a < 3; ++a)
    term.origin[f->key->axis[a]] = f->key->flip[a] && a < f->dim ? f->cells - 1 - at[a] : at[a];
  return rind_template_add_term(f->set, &term);
}

static bool add_own(const frame *f, double weight, const int at[3]) {
  const rind_pattern_term term = {
      .weight = weight, .slot = RIND_SLOT_OWN, .origin = {at[0], at[1], at[2]}};
  ++f->set->pattern[f->set->num_patterns - 1].num_own_first;
  return rind_template_add_term(f->set, &term);
}

static bool make_copy(const frame *f) {
  static const int ones[3] = {1, 1, 1};
  int extent[3], at[3];
  for (int a = 0; a < 3; ++a) {
    extent[a] = f->high[a] - f->low[a];
    at[a] = f->low[a] - f->start[a];
  }
  return begin_pattern(f, RIND_FAMILY_COPY, 0, f->low, extent, ones, ones) &&
         add_source(f, 1.0, at);
}

static bool make_average(const frame *f) {
  static const int ones[3] = {1, 1, 1}, twos[3] = {2, 2, 2};
  int low[3], extent[3], number = 0, position = 1;
  for (int a = 0; a < 3; ++a) {
    const bool along = a < f->dim && f->direction[a] == 0;
    low[a] = along ? f->start[a] : f->low[a];
    extent[a] = along ? f->cells / 2 : f->high[a] - f->low[a];
    if (along) {
      number += position * (f->key->origin[a] > 0);
      position *= 2;
    }
  }
  const int width = rind_family_width(RIND_FAMILY_AVERAGE, f->dim);
  if (!begin_pattern(f, RIND_FAMILY_AVERAGE, number, low, extent, ones, twos)) return false;
  for (int child = 0; child < width; ++child) {
    int at[3];
    for (int a = 0; a < 3; ++a)
      at[a] = a < f->dim ? 2 * (low[a] - f->start[a]) + (child >> a & 1) : 0;
    if (!add_source(f, 1.0 / width, at)) return false;
  }
  return true;
}

/* Cells first, first + 2, .. of one axis of a region whose rows read alike. */
typedef struct axis_class {
  int first, count;
  int coarse; /* the coarse cell that holds the first */
  int parity; /* 0: lower half of it, 1: upper */
  int shift;  /* of the three taps */
  int layer;  /* 1, 2, .. outwards where the direction is not 0 */
} axis_class;

/* Splits an axis into at most max classes, in the order of their first cells.
 */
static int split_axis(const frame *f, int axis, bool shifts, axis_class *classes, int max) {
  if (axis >= f->dim) {
    classes[0] = (axis_class){.count = 1};
    return 1;
  }
  int num_classes = 0;
  for (int cell = f->low[axis]; cell < f->high[axis]; ++cell) {
    const int inside = cell - f->start[axis], coarse = inside / 2;
    axis_class c = {.first = cell, .coarse = coarse, .parity = inside % 2};
    if (shifts) c.shift = coarse == 0 ? 1 : coarse == f->cells - 1 ? -1 : 0;
    if (f->direction[axis] != 0) c.layer = f->direction[axis] > 0 ? cell - f->cells + 1 : -cell;
    int k = 0;
    while (k < num_classes && !(classes[k].parity == c.parity && classes[k].shift == c.shift &&
                                classes[k].layer == c.layer))
      ++k;
    RIND_ASSERT(k < max);
    if (k == num_classes) classes[num_classes++] = c;
    ++classes[k].count;
  }
  (void)max;
  return num_classes;
}

/* All 3^dim taps of the coarse block, axis 0 fastest. */
static bool add_tensor(const frame *f, const axis_class *const c[3]) {
  const int last = f->dim == 3 ? MAX_TAPS : 1;
  for (int k = 0; k < last; ++k)
    for (int j = 0; j < MAX_TAPS; ++j)
      for (int i = 0; i < MAX_TAPS; ++i) {
        const int tap[3] = {i, j, k};
        double weight = rind_rows_quadratic(c[0]->parity, c[0]->shift)[i] *
                        rind_rows_quadratic(c[1]->parity, c[1]->shift)[j];
        if (f->dim == 3) weight *= rind_rows_quadratic(c[2]->parity, c[2]->shift)[k];
        int at[3] = {0, 0, 0};
        for (int a = 0; a < f->dim; ++a)
          at[a] = c[a]->coarse - 1 + c[a]->shift + tap[a];
        if (!add_source(f, weight, at)) return false;
      }
  return true;
}

/* The own cell, then 3^(dim - 1) taps of coarse layer 1, then of layer 2. */
static bool add_facing(const frame *f, const axis_class *const c[3], int normal) {
  const bool upper = f->direction[normal] > 0;
  const double *layer = rind_rows_facing(c[normal]->layer);
  const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
  int at[3] = {c[0]->first, c[1]->first, c[2]->first};
  at[normal] = upper ? f->cells - 1 : 0;
  if (!add_own(f, layer[0], at)) return false;
  const int last = f->dim == 3 ? MAX_TAPS : 1;
  for (int depth = 1; depth <= 2; ++depth)
    for (int j = 0; j < last; ++j)
      for (int i = 0; i < MAX_TAPS; ++i) {
        double weight = layer[depth] * rind_rows_quadratic(c[first]->parity, c[first]->shift)[i];
        at[0] = at[1] = at[2] = 0;
        at[first] = c[first]->coarse - 1 + c[first]->shift + i;
        if (f->dim == 3) {
          weight *= rind_rows_quadratic(c[second]->parity, c[second]->shift)[j];
          at[second] = c[second]->coarse - 1 + c[second]->shift + j;
        }
        at[normal] = upper ? depth - 1 : f->cells - depth;
        if (!add_source(f, weight, at)) return false;
      }
  return true;
}

/* The family of a fine ghost whose class along a face's normal is c. */
static rind_family interpolation_family(const frame *f, int normal, const axis_class *const c[3]) {
  if (f->set->rules.interpolation == RIND_INTERPOLATION_INJECTION) return RIND_FAMILY_INJECTION;
  const bool quadratic_rows = f->set->rules.interpolation == RIND_INTERPOLATION_QUADRATIC;
  return quadratic_rows && normal >= 0 && c[normal]->layer <= 2 ? RIND_FAMILY_QUADRATIC
                                                                : RIND_FAMILY_COARSE_ONLY;
}

static bool make_interpolated_box(const frame *f, const axis_class *const c[3], int normal,
                                  int number) {
  static const int ones[3] = {1, 1, 1}, twos[3] = {2, 2, 2};
  const rind_family family = interpolation_family(f, normal, c);
  const int low[3] = {c[0]->first, c[1]->first, c[2]->first};
  const int extent[3] = {c[0]->count, c[1]->count, c[2]->count};
  const int coarse[3] = {c[0]->coarse, c[1]->coarse, c[2]->coarse};
  if (!begin_pattern(f, family, number, low, extent, twos, ones)) return false;
  switch (family) {
  case RIND_FAMILY_INJECTION:
    return add_source(f, 1.0, coarse);
  case RIND_FAMILY_QUADRATIC:
    return add_facing(f, c, normal);
  default:
    return add_tensor(f, c);
  }
}

/* Every combination of the axes' classes is a box, axis 0 fastest. */
static bool make_interpolation(const frame *f) {
  const int edge_classes = 6; /* two parities, three shifts */
  const int max = f->set->rules.layers > edge_classes ? f->set->rules.layers : edge_classes;
  axis_class *classes = rind_allocate((size_t)max * 3, sizeof *classes);
  if (!classes) return false;
  const bool shifts = f->set->rules.interpolation != RIND_INTERPOLATION_INJECTION;
  int count[3], normal = -1;
  for (int a = 0; a < 3; ++a) {
    count[a] = split_axis(f, a, shifts, classes + a * max, max);
    if (f->direction[a] != 0 && rind_region_is_face(f->key->region)) normal = a;
  }
  bool made = true;
  int number = 0;
  for (int k = 0; k < count[2] && made; ++k)
    for (int j = 0; j < count[1] && made; ++j)
      for (int i = 0; i < count[0] && made; ++i) {
        const axis_class *const c[3] = {classes + i, classes + max + j, classes + 2 * max + k};
        made = make_interpolated_box(f, c, normal, number++);
      }
  free(classes);
  return made;
}

bool rind_rows_make(rind_template_set *set, const rind_template_key *key, int group) {
  const frame f = frame_of(set, key, group);
  const int first = set->num_patterns;
  const bool made = key->relation == 0  ? make_copy(&f)
                    : key->relation > 0 ? make_average(&f)
                                        : make_interpolation(&f);
  for (int p = first; made && p < set->num_patterns; ++p)
    RIND_ASSERT(set->pattern[p].num_terms ==
                rind_family_width((rind_family)set->pattern[p].family, set->dim));
  return made;
}
