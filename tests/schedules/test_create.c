/* test_create.c - what a schedule refuses, with which words, and what it leaves as it was. */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <rind/schedule.h>
#include <string.h>

#include "hand_forest.h"

static rind_context *context;

/* A forest that one refinement makes stale. */
static int64_t mesh_revision(void *mesh) {
  return *(int64_t *)mesh;
}

typedef struct refusal {
  int cells, ghosts;
  rind_rules rules;
  rind_error error;
  const char *words;
} refusal;

static const rind_wall wrong_walls[2][6] = {{RIND_WALL_EVEN}, {RIND_WALL_ODD, (rind_wall)99}};

/* On a forest with one coarse-fine interface, known to some ranks alone. */
static const refusal refusals[] = {
    {8, 0, {.layers = 0}, RIND_ERROR_INVALID, "0 ghost layers: at least 1"},
    {8, -3, {.layers = 0}, RIND_ERROR_INVALID, "-3 ghost layers: at least 1"},
    {7, 2, {.layers = 0}, RIND_ERROR_INVALID, "7 cells a block: even it must be, 6 or 8 would do"},
    {3, 1, {.layers = 0}, RIND_ERROR_INVALID, "3 cells a block: even it must be, 4 would do"},
    {6, 4, {.layers = 0}, RIND_ERROR_INVALID, "6 cells a block for 4 ghost layers: at least 8"},
    {0, 1, {.layers = 0}, RIND_ERROR_INVALID, "0 cells a block for 1 ghost layers: at least 2"},
    {-8, 1, {.layers = 0}, RIND_ERROR_INVALID, "-8 cells a block"},
    {2,
     1,
     {.layers = 0},
     RIND_ERROR_INVALID,
     "2 cells a block and a coarse-fine interface: at least 4"},
    {2, 1, {.interpolation = RIND_INTERPOLATION_COARSE_ONLY}, RIND_ERROR_INVALID, "at least 4"},
    {2, 1, {.regions = RIND_REGIONS_FACES}, RIND_ERROR_INVALID, "at least 4"},
    {8, 2, {.layers = 3}, RIND_ERROR_INVALID, "3 ghost layers: 1 to 2 it must be, or 0"},
    {8, 2, {.layers = -1}, RIND_ERROR_INVALID, "-1 ghost layers"},
    {2, 1, {.interpolation = RIND_INTERPOLATION_CONSERVATIVE}, RIND_ERROR_INVALID, "at least 4"},
    {8, 2, {.interpolation = (rind_interpolation)5}, RIND_ERROR_INVALID, "interpolation 5"},
    {8, 2, {.interpolation = (rind_interpolation)-1}, RIND_ERROR_INVALID, "interpolation -1"},
    {8, 2, {.restriction = (rind_restriction)2}, RIND_ERROR_INVALID, "restriction 2"},
    {8,
     2,
     {.interpolation = RIND_INTERPOLATION_INJECTION, .restriction = RIND_RESTRICTION_FLUX_MATCHED},
     RIND_ERROR_INVALID,
     "flux-matched restriction after injection"},
    {8,
     2,
     {.wall = {[5] = RIND_NUM_WALLS}},
     RIND_ERROR_INVALID,
     "wall 5 of component 0 is of kind"},
    {8, 2, {.wall = {(rind_wall)-1}}, RIND_ERROR_INVALID, "kind -1: 0 to 7 it must be"},
    {8,
     2,
     {.component_wall = wrong_walls},
     RIND_ERROR_INVALID,
     "walls of 0 components: at least 1"},
    {8,
     2,
     {.num_components = -2, .component_wall = wrong_walls},
     RIND_ERROR_INVALID,
     "walls of -2 components"},
    {8,
     2,
     {.num_components = 2, .component_wall = wrong_walls},
     RIND_ERROR_INVALID,
     "wall 1 of component 1 is of kind 99"},
    {8, 2, {.interpolation = RIND_INTERPOLATION_USER}, RIND_ERROR_INVALID, "have no taps"},
    {8, 2, {.regions = (rind_regions)2}, RIND_ERROR_INVALID, "regions 2"},
    {66,
     33,
     {.layers = 0},
     RIND_ERROR_OVERFLOW,
     "33 ghost layers and a coarse-fine interface: at most 32"},
    {INT_MAX, 1, {.layers = 0}, RIND_ERROR_OVERFLOW, "2147483647 cells a block: at most"},
    {INT_MAX - 1, 1, {.layers = 0}, RIND_ERROR_OVERFLOW, "2147483646 cells a block: at most"},
    {8, INT_MAX, {.layers = 0}, RIND_ERROR_OVERFLOW, "2147483647 ghost layers: at most"},
    {1 << 22, 1, {.layers = 0}, RIND_ERROR_OVERFLOW, "(4194304 + 2*1)^3 cells a block"},
};

static void make_forest(hand_forest *layout, rind_forest **forest) {
  const int blocks[3] = {2, 1, 1}, periodic[3] = {0, 0, 0};
  hand_forest_grid(layout, 3, blocks, periodic, 1);
  CHECK_OK(hand_forest_create(context, layout, forest), context);
}

static void test_refusals(void) {
  hand_forest layout;
  rind_forest *forest = NULL;
  make_forest(&layout, &forest);
  if (!forest) return;
  for (size_t r = 0; r < sizeof refusals / sizeof *refusals; ++r) {
    const refusal *wrong = &refusals[r];
    rind_schedule *schedule = NULL;
    CHECK_ERROR(rind_schedule_create(forest, wrong->cells, wrong->ghosts, &wrong->rules, &schedule),
                wrong->error, context);
    CHECK(schedule == NULL, "%d cells: a schedule was made", wrong->cells);
    CHECK(strstr(rind_last_error(context), wrong->words), "\"%s\" is not in: %s", wrong->words,
          rind_last_error(context));
    CHECK(!strchr(rind_last_error(context), '\n'), "%s", rind_last_error(context));
  }
  rind_schedule *schedule = NULL;
  CHECK_ERROR(rind_schedule_create(NULL, 8, 1, NULL, &schedule), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_create(forest, 8, 1, NULL, NULL), RIND_ERROR_INVALID, context);
  /* Injection needs no three points; and nothing refused has left a trace. */
  const rind_rules injection = {.interpolation = RIND_INTERPOLATION_INJECTION};
  CHECK_OK(rind_schedule_create(forest, 2, 1, &injection, &schedule), context);
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  CHECK(schedule == NULL, "destroy sets NULL");
  rind_schedule_destroy(&schedule);
  rind_schedule_destroy(NULL);
  rind_forest_destroy(&forest);
}

/* The line through two coarse cells. */
static const rind_taps linear = {.num_taps = 2,
                                 .first = {{0, -1, -1}, {0, 0, -1}},
                                 .weight = {{{1.25, -0.25}, {0.25, 0.75}, {0.25, 0.75}},
                                            {{0.75, 0.25}, {0.75, 0.25}, {-0.25, 1.25}}}};

static void refuse_taps(const rind_forest *forest, int cells, const rind_taps *taps,
                        const char *words) {
  rind_schedule *schedule = NULL;
  const rind_rules rules = {.interpolation = RIND_INTERPOLATION_USER, .taps = taps};
  CHECK_ERROR(rind_schedule_create(forest, cells, 1, &rules, &schedule), RIND_ERROR_INVALID,
              context);
  CHECK(!schedule && strstr(rind_last_error(context), words), "\"%s\" is not in: %s", words,
        rind_last_error(context));
}

static void test_taps(void) {
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  make_forest(&layout, &forest);
  if (!forest) return;
  rind_taps taps = linear;
  taps.num_taps = 0;
  refuse_taps(forest, 8, &taps, "0 taps along an axis: 1 to 5 it must be");
  taps.num_taps = RIND_MAX_TAPS + 1;
  refuse_taps(forest, 8, &taps, "6 taps along an axis");
  taps.num_taps = 5;
  refuse_taps(forest, 4, &taps, "4 cells a block for 5 taps along an axis: at least 6 it must be");
  taps = linear;
  taps.weight[1][2][1] = NAN;
  refuse_taps(forest, 8, &taps, "parity 1, shift 2 have weight nan in tap 1");
  taps = linear;
  taps.weight[0][1][0] += 1e-13;
  refuse_taps(forest, 8, &taps, "parity 0, shift 1 sum to 1.00000000000009");
  taps = linear;
  taps.first[0][0] = -1;
  refuse_taps(forest, 8, &taps,
              "parity 0, shift 0 serve coarse cells 0 to 0 of 8 and read -1 to 0");
  taps.first[0][0] = 7;
  refuse_taps(forest, 8, &taps, "read 7 to 8: 0 to 7 it must be");
  taps = linear;
  taps.first[1][2] = 0;
  refuse_taps(forest, 8, &taps, "parity 1, shift 2 serve coarse cells 7 to 7 of 8 and read 7 to 8");
  taps.first[1][2] = INT_MIN;
  refuse_taps(forest, 8, &taps, "parity 1, shift 2");
  taps = linear;
  taps.first[1][1] = INT_MAX; /* all cells are at the upper end then */
  taps.first[1][2] = -1;
  refuse_taps(forest, 8, &taps, "serve coarse cells 0 to 7 of 8");
  /* What is right is copied: the caller's may go. */
  taps = linear;
  rind_wall even[1][6] = {{RIND_WALL_EVEN}};
  const rind_rules rules = {.interpolation = RIND_INTERPOLATION_USER,
                            .restriction = RIND_RESTRICTION_FLUX_MATCHED,
                            .num_components = 1,
                            .component_wall = (const rind_wall(*)[6])even,
                            .taps = &taps};
  CHECK_OK(rind_schedule_create(forest, 2, 1, &rules, &schedule), context);
  if (schedule) {
    memset(&taps, 0, sizeof taps);
    memset(even, 0, sizeof even);
    CHECK_OK(rind_schedule_verify(schedule), context);
    const rind_rules *kept = rind_schedule_rules(schedule);
    CHECK(memcmp(kept->taps, &linear, sizeof linear) == 0 &&
              kept->component_wall[0][0] == RIND_WALL_EVEN,
          "the rules are the schedule's own");
  }
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

/* 2 cells do where no interface asks for more, and where the interface is none of the rules'. */
static void test_two_cells(void) {
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  const int blocks[3] = {2, 2, 1}, periodic[3] = {0, 0, 0};
  hand_forest_grid(&layout, 2, blocks, periodic, 0);
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  CHECK_OK(rind_schedule_create(forest, 2, 1, NULL, &schedule), context);
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

/* Rows of irregular corners are as many as the layers' combinations. */
static void test_irregular(void) {
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  const int blocks[3] = {2, 2, 1}, periodic[3] = {1, 1, 0};
  const rind_rules faces = {.regions = RIND_REGIONS_FACES}, few = {.layers = 3};
  hand_forest_grid(&layout, 2, blocks, periodic, 0);
  layout.irregular = 3;
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  if (!forest) return;
  CHECK_ERROR(rind_schedule_create(forest, 258, 129, NULL, &schedule), RIND_ERROR_OVERFLOW,
              context);
  CHECK(!schedule && strstr(rind_last_error(context),
                            "129 ghost layers and an irregular corner: at most 128 may be filled"),
        "%s", rind_last_error(context));
  CHECK_OK(rind_schedule_create(forest, 258, 129, &faces, &schedule), context);
  rind_schedule_destroy(&schedule);
  CHECK_OK(rind_schedule_create(forest, 258, 129, &few, &schedule), context);
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

static void test_balance(void) {
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  const int blocks[3] = {2, 1, 1}, periodic[3] = {0, 0, 0};
  const rind_rules faces = {.regions = RIND_REGIONS_FACES};
  hand_forest_grid(&layout, 2, blocks, periodic, 1);
  layout.balance = RIND_BALANCE_FACES;
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  CHECK_ERROR(rind_schedule_create(forest, 8, 1, NULL, &schedule), RIND_ERROR_UNBALANCED, context);
  CHECK(schedule == NULL && strstr(rind_last_error(context), "ask for faces"), "%s",
        rind_last_error(context));
  CHECK_OK(rind_schedule_create(forest, 8, 1, &faces, &schedule), context);
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

/* The mesh changes under a schedule; on one rank, all ranks hear of it in collective calls. */
static void test_stale(void) {
  static rind_block block;
  static const int32_t first_link[2] = {0, 0};
  static const uint8_t walls = 15;
  const int rank = rind_context_rank(context);
  int64_t revision = 5;
  block = (rind_block){.owner = rank, .global = rank, .side = {1.0, 1.0}};
  const rind_forest_arrays arrays = {.dim = 2,
                                     .num_local = 1,
                                     .num_global = rind_context_size(context),
                                     .block = &block,
                                     .first_link = first_link,
                                     .walls = &walls};
  const rind_forest_backend backend = {.mesh = &revision, .revision = mesh_revision};
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL, *second = NULL;
  rind_schedule_stats stats = {.fills = -7};
  CHECK_OK(rind_forest_create_arrays(context, &arrays, &backend, &forest), context);
  CHECK_OK(rind_schedule_create(forest, 8, 1, NULL, &schedule), context);
  if (!schedule) return;
  if (rank == 0) ++revision;
  CHECK_ERROR(rind_schedule_create(forest, 8, 1, NULL, &second), RIND_ERROR_STALE, context);
  CHECK(second == NULL, "a schedule of a stale forest was made");
  CHECK_ERROR(rind_schedule_verify(schedule), RIND_ERROR_STALE, context);
  if (rank == 0) {
    CHECK_ERROR(rind_schedule_get_stats(schedule, &stats), RIND_ERROR_STALE, context);
    CHECK_ERROR(rind_schedule_print(schedule, stdout), RIND_ERROR_STALE, context);
    CHECK(stats.fills == -7, "stats were written");
    --revision;
  }
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

static void test_accessors(void) {
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  make_forest(&layout, &forest);
  CHECK_OK(rind_schedule_create(forest, 8, 3, NULL, &schedule), context);
  if (!schedule) return;
  const rind_rules *rules = rind_schedule_rules(schedule);
  CHECK(rind_schedule_forest(schedule) == forest && rind_schedule_cells(schedule) == 8 &&
            rind_schedule_ghosts(schedule) == 3 && rules->layers == 3 &&
            rules->interpolation == RIND_INTERPOLATION_QUADRATIC,
        "what the schedule was made of");
  CHECK(!rind_schedule_forest(NULL) && rind_schedule_cells(NULL) == 0 &&
            rind_schedule_ghosts(NULL) == 0 && !rind_schedule_rules(NULL) &&
            rind_schedule_num_fills(NULL) == 0,
        "nothing of NULL");
  const int fills = rind_schedule_num_fills(schedule);
  rind_fill_view fill = {.block = -7};
  rind_term_view term = {.block = -7};
  rind_schedule_stats stats;
  CHECK_ERROR(rind_schedule_fill(schedule, -1, &fill), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_fill(schedule, fills, &fill), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_fill(schedule, 0, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_fill(NULL, 0, &fill), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_term(schedule, fills, 0, &term), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_term(schedule, 0, -1, &term), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_term(schedule, 0, 99, &term), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_term(schedule, 0, 0, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_term(NULL, 0, 0, &term), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_get_stats(schedule, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_get_stats(NULL, &stats), RIND_ERROR_INVALID, context);
  CHECK(fill.block == -7 && term.block == -7, "a view was written");
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  test_refusals();
  test_taps();
  test_two_cells();
  test_irregular();
  test_balance();
  test_stale();
  test_accessors();
  rind_context_destroy(&context);
  return check_end();
}
