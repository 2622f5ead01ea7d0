/* preconditions.c - checks of a schedule's sizes, rules and forest before it is built. */
#include <core.h>
#include <phases.h>
#include <preconditions.h>
#include <taps.h>
#include <template.h>

#include <limits.h>

/* Coordinates are sums of a few block sides; they stay far from INT_MAX. */
enum { MAX_CELLS = INT_MAX / 8, LEAST_THREE_POINT = 4, MAX_BOXES = INT_MAX / RIND_NUM_REGIONS };
/* Corners have a row of their own in every layer along each axis: 2^14 and 2^15 rows a link. */
enum { MOST_LAYERS_2D = 128, MOST_LAYERS_3D = 32 };

bool rind_rules_want(const rind_rules *rules, int region) {
  return rules->regions == RIND_REGIONS_ALL || rind_region_is_face(region);
}

bool rind_rules_have_walls(const rind_rules *rules) {
  for (int c = 0; c < (rules->component_wall ? rules->num_components : 1); ++c)
    for (int w = 0; w < 6; ++w)
      if ((rules->component_wall ? rules->component_wall[c][w] : rules->wall[w]) != RIND_WALL_NONE)
        return true;
  return false;
}

rind_error rind_schedule_check_sizes(const rind_forest *forest, int cells, int ghosts) {
  rind_context *context = rind_forest_context(forest);
  const int dim = rind_forest_dim(forest);
  RIND_REQUIRE(context, ghosts >= 1, RIND_ERROR_INVALID, "%d ghost layers: at least 1 it must be",
               ghosts);
  RIND_REQUIRE(context, cells <= MAX_CELLS, RIND_ERROR_OVERFLOW,
               "%d cells a block: at most %d it must be", cells, MAX_CELLS);
  RIND_REQUIRE(context, ghosts <= MAX_CELLS / 2, RIND_ERROR_OVERFLOW,
               "%d ghost layers: at most %d it must be", ghosts, MAX_CELLS / 2);
  RIND_REQUIRE(context, cells >= 2 * ghosts, RIND_ERROR_INVALID,
               "%d cells a block for %d ghost layers: at least %d it must be, and even", cells,
               ghosts, 2 * ghosts);
  if (cells % 2 != 0 && cells > LEAST_THREE_POINT)
    return rind_context_fail(context, RIND_ERROR_INVALID,
                             "%d cells a block: even it must be, %d or %d would do", cells,
                             cells - 1, cells + 1);
  RIND_REQUIRE(context, cells % 2 == 0, RIND_ERROR_INVALID,
               "%d cells a block: even it must be, %d would do", cells, cells + 1);
  const int64_t side = cells + 2 * (int64_t)ghosts; /* its square fits */
  RIND_REQUIRE(context, dim == 2 || side <= INT64_MAX / (side * side), RIND_ERROR_OVERFLOW,
               "(%d + 2*%d)^3 cells a block: at most 2^63 - 1 they may be", cells, ghosts);
  return RIND_OK;
}

static rind_error check_walls(rind_context *context, const rind_rules *rules) {
  const bool of_component = rules->component_wall != NULL;
  RIND_REQUIRE(context, !of_component || rules->num_components >= 1, RIND_ERROR_INVALID,
               "the rules have walls of %d components: at least 1 it must be",
               rules->num_components);
  for (int c = 0; c < (of_component ? rules->num_components : 1); ++c)
    for (int w = 0; w < 6; ++w) {
      const rind_wall kind = of_component ? rules->component_wall[c][w] : rules->wall[w];
      RIND_REQUIRE(context, (unsigned)kind < RIND_NUM_WALLS, RIND_ERROR_INVALID,
                   "wall %d of component %d is of kind %d: 0 to %d it must be", w, c, (int)kind,
                   RIND_NUM_WALLS - 1);
    }
  return RIND_OK;
}

static rind_error check_pairing(rind_context *context, const rind_rules *rules, int cells) {
  RIND_REQUIRE(
      context,
      rules->restriction != RIND_RESTRICTION_FLUX_MATCHED ||
          rules->interpolation != RIND_INTERPOLATION_INJECTION,
      RIND_ERROR_INVALID,
      "flux-matched restriction after injection, whose ghosts are not even linear: ask for "
      "another interpolation, or for average");
  if (rules->interpolation != RIND_INTERPOLATION_USER) return RIND_OK;
  RIND_REQUIRE(context, rules->taps, RIND_ERROR_INVALID,
               "the rules ask for the user's interpolation and have no taps");
  return rind_taps_check(context, rules->taps, cells);
}

rind_error rind_schedule_check_rules(const rind_forest *forest, const rind_rules *rules, int cells,
                                     int ghosts) {
  rind_context *context = rind_forest_context(forest);
  RIND_REQUIRE(context, (unsigned)rules->interpolation <= RIND_INTERPOLATION_USER,
               RIND_ERROR_INVALID,
               "the rules have interpolation %d: quadratic (0), coarse-only (1), injection (2), "
               "conservative (3) or the user's (4) it must be",
               (int)rules->interpolation);
  RIND_REQUIRE(context, (unsigned)rules->restriction <= RIND_RESTRICTION_FLUX_MATCHED,
               RIND_ERROR_INVALID,
               "the rules have restriction %d: average (0) or flux-matched (1) it must be",
               (int)rules->restriction);
  RIND_REQUIRE(context, (unsigned)rules->regions <= RIND_REGIONS_FACES, RIND_ERROR_INVALID,
               "the rules have regions %d: all (0) or faces (1) it must be", (int)rules->regions);
  RIND_REQUIRE(context, rules->layers >= 0 && rules->layers <= ghosts, RIND_ERROR_INVALID,
               "the rules ask for %d ghost layers: 1 to %d it must be, or 0 for all", rules->layers,
               ghosts);
  RIND_TRY(check_walls(context, rules));
  const int layers = rules->layers > 0 ? rules->layers : ghosts;
  RIND_REQUIRE(context, !rules->component_wall || rules->num_components <= MAX_BOXES / layers,
               RIND_ERROR_OVERFLOW,
               "walls of %d components in %d ghost layers: at most %d components they may be",
               rules->num_components, layers, MAX_BOXES / layers);
  return check_pairing(context, rules, cells);
}

static bool meets_coarser(const rind_forest_arrays *arrays, const rind_rules *rules) {
  for (int l = 0; l < arrays->first_link[arrays->num_local]; ++l)
    if (arrays->link[l].relation < 0 && rind_rules_want(rules, arrays->link[l].region)) return true;
  return false;
}

rind_error rind_schedule_check_links(const rind_forest *forest, int cells, int ghosts,
                                     const rind_rules *rules) {
  rind_context *context = rind_forest_context(forest);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  RIND_REQUIRE(context,
               rules->regions == RIND_REGIONS_FACES || arrays->balance == RIND_BALANCE_FULL,
               RIND_ERROR_UNBALANCED,
               "all regions are asked of a forest that is balanced across faces only: balance it "
               "across edges and corners too, or ask for faces");
  const bool coarser = meets_coarser(arrays, rules);
  const bool irregular = rules->regions == RIND_REGIONS_ALL && rind_corners_any(arrays);
  RIND_REQUIRE(context,
               !coarser || cells >= LEAST_THREE_POINT ||
                   rules->interpolation == RIND_INTERPOLATION_INJECTION ||
                   rules->interpolation == RIND_INTERPOLATION_USER,
               RIND_ERROR_INVALID,
               "%d cells a block and a coarse-fine interface: at least %d it must be for "
               "three-point interpolation, or ask for injection",
               cells, LEAST_THREE_POINT);
  const int layers = rules->layers > 0 ? rules->layers : ghosts;
  const int most = arrays->dim == 3 ? MOST_LAYERS_3D : MOST_LAYERS_2D;
  RIND_REQUIRE(context, layers <= most || !(coarser || irregular), RIND_ERROR_OVERFLOW,
               "%d ghost layers and %s: at most %d may be filled in %dD", layers,
               coarser ? "a coarse-fine interface" : "an irregular corner", most, arrays->dim);
  return RIND_OK;
}

rind_error rind_schedule_check_fresh(const rind_schedule *schedule) {
  RIND_TRY(rind_forest_check(schedule->forest));
  RIND_REQUIRE(schedule->context, rind_forest_revision(schedule->forest) == schedule->revision,
               RIND_ERROR_STALE,
               "the forest has changed since the schedule was made: make the schedule anew");
  return RIND_OK;
}
