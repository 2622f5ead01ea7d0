/* exchange_ahead.c - fields for which lines are asked for ahead: the bits of the reference, for all
 * threads and orders of components, and lists that have the line of every ghost. */
#include <adjoint_data.h>
#include <check.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST_LISTS = 64 };

/* A forest of R4's kind: 8^3 base blocks, half of them refined. */
typedef struct world {
  rind_context *context;
  rind_forest *forest;
  rind_schedule *schedule;
  int cells, ghosts;
} world;

static int refine_half(const rind_block *block, void *user) {
  (void)user;
  return block->lower[0] + block->side[0] / 2 < 0.5;
}

static void must(rind_error error, const world *w, const char *what) {
  if (error == RIND_OK) return;
  fprintf(stderr, "%s: %s\n", what, rind_last_error(w->context));
  abort();
}

static void create_world(int cells, int ghosts, int threads, rind_regions regions, world *w) {
  const rind_context_options options = {.threads = threads};
  const rind_brick brick = {.dim = 3, .level = 3, .periodic = {0, 1, 1}};
  const rind_rules rules = {.regions = regions};
  *w = (world){.cells = cells, .ghosts = ghosts};
  must(rind_context_create(MPI_COMM_WORLD, &options, &w->context), w, "context");
  must(rind_forest_create_brick(w->context, &brick, &w->forest), w, "brick");
  must(rind_forest_refine(w->forest, 4, refine_half, NULL), w, "refine");
  must(rind_schedule_create(w->forest, cells, ghosts, &rules, &w->schedule), w, "schedule");
}

static void destroy_world(world *w) {
  rind_schedule_destroy(&w->schedule);
  rind_forest_destroy(&w->forest);
  rind_context_destroy(&w->context);
}

static char *first_element(rind_field *field, int block) {
  const rind_layout *layout = rind_field_layout(field);
  const ptrdiff_t bytes = (ptrdiff_t)rind_type_bytes(layout->type);
  return (char *)rind_field_pointer(field, block) - rind_layout_interior_offset(layout) * bytes;
}

static rind_field *make_field(const world *w, const rind_layout *layout) {
  rind_field *field = NULL;
  must(rind_field_create(w->forest, layout, &field), w, "field");
  const size_t elements = rind_layout_block_elements(rind_field_layout(field));
  for (int b = 0; b < rind_field_num_blocks(field); ++b) {
    void *const first = first_element(field, b);
    for (size_t i = 0; i < elements; ++i) {
      const double value = 1.0 / (double)(1 + (i * 7919 + (size_t)b * 104729) % 10007);
      if (layout->type == RIND_FLOAT64)
        ((double *)first)[i] = value;
      else
        ((float *)first)[i] = (float)value;
    }
  }
  return field;
}

static long count_differences(rind_field *a, rind_field *b) {
  const rind_layout *layout = rind_field_layout(a);
  const size_t bytes = rind_layout_block_elements(layout) * rind_type_bytes(layout->type);
  long differ = 0;
  for (int block = 0; block < rind_field_num_blocks(a); ++block)
    differ += memcmp(first_element(a, block), first_element(b, block), bytes) != 0;
  return differ;
}

/* Whether a cell is a ghost of a face or lies as near to a face as those do. */
static bool is_near(const rind_layout *layout, const int cell[3]) {
  int ghosts = 0, near = 0;
  for (int a = 0; a < 3; ++a) {
    const int from_low = cell[a], from_high = layout->cells - 1 - cell[a];
    ghosts += from_low < 0 || from_high < 0;
    near += from_low < layout->ghosts || from_high < layout->ghosts;
  }
  return ghosts == 1 || (ghosts == 0 && near > 0);
}

/* True if the lines of such cells are listed, and no others, in ascending order. */
static bool lists_lines(const rind_gather_line_list *list, const rind_layout *layout) {
  const int bytes = (int)rind_type_bytes(layout->type), end = layout->cells + layout->ghosts;
  const size_t most = rind_layout_block_elements(layout) * (size_t)bytes / LINE + 1;
  const ptrdiff_t base = rind_layout_interior_offset(layout) * bytes;
  bool *wanted = calloc(most, sizeof *wanted);
  if (!wanted) abort();
  for (int i = -layout->ghosts; i < end; ++i)
    for (int j = -layout->ghosts; j < end; ++j)
      for (int k = -layout->ghosts; k < end; ++k)
        for (int c = 0; c < layout->components && is_near(layout, (const int[3]){i, j, k}); ++c)
          wanted[(base + (i * layout->cell_stride[0] + j * layout->cell_stride[1] +
                          k * layout->cell_stride[2] + c * layout->component_stride) *
                             bytes) /
                 LINE] = true;
  int found = 0;
  bool right = true;
  for (size_t l = 0; l < most; ++l)
    if (wanted[l]) {
      right =
          right && found < list->num_lines && list->line[found].at == (ptrdiff_t)l * LINE - base;
      ++found;
    }
  free(wanted);
  return right && found == list->num_lines;
}

/* Lines that are touched, of those that the first list has. */
typedef struct touched_lines {
  const rind_layout *layout;
  const rind_gather_line_list *all;
  bool *is; /* [all->num_lines] */
  bool of_source;
} touched_lines;

static void note_line(void *user, bool of_source, ptrdiff_t offset) {
  const touched_lines *lines = user;
  const ptrdiff_t bytes = (ptrdiff_t)rind_type_bytes(lines->layout->type);
  const ptrdiff_t base = rind_layout_interior_offset(lines->layout) * bytes;
  if (of_source != lines->of_source) return;
  for (int l = 0; l < lines->all->num_lines; ++l)
    if (lines->all->line[l].at == (base + offset * bytes) / LINE * LINE - base) lines->is[l] = true;
}

/* True if a list is linked and has the lines that are touched, or all where these are more than
 * half. */
static bool is_list_of(const rind_gather_line_list *list, const touched_lines *lines) {
  int count = 0, found = 0;
  for (int l = 0; l < list->num_lines; ++l)
    if (list->line[l].next != (l + 1 < list->num_lines ? &list->line[l + 1] : NULL)) return false;
  for (int l = 0; l < lines->all->num_lines; ++l)
    count += lines->is[l];
  if (2 * count > lines->all->num_lines) return list == lines->all;
  for (int l = 0; l < lines->all->num_lines; ++l) {
    if (!lines->is[l]) continue;
    if (found == list->num_lines || list->line[found].at != lines->all->line[l].at) return false;
    ++found;
  }
  return found == list->num_lines;
}

/* What fills touch of a block from one of its touches to the next. Returns how many of the touches
 * looked at do not have all lines, or -1. */
static int check_lines(const rind_gather *gather, const rind_layout *layout) {
  const rind_gather_ahead *ahead = gather->ahead;
  touched_lines lines = {.layout = layout, .all = &ahead->list[0]};
  int num_short = 0;
  lines.is = calloc((size_t)lines.all->num_lines, sizeof *lines.is);
  if (!lines.is) abort();
  for (int t = 0; t < ahead->num_touches && num_short >= 0; t += 37) {
    const rind_gather_touch *touch = &ahead->touch[t];
    int end = gather->num_fills;
    for (int u = ahead->num_touches - 1; u > t; --u)
      if (ahead->touch[u].block == touch->block) end = ahead->touch[u].fill;
    memset(lines.is, 0, (size_t)lines.all->num_lines * sizeof *lines.is);
    for (int f = touch->fill; f < end; ++f)
      for (int side = 0; side < 2; ++side) {
        lines.of_source = side == 1;
        if ((side == 1 ? gather->fill[f].source : gather->fill[f].to) == touch->block)
          rind_gather_visit_row(&gather->row[gather->fill[f].row], note_line, &lines);
      }
    const bool no_room = ahead->num_lists == MOST_LISTS && touch->list == lines.all;
    if (!no_room && !is_list_of(touch->list, &lines))
      num_short = -1;
    else if (touch->list != lines.all)
      ++num_short;
  }
  free(lines.is);
  return num_short;
}

/* As many lines a step as are enough for all, and no more than it takes. */
static void check_steps(const rind_gather *gather, const char *what) {
  const rind_gather_ahead *ahead = gather->ahead;
  const int64_t steps = rind_gather_count_steps(gather), each = ahead->lines_a_step;
  int64_t lines = 0;
  for (int t = 0; t < ahead->num_touches; ++t)
    lines += ahead->touch[t].list->num_lines;
  CHECK(each * steps >= lines && (each - 1) * steps < lines, "%s: %lld lines in %lld steps of %lld",
        what, (long long)lines, (long long)steps, (long long)each);
}

static void check_list(const world *w, const rind_bound *bound, const rind_layout *layout,
                       bool again, const char *what) {
  const rind_gather_ahead *ahead = bound->ahead;
  CHECK(ahead, "%s: nothing is asked for", what);
  if (!ahead) return;
  const int blocks = rind_forest_num_blocks(w->forest), num_lines = ahead->list[0].num_lines;
  CHECK(lists_lines(&ahead->list[0], layout), "%s: other lines, %d of them", what, num_lines);
  CHECK(ahead->near == rind_gather_asks_near(), "%s: asks into another cache", what);
  const rind_gather gather = rind_bound_gather(bound);
  check_steps(&gather, what);
  const int num_short = check_lines(&gather, layout);
  CHECK(again ? num_short > 0 : num_short >= 0, "%s: lists of touches are wrong (%d)", what,
        num_short);
  rind_gather_place *place = calloc((size_t)blocks, sizeof *place);
  if (!place) abort();
  const int touches = rind_gather_list_touches(&gather, again ? (1 << 19) / (num_lines * LINE) : 0,
                                               blocks, place, NULL, NULL);
  free(place);
  CHECK(ahead->num_touches == touches && (again ? touches > blocks : touches == blocks),
        "%s: %d touches of %d blocks, not %d", what, ahead->num_touches, blocks, touches);
  rind_bound without = *bound;
  without.ahead_bytes = 0;
  const int64_t bytes = rind_bound_bytes(bound) - rind_bound_bytes(&without);
  CHECK(bytes >= (int64_t)(16 * (ahead->num_touches + num_lines)),
        "%s: %lld bytes of %d touches and %d lines", what, (long long)bytes, ahead->num_touches,
        num_lines);
}

/* Fills between two blocks follow each other, and higher blocks come later: else there would be no
 * pairs, and lines would come and go. */
static void check_order(const rind_bound *bound) {
  int turns = 0;
  for (int f = 1; f < bound->num_fills; ++f) {
    const rind_gather_fill *a = &bound->fill[f - 1], *b = &bound->fill[f];
    const int high_a = a->to > a->source ? a->to : a->source, low_a = a->to + a->source - high_a;
    const int high_b = b->to > b->source ? b->to : b->source, low_b = b->to + b->source - high_b;
    turns += high_b < high_a || (high_b == high_a && low_b < low_a);
  }
  CHECK(turns == 0, "%d of %d fills come before those of lower blocks", turns, bound->num_fills);
}

/* Whatever the processor would have. */
static void ask_in_steps(rind_exchange *exchange, bool in_steps) {
  exchange->phase[0].part->local.ahead->near = in_steps;
  for (int p = 0; p < exchange->adjoint->num_phases; ++p) {
    rind_gather_ahead *ahead = exchange->adjoint->phase[p].part->local.bound.ahead;
    if (ahead) ahead->near = in_steps;
  }
}

/* The fill and the adjoint against those term by term; of floats the adjoint alone, as fills term
 * by term round each of them. */
static void check_values(int threads, rind_type type, rind_component_order order,
                         rind_regions regions) {
  world w;
  create_world(4, 1, threads, regions, &w);
  const rind_layout layout = {.dim = 3,
                              .cells = w.cells,
                              .ghosts = w.ghosts,
                              .components = 18,
                              .type = type,
                              .order = order};
  const rind_exchange_options ways[2] = {
      {.adjoint = true},
      {.adjoint = true,
       .method = type == RIND_FLOAT64 ? RIND_METHOD_TERM_BY_TERM : RIND_METHOD_FUSED,
       .adjoint_method = RIND_ADJOINT_PER_TERM}};
  rind_field *field[2];
  rind_exchange *exchange[2];
  for (int i = 0; i < 2; ++i) {
    field[i] = make_field(&w, &layout);
    must(rind_exchange_create(w.schedule, &layout, &ways[i], &exchange[i]), &w, "exchange");
  }
  const rind_layout *complete = rind_field_layout(field[0]);
  check_order(&exchange[0]->phase[0].part->local);
  check_list(&w, &exchange[0]->phase[0].part->local, complete, false, "fill");
  int num_ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (num_ranks == 1)
    for (int p = 0; p < exchange[0]->adjoint->num_phases; ++p)
      if (exchange[0]->adjoint->phase[p].kind == RIND_PHASE_BLOCKS)
        check_list(&w, &exchange[0]->adjoint->phase[p].part->local.bound, complete,
                   type == RIND_FLOAT64, "adjoint");
  for (int p = 0; p < exchange[1]->adjoint->num_phases; ++p)
    CHECK(!exchange[1]->adjoint->phase[p].part->local.bound.ahead,
          "phase %d: the adjoint term by term asks", p);
  for (int in_steps = 0; in_steps < 2; ++in_steps) {
    ask_in_steps(exchange[0], in_steps == 1);
    for (int i = 0; i < 2; ++i)
      CHECK_OK(rind_fill(exchange[i], field[i]), w.context);
    CHECK(count_differences(field[0], field[1]) == 0,
          "fill, %d threads, type %d, order %d, regions %d, steps %d: %ld blocks differ", threads,
          (int)type, (int)order, (int)regions, in_steps, count_differences(field[0], field[1]));
    for (int i = 0; i < 2; ++i)
      CHECK_OK(rind_fill_adjoint(exchange[i], field[i]), w.context);
    CHECK(count_differences(field[0], field[1]) == 0,
          "adjoint, %d threads, type %d, order %d, regions %d, steps %d: %ld blocks differ",
          threads, (int)type, (int)order, (int)regions, in_steps,
          count_differences(field[0], field[1]));
  }
  for (int i = 0; i < 2; ++i) {
    rind_exchange_destroy(&exchange[i]);
    rind_field_destroy(&field[i]);
  }
  destroy_world(&w);
}

/* Fields of less than 16 MiB, blocks of which too much would be asked for, and fills that do not
 * go from block to block. */
static void check_which(void) {
  static const struct {
    const char *name;
    int cells;
    rind_layout layout;
    rind_method method;
    bool asks;
  } cases[] = {{"15.2 MiB", 4, {.components = 4}, RIND_METHOD_FUSED, false},
               {"15.2 MiB, a block each", 4, {.components = 4, .storage = RIND_BLOCKS}, 0, false},
               {"19.0 MiB", 4, {.components = 5}, RIND_METHOD_FUSED, true},
               {"19.0 MiB, a block each", 4, {.components = 5, .storage = RIND_BLOCKS}, 0, true},
               {"19.0 MiB, term by term", 4, {.components = 5}, RIND_METHOD_TERM_BY_TERM, false},
               {"blocks between each other",
                4,
                {.components = 4, .cell_stride = {2304}, .block_stride = 1},
                0,
                false},
               {"thin strides", 32, {.cell_stride = {8}}, 0, false},
               {"blocks of 60 MiB", 4, {.cell_stride = {36000}}, 0, true},
               {"blocks of 70 MiB", 4, {.cell_stride = {42000}}, 0, false},
               {"100 components of 16^3 cells", 16, {.components = 100}, RIND_METHOD_FUSED, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    world w;
    create_world(cases[i].cells, 1, 1, RIND_REGIONS_FACES, &w);
    rind_layout layout = cases[i].layout;
    layout.dim = 3;
    layout.cells = cases[i].cells;
    layout.ghosts = 1;
    if (layout.components == 0) layout.components = 1;
    const rind_exchange_options options = {.method = cases[i].method};
    rind_exchange *exchange = NULL;
    must(rind_exchange_create(w.schedule, &layout, &options, &exchange), &w, "exchange");
    CHECK((exchange->phase[0].part->local.ahead != NULL) == cases[i].asks, "%s: asks %d",
          cases[i].name, !cases[i].asks);
    rind_exchange_destroy(&exchange);
    destroy_world(&w);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  check_values(1, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, RIND_REGIONS_FACES);
  check_values(1, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, RIND_REGIONS_ALL);
  check_values(3, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, RIND_REGIONS_FACES);
  check_values(1, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, RIND_REGIONS_FACES);
  check_values(2, RIND_FLOAT32, RIND_COMPONENTS_INNERMOST, RIND_REGIONS_FACES);
  int num_ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (num_ranks == 1) check_which();
  return check_end();
}
