/* test_ranks.c - p4est forests: all rules verify, and the fills do not depend on the ranks. */
#include <check.h>
#include <rind/rind.h>
#include <stdbool.h>
#include <string.h>

#include "reference_forests.h"

static rind_context *world, *alone;

static const rind_wall walls[2][6] = {
    {RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_LINEAR, RIND_WALL_NONE, RIND_WALL_FUNCTION},
    {RIND_WALL_NEUMANN, RIND_WALL_NONE, RIND_WALL_ODD, RIND_WALL_EVEN, RIND_WALL_CONSTANT}};

/* The line through two coarse cells. */
static const rind_taps linear_taps = {.num_taps = 2,
                                      .first = {{0, -1, -1}, {0, 0, -1}},
                                      .weight = {{{1.25, -0.25}, {0.25, 0.75}, {0.25, 0.75}},
                                                 {{0.75, 0.25}, {0.75, 0.25}, {-0.25, 1.25}}}};

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdu;
}

static uint64_t mix_box(uint64_t hash, const rind_box *box) {
  for (int a = 0; a < 3; ++a) {
    hash = mix(hash, (uint64_t)box->origin[a]);
    hash = mix(hash, (uint64_t)box->axis[a]);
    hash = mix(hash, (uint64_t)box->step[a]);
  }
  return hash;
}

/* Of all that a fill says, with global block numbers. */
static uint64_t hash_fill(const rind_schedule *schedule, const rind_block *block, int fill) {
  rind_fill_view view;
  rind_term_view term;
  if (rind_schedule_fill(schedule, fill, &view) != RIND_OK) return 0;
  uint64_t hash = mix(mix(1, (uint64_t)block[view.block].global), (uint64_t)view.phase);
  hash = mix(hash, (uint64_t)view.component);
  hash = mix(mix(mix(hash, (uint64_t)view.region), (uint64_t)view.number), (uint64_t)view.family);
  hash = mix_box(hash, &view.box);
  for (int a = 0; a < 3; ++a)
    hash = mix(hash, (uint64_t)view.extent[a]);
  for (int t = 0; t < view.num_terms; ++t) {
    if (rind_schedule_term(schedule, fill, t, &term) != RIND_OK) return 0;
    uint64_t weight;
    memcpy(&weight, &term.weight, sizeof weight);
    hash = mix_box(mix(mix(hash, term.block < 0 ? 99 : (uint64_t)block[term.block].global), weight),
                   &term.box);
  }
  return hash;
}

/* Of all fills in their order: phase by phase and block by block, as ranks hold runs of blocks. */
static uint64_t hash_schedule(const rind_schedule *schedule, long *fills) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(rind_schedule_forest(schedule));
  uint64_t sum = 0, of_block = 0;
  int before = -1, phase = -1;
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f) {
    rind_fill_view view;
    if (rind_schedule_fill(schedule, f, &view) != RIND_OK) return 0;
    const bool goes_on = view.block == before && view.phase == phase;
    if (!goes_on) sum += of_block;
    of_block = mix(goes_on ? of_block : 7, hash_fill(schedule, arrays->block, f));
    before = view.block;
    phase = view.phase;
  }
  *fills = rind_schedule_num_fills(schedule);
  return sum + of_block;
}

static uint64_t make_and_hash(rind_context *context, const rind_forest *forest, int cells,
                              int ghosts, const rind_rules *rules, long *fills) {
  rind_schedule *schedule = NULL;
  uint64_t hash = 0;
  CHECK_OK(rind_schedule_create(forest, cells, ghosts, rules, &schedule), context);
  if (!schedule) return 0;
  CHECK_OK(rind_schedule_verify(schedule), context);
  hash = hash_schedule(schedule, fills);
  rind_schedule_destroy(&schedule);
  return hash;
}

static void test_forest(int dim, bool periodic, bool corner) {
  rind_forest *forest[2] = {NULL, NULL};
  rind_context *context[2] = {world, alone};
  for (int w = 0; w < 2; ++w)
    CHECK_OK(corner ? reference_corner(context[w], dim, periodic, &forest[w])
                    : reference_half_refined(context[w], dim, 2, periodic, &forest[w]),
             context[w]);
  for (int r = 0; r < 20 && forest[0] && forest[1]; ++r) {
    const rind_rules rules = {.interpolation = (rind_interpolation)(r % 5),
                              .restriction = r % 5 != RIND_INTERPOLATION_INJECTION && r / 5 % 2
                                                 ? RIND_RESTRICTION_FLUX_MATCHED
                                                 : RIND_RESTRICTION_AVERAGE,
                              .regions = r / 5 % 2 ? RIND_REGIONS_ALL : RIND_REGIONS_FACES,
                              .layers = r / 10 ? 1 : 0,
                              .num_components = 2,
                              .component_wall = r % 2 ? walls : NULL,
                              .taps = &linear_taps};
    long fills[2] = {0, 0};
    uint64_t hash[2], sum = 0;
    for (int w = 0; w < 2; ++w)
      hash[w] = make_and_hash(context[w], forest[w], 6, 3, &rules, &fills[w]);
    MPI_Allreduce(&hash[0], &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &fills[0], 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(fills[0] == fills[1], "%ld fills on all ranks, %ld on one", fills[0], fills[1]);
    CHECK(sum == hash[1], "%dD, rules %d: the fills differ from those on one rank", dim, r);
  }
  rind_forest_destroy(&forest[0]);
  rind_forest_destroy(&forest[1]);
}

/* One block that is its own neighbour all around. */
static void test_own_neighbour(int dim) {
  const rind_brick brick = {.dim = dim, .periodic = {1, 1, 1}};
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  rind_schedule_stats stats = {0};
  CHECK_OK(rind_forest_create_brick(world, &brick, &forest), world);
  if (!forest) return;
  CHECK_OK(rind_schedule_create(forest, 4, 2, NULL, &schedule), world);
  CHECK_OK(rind_schedule_verify(schedule), world);
  CHECK_OK(rind_schedule_get_stats(schedule, &stats), world);
  const long blocks = rind_forest_num_blocks(forest), regions = dim == 3 ? 26 : 8;
  const long ghosts = dim == 3 ? 8 * 8 * 8 - 4 * 4 * 4 : 8 * 8 - 4 * 4;
  CHECK(stats.fills == blocks * regions && stats.ghost_cells == blocks * ghosts &&
            stats.remote_fills == 0 && stats.peers == 0,
        "%ld fills of %ld blocks", (long)stats.fills, blocks);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &world), NULL);
  CHECK_OK(rind_context_create(MPI_COMM_SELF, NULL, &alone), NULL);
  for (int dim = 2; dim <= 3; ++dim) {
    test_own_neighbour(dim);
    for (int kind = 0; kind < 4; ++kind)
      test_forest(dim, kind & 1, kind & 2);
  }
  rind_context_destroy(&alone);
  rind_context_destroy(&world);
  return check_end();
}
