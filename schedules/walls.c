/* walls.c - fills behind the walls of one axis: mirrors, extrapolation, values, the caller's own.
 */
#include <core.h>
#include <phases.h>
#include <preconditions.h>

#include <limits.h>
#include <stdlib.h>

/* The patterns of one region and component, for blocks of one cell size. */
typedef struct variant {
  double spacing;     /* along the walls' axis; 0 where no weight depends on it */
  int32_t first, num; /* patterns */
  int32_t next;       /* another cell size, or -1 */
} variant;

/* The walls of one axis, under construction. */
typedef struct walls {
  const rind_forest_arrays *arrays;
  rind_template_set *set;
  int phase, axis;
  int components; /* that have walls of their own, at least 1 */
  rind_fill_list *list;
  int32_t *head; /* [RIND_NUM_REGIONS * components], variant or -1 */
  variant *variant;
  int num_variants, max_variants;
} walls;

static rind_wall kind_of(const rind_rules *rules, int wall, int component) {
  return rules->component_wall ? rules->component_wall[component][wall] : rules->wall[wall];
}

static bool behind(uint8_t mask, const int o[3], int axis) {
  return o[axis] != 0 && (mask >> (2 * axis + (o[axis] > 0)) & 1);
}

/* The highest axis along which a region lies behind a wall, -1 if there is none. */
static int last_wall_axis(uint8_t mask, const int o[3]) {
  int axis = 2;
  while (axis >= 0 && !behind(mask, o, axis))
    --axis;
  return axis;
}

static bool is_linked(const rind_forest_arrays *arrays, int block, int region) {
  for (int l = arrays->first_link[block]; l < arrays->first_link[block + 1]; ++l)
    if (arrays->link[l].region == region) return true;
  return false;
}

/* Whether an earlier phase gives the ghosts of a region of this component values. */
static bool is_defined(const walls *w, int block, const int o[3], int component) {
  const int region = (o[0] + 1) + 3 * (o[1] + 1) + 9 * (o[2] + 1);
  const rind_rules *rules = &w->set->rules;
  if (region == RIND_REGION_SELF) return true;
  if (is_linked(w->arrays, block, region)) return rind_rules_want(rules, region);
  const int axis = last_wall_axis(w->arrays->walls[block], o);
  if (axis < 0) return rind_rules_want(rules, region); /* an irregular corner */
  int source[3] = {o[0], o[1], o[2]};
  source[axis] = 0;
  return kind_of(rules, 2 * axis + (o[axis] > 0), component) != RIND_WALL_NONE &&
         is_defined(w, block, source, component);
}

/* The row of layer k: interior layers counted from the wall, 1 the first. */
typedef struct wall_row {
  rind_family family;
  int num_own;
  int layer[2];
  double weight[2];
  double value; /* weight of the wall's value; 0: no such term */
} wall_row;

static wall_row row_of(rind_wall kind, int k, double spacing) {
  switch (kind) {
  case RIND_WALL_EVEN:
    return (wall_row){RIND_FAMILY_MIRROR, 1, {k}, {1.0}, 0.0};
  case RIND_WALL_ODD:
    return (wall_row){RIND_FAMILY_MIRROR, 1, {k}, {-1.0}, 0.0};
  case RIND_WALL_CONSTANT:
    return (wall_row){RIND_FAMILY_CONSTANT, 1, {1}, {1.0}, 0.0};
  case RIND_WALL_LINEAR:
    return (wall_row){RIND_FAMILY_LINEAR, 2, {1, 2}, {1.0 + k, -1.0 * k}, 0.0};
  case RIND_WALL_DIRICHLET:
    return (wall_row){RIND_FAMILY_MIRROR_VALUE, 1, {k}, {-1.0}, 2.0};
  case RIND_WALL_NEUMANN:
    return (wall_row){RIND_FAMILY_MIRROR_VALUE, 1, {k}, {1.0}, (2.0 * k - 1.0) * spacing};
  default:
    return (wall_row){.family = RIND_FAMILY_FUNCTION};
  }
}

/* A box of num_layers layers, from layer k on, of a region; its pattern without terms. */
static rind_error begin_box(walls *w, int region, int component, int k, int num_layers,
                            rind_pattern **made) {
  const rind_template_set *set = w->set;
  int o[3];
  rind_region_direction(region, o);
  RIND_TRY(rind_template_add_pattern(w->set, made));
  rind_pattern *pattern = *made;
  pattern->phase = w->phase;
  pattern->region = region;
  pattern->component = set->rules.component_wall ? component : -1;
  pattern->wall = 2 * w->axis + (o[w->axis] > 0);
  for (int a = 0; a < 3; ++a) {
    const int n = a < set->dim ? set->cells : 1,
              layers = a == w->axis ? num_layers : set->rules.layers;
    const int below = a == w->axis ? -(k + num_layers - 1) : -layers;
    pattern->extent[a] = o[a] == 0 ? n : layers;
    pattern->origin[a] = o[a] < 0 ? below : o[a] > 0 ? n + (a == w->axis ? k - 1 : 0) : 0;
    pattern->step[a] = 1;
    for (int slot = 0; slot < RIND_NUM_SLOTS; ++slot) {
      pattern->slot[slot].axis[a] = a;
      pattern->slot[slot].step[a] = 1;
    }
  }
  return RIND_OK;
}

static rind_error add_row(walls *w, int region, const wall_row *row) {
  rind_pattern *pattern = &w->set->pattern[w->set->num_patterns - 1];
  const int32_t *origin = pattern->origin;
  int o[3];
  rind_region_direction(region, o);
  pattern->family = (int32_t)row->family;
  pattern->num_own_first = row->num_own;
  for (int t = 0; t < row->num_own; ++t) {
    rind_pattern_term term = {row->weight[t], RIND_SLOT_OWN, {origin[0], origin[1], origin[2]}};
    term.origin[w->axis] = o[w->axis] < 0 ? row->layer[t] - 1 : w->set->cells - row->layer[t];
    RIND_TRY(rind_template_add_term(w->set, &term));
  }
  if (row->value == 0.0) return RIND_OK;
  return rind_template_add_term(w->set,
                                &(rind_pattern_term){row->value, RIND_SLOT_VALUE, {0, 0, 0}});
}

/* The patterns of a region and component: a box a layer, in the order of their cells. */
static rind_error make_patterns(walls *w, int region, int component, rind_wall kind,
                                double spacing) {
  const int layers = w->set->rules.layers;
  int o[3];
  rind_region_direction(region, o);
  rind_pattern *pattern;
  if (kind == RIND_WALL_FUNCTION) {
    RIND_TRY(begin_box(w, region, component, 1, layers, &pattern));
    pattern->number = component;
    return add_row(w, region, &(wall_row){.family = RIND_FAMILY_FUNCTION});
  }
  for (int i = 0; i < layers; ++i) {
    const int k = o[w->axis] < 0 ? layers - i : i + 1;
    const wall_row row = row_of(kind, k, spacing);
    RIND_TRY(begin_box(w, region, component, k, 1, &pattern));
    pattern->number = i * w->components + component;
    RIND_TRY(add_row(w, region, &row));
  }
  return RIND_OK;
}

static rind_error find_variant(walls *w, int region, int component, rind_wall kind, double spacing,
                               const variant **found) {
  int32_t *head = &w->head[region * w->components + component];
  for (int32_t v = *head; v >= 0; v = w->variant[v].next)
    if (w->variant[v].spacing == spacing) {
      *found = &w->variant[v];
      return RIND_OK;
    }
  if (w->num_variants == w->max_variants) {
    const int max = w->max_variants > 0 ? 2 * w->max_variants : 32;
    variant *more = realloc(w->variant, (size_t)max * sizeof *more);
    if (!more) return RIND_ERROR_MEMORY;
    w->variant = more;
    w->max_variants = max;
  }
  const int first = w->set->num_patterns;
  RIND_TRY(make_patterns(w, region, component, kind, spacing));
  w->variant[w->num_variants] = (variant){spacing, first, w->set->num_patterns - first, *head};
  *found = &w->variant[w->num_variants];
  *head = w->num_variants++;
  return RIND_OK;
}

/* Fills of one region: of all components alike, or component by component inside each layer. */
static rind_error emit_region(walls *w, int block, int region, const int o[3]) {
  const rind_rules *rules = &w->set->rules;
  const double side = w->arrays->block[block].side[w->axis];
  const int first = w->list->num;
  int source[3] = {o[0], o[1], o[2]};
  source[w->axis] = 0;
  for (int c = 0; c < w->components; ++c) {
    const rind_wall kind = kind_of(rules, 2 * w->axis + (o[w->axis] > 0), c);
    if (kind == RIND_WALL_NONE || !is_defined(w, block, source, c)) continue;
    const double spacing = kind == RIND_WALL_NEUMANN ? side / w->set->cells : 0.0;
    const variant *found;
    RIND_TRY(find_variant(w, region, c, kind, spacing, &found));
    RIND_TRY(rind_fill_list_reserve(w->list, found->num));
    for (int p = found->first; p < found->first + found->num; ++p) {
      int at = w->list->num++;
      for (; at > first &&
             w->set->pattern[w->list->fill[at - 1].pattern].number > w->set->pattern[p].number;
           --at)
        w->list->fill[at] = w->list->fill[at - 1];
      w->list->fill[at] = (rind_schedule_fill_data){p, block, -1};
    }
  }
  return RIND_OK;
}

static rind_error emit_blocks(walls *w) {
  for (int block = 0; block < w->arrays->num_local; ++block) {
    const uint8_t mask = w->arrays->walls[block];
    if ((mask >> 2 * w->axis & 3) == 0) continue;
    for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
      int o[3];
      rind_region_direction(region, o);
      if (w->set->dim == 2 && o[2] != 0) continue;
      if (last_wall_axis(mask, o) != w->axis || is_linked(w->arrays, block, region)) continue;
      RIND_TRY(emit_region(w, block, region, o));
    }
  }
  return RIND_OK;
}

rind_error rind_walls_emit(const rind_forest_arrays *arrays, rind_template_set *set, int phase,
                           int axis, rind_fill_list *list) {
  walls w = {.arrays = arrays, .set = set, .phase = phase, .axis = axis, .list = list};
  w.components = set->rules.component_wall ? set->rules.num_components : 1;
  const size_t heads = (size_t)RIND_NUM_REGIONS * (size_t)w.components;
  w.head = rind_allocate(heads, sizeof *w.head);
  if (!w.head) return RIND_ERROR_MEMORY;
  for (size_t h = 0; h < heads; ++h)
    w.head[h] = -1;
  const rind_error error = emit_blocks(&w);
  free(w.head);
  free(w.variant);
  return error;
}
