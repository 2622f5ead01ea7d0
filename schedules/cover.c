/* cover.c - invariant 4 of docs/rows.md, from the side of the cells. */
#include <core.h>
#include <cover.h>
#include <preconditions.h>
#include <template.h>

#include <stdlib.h>
#include <string.h>

/* Who writes a region: nobody, or a kind of phase; flux: the phase of its layer 1. */
typedef struct claim {
  bool is_written, behind_wall, flux;
  rind_phase_kind kind;
  int axis;
} claim;

static size_t num_cells(const rind_cover *cover) {
  const size_t side = (size_t)cover->side;
  return cover->dim == 3 ? side * side * side : side * side;
}

rind_error rind_cover_create(const rind_schedule *schedule, rind_cover *cover) {
  *cover = (rind_cover){.dim = schedule->dim,
                        .ghosts = schedule->ghosts,
                        .side = schedule->cells + 2 * (int64_t)schedule->ghosts};
  cover->writer = rind_allocate(num_cells(cover), 1);
  RIND_REQUIRE(schedule->context, cover->writer, RIND_ERROR_MEMORY,
               "no memory to note the writers of %lld^%d cells", (long long)cover->side,
               cover->dim);
  return RIND_OK;
}

void rind_cover_destroy(rind_cover *cover) {
  free(cover->writer);
  cover->writer = NULL;
}

unsigned char *rind_cover_writer(const rind_cover *cover, const int cell[3]) {
  const int64_t z = cover->dim == 3 ? cell[2] + cover->ghosts : 0;
  const int64_t row = z * cover->side + cell[1] + cover->ghosts;
  return &cover->writer[row * cover->side + cell[0] + cover->ghosts];
}

void rind_cover_region(const rind_schedule *schedule, int region, int low[3], int high[3]) {
  int o[3];
  rind_region_direction(region, o);
  for (int a = 0; a < 3; ++a) {
    const int n = a < schedule->dim ? schedule->cells : 1, layers = schedule->rules.layers;
    low[a] = o[a] < 0 ? -layers : o[a] > 0 ? n : 0;
    high[a] = o[a] < 0 ? 0 : o[a] > 0 ? n + layers : n;
  }
}

static const rind_link *find_link(const rind_forest_arrays *arrays, int block, const int o[3]) {
  const int region = (o[0] + 1) + 3 * (o[1] + 1) + 9 * (o[2] + 1);
  for (int l = arrays->first_link[block]; l < arrays->first_link[block + 1]; ++l)
    if (arrays->link[l].region == region) return &arrays->link[l];
  return NULL;
}

/* From the last axis to the first: a region behind a wall takes from the region before the wall,
 * and that one likewise, until one has a neighbour, or is irregular, or is the block itself. */
static claim claim_of(const rind_schedule *schedule, int block, int region, int component) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  const rind_rules *rules = &schedule->rules;
  const rind_wall *wall = rules->component_wall ? rules->component_wall[component] : rules->wall;
  int o[3];
  rind_region_direction(region, o);
  claim made = {.kind = RIND_PHASE_CORNERS, .axis = -1};
  const rind_link *link = find_link(arrays, block, o);
  if (link) {
    made.kind = RIND_PHASE_BLOCKS;
    made.is_written = rind_rules_want(rules, region);
    made.flux = rules->restriction == RIND_RESTRICTION_FLUX_MATCHED && link->relation > 0 &&
                rind_region_is_face(region);
    return made;
  }
  for (int a = schedule->dim - 1; a >= 0; --a) {
    const int side = 2 * a + (o[a] > 0);
    if (o[a] == 0 || !(arrays->walls[block] >> side & 1)) continue;
    if (!made.behind_wall) {
      made.behind_wall = true;
      made.kind = RIND_PHASE_WALLS;
      made.axis = a;
    }
    o[a] = 0;
    if (wall[side] == RIND_WALL_NONE) return made;
    if (find_link(arrays, block, o)) break;
  }
  const int left = (o[0] + 1) + 3 * (o[1] + 1) + 9 * (o[2] + 1);
  made.is_written = left == RIND_REGION_SELF || rind_rules_want(rules, left);
  return made;
}

static int find_phase(const rind_schedule *schedule, rind_phase_kind kind, int axis) {
  for (int p = 0; p < schedule->num_phases; ++p)
    if (schedule->phase[p].kind == (int32_t)kind && schedule->phase[p].axis == axis) return p;
  return -1;
}

static bool is_layer_one(const rind_schedule *schedule, const int cell[3]) {
  for (int a = 0; a < schedule->dim; ++a)
    if (cell[a] < -1 || cell[a] > schedule->cells) return false;
  return true;
}

static rind_error check_cell(const rind_cover *cover, const rind_schedule *schedule, int block,
                             const int o[3], const int cell[3], const claim *by) {
  const long long global = (long long)rind_forest_get_arrays(schedule->forest)->block[block].global;
  const bool flux = by->flux && is_layer_one(schedule, cell);
  const int right =
      by->is_written ? find_phase(schedule, flux ? RIND_PHASE_FLUX : by->kind, by->axis) : -1;
  const int writer = *rind_cover_writer(cover, cell) - 1;
  if (writer == right) return RIND_OK;
  char phases[64];
  snprintf(phases, sizeof phases, "phase %d writes it, phase %d it must be", writer, right);
  return rind_context_fail(
      schedule->context, RIND_ERROR_INTERNAL,
      "block %lld, region (%d, %d, %d), cell (%d, %d, %d) breaks invariant 4: %s", global, o[0],
      o[1], o[2], cell[0], cell[1], cell[2],
      writer < 0        ? "no fill writes it"
      : by->is_written  ? phases
      : by->behind_wall ? "a fill writes it, behind a wall"
                        : "a fill writes it, and none is asked for");
}

static rind_error check_region(const rind_cover *cover, const rind_schedule *schedule, int block,
                               int region, int component) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  const claim by = claim_of(schedule, block, region, component);
  int o[3], low[3], high[3], cell[3];
  rind_region_direction(region, o);
  RIND_REQUIRE(schedule->context, by.kind != RIND_PHASE_CORNERS || !rind_region_is_face(region),
               RIND_ERROR_INTERNAL,
               "block %lld, region (%d, %d, %d) is uncovered: it has no neighbour and is not "
               "behind a wall",
               (long long)arrays->block[block].global, o[0], o[1], o[2]);
  rind_cover_region(schedule, region, low, high);
  for (cell[2] = low[2]; cell[2] < high[2]; ++cell[2])
    for (cell[1] = low[1]; cell[1] < high[1]; ++cell[1])
      for (cell[0] = low[0]; cell[0] < high[0]; ++cell[0])
        RIND_TRY(check_cell(cover, schedule, block, o, cell, &by));
  return RIND_OK;
}

rind_error rind_cover_finish(rind_cover *cover, const rind_schedule *schedule, int block,
                             int component) {
  for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
    const bool flat = schedule->dim == 2 && region / 9 != 1;
    if (region == RIND_REGION_SELF || flat) continue;
    RIND_TRY(check_region(cover, schedule, block, region, component));
  }
  memset(cover->writer, 0, num_cells(cover));
  return RIND_OK;
}
