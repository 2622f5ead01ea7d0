/* oracle_scene.c - random cases: what they are made of, and their forests. */
#include "oracle_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014). */
uint64_t scene_mix(uint64_t key) {
  uint64_t z = key + UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int scene_draw(uint64_t *state, int bound) {
  *state = scene_mix(*state);
  return (int)((*state >> 11) % (uint64_t)bound);
}

double scene_noise(const void *user, int leaf, const int cell[3], int component) {
  const uint64_t *seed = user;
  const uint64_t place = (uint64_t)leaf << 32 | (uint64_t)component << 24 |
                         (uint64_t)cell[2] << 16 | (uint64_t)cell[1] << 8 | (uint64_t)cell[0];
  const uint64_t h = scene_mix(*seed ^ scene_mix(place));
  const double mantissa = (double)(h >> 12) * 0x1p-52 + 1.0;
  const double value = ldexp(mantissa, (int)(h & 15) - 8);
  return (h & 16) != 0 ? -value : value;
}

scene scene_random(uint64_t seed, int index) {
  uint64_t state = scene_mix(seed) ^ scene_mix((uint64_t)index);
  scene s = {.seed = scene_mix(state)};
  s.brick.dim = scene_draw(&state, 2) == 0 ? 2 : 3;
  const bool flat = s.brick.dim == 2;
  for (int a = 0; a < s.brick.dim; ++a) {
    s.brick.trees[a] = 1 + scene_draw(&state, flat ? 3 : 2);
    s.brick.periodic[a] = scene_draw(&state, 2);
  }
  s.brick.level = scene_draw(&state, flat ? 3 : 2);
  s.max_level = s.brick.level + 1 + scene_draw(&state, flat || s.brick.level == 0 ? 3 : 2);
  s.percent = flat ? 10 + scene_draw(&state, 50) : 5 + scene_draw(&state, 25);
  s.ghosts = 1 + scene_draw(&state, 3);
  s.components = 1 + scene_draw(&state, 3);
  s.threads = 1 + scene_draw(&state, 3);
  s.rules.interpolation = (rind_interpolation)(scene_draw(&state, 5) / 2);
  s.rules.regions = scene_draw(&state, 3) == 0 ? RIND_REGIONS_FACES : RIND_REGIONS_ALL;
  s.rules.layers = scene_draw(&state, s.ghosts + 1);
  s.type = scene_draw(&state, 3) == 0 ? RIND_FLOAT32 : RIND_FLOAT64;
  s.storage = scene_draw(&state, 2) == 0 ? RIND_PACKED : RIND_BLOCKS;
  s.order = scene_draw(&state, 2) == 0 ? RIND_COMPONENTS_OUTERMOST : RIND_COMPONENTS_INNERMOST;
  if (s.type == RIND_FLOAT64 && scene_draw(&state, 4) == 0) s.method = RIND_METHOD_TERM_BY_TERM;
  s.wide = scene_draw(&state, 3) == 0;
  return s;
}

void scene_choose_cells(scene *s, int64_t num_blocks, double budget) {
  static const int sizes[] = {2, 2, 4, 4, 6, 8, 8, 10, 16}; /* small ones more often */
  enum { NUM_SIZES = sizeof sizes / sizeof sizes[0] };
  int fitting[NUM_SIZES], num_fitting = 0;
  for (int i = 0; i < NUM_SIZES; ++i) {
    const int n = sizes[i];
    if (n < 2 * s->ghosts) continue;
    if (n < 4 && s->rules.interpolation != RIND_INTERPOLATION_INJECTION) continue;
    if (n < 2 * s->taps.num_taps && s->rules.interpolation == RIND_INTERPOLATION_USER) continue;
    const double padded = n + 2 * s->ghosts;
    const double values = (pow(padded, s->brick.dim) - pow(n, s->brick.dim)) * s->components;
    if (num_fitting == 0 || values * (double)num_blocks <= budget) fitting[num_fitting++] = n;
  }
  uint64_t state = s->seed ^ 0x51ce5;
  s->cells = fitting[scene_draw(&state, num_fitting)];
}

void scene_print(const scene *s, char text[512]) {
  static const char *interpolation[] = {"quadratic", "coarse-only", "injection", "conservative",
                                        "user"};
  static const char *wall[] = {"-",      "even",  "odd",   "constant",
                               "linear", "value", "slope", "function"};
  int used = 0;
  const rind_brick *b = &s->brick;
  used = snprintf(
      text, 512,
      "%dD, trees %d %d %d, periodic %d %d %d, levels %d to %d, n %d, g %d, %d layers, %s, "
      "%s, %d components %s, %s, %s%s, %s, %d threads",
      b->dim, b->trees[0], b->trees[1], b->trees[2], b->periodic[0], b->periodic[1], b->periodic[2],
      b->level, s->max_level, s->cells, s->ghosts, s->rules.layers,
      interpolation[s->rules.interpolation],
      s->rules.regions == RIND_REGIONS_FACES ? "faces" : "all regions", s->components,
      s->order == RIND_COMPONENTS_INNERMOST ? "innermost" : "outermost",
      s->type == RIND_FLOAT32 ? "float32" : "float64",
      s->storage == RIND_BLOCKS ? "blocks" : "packed", s->wide ? " with gaps" : "",
      s->method == RIND_METHOD_TERM_BY_TERM ? "term by term" : "fused", s->threads);
  if (s->rules.restriction == RIND_RESTRICTION_FLUX_MATCHED)
    used += snprintf(text + used, 512 - (size_t)used, ", flux-matched");
  for (int w = 0; w < 6; ++w) {
    const rind_wall kind = s->by_component ? s->component_wall[0][w] : s->rules.wall[w];
    used += snprintf(text + used, 512 - (size_t)used, "%s %s", w == 0 ? ", walls" : "", wall[kind]);
  }
  snprintf(text + used, 512 - (size_t)used, "%s, %d vectors",
           s->by_component ? " of component 0" : "", s->num_vectors);
}

bool scene_splits(const scene *s, int32_t tree, int level, const int32_t coordinate[3]) {
  const bool first = tree == 0 && coordinate[0] == 0 && coordinate[1] == 0 && coordinate[2] == 0;
  if (first && level == s->brick.level && (s->seed & 3) != 0) return true;
  uint64_t key = s->seed;
  key = scene_mix(key ^ (uint64_t)tree);
  key = scene_mix(key ^ (uint64_t)level);
  for (int a = 0; a < 3; ++a)
    key = scene_mix(key ^ (uint64_t)coordinate[a]);
  return (int)((key >> 20) % 100) < s->percent;
}

static int refine_at_random(const rind_block *block, void *user) {
  return scene_splits(user, block->tree, block->level, block->coordinate);
}

rind_error scene_create_forest(rind_context *context, const scene *s, rind_forest **forest) {
  rind_error error = rind_forest_create_brick(context, &s->brick, forest);
  if (error != RIND_OK) return error;
  scene user = *s;
  error = rind_forest_refine(*forest, s->max_level, refine_at_random, &user);
  if (error != RIND_OK) rind_forest_destroy(forest);
  return error;
}
