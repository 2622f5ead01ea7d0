/* oracle_extend.c - random cases with every family, wall and vector; functions behind walls. */
#include <string.h>

#include "oracle_scene.h"

/* In [-1, 1]. */
static double draw_weight(uint64_t *state) {
  return scene_draw(state, 2000001) * 1e-6 - 1.0;
}

/* Taps that stay in the block if it has twice as many cells. */
static void draw_taps(rind_taps *taps, uint64_t *state) {
  taps->num_taps = 1 + scene_draw(state, RIND_MAX_TAPS);
  const int num = taps->num_taps;
  for (int parity = 0; parity < 2; ++parity) {
    taps->first[parity][0] = scene_draw(state, 2);
    taps->first[parity][1] = -scene_draw(state, num);
    taps->first[parity][2] = 1 - num - scene_draw(state, 2);
    for (int shift = 0; shift < 3; ++shift) {
      double rest = 1.0;
      for (int t = 0; t < num; ++t) {
        const double w = t == num - 1 ? rest : draw_weight(state);
        taps->weight[parity][shift][t] = w;
        rest -= w;
      }
    }
  }
}

static void draw_walls(scene *s, uint64_t *state) {
  s->by_component = scene_draw(state, 3) == 0;
  /* One kind more often than others, so that corners behind equal walls occur. */
  const rind_wall usual = (rind_wall)scene_draw(state, RIND_NUM_WALLS);
  for (int w = 0; w < 6; ++w) {
    s->rules.wall[w] = RIND_WALL_NONE;
    for (int c = 0; c < s->components; ++c) {
      const rind_wall other = (rind_wall)scene_draw(state, RIND_NUM_WALLS);
      s->component_wall[c][w] = scene_draw(state, 4) == 0 ? usual : other;
    }
    if (!s->by_component) s->rules.wall[w] = s->component_wall[0][w];
  }
  for (int i = 0; i < 6 * s->components; ++i)
    s->wall_values[i] = 4 * draw_weight(state);
}

static void draw_vectors(scene *s, uint64_t *state) {
  const int dim = s->brick.dim;
  int first = 0;
  while (s->num_vectors < SCENE_MAX_VECTORS && scene_draw(state, 3) > 0) {
    first += scene_draw(state, 2);
    if (first + dim > s->components) break;
    s->vector[s->num_vectors++] = first;
    first += dim;
  }
}

void scene_extend(scene *s) {
  uint64_t state = scene_mix(s->seed ^ 0xe87e4d);
  s->components = 1 + scene_draw(&state, SCENE_MAX_COMPONENTS - 2);
  s->rules.interpolation = (rind_interpolation)scene_draw(&state, 6);
  if (scene_draw(&state, 6) < 2) s->rules.interpolation = RIND_INTERPOLATION_CONSERVATIVE;
  if ((int)s->rules.interpolation == 5) s->rules.interpolation = RIND_INTERPOLATION_QUADRATIC;
  const bool injected = s->rules.interpolation == RIND_INTERPOLATION_INJECTION;
  if (!injected && scene_draw(&state, 5) < 3) s->rules.restriction = RIND_RESTRICTION_FLUX_MATCHED;
  if (s->rules.interpolation == RIND_INTERPOLATION_USER) draw_taps(&s->taps, &state);
  draw_walls(s, &state);
  draw_vectors(s, &state);
}

rind_rules scene_rules(const scene *s) {
  rind_rules rules = s->rules;
  if (rules.interpolation == RIND_INTERPOLATION_USER) rules.taps = &s->taps;
  if (s->by_component) {
    rules.num_components = s->components;
    rules.component_wall = s->component_wall;
  }
  return rules;
}

static const double wall_slope = 0.7; /* products are rounded */

/* The ghost's value from that of the cell in front. */
static double wall_value(uint64_t noise, double front, int leaf, const int cell[3], int component) {
  const int shifted[3] = {cell[0] + 32, cell[1] + 32, cell[2] + 32};
  return wall_slope * front + scene_noise(&noise, leaf, shifted, component + 100);
}

static void cell_in_front(int wall, int cells, const int cell[3], int front[3]) {
  memcpy(front, cell, 3 * sizeof *front);
  front[wall / 2] = wall % 2 == 0 ? 0 : cells - 1;
}

static bool call_is_right(const scene_walls *walls, const rind_wall_call *call) {
  const scene *s = walls->scene;
  const rind_block *block = rind_forest_block(walls->forest, call->block);
  if (block == NULL || call->wall < 0 || call->wall >= 2 * s->brick.dim) return false;
  bool right = call->cells == s->cells &&
               memcmp(call->lower, block->lower, sizeof call->lower) == 0 &&
               memcmp(call->side, block->side, sizeof call->side) == 0 && call->field == 0 &&
               call->component >= (s->by_component ? 0 : -1) && call->component < s->components;
  for (int a = 0, power = 1; a < 3; ++a, power *= 3) {
    const int o = call->region / power % 3 - 1;
    const int first = call->origin[a], last = first + call->extent[a] - 1;
    right = right && (o < 0 ? last < 0 : o > 0 ? first >= s->cells : first >= 0 && last < s->cells);
    if (a == call->wall / 2) right = right && o == (call->wall % 2 == 0 ? -1 : 1);
  }
  const rind_wall kind = call->component >= 0 && s->by_component
                             ? s->component_wall[call->component][call->wall]
                             : s->rules.wall[call->wall];
  return right && kind == RIND_WALL_FUNCTION;
}

static double load(const rind_wall_call *call, const int cell[3], int component, bool store,
                   double value) {
  const rind_layout *layout = call->layout;
  ptrdiff_t e = component * layout->component_stride;
  for (int a = 0; a < layout->dim; ++a)
    e += cell[a] * layout->cell_stride[a];
  if (layout->type == RIND_FLOAT32) {
    float *at = (float *)call->pointer + e;
    if (store) *at = (float)value;
    return (double)*at;
  }
  double *at = (double *)call->pointer + e;
  if (store) *at = value;
  return *at;
}

void scene_fill_wall(void *user, const rind_wall_call *call) {
  scene_walls *walls = user;
  ++walls->calls;
  if (!call_is_right(walls, call)) {
    ++walls->wrong;
    return;
  }
  const int leaf = (int)rind_forest_block(walls->forest, call->block)->global;
  const int num_cells = call->extent[0] * call->extent[1] * call->extent[2];
  for (int c = 0; c < walls->scene->components; ++c) {
    if (call->component >= 0 && call->component != c) continue;
    for (int i = 0; i < num_cells; ++i) {
      const int cell[3] = {call->origin[0] + i % call->extent[0],
                           call->origin[1] + i / call->extent[0] % call->extent[1],
                           call->origin[2] + i / (call->extent[0] * call->extent[1])};
      int front[3];
      cell_in_front(call->wall, call->cells, cell, front);
      const double value = load(call, front, c, false, 0);
      load(call, cell, c, true, wall_value(walls->noise, value, leaf, cell, c));
    }
  }
}

/* Axes, blocks and regions descend. */
static bool call_is_in_order(scene_walls *walls, const rind_wall_call *call, int leaf) {
  const int64_t block = (int64_t)(call->wall / 2 + 1) << 32 | leaf;
  const int64_t place = block * RIND_NUM_REGIONS + call->region;
  const bool descends = walls->last_adjoint == 0 || place <= walls->last_adjoint;
  walls->last_adjoint = place;
  return descends;
}

/* Layer after layer, in the order of docs/rows.md: from the upper one down. */
void scene_transpose_wall(void *user, const rind_wall_call *call) {
  scene_walls *walls = user;
  ++walls->adjoint_calls;
  if (!call_is_right(walls, call)) {
    ++walls->wrong;
    return;
  }
  const int leaf = (int)rind_forest_block(walls->forest, call->block)->global;
  if (!call_is_in_order(walls, call, leaf)) ++walls->wrong;
  const int axis = call->wall / 2, num_layers = call->extent[axis];
  const int num_cells = call->extent[0] * call->extent[1] * call->extent[2];
  for (int c = 0; c < walls->scene->components; ++c) {
    if (call->component >= 0 && call->component != c) continue;
    for (int i = 0; i < num_cells; ++i) {
      int cell[3] = {call->origin[0] + i % call->extent[0],
                     call->origin[1] + i / call->extent[0] % call->extent[1],
                     call->origin[2] + i / (call->extent[0] * call->extent[1])};
      if (cell[axis] != call->origin[axis]) continue;
      int front[3];
      cell_in_front(call->wall, call->cells, cell, front);
      double sum = load(call, front, c, false, 0);
      for (int layer = num_layers - 1; layer >= 0; --layer) {
        cell[axis] = call->origin[axis] + layer;
        sum = sum + wall_slope * load(call, cell, c, false, 0);
      }
      load(call, front, c, true, sum);
    }
  }
}

static double front_of_wall(const oracle_fill *fill, const int cell[3], int wall, int front[3]) {
  cell_in_front(wall, fill->judge->cells, cell, front);
  return wall_slope;
}

double scene_at_wall(const oracle_fill *fill, int leaf, const int cell[3], int component,
                     int wall) {
  int front[3];
  cell_in_front(wall, fill->judge->cells, cell, front);
  const double value = oracle_value_after(fill, leaf, front, component);
  return wall_value(*(const uint64_t *)fill->user, value, leaf, cell, component);
}

oracle_fill scene_oracle_fill(const scene *s, const oracle *judge, const rind_rules *rules,
                              const uint64_t *noise) {
  return (oracle_fill){.judge = judge,
                       .rules = rules,
                       .type = s->type,
                       .value = scene_noise,
                       .user = noise,
                       .components = s->components,
                       .wall_values = s->wall_values,
                       .num_vectors = s->num_vectors,
                       .vector = s->vector,
                       .at_wall = scene_at_wall,
                       .wall_front = front_of_wall};
}

rind_exchange_options scene_options(const scene *s, scene_walls *walls) {
  return (rind_exchange_options){.method = s->method,
                                 .wall_function = scene_fill_wall,
                                 .wall_user = walls,
                                 .num_vectors = s->num_vectors,
                                 .vector = s->vector};
}
