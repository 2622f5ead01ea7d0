/* test_counts.c - fills, terms and cells of forests whose counts are known by hand. */
#include <check.h>
#include <rind/rind.h>

#include <stdbool.h>
#include <string.h>

#include "hand_forest.h"
#include "reference_forests.h"

static rind_context *context;

static rind_schedule_stats stats_of(const rind_forest *forest, int cells, int ghosts,
                                    const rind_rules *rules, double *seconds) {
  rind_schedule_stats stats;
  memset(&stats, 0, sizeof stats);
  rind_schedule *schedule = NULL;
  const double begin = MPI_Wtime();
  CHECK_OK(rind_schedule_create(forest, cells, ghosts, rules, &schedule), context);
  if (seconds) *seconds = MPI_Wtime() - begin;
  if (!schedule) return stats;
  CHECK_OK(rind_schedule_get_stats(schedule, &stats), context);
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  return stats;
}

static long sum_of(int64_t value) {
  long local = (long)value, sum = 0;
  MPI_Allreduce(&local, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* 32 coarse and 256 fine blocks of 8^3; 16 coarse and 64 fine faces on the interface. */
static void test_r8(bool periodic) {
  rind_forest *forest = NULL;
  CHECK_OK(reference_half_refined(context, 3, 4, periodic, &forest), context);
  if (!forest) return;
  const rind_rules rules = {.regions = RIND_REGIONS_FACES};
  const rind_schedule_stats stats = stats_of(forest, 8, 1, &rules, NULL);
  const long fine = 3 * 64 * 2 + (periodic ? 2 * 256 * 2 : 2 * 7 * 32 * 2);
  const long coarse = 16 * 2 + (periodic ? 2 * 32 * 2 : 2 * 3 * 8 * 2), copies = fine + coarse;
  CHECK(rind_forest_num_global_blocks(forest) == 288, "blocks");
  CHECK(sum_of(stats.family_fills[RIND_FAMILY_COPY]) == copies, "copies");
  CHECK(sum_of(stats.family_fills[RIND_FAMILY_QUADRATIC]) == 64 * 16, "16 fills a fine face");
  CHECK(sum_of(stats.family_fills[RIND_FAMILY_AVERAGE]) == 64, "4 fills a coarse face");
  CHECK(sum_of(stats.family_fills[RIND_FAMILY_COARSE_ONLY]) == 0, "no corners, no deep layers");
  CHECK(sum_of(stats.fills) == copies + 1024 + 64, "fills: %ld", sum_of(stats.fills));
  CHECK(sum_of(stats.terms) == copies + 1024 * 19 + 64 * 8, "terms: %ld", sum_of(stats.terms));
  const long cells = 64 * copies + 64 * 64 + 16 * 64;
  CHECK(sum_of(stats.ghost_cells) == cells, "ghosts: %ld", sum_of(stats.ghost_cells));
  CHECK(sum_of(stats.adds) == 64 * copies + 77824 + 1024 * 8, "adds: %ld", sum_of(stats.adds));
  CHECK(4 * sum_of(stats.metadata_bytes) < 24 * cells, "%ld bytes for %ld ghost cells",
        sum_of(stats.metadata_bytes), cells);
  rind_forest_destroy(&forest);
}

/* Interpolated fills a fine face, with and without deep layers. */
static void test_face(int dim, int cells, int fills, long adds) {
  hand_forest pair;
  rind_forest *forest = NULL;
  const int blocks[3] = {2, 1, 1}, periodic[3] = {0, 0, 0};
  hand_forest_grid(&pair, dim, blocks, periodic, 1);
  CHECK_OK(hand_forest_create(context, &pair, &forest), context);
  if (!forest) return;
  const int faces = dim == 3 ? 4 : 2;
  rind_rules rules = {.regions = RIND_REGIONS_FACES};
  rind_schedule_stats stats = stats_of(forest, cells, 1, &rules, NULL);
  CHECK(sum_of(stats.family_fills[RIND_FAMILY_QUADRATIC]) == faces * fills, "%dD: %ld fills", dim,
        sum_of(stats.family_fills[RIND_FAMILY_QUADRATIC]));
  const long interpolation_adds =
      sum_of(stats.family_cells[RIND_FAMILY_QUADRATIC]) * (dim == 3 ? 19 : 7);
  CHECK(interpolation_adds == faces * adds, "%dD, %d cells: %ld adds", dim, cells,
        interpolation_adds);
  if (cells >= 8) {
    stats = stats_of(forest, cells, 4, &rules, NULL);
    CHECK(sum_of(stats.family_fills[RIND_FAMILY_QUADRATIC]) == 2 * faces * fills &&
              sum_of(stats.family_fills[RIND_FAMILY_COARSE_ONLY]) == 2 * faces * fills,
          "%dD: %d fills each of four layers", dim, fills);
  }
  rules.interpolation = RIND_INTERPOLATION_INJECTION;
  stats = stats_of(forest, cells, 1, &rules, NULL);
  CHECK(sum_of(stats.family_fills[RIND_FAMILY_INJECTION]) == faces * faces, "%dD: a fill a parity",
        dim);
  rind_forest_destroy(&forest);
}

/* The same interface by other rules: fills a fine face, terms a row. */
static void test_rules(int dim) {
  hand_forest pair;
  rind_forest *forest = NULL;
  const int blocks[3] = {2, 1, 1}, periodic[3] = {0, 0, 0};
  hand_forest_grid(&pair, dim, blocks, periodic, 1);
  CHECK_OK(hand_forest_create(context, &pair, &forest), context);
  if (!forest) return;
  const int faces = dim == 3 ? 4 : 2, fills = dim == 3 ? 16 : 4, n = 8;
  const rind_rules rules = {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
                            .restriction = RIND_RESTRICTION_FLUX_MATCHED,
                            .regions = RIND_REGIONS_FACES};
  const rind_schedule_stats stats = stats_of(forest, n, 4, &rules, NULL);
  const int64_t *made = stats.family_fills, *cells = stats.family_cells;
  CHECK(sum_of(made[RIND_FAMILY_CONSERVATIVE_FACING]) == 2 * faces * fills &&
            sum_of(made[RIND_FAMILY_CONSERVATIVE]) == 2 * faces * fills,
        "%dD: %ld and %ld conservative fills", dim, sum_of(made[RIND_FAMILY_CONSERVATIVE_FACING]),
        sum_of(made[RIND_FAMILY_CONSERVATIVE]));
  CHECK(sum_of(made[RIND_FAMILY_FLUX_MATCHED]) == faces &&
            sum_of(made[RIND_FAMILY_AVERAGE]) == faces,
        "%dD: %ld fluxes, %ld averages", dim, sum_of(made[RIND_FAMILY_FLUX_MATCHED]),
        sum_of(made[RIND_FAMILY_AVERAGE]));
  const long face = dim == 3 ? n * n : n;
  CHECK(sum_of(cells[RIND_FAMILY_FLUX_MATCHED]) == face &&
            sum_of(cells[RIND_FAMILY_AVERAGE]) == 3 * face,
        "%dD: %ld cells of layer 1, %ld deeper", dim, sum_of(cells[RIND_FAMILY_FLUX_MATCHED]),
        sum_of(cells[RIND_FAMILY_AVERAGE]));
  const long terms = sum_of(stats.terms) - sum_of(made[RIND_FAMILY_COPY]);
  CHECK(terms ==
            2L * faces * fills * (dim == 3 ? 14 + 7 : 8 + 5) + faces * (dim == 3 ? 9 + 8 : 5 + 4),
        "%dD: %ld terms", dim, terms);
  rind_forest_destroy(&forest);
}

/* A block inside walls all around: every ghost once, however many components there are. */
static void test_walls(int dim) {
  static const rind_wall walls[2][6] = {{RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_ODD,
                                         RIND_WALL_ODD, RIND_WALL_LINEAR, RIND_WALL_FUNCTION},
                                        {RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN,
                                         RIND_WALL_EVEN, RIND_WALL_EVEN, RIND_WALL_EVEN}};
  hand_forest single;
  rind_forest *forest = NULL;
  const int blocks[3] = {1, 1, 1}, periodic[3] = {0, 0, 0};
  hand_forest_grid(&single, dim, blocks, periodic, 0);
  CHECK_OK(hand_forest_create(context, &single, &forest), context);
  if (!forest) return;
  const rind_rules rules = {.num_components = 2, .component_wall = walls};
  const rind_schedule_stats stats = stats_of(forest, 4, 2, &rules, NULL);
  const long ghosts = dim == 3 ? 8 * 8 * 8 - 4 * 4 * 4 : 8 * 8 - 4 * 4;
  CHECK(sum_of(stats.ghost_cells) == ghosts, "%dD: %ld ghosts", dim, sum_of(stats.ghost_cells));
  CHECK(sum_of(stats.receive_cells) == 0 && sum_of(stats.remote_fills) == 0, "walls are local");
  rind_forest_destroy(&forest);
}

/* Adds of one fill that hit a source cell which an earlier term of it hit, over a fine face. */
static long collisions(const rind_schedule *schedule, int fill, int dim) {
  static int hits[64 * 64 * 2];
  memset(hits, 0, sizeof hits);
  const int n = rind_schedule_cells(schedule);
  rind_fill_view view;
  rind_term_view term;
  long count = 0;
  if (rind_schedule_fill(schedule, fill, &view) != RIND_OK) return -1;
  if (view.family != RIND_FAMILY_QUADRATIC) return 0;
  for (int t = 1; t < view.num_terms; ++t) {
    if (rind_schedule_term(schedule, fill, t, &term) != RIND_OK) return -1;
    for (int k = 0; k < view.extent[2]; ++k)
      for (int j = 0; j < view.extent[1]; ++j) {
        const int y = term.box.origin[1] + j * term.box.step[1];
        const int z = dim == 3 ? term.box.origin[2] + k * term.box.step[2] : 0;
        count += hits[(z * n + y) * 2 + term.box.origin[0]]++ > 0;
      }
  }
  return count;
}

static void test_collisions(int dim, int cells, long right) {
  hand_forest pair;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  const int blocks[3] = {2, 1, 1}, periodic[3] = {0, 0, 0};
  const rind_rules rules = {.regions = RIND_REGIONS_FACES};
  hand_forest_grid(&pair, dim, blocks, periodic, 1);
  CHECK_OK(hand_forest_create(context, &pair, &forest), context);
  if (!forest) return;
  CHECK_OK(rind_schedule_create(forest, cells, 1, &rules, &schedule), context);
  long count = 0;
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f)
    count += collisions(schedule, f, dim);
  CHECK(sum_of(count) == right * (dim == 3 ? 4 : 2), "%dD, %d cells: %ld collisions", dim, cells,
        sum_of(count));
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

/* R4: what a fill takes, and, loosely, how long: 5 ms is the aim of an idle machine. */
static void test_r4(void) {
  rind_forest *forest = NULL;
  double seconds = 0.0, best = 1.0;
  CHECK_OK(reference_half_refined(context, 3, 8, false, &forest), context);
  if (!forest) return;
  CHECK(rind_forest_num_global_blocks(forest) == 2304, "blocks");
  rind_schedule_stats stats = {0};
  for (int repeat = 0; repeat < 3; ++repeat) {
    stats = stats_of(forest, 4, 2, NULL, &seconds);
    if (seconds < best) best = seconds;
  }
  const long cells = sum_of(stats.ghost_cells), bytes = sum_of(stats.metadata_bytes);
  CHECK(4 * bytes < 24 * cells, "%ld bytes for %ld ghost cells", bytes, cells);
  CHECK(best < 0.1, "building took %g s", best);
  rind_forest_destroy(&forest);
}

/* An adjoint takes at most three times the memory of its schedule. */
static void test_adjoint(int blocks, int cells, int ghosts, rind_regions regions) {
  rind_forest *forest = NULL;
  rind_schedule *forward = NULL, *adjoint = NULL;
  rind_schedule_stats stats[2] = {{0}, {0}};
  const rind_rules rules = {.regions = regions};
  CHECK_OK(reference_half_refined(context, 3, blocks, false, &forest), context);
  if (forest) CHECK_OK(rind_schedule_create(forest, cells, ghosts, &rules, &forward), context);
  if (forward) CHECK_OK(rind_schedule_adjoint(forward, &adjoint), context);
  if (adjoint) {
    CHECK_OK(rind_schedule_get_stats(forward, &stats[0]), context);
    CHECK_OK(rind_schedule_get_stats(adjoint, &stats[1]), context);
    const long before = sum_of(stats[0].metadata_bytes), after = sum_of(stats[1].metadata_bytes);
    CHECK(after <= 3 * before, "%d blocks of %d cells, %d ghosts: %ld bytes for %ld", blocks, cells,
          ghosts, after, before);
  }
  rind_schedule_destroy(&adjoint);
  rind_schedule_destroy(&forward);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  test_r8(false);
  test_r8(true);
  test_face(3, 8, 16, 1216);
  test_face(3, 16, 16, 4864);
  test_face(2, 8, 4, 56);
  test_face(2, 32, 4, 224);
  test_face(3, 4, 16, 304);
  test_collisions(3, 8, 640);
  test_collisions(3, 16, 3456);
  test_collisions(2, 8, 16);
  test_collisions(2, 32, 112);
  test_collisions(3, 4, 0);
  for (int dim = 2; dim <= 3; ++dim) {
    test_rules(dim);
    test_walls(dim);
  }
  test_r4();
  if (rind_context_size(context) == 1) {
    test_adjoint(4, 8, 1, RIND_REGIONS_FACES);
    test_adjoint(8, 4, 1, RIND_REGIONS_FACES);
    test_adjoint(8, 8, 1, RIND_REGIONS_FACES);
    test_adjoint(8, 8, 2, RIND_REGIONS_FACES);
    test_adjoint(4, 8, 1, RIND_REGIONS_ALL);
    test_adjoint(8, 8, 2, RIND_REGIONS_ALL);
  }
  rind_context_destroy(&context);
  return check_end();
}
