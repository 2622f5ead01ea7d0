/* test_verify.c - a schedule broken in each of the ways that the verifier must name. */
#include <check.h>
#include <schedule_data.h>

#include <math.h>
#include <string.h>

#include "broken_schedule.h"
#include "hand_forest.h"

static rind_context *context;

static void swap_axes(rind_schedule *s, int f) {
  own_pattern(s, f)->slot[RIND_SLOT_SOURCE].axis[0] = 1;
}
static void wild_axis(rind_schedule *s, int f) {
  own_pattern(s, f)->slot[RIND_SLOT_SOURCE].axis[0] = 3;
}
static void empty_box(rind_schedule *s, int f) {
  own_pattern(s, f)->extent[1] = 0;
}
static void far_source(rind_schedule *s, int f) {
  own_terms(s, f)[0].origin[1] = s->cells + s->ghosts;
}
static void wild_source(rind_schedule *s, int f) {
  s->fill[f].source = 1 << 20;
}
static void narrow_row(rind_schedule *s, int f) {
  --own_pattern(s, f)->num_terms;
}
static void other_family(rind_schedule *s, int f) {
  own_pattern(s, f)->family = RIND_FAMILY_AVERAGE;
}
static void into_interior(rind_schedule *s, int f) {
  own_pattern(s, f)->origin[0] -= 1;
}
static void beyond_ghosts(rind_schedule *s, int f) {
  own_pattern(s, f)->origin[0] += s->ghosts;
}
static void self_region(rind_schedule *s, int f) {
  rind_pattern *pattern = own_pattern(s, f);
  pattern->region = RIND_REGION_SELF;
  pattern->origin[0] = 0;
}
static void no_region(rind_schedule *s, int f) {
  own_pattern(s, f)->region = 99;
}
static void dropped(rind_schedule *s, int f) {
  drop(s, f);
}
static void written_twice(rind_schedule *s, int f) {
  const int place = s->pattern[s->fill[f].pattern].origin[1];
  own_pattern(s, f + 1)->origin[1] = place;
}
static void unsorted(rind_schedule *s, int f) {
  const rind_schedule_fill_data kept = s->fill[f];
  s->fill[f] = s->fill[f + 1];
  s->fill[f + 1] = kept;
}
static void heavy(rind_schedule *s, int f) {
  own_terms(s, f)[0].weight += 1e-13;
}
static void not_a_number(rind_schedule *s, int f) {
  own_terms(s, f)[0].weight = NAN;
}
static void ghost_source(rind_schedule *s, int f) {
  own_terms(s, f)[0].origin[0] = -1;
}
static void ghost_own(rind_schedule *s, int f) {
  own_terms(s, f)[0].origin[0] += 1; /* the ghost itself */
}
static void still(rind_schedule *s, int f) {
  own_pattern(s, f)->slot[RIND_SLOT_SOURCE].step[1] = 0;
}
static void still_destination(rind_schedule *s, int f) {
  own_pattern(s, f)->step[1] = 0;
}
static void wild_pattern(rind_schedule *s, int f) {
  s->fill[f].pattern = s->num_patterns;
}
static void wild_block(rind_schedule *s, int f) {
  s->fill[f].block = -1;
}
static void wild_terms(rind_schedule *s, int f) {
  own_pattern(s, f)->first_term = s->num_terms;
}
static void wild_slot(rind_schedule *s, int f) {
  own_terms(s, f)[0].slot = 2;
}

static const damage damages[] = {
    {"a source axis twice", RIND_FAMILY_COPY, 14, swap_axes, "invariant 1", true},
    {"an axis beyond 2", RIND_FAMILY_COPY, 14, wild_axis, "invariant 1", true},
    {"an empty box", RIND_FAMILY_COPY, 14, empty_box, "invariant 1", true},
    {"a source outside of its block", RIND_FAMILY_AVERAGE, 14, far_source, "invariant 2", true},
    {"a source block that is none", RIND_FAMILY_COPY, 14, wild_source, "invariant 2", true},
    {"a row without its last term", RIND_FAMILY_QUADRATIC, 14, narrow_row, "invariant 3", true},
    {"a row of another family", RIND_FAMILY_COARSE_ONLY, 14, other_family, "invariant 3", true},
    {"a destination in the interior", RIND_FAMILY_COPY, 14, into_interior, "invariant 4", true},
    {"a destination outside", RIND_FAMILY_QUADRATIC, 14, beyond_ghosts, "invariant 4", true},
    {"the block as its own region", RIND_FAMILY_COPY, 14, self_region, "invariant 4", true},
    {"a region that is none", RIND_FAMILY_COPY, 14, no_region, "invariant 4", true},
    {"a copy that is missing", RIND_FAMILY_COPY, 14, dropped, "no fill writes it", false},
    {"an average that is missing", RIND_FAMILY_AVERAGE, 14, dropped, "invariant 4", false},
    {"a cell written twice", RIND_FAMILY_AVERAGE, 14, written_twice, "before it", false},
    {"fills out of order", RIND_FAMILY_AVERAGE, 14, unsorted, "canonical order", false},
    {"a weight too large", RIND_FAMILY_QUADRATIC, 14, heavy, "invariant 5", true},
    {"a weight too large in a mean", RIND_FAMILY_AVERAGE, 14, heavy, "invariant 5", true},
    {"a weight that is no number", RIND_FAMILY_COPY, 14, not_a_number, "invariant 5", true},
    {"a source that is a ghost", RIND_FAMILY_COPY, 14, ghost_source, "invariant 6", true},
    {"an own term that is a ghost", RIND_FAMILY_QUADRATIC, 14, ghost_own, "invariant 6", true},
    {"a source that stands still", RIND_FAMILY_COPY, 14, still, "invariant 7", true},
    {"a destination that stands still", RIND_FAMILY_COPY, 14, still_destination, "invariant 7",
     true},
    {"a pattern that is none", RIND_FAMILY_COPY, 14, wild_pattern, "pattern", true},
    {"a block that is none", RIND_FAMILY_COPY, 14, wild_block, "writes block -1", true},
    {"terms beyond the end", RIND_FAMILY_COPY, 14, wild_terms, "terms", true},
    {"a slot that is none", RIND_FAMILY_COPY, 14, wild_slot, "slot", true},
};

static void test_damages(void) {
  hand_forest three;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  const int blocks[3] = {4, 1, 1}, periodic[3] = {0, 0, 0};
  /* Seen from lower to upper x, region 14: a copy, an average, a quadratic. */
  hand_forest_grid(&three, 3, blocks, periodic, 4);
  CHECK_OK(hand_forest_create(context, &three, &forest), context);
  if (!forest) return;
  CHECK_OK(rind_schedule_create(forest, 8, 3, NULL, &schedule), context);
  if (!schedule) return;
  CHECK_OK(rind_schedule_verify(schedule), context);
  for (size_t d = 0; d < sizeof damages / sizeof *damages; ++d)
    broken_test(schedule, &damages[d]);
  CHECK_OK(rind_schedule_verify(schedule), context);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

/* A region that has no link though no wall is there: the corner of an irregular mesh. */
static void test_uncovered(void) {
  const rind_block block = {.owner = rind_context_rank(context),
                            .global = rind_context_rank(context),
                            .side = {1.0, 1.0}};
  const int32_t first_link[2] = {0, 0};
  const uint8_t walls = 14; /* all but the lower face of axis 0 */
  const rind_forest_arrays arrays = {.dim = 2,
                                     .num_local = 1,
                                     .num_global = rind_context_size(context),
                                     .block = &block,
                                     .first_link = first_link,
                                     .walls = &walls};
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  CHECK_OK(rind_forest_create_arrays(context, &arrays, NULL, &forest), context);
  if (!forest) return;
  CHECK_OK(rind_schedule_create(forest, 4, 1, NULL, &schedule), context);
  CHECK(rind_schedule_num_fills(schedule) == 0, "%d fills", rind_schedule_num_fills(schedule));
  CHECK_ERROR(rind_schedule_verify(schedule), RIND_ERROR_INTERNAL, context);
  CHECK(strstr(rind_last_error(context), "block 0, region (-1, 0, 0) is uncovered"), "%s",
        rind_last_error(context));
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

/* A fill in a region that has no neighbour, behind a wall. */
static void test_behind_wall(void) {
  hand_forest two;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  const int blocks[3] = {2, 1, 1}, periodic[3] = {0, 0, 0};
  hand_forest_grid(&two, 2, blocks, periodic, 0);
  CHECK_OK(hand_forest_create(context, &two, &forest), context);
  if (!forest) return;
  CHECK_OK(rind_schedule_create(forest, 4, 1, NULL, &schedule), context);
  if (!schedule) return;
  if (rind_context_rank(context) == 0) {
    rind_pattern *pattern = &schedule->pattern[schedule->fill[0].pattern];
    pattern->region = 12; /* the first block's fill turns round */
    pattern->origin[0] = -1;
  }
  CHECK_ERROR(rind_schedule_verify(schedule), RIND_ERROR_INTERNAL, context);
  CHECK(strstr(rind_last_error(context), "behind a wall"), "%s", rind_last_error(context));
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  test_damages();
  test_uncovered();
  test_behind_wall();
  CHECK_ERROR(rind_schedule_verify(NULL), RIND_ERROR_INVALID, context);
  rind_context_destroy(&context);
  return check_end();
}
