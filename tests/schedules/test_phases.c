/* test_phases.c - the verifier and the phases after the first: flux-matched fills, irregular
 * corners and walls, broken in each of the ways that it must name. */
#include <check.h>
#include <schedule_data.h>

#include <string.h>

#include "broken_schedule.h"
#include "hand_forest.h"

static rind_context *context;

static rind_pattern *pattern_of(rind_schedule *s, int f) {
  return &s->pattern[s->fill[f].pattern];
}

static void second_layer(rind_schedule *s, int f) {
  /* Term 1 is the first fine ghost; its normal axis is 0 here. */
  rind_pattern_term *term = own_terms(s, f);
  term[1].origin[0] += term[1].origin[0] < 0 ? -1 : 1;
}
static void other_face(rind_schedule *s, int f) {
  rind_pattern_term *term = own_terms(s, f);
  term[1].origin[0] = term[1].origin[0] < 0 ? s->cells : -1;
}
static void beside(rind_schedule *s, int f) {
  own_terms(s, f)[0].origin[1] -= 2;
}
static void own_ghost(rind_schedule *s, int f) {
  const int last = pattern_of(s, f)->num_terms - 1;
  rind_pattern_term *term = own_terms(s, f);
  term[last].origin[0] = term[last].origin[0] == 0 ? -1 : s->cells;
}
static void own_first(rind_schedule *s, int f) {
  rind_pattern *pattern = own_pattern(s, f);
  pattern->num_own_first = pattern->num_own_last;
  pattern->num_own_last = 0;
}
static void first_phase(rind_schedule *s, int f) {
  own_pattern(s, f)->phase = 0;
}
static void light(rind_schedule *s, int f) {
  own_terms(s, f)[0].weight -= 1e-13;
}
static void negative(rind_schedule *s, int f) {
  rind_pattern_term *term = own_terms(s, f);
  term[0].weight = -term[0].weight;
}
static void itself(rind_schedule *s, int f) {
  rind_pattern_term *term = own_terms(s, f);
  memcpy(term[0].origin, pattern_of(s, f)->origin, sizeof term[0].origin);
}
/* The fill's next layer reads what the fill has just written. */
static void same_phase(rind_schedule *s, int f) {
  const rind_pattern first = *pattern_of(s, f);
  do
    ++f;
  while (pattern_of(s, f)->region != first.region ||
         pattern_of(s, f)->component != first.component);
  memcpy(own_terms(s, f)[0].origin, first.origin, sizeof first.origin);
}
static void has_source(rind_schedule *s, int f) {
  s->fill[f].source = 0;
}
static void no_source(rind_schedule *s, int f) {
  s->fill[f].source = -1;
}
static void reads_source(rind_schedule *s, int f) {
  s->fill[f].source = 0;
  rind_pattern_term *term = own_terms(s, f);
  term[0].slot = term[1].slot = RIND_SLOT_SOURCE;
  pattern_of(s, f)->num_own_first = 0;
}
static void other_kind(rind_schedule *s, int f) {
  own_pattern(s, f)->family = RIND_FAMILY_CONSTANT;
}
static void wide(rind_schedule *s, int f) {
  ++own_pattern(s, f)->num_terms;
}
static void value_heavy(rind_schedule *s, int f) {
  own_terms(s, f)[1].weight *= 1.0 + 1e-14;
}
static void value_own(rind_schedule *s, int f) {
  own_terms(s, f)[1].slot = RIND_SLOT_OWN;
}
static void no_component(rind_schedule *s, int f) {
  own_pattern(s, f)->component = -1;
}
static void third_component(rind_schedule *s, int f) {
  own_pattern(s, f)->component = 2;
}
static void a_component(rind_schedule *s, int f) {
  own_pattern(s, f)->component = 0;
}
static void swapped_component(rind_schedule *s, int f) {
  rind_pattern *pattern = own_pattern(s, f);
  pattern->component = 1 - pattern->component;
}
static void other_wall(rind_schedule *s, int f) {
  own_pattern(s, f)->wall ^= 1;
}
static void other_axis(rind_schedule *s, int f) {
  own_pattern(s, f)->wall ^= 2;
}
static void missing(rind_schedule *s, int f) {
  drop(s, f);
}
static void short_phase(rind_schedule *s, int f) {
  (void)f;
  ++s->first_fill[0];
}
static void backward_phase(rind_schedule *s, int f) {
  (void)f;
  s->first_fill[1] = s->num_fills + 1;
}

/* A flux or edge that is missing is found by what reads it later. */
static const damage damages[] = {
    {"a fine ghost of layer 2", RIND_FAMILY_FLUX_MATCHED, -1, second_layer, "invariant 6", true},
    {"a fine ghost of the far face", RIND_FAMILY_FLUX_MATCHED, -1, other_face, "invariant 6", true},
    {"a fine ghost beside", RIND_FAMILY_FLUX_MATCHED, -1, beside, "invariant 6", true},
    {"an own ghost", RIND_FAMILY_FLUX_MATCHED, -1, own_ghost, "invariant 6", true},
    {"own terms elsewhere", RIND_FAMILY_FLUX_MATCHED, -1, own_first, "slot", true},
    {"a flux of the first phase", RIND_FAMILY_FLUX_MATCHED, -1, first_phase, "phase 0", true},
    {"a flux too light", RIND_FAMILY_FLUX_MATCHED, -1, light, "invariant 5", true},
    {"a flux that is missing", RIND_FAMILY_FLUX_MATCHED, -1, missing, "nor written by", false},
    {"a flux without a source", RIND_FAMILY_FLUX_MATCHED, -1, no_source, "invariant 2", true},
    {"an edge of itself", RIND_FAMILY_EDGE_MEAN, -1, itself, "neither interior nor", true},
    {"an edge too light", RIND_FAMILY_EDGE_MEAN, -1, light, "invariant 5", true},
    {"an edge with a source", RIND_FAMILY_EDGE_MEAN, -1, has_source, "invariant 2", true},
    {"an edge of another block", RIND_FAMILY_EDGE_MEAN, -1, reads_source, "invariant 6", true},
    {"an edge that is missing", RIND_FAMILY_EDGE_MEAN, -1, missing, "nor written by", false},
    {"a corner of two terms", RIND_FAMILY_CORNER_MEAN, -1, wide, "slot", true},
    {"a mirror of itself", RIND_FAMILY_MIRROR, -1, itself, "neither interior nor", true},
    {"a mirror of a ghost of its phase", RIND_FAMILY_MIRROR, -1, same_phase, "neither interior nor",
     false},
    {"a mirror of the wrong sign", RIND_FAMILY_MIRROR, -1, negative, "invariant 5", true},
    {"a mirror that is another kind", RIND_FAMILY_MIRROR, -1, other_kind, "invariant 3", true},
    {"a mirror of all components", RIND_FAMILY_MIRROR, -1, no_component, "component -1", true},
    {"a mirror of no component", RIND_FAMILY_MIRROR, -1, third_component, "component 2", true},
    {"a mirror of the other", RIND_FAMILY_MIRROR, -1, swapped_component, "invariant", false},
    {"a mirror of the other wall", RIND_FAMILY_MIRROR, -1, other_wall, "of wall", true},
    {"a mirror of another axis", RIND_FAMILY_MIRROR, -1, other_axis, "of wall", true},
    {"a mirror that is missing", RIND_FAMILY_MIRROR, -1, missing, "no fill writes it", false},
    {"a value too heavy", RIND_FAMILY_MIRROR_VALUE, -1, value_heavy, "the wall's value", true},
    {"a value that is a cell", RIND_FAMILY_MIRROR_VALUE, -1, value_own, "slot", true},
    {"a function that is missing", RIND_FAMILY_FUNCTION, -1, missing, "no fill writes it", false},
    {"a copy of a component", RIND_FAMILY_COPY, -1, a_component, "all it must be", true},
    {"a first phase that begins late", RIND_FAMILY_COPY, -1, short_phase, "do not hold", false},
    {"a phase beyond the end", RIND_FAMILY_COPY, -1, backward_phase, "do not hold", false},
};

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  const int blocks[3] = {4, 2, 2}, periodic[3] = {0, 1, 1};
  static const rind_wall walls[2][6] = {
      {RIND_WALL_EVEN, RIND_WALL_NEUMANN},
      {RIND_WALL_FUNCTION, RIND_WALL_NONE},
  };
  const rind_rules rules = {
      .restriction = RIND_RESTRICTION_FLUX_MATCHED, .num_components = 2, .component_wall = walls};
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  hand_forest_grid(&layout, 3, blocks, periodic, 2);
  layout.irregular = 5;
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  if (forest) CHECK_OK(rind_schedule_create(forest, 8, 3, &rules, &schedule), context);
  if (schedule) {
    CHECK_OK(rind_schedule_verify(schedule), context);
    for (size_t d = 0; d < sizeof damages / sizeof *damages; ++d)
      broken_test(schedule, &damages[d]);
    CHECK_OK(rind_schedule_verify(schedule), context);
  }
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
  return check_end();
}
