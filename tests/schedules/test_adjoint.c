/* test_adjoint.c - transposed schedules hold the products of the forward rows, cell by cell in the
 * order of docs/rows.md; the verifier names what is broken in one; text and counts. */
#include <check.h>
#include <string.h>
#include <transpose.h>

#include "adjoint_entries.h"
#include "hand_forest.h"

static rind_context *context;

static const rind_wall component_walls[2][6] = {
    {RIND_WALL_EVEN, RIND_WALL_NEUMANN, RIND_WALL_LINEAR, RIND_WALL_CONSTANT},
    {RIND_WALL_FUNCTION, RIND_WALL_NONE, RIND_WALL_ODD, RIND_WALL_DIRICHLET, RIND_WALL_FUNCTION},
};
static const rind_taps linear_taps = {.num_taps = 2,
                                      .first = {{0, -1, -1}, {0, 0, -1}},
                                      .weight = {{{1.25, -0.25}, {0.25, 0.75}, {0.25, 0.75}},
                                                 {{0.75, 0.25}, {0.75, 0.25}, {-0.25, 1.25}}}};

static const rind_rules all_rules[] = {
    {.regions = RIND_REGIONS_FACES},
    {.regions = RIND_REGIONS_ALL},
    {.interpolation = RIND_INTERPOLATION_COARSE_ONLY, .wall = {RIND_WALL_CONSTANT}},
    {.interpolation = RIND_INTERPOLATION_INJECTION,
     .num_components = 2,
     .component_wall = component_walls},
    {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
     .wall = {RIND_WALL_LINEAR, RIND_WALL_DIRICHLET, RIND_WALL_FUNCTION, RIND_WALL_NEUMANN,
              RIND_WALL_ODD, RIND_WALL_EVEN}},
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .num_components = 2,
     .component_wall = component_walls},
    {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
     .restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .layers = 1},
    {.interpolation = RIND_INTERPOLATION_USER, .taps = &linear_taps},
};
enum { NUM_RULES = sizeof all_rules / sizeof *all_rules };

static void test_products(const rind_schedule *forward, const char *what) {
  adjoint_entries expected = {0};
  adjoint_entries_forward(forward, &expected);
  for (int form = RIND_TRANSPOSE_MERGED; form <= RIND_TRANSPOSE_PER_TERM; ++form) {
    adjoint_entries got = {0};
    rind_schedule *adjoint = NULL;
    CHECK_OK(rind_schedule_transpose(forward, 0, (rind_transpose_form)form, &adjoint), context);
    if (!adjoint) continue;
    adjoint_entries_adjoint(adjoint, &got);
    int where = 0;
    CHECK(adjoint_entries_equal(&expected, &got, &where),
          "%s, form %d: entry %d of %d, %d expected", what, form, where, got.count, expected.count);
    adjoint_entries_free(&got);
    rind_schedule_destroy(&adjoint);
  }
  adjoint_entries_free(&expected);
}

/* One family alone is the others left out. */
static void test_mask(const rind_schedule *forward) {
  rind_schedule_stats all, copies, others;
  rind_schedule *adjoint[3] = {NULL, NULL, NULL};
  const uint32_t copy = 1u << RIND_FAMILY_COPY, mask[3] = {0, copy, ~copy};
  rind_schedule_stats *stats[3] = {&all, &copies, &others};
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(rind_schedule_transpose(forward, mask[i], RIND_TRANSPOSE_PER_TERM, &adjoint[i]),
             context);
    if (adjoint[i]) CHECK_OK(rind_schedule_get_stats(adjoint[i], stats[i]), context);
  }
  if (adjoint[0] && adjoint[1] && adjoint[2]) {
    CHECK(all.terms == copies.terms + others.terms, "%lld terms of %lld and %lld",
          (long long)all.terms, (long long)copies.terms, (long long)others.terms);
    CHECK(copies.family_fills[RIND_FAMILY_COPY] > 0 && others.family_fills[RIND_FAMILY_COPY] == 0,
          "the mask of families is not kept");
  }
  for (int i = 0; i < 3; ++i)
    rind_schedule_destroy(&adjoint[i]);
}

static void test_schedule(const rind_forest *forest, int cells, int ghosts, int r,
                          const char *what) {
  rind_schedule *forward = NULL, *adjoint = NULL, *twice = NULL;
  rind_rules rules = all_rules[r];
  if (rules.layers > ghosts) rules.layers = 0;
  CHECK_OK(rind_schedule_create(forest, cells, ghosts, &rules, &forward), context);
  if (!forward) return;
  test_products(forward, what);
  CHECK(!rind_schedule_is_adjoint(forward), "a forward schedule");
  CHECK_OK(rind_schedule_adjoint(forward, &adjoint), context);
  if (adjoint) {
    CHECK(rind_schedule_is_adjoint(adjoint), "not an adjoint");
    CHECK_OK(rind_schedule_verify(adjoint), context);
    CHECK_ERROR(rind_schedule_adjoint(adjoint, &twice), RIND_ERROR_INVALID, context);
    CHECK(!twice && strstr(rind_last_error(context), "is an adjoint"), "%s",
          rind_last_error(context));
  }
  if (r == 1) test_mask(forward);
  rind_schedule_destroy(&adjoint);
  rind_schedule_destroy(&forward);
}

static void test_forests(void) {
  static const int sizes[][2] = {{4, 1}, {4, 2}, {6, 3}, {8, 2}, {8, 4}, {10, 3}};
  for (int dim = 2; dim <= 3; ++dim)
    for (int kind = 0; kind < 4; ++kind) {
      const int blocks[3] = {kind % 2 + 2, 2, dim == 3 ? 2 : 1};
      const int periodic[3] = {kind & 1, kind >> 1, dim == 3};
      hand_forest layout;
      rind_forest *forest = NULL;
      hand_forest_grid(&layout, dim, blocks, periodic, 1u << kind);
      if (kind >= 2) hand_forest_turn(&layout, 17u + (unsigned)kind);
      if (kind == 3) layout.irregular = 5;
      CHECK_OK(hand_forest_create(context, &layout, &forest), context);
      for (int s = 0; forest && s < (dim == 3 ? 4 : 6); ++s)
        for (int r = 0; r < NUM_RULES; ++r) {
          char what[80];
          snprintf(what, sizeof what, "%dD, forest %d, n %d, g %d, rules %d", dim, kind,
                   sizes[s][0], sizes[s][1], r);
          test_schedule(forest, sizes[s][0], sizes[s][1], r, what);
        }
      rind_forest_destroy(&forest);
    }
}

/* Ways to break an adjoint, each undone by the next. */
typedef struct adjoint_damage {
  const char *name, *words;
  void (*inflict)(rind_schedule *adjoint);
} adjoint_damage;

/* The first pattern with more than two terms: a row of several ghosts. */
static rind_pattern *wide_row(const rind_schedule *adjoint) {
  for (int p = 0; p < adjoint->num_patterns; ++p)
    if (adjoint->pattern[p].num_terms > 2) return &adjoint->pattern[p];
  return adjoint->pattern;
}

static void break_itself(rind_schedule *adjoint) {
  adjoint->term[wide_row(adjoint)->first_term].weight = 2.0;
}
static void break_place(rind_schedule *adjoint) {
  adjoint->term[wide_row(adjoint)->first_term].origin[0] += 1;
}
static void break_padding(rind_schedule *adjoint) {
  adjoint->term[wide_row(adjoint)->first_term + 1].origin[0] = 1000;
}
static void break_order(rind_schedule *adjoint) {
  for (int r = 0; r + 1 < adjoint->first_run[1]; ++r)
    if (adjoint->run[r].block == adjoint->run[r + 1].block &&
        adjoint->run[r].source != adjoint->run[r + 1].source) {
      rind_run_data *run = &adjoint->run[r];
      const rind_run_data swapped = run[0];
      run[0] = run[1];
      run[1] = swapped;
      run[0].first_fill = swapped.first_fill;
      run[1].first_fill = swapped.first_fill + adjoint->set[run[0].set].count;
      return;
    }
}
static void break_clear(rind_schedule *adjoint) {
  const rind_run_data *run = &adjoint->run[adjoint->first_run[1]];
  ++adjoint->pattern[adjoint->set[run->set].first].origin[0];
}
static void break_takes(rind_schedule *adjoint) {
  wide_row(adjoint)->takes = 1;
}
static void break_axes(rind_schedule *adjoint) {
  wide_row(adjoint)->slot[RIND_SLOT_SOURCE].axis[0] = 1;
}
static void break_step(rind_schedule *adjoint) {
  wide_row(adjoint)->step[0] = 0;
}
static void break_set(rind_schedule *adjoint) {
  adjoint->run[0].set = adjoint->num_sets;
}
static void break_block(rind_schedule *adjoint) {
  adjoint->run[adjoint->first_run[1] - 1].block += 1000;
}
static void break_count(rind_schedule *adjoint) {
  adjoint->run[1].first_fill += 1;
}
static void break_phase(rind_schedule *adjoint) {
  adjoint->phase[1].kind = RIND_PHASE_BLOCKS;
}

static const adjoint_damage damages[] = {
    {"a cell that counts twice", "not the cell itself", break_itself},
    {"a row that begins elsewhere", "not the cell itself", break_place},
    {"a ghost outside", "invariant 2", break_padding},
    {"runs in another order", "canonical order", break_order},
    {"zeros elsewhere", "", break_clear},
    {"a row that takes what others read", "", break_takes},
    {"axes that are no permutation", "invariant 1", break_axes},
    {"a step of 0", "invariant 7", break_step},
    {"a set that is not there", "has set", break_set},
    {"a block that is not there", "block", break_block},
    {"a wrong count", "begins with fill", break_count},
    {"a phase of another kind", "zeros come after", break_phase},
};

static void test_damages(void) {
  const int blocks[3] = {3, 2, 2}, periodic[3] = {0, 1, 1};
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *forward = NULL;
  const rind_rules rules = {.regions = RIND_REGIONS_FACES};
  hand_forest_grid(&layout, 3, blocks, periodic, 2);
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  if (forest) CHECK_OK(rind_schedule_create(forest, 8, 2, &rules, &forward), context);
  for (size_t d = 0; forward && d < sizeof damages / sizeof *damages; ++d) {
    rind_schedule *adjoint = NULL;
    CHECK_OK(rind_schedule_adjoint(forward, &adjoint), context);
    if (!adjoint) break;
    if (rind_context_rank(context) == 0) damages[d].inflict(adjoint);
    CHECK_ERROR(rind_schedule_verify(adjoint), RIND_ERROR_INTERNAL, context);
    CHECK(strstr(rind_last_error(context), damages[d].words), "%s: \"%s\" is not in: %s",
          damages[d].name, damages[d].words, rind_last_error(context));
    rind_schedule_destroy(&adjoint);
  }
  rind_schedule_destroy(&forward);
  rind_forest_destroy(&forest);
}

static int64_t number_of_changes(void *mesh) {
  return *(int64_t *)mesh;
}

/* Of a forest that has changed, and NULL. */
static void test_errors(void) {
  const int blocks[3] = {2, 2, 1}, periodic[3] = {0, 0, 0};
  hand_forest layout;
  rind_forest *forest = NULL, *stale = NULL;
  rind_schedule *forward = NULL, *adjoint = NULL;
  int64_t changes = 0;
  const rind_forest_backend backend = {.mesh = &changes, .revision = number_of_changes};
  hand_forest_grid(&layout, 2, blocks, periodic, 0);
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  CHECK_OK(rind_forest_create_arrays(context, rind_forest_get_arrays(forest), &backend, &stale),
           context);
  CHECK_OK(rind_schedule_create(stale, 4, 1, NULL, &forward), context);
  CHECK_ERROR(rind_schedule_adjoint(forward, NULL), RIND_ERROR_INVALID, context);
  CHECK_ERROR(rind_schedule_adjoint(NULL, &adjoint), RIND_ERROR_INVALID, context);
  changes = 1;
  CHECK_ERROR(rind_schedule_adjoint(forward, &adjoint), RIND_ERROR_STALE, context);
  CHECK(!adjoint, "a schedule of a stale forest");
  CHECK(!rind_schedule_is_adjoint(NULL), "NULL is no adjoint");
  rind_schedule_destroy(&forward);
  rind_forest_destroy(&stale);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  test_forests();
  test_damages();
  test_errors();
  rind_context_destroy(&context);
  return check_end();
}
