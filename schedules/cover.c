/* cover.c - invariant 4 of docs/rows.md, from the side of the cells. */
#include <core.h>
#include <cover.h>
#include <preconditions.h>
#include <template.h>

#include <stdlib.h>
#include <string.h>

static size_t num_cells(const rind_cover *cover) {
  const size_t side = (size_t)cover->side;
  return cover->dim == 3 ? side * side * side : side * side;
}

rind_error rind_cover_create(const rind_schedule *schedule, rind_cover *cover) {
  *cover = (rind_cover){.dim = schedule->dim,
                        .ghosts = schedule->ghosts,
                        .side = schedule->cells + 2 * (int64_t)schedule->ghosts};
  cover->count = rind_allocate(num_cells(cover), 1);
  RIND_REQUIRE(schedule->context, cover->count, RIND_ERROR_MEMORY,
               "no memory to count the writers of %lld^%d cells", (long long)cover->side,
               cover->dim);
  return RIND_OK;
}

void rind_cover_destroy(rind_cover *cover) {
  free(cover->count);
  cover->count = NULL;
}

unsigned char *rind_cover_count(const rind_cover *cover, const int cell[3]) {
  const int64_t z = cover->dim == 3 ? cell[2] + cover->ghosts : 0;
  const int64_t row = z * cover->side + cell[1] + cover->ghosts;
  return &cover->count[row * cover->side + cell[0] + cover->ghosts];
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

static bool behind_wall(uint8_t walls, const int o[3]) {
  for (int a = 0; a < 3; ++a)
    if (o[a] != 0 && (walls >> (2 * a + (o[a] > 0)) & 1)) return true;
  return false;
}

static bool has_link(const rind_forest_arrays *arrays, int block, int region) {
  for (int l = arrays->first_link[block]; l < arrays->first_link[block + 1]; ++l)
    if (arrays->link[l].region == region) return true;
  return false;
}

static rind_error check_region(const rind_cover *cover, const rind_schedule *schedule, int block,
                               int region) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  const long long global = (long long)arrays->block[block].global;
  int o[3], low[3], high[3], cell[3];
  rind_region_direction(region, o);
  rind_cover_region(schedule, region, low, high);
  const bool linked = has_link(arrays, block, region);
  RIND_REQUIRE(
      schedule->context, linked || behind_wall(arrays->walls[block], o), RIND_ERROR_INTERNAL,
      "block %lld, region (%d, %d, %d) is uncovered: it has no neighbour and is not behind "
      "a wall (an irregular corner)",
      global, o[0], o[1], o[2]);
  for (cell[2] = low[2]; cell[2] < high[2]; ++cell[2])
    for (cell[1] = low[1]; cell[1] < high[1]; ++cell[1])
      for (cell[0] = low[0]; cell[0] < high[0]; ++cell[0])
        RIND_REQUIRE(schedule->context, *rind_cover_count(cover, cell) == linked,
                     RIND_ERROR_INTERNAL,
                     "block %lld, region (%d, %d, %d), cell (%d, %d, %d) breaks invariant 4: %s",
                     global, o[0], o[1], o[2], cell[0], cell[1], cell[2],
                     linked ? "no fill writes it" : "a fill writes it, behind a wall");
  return RIND_OK;
}

rind_error rind_cover_finish(rind_cover *cover, const rind_schedule *schedule, int block) {
  for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
    const bool flat = schedule->dim == 2 && region / 9 != 1;
    if (region == RIND_REGION_SELF || flat || !rind_rules_want(&schedule->rules, region)) continue;
    RIND_TRY(check_region(cover, schedule, block, region));
  }
  memset(cover->count, 0, num_cells(cover));
  return RIND_OK;
}
