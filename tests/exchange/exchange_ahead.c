/* exchange_ahead.c - fields for which lines are asked for ahead: the bits of the reference, for all
 * threads and orders of components, and lists that have the line of every ghost. */
#include <adjoint_data.h>
#include <check.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

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

/* True if the line of each ghost of a face is listed, and lines ascend. */
static bool lists_ghosts(const rind_gather_ahead *ahead, const rind_layout *layout) {
  const int n = layout->cells;
  for (int l = 1; l < ahead->num_lines; ++l)
    if (ahead->line[l] < ahead->line[l - 1] + LINE) return false;
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < n * n * 2 * layout->ghosts * layout->components; ++i) {
      const int layer = i / (n * n) % (2 * layout->ghosts), c = i / (n * n * 2 * layout->ghosts);
      const int cell[3] = {layer < layout->ghosts ? -1 - layer : n + layer - layout->ghosts, i % n,
                           i / n % n};
      ptrdiff_t at = c * layout->component_stride;
      for (int a = 0; a < 3; ++a)
        at += cell[a] * layout->cell_stride[(axis + a) % 3];
      const ptrdiff_t byte = at * (ptrdiff_t)rind_type_bytes(layout->type);
      int l = 0;
      while (l < ahead->num_lines && byte >= ahead->line[l] + LINE)
        ++l;
      if (l == ahead->num_lines || byte < ahead->line[l]) return false;
    }
  return true;
}

static void check_list(const world *w, const rind_gather_ahead *ahead, const rind_layout *layout,
                       bool again, const char *what) {
  CHECK(ahead, "%s: nothing is asked for", what);
  if (!ahead) return;
  const int blocks = rind_forest_num_blocks(w->forest);
  CHECK(lists_ghosts(ahead, layout), "%s: not all ghosts are in the %d lines", what,
        ahead->num_lines);
  CHECK(again ? ahead->num_touches > blocks : ahead->num_touches == blocks,
        "%s: %d touches of %d blocks", what, ahead->num_touches, blocks);
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
  check_list(&w, exchange[0]->phase[0].part->local.ahead, complete, false, "fill");
  int num_ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (num_ranks == 1)
    for (int p = 0; p < exchange[0]->adjoint->num_phases; ++p)
      if (exchange[0]->adjoint->phase[p].kind == RIND_PHASE_BLOCKS)
        check_list(&w, exchange[0]->adjoint->phase[p].part->local.bound.ahead, complete,
                   type == RIND_FLOAT64, "adjoint");
  for (int i = 0; i < 2; ++i)
    CHECK_OK(rind_fill(exchange[i], field[i]), w.context);
  CHECK(count_differences(field[0], field[1]) == 0,
        "fill, %d threads, type %d, order %d, regions %d: %ld blocks differ", threads, (int)type,
        (int)order, (int)regions, count_differences(field[0], field[1]));
  for (int i = 0; i < 2; ++i)
    CHECK_OK(rind_fill_adjoint(exchange[i], field[i]), w.context);
  CHECK(count_differences(field[0], field[1]) == 0,
        "adjoint, %d threads, type %d, order %d, regions %d: %ld blocks differ", threads, (int)type,
        (int)order, (int)regions, count_differences(field[0], field[1]));
  for (int i = 0; i < 2; ++i) {
    rind_exchange_destroy(&exchange[i]);
    rind_field_destroy(&field[i]);
  }
  destroy_world(&w);
}

/* Fields that a cache keeps, and blocks of which too much would be asked for. */
static void check_none(void) {
  static const struct { int cells, components; } sizes[2] = {{4, 2}, {16, 100}};
  for (int i = 0; i < 2; ++i) {
    world w;
    create_world(sizes[i].cells, 1, 1, RIND_REGIONS_FACES, &w);
    const rind_layout layout = {
        .dim = 3, .cells = sizes[i].cells, .ghosts = 1, .components = sizes[i].components};
    rind_exchange *exchange = NULL;
    must(rind_exchange_create(w.schedule, &layout, NULL, &exchange), &w, "exchange");
    CHECK(!exchange->phase[0].part->local.ahead, "%d components of %d^3 cells are asked for",
          sizes[i].components, sizes[i].cells);
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
  check_none();
  return check_end();
}
