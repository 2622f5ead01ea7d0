/* exchange_programs.c - programs of blocks, run here by a plain loop in any order, have the bits of
 * the rows that they are made of, and no item touches what another changes: every kind of forest,
 * fills and adjoints. */
#include <adjoint_data.h>
#include <adjoint_naive.h>
#include <block_programs.h>
#include <check.h>
#include <exchange_trees.h>
#include <launch_touches.h>
#include <loose_rows.h>
#include <on_device.h>
#include <stdlib.h>
#include <string.h>

/* With several threads zeros are a phase of their own, as on the device. */
enum { NUM_CASES = NUM_SCENES + NUM_TREES, NUM_RULES = 4, NUM_KINDS = 6, THREADS = 2 };

static const rind_rules rule_sets[NUM_RULES] = {
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
     .wall = {RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_NEUMANN, RIND_WALL_LINEAR,
              RIND_WALL_ODD, RIND_WALL_CONSTANT}},
    {.interpolation = RIND_INTERPOLATION_CONSERVATIVE},
    {.regions = RIND_REGIONS_FACES},
    {.interpolation = RIND_INTERPOLATION_COARSE_ONLY, .layers = 1}};

static const struct {
  shape kind;
  rind_type type;
  rind_component_order order;
  int components;
} kinds[NUM_KINDS] = {{SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1},
                      {SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_INNERMOST, 5},
                      {SHAPE_BLOCKS, RIND_FLOAT32, RIND_COMPONENTS_OUTERMOST, 3},
                      {SHAPE_BLOCKS, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 2},
                      {SHAPE_WIDE, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1},
                      {SHAPE_STRANGE, RIND_FLOAT32, RIND_COMPONENTS_INNERMOST, 2}};

/* What all cases together have had. */
static long copies, adds, sums, pairs, zeros, wrong_pairs, written_back, rests, shared,
    most_sources, wide_lines, narrow_lines, between;

static launch_touches touches;

typedef struct bases {
  rind_type to_type, source_type;
  void *const *to;
  const void *const *source;
} bases;

static void write_cell(char *base, rind_type type, ptrdiff_t at, double value, bool changes) {
  launch_write(&touches, base + at * (ptrdiff_t)rind_type_bytes(type), changes);
  store(base, type, at, value);
}

static void *base_of(const rind_programs *p, const rind_program_item *item, const bases *b,
                     int slot) {
  return slot == RIND_PROGRAM_OWN ? b->to[item->to]
                                  : (void *)b->source[p->source[item->first_slot + slot - 1]];
}

static double *find(const rind_programs *p, const rind_program_item *item, const bases *b,
                    int32_t term, double *value) {
  const int slot = RIND_PROGRAM_SLOT(term);
  const rind_type type = slot == RIND_PROGRAM_OWN ? b->to_type : b->source_type;
  char *base = base_of(p, item, b, slot);
  char *at = base + (ptrdiff_t)RIND_PROGRAM_OFFSET(term) * (ptrdiff_t)rind_type_bytes(type);
  *value = type == RIND_FLOAT64 ? *(double *)(void *)at : (double)*(float *)(void *)at;
  launch_read(&touches, at);
  if (RIND_PROGRAM_TAKEN(term)) write_cell(at, type, 0, 0.0, true);
  return value;
}

static void run_moves(const rind_programs *p, const rind_program_item *item, const bases *b) {
  for (int m = 0; m < item->num_moves * RIND_PROGRAM_LANES; ++m) {
    const rind_program_move *move = &p->move[item->first_move + m];
    double value = 0.0;
    if (move->cell == RIND_PROGRAM_NO_CELL) continue;
    const int slot = RIND_PROGRAM_SLOT(move->term);
    const bool changes = slot != RIND_PROGRAM_OWN || RIND_PROGRAM_OFFSET(move->term) != move->cell;
    launch_begin_operation(&touches);
    if (slot != RIND_PROGRAM_NONE) find(p, item, b, move->term, &value);
    zeros += slot == RIND_PROGRAM_NONE;
    ++copies;
    written_back += !changes;
    write_cell(b->to[item->to], b->to_type, move->cell, value, changes);
  }
}

static void run_sums(const rind_programs *p, const rind_program_item *item, const bases *b) {
  for (int s = 0; s < item->num_sums; ++s) {
    const rind_program_sum *head = &p->sum[item->first_sum + s];
    for (int l = 0; l < RIND_PROGRAM_LANES; ++l) {
      const int32_t cell = p->cell[head->first_cell + l];
      const bool plain = head->first_weight < 0;
      double sum = 0.0, value = 0.0;
      int terms = 0;
      if (cell == RIND_PROGRAM_NO_CELL) continue;
      launch_begin_operation(&touches);
      for (; terms < head->num_terms; ++terms) {
        const int at = terms * RIND_PROGRAM_LANES + l;
        const int32_t term = p->term[head->first_term + at];
        if (RIND_PROGRAM_SLOT(term) == RIND_PROGRAM_NONE) break;
        find(p, item, b, term, &value);
        const double product = plain ? value : p->weight[head->first_weight + at] * value;
        sum = terms == 0 ? product : sum + product;
      }
      *(plain ? &adds : &sums) += 1;
      write_cell(b->to[item->to], b->to_type, cell, sum, true);
    }
  }
}

static void run_pairs(const rind_programs *p, const rind_program_item *item, const bases *b) {
  for (int n = 0; n < item->num_pairs; ++n)
    for (int l = 0; l < RIND_PROGRAM_PAIRS; ++l) {
      const int32_t *term = &p->pair[item->first_pair + n * RIND_PROGRAM_LANES + l];
      const int32_t cell = term[0], ghost = term[RIND_PROGRAM_PAIRS];
      double before = 0.0, value = 0.0;
      if (RIND_PROGRAM_SLOT(cell) == RIND_PROGRAM_NONE) continue;
      launch_begin_operation(&touches);
      find(p, item, b, cell, &before);
      find(p, item, b, ghost, &value);
      ++pairs;
      wrong_pairs += RIND_PROGRAM_TAKEN(cell) || !RIND_PROGRAM_TAKEN(ghost) ||
                     RIND_PROGRAM_SLOT(cell) == RIND_PROGRAM_SLOT(ghost);
      write_cell(base_of(p, item, b, RIND_PROGRAM_SLOT(cell)), b->to_type,
                 RIND_PROGRAM_OFFSET(cell), before + value, true);
    }
}

/* Items last to first. */
static void run_programs(const rind_programs *p, const bases *b) {
  launch_begin(&touches);
  for (int i = p->num_items - 1; i >= 0; --i) {
    if (p->item[i].num_slots > most_sources) most_sources = p->item[i].num_slots;
    run_sums(p, &p->item[i], b);
    run_pairs(p, &p->item[i], b);
    run_moves(p, &p->item[i], b);
  }
}

static void **blocks_of(const memory *m) {
  return m->field->pointer;
}

static void compare(const scene *s, const memory *a, const memory *b, const char *what, int rules,
                    int kind, int phase) {
  double *left = memory_collect(s, a), *right = memory_collect(s, b);
  const size_t count =
      (size_t)rind_forest_num_blocks(s->forest) * collected_per_block(s, a->layout.components);
  long differ = 0;
  for (size_t i = 0; i < count; ++i)
    differ += memcmp(&left[i], &right[i], sizeof *left) != 0 &&
              !(left[i] != left[i] && right[i] != right[i]);
  CHECK(differ == 0, "%s, rules %d, kind %d, %s, phase %d: %ld of %zu values differ", s->name,
        rules, kind, what, phase, differ, count);
  free(left);
  free(right);
}

/* Some of the blocks get no program where there is little room. */
static size_t room(int phase, int rules, int kind) {
  return (phase + rules + kind) % 3 == 0 ? 20000 : SIZE_MAX;
}

/* As many bytes as programs without pairs take are enough for them. */
static void check_room(const rind_gather *gather, const int *first_fill, int num_batches,
                       rind_program_frame frame) {
  rind_programs all, same;
  frame.same_blocks = false;
  CHECK(rind_programs_make(gather, first_fill, num_batches, &frame, SIZE_MAX, &all), "no memory");
  const size_t bytes = (size_t)all.num_moves * sizeof *all.move +
                       (size_t)(all.num_cells + all.num_terms) * sizeof *all.term +
                       (size_t)all.num_weights * sizeof *all.weight;
  CHECK(rind_programs_make(gather, first_fill, num_batches, &frame, bytes, &same), "no memory");
  CHECK(same.num_items == all.num_items && same.num_rest == all.num_rest,
        "%d blocks of %d have programs in %zu bytes", same.num_items, all.num_items, bytes);
  rind_programs_free(&all);
  rind_programs_free(&same);
}

static int uses_of(const rind_programs *p, int first_move) {
  int uses = 0;
  for (int i = 0; i < p->num_items; ++i)
    uses += p->item[i].num_moves > 0 && p->item[i].first_move == first_move;
  return uses;
}

/* Marks the byte that an element begins at; the first one marked is the lowest of all. */
static void mark(char *marks, int64_t low, int64_t element, int bytes) {
  marks[(element - low) * bytes] = 1;
}

static int64_t marked_units(const char *marks, int64_t size, int64_t unit) {
  int64_t count = 0;
  for (int64_t at = 0; at < size; at += unit)
    count += memchr(marks + at, 1, (size_t)(size - at < unit ? size - at : unit)) != NULL;
  return count;
}

/* Whether whole lines are asked for, found by marking every byte that a value begins at. */
static void check_lines(const rind_programs *p, rind_type type) {
  const int bytes = (int)rind_type_bytes(type);
  const rind_program_item *item = NULL;
  for (int i = 0; i < p->num_items; ++i)
    if (p->item[i].num_moves > 0 &&
        (!item || uses_of(p, p->item[i].first_move) > uses_of(p, item->first_move)))
      item = &p->item[i];
  bool found = true;
  CHECK(rind_programs_fill_lines(p, bytes, &found), "no memory");
  if (!item) {
    CHECK(!found, "lines without copies");
    return;
  }
  const rind_program_move *move = &p->move[item->first_move];
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int pass = 0; pass < 2; ++pass) {
    char *marks = pass ? calloc((size_t)((high - low + 1) * bytes), 1) : NULL;
    for (int m = 0; m < item->num_moves * RIND_PROGRAM_LANES; ++m) {
      if (move[m].cell == RIND_PROGRAM_NO_CELL) continue;
      const bool reads = RIND_PROGRAM_SLOT(move[m].term) != RIND_PROGRAM_NONE;
      const int64_t at[2] = {move[m].cell,
                             reads ? RIND_PROGRAM_OFFSET(move[m].term) : move[m].cell};
      for (int e = 0; e < 2; ++e) {
        if (pass) mark(marks, low, at[e], bytes);
        if (at[e] < low) low = at[e];
        if (at[e] > high) high = at[e];
      }
    }
    if (!pass) continue;
    const int64_t size = (high - low + 1) * bytes;
    const double share =
        (double)marked_units(marks, size, 32) / (4.0 * (double)marked_units(marks, size, 128));
    CHECK(found == (share >= 2.0 / 3.0), "whole lines %d with %g of their sectors", found, share);
    ++*(found ? &wide_lines : &narrow_lines);
    free(marks);
  }
}

/* Programs of fills in any order, and the rest as rows. */
static void check_gather(const rind_gather *gather, const rind_program_frame *frame, size_t bytes,
                         const memory *made, const void *const *source) {
  rind_programs programs;
  CHECK(rind_programs_make(gather, NULL, 0, frame, bytes, &programs), "no memory");
  check_lines(&programs, gather->to_type);
  const bases b = {gather->to_type, gather->source_type, blocks_of(made), source};
  run_programs(&programs, &b);
  for (int r = 0; r < programs.num_rest; ++r) {
    const int fill[2] = {programs.rest[r], programs.rest[r] + 1};
    if (gather->row[gather->fill[fill[0]].row].num_terms > 0)
      rind_gather_host(gather, fill[0], fill[1], blocks_of(made),
                       (const void *const *)blocks_of(made), source, 1);
    else
      rind_gather_host_batches(gather, fill, 1, blocks_of(made), source, 1, NULL);
  }
  check_room(gather, NULL, 0, *frame);
  rests += programs.num_rest;
  shared += programs.num_items > 0 && programs.num_moves < 32 * gather->num_fills;
  rind_programs_free(&programs);
}

static void check_fill(const scene *s, const rind_exchange *exchange, const memory *rows,
                       const memory *made, int rules, int kind) {
  for (int p = 0; p < exchange->num_phases; ++p) {
    const rind_exchange_phase *phase = &exchange->phase[p];
    const rind_program_frame frame =
        rind_exchange_frame(&exchange->field[0].layout, phase->kind != RIND_PHASE_WALLS);
    const rind_gather gather = rind_bound_gather(&phase->part[0].local);
    const void *const *source[2] = {(const void *const *)blocks_of(rows),
                                    (const void *const *)blocks_of(made)};
    if (phase->kind == RIND_PHASE_WALLS) source[0] = source[1] = exchange->field[0].wall_start;
    rind_gather_host(&gather, 0, gather.num_fills, blocks_of(rows),
                     (const void *const *)blocks_of(rows), source[0], 1);
    check_gather(&gather, &frame, room(p, rules, kind), made, source[1]);
    compare(s, rows, made, "fill", rules, kind, p);
  }
}

static void run_rows(const rind_exchange *exchange, const rind_batches *batches, int first,
                     const memory *m) {
  const rind_gather gather = rind_bound_gather(&batches->bound);
  const rind_gather_scratch scratch = {.memory = exchange->adjoint->scratch,
                                       .blocks = exchange->adjoint->scratch_blocks,
                                       .elements =
                                           (ptrdiff_t)rind_layout_block_elements(&m->layout),
                                       .origin = rind_layout_interior_offset(&m->layout)};
  const bool floats = m->layout.type == RIND_FLOAT32 && gather.to_type == RIND_FLOAT64;
  rind_gather_host_batches(&gather, &batches->first_fill[first < 0 ? 0 : first],
                           first < 0 ? batches->num_batches : 1, blocks_of(m),
                           (const void *const *)blocks_of(m), 1, floats ? &scratch : NULL);
}

static void check_adjoint(const scene *s, const rind_exchange *exchange, const memory *rows,
                          const memory *made, int rules, int kind) {
  const rind_layout *layout = &exchange->field[0].layout;
  const rind_program_frame frame = rind_exchange_frame(layout, true);
  const rind_program_frame zeros_frame = rind_exchange_zeros_frame(layout);
  for (int p = 0; p < exchange->adjoint->num_phases; ++p) {
    const rind_batches *batches = &exchange->adjoint->phase[p].part[0].local;
    if (exchange->adjoint->phase[p].kind == RIND_PHASE_CLEAR) {
      const rind_gather clear = rind_bound_gather(&batches->bound);
      run_rows(exchange, batches, -1, rows);
      check_gather(&clear, &zeros_frame, room(p, rules, kind), made,
                   (const void *const *)blocks_of(made));
      compare(s, rows, made, "zeros", rules, kind, p);
      continue;
    }
    rind_batches loose;
    CHECK(loose_rows_create(batches, &loose), "no memory");
    const rind_gather gather = rind_bound_gather(&loose.bound);
    run_rows(exchange, batches, -1, rows);
    rind_programs programs;
    CHECK(rind_programs_make(&gather, loose.first_fill, loose.num_batches, &frame,
                             room(p, rules, kind), &programs),
          "no memory");
    const bases b = {rows->layout.type, gather.source_type, blocks_of(made),
                     (const void *const *)blocks_of(made)};
    run_programs(&programs, &b);
    for (int r = 0; r < programs.num_rest; ++r)
      run_rows(exchange, &loose, programs.rest[r], made);
    check_room(&gather, loose.first_fill, loose.num_batches, frame);
    rests += programs.num_rest;
    rind_programs_free(&programs);
    loose_rows_destroy(&loose);
    compare(s, rows, made, "adjoint", rules, kind, p);
  }
}

/* Blocks that lie between each other span the whole field: a thread sums one of them at a time, of
 * others four. */
static void check_scratch(const rind_exchange *exchange, const rind_layout *layout) {
  const size_t spans = rind_layout_block_elements(layout);
  size_t values = (size_t)layout->components;
  for (int a = 0; a < layout->dim; ++a)
    values *= (size_t)(layout->cells + 2 * layout->ghosts);
  const size_t most = spans > 16 * values ? spans : 16 * values;
  CHECK(exchange->adjoint->scratch_elements <= THREADS * most, "%zu doubles for blocks of %zu",
        exchange->adjoint->scratch_elements, values);
  between += layout->type == RIND_FLOAT32 && spans > 16 * values;
}

static void check_scene(const scene *s, int rules) {
  for (int k = 0; k < NUM_KINDS; ++k) {
    memory rows, made;
    rind_exchange *exchange = NULL;
    const rind_exchange_options options = {.adjoint = true};
    memory_create_seeded(s, kinds[k].kind, kinds[k].type, kinds[k].order, kinds[k].components, k,
                         &rows);
    memory_create_seeded(s, kinds[k].kind, kinds[k].type, kinds[k].order, kinds[k].components, k,
                         &made);
    CHECK_OK(rind_exchange_create(s->schedule, &rows.layout, &options, &exchange), s->context);
    if (exchange) {
      check_scratch(exchange, &rows.layout);
      check_fill(s, exchange, &rows, &made, rules, k);
      memory_set_all(s, &rows);
      memory_set_all(s, &made);
      check_adjoint(s, exchange, &rows, &made, rules, k);
    }
    rind_exchange_destroy(&exchange);
    memory_destroy(&rows);
    memory_destroy(&made);
  }
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  scene around;
  scene_create(MPI_COMM_WORLD, SCENE_SURROUNDED, THREADS, &rule_sets[0], &around);
  check_scene(&around, 0);
  scene_destroy(&around);
  for (int number = 0; number < NUM_CASES; ++number)
    for (int r = 0; r < NUM_RULES; ++r) {
      if (number < NUM_SCENES) {
        scene s;
        scene_create(MPI_COMM_WORLD, number, THREADS, &rule_sets[r], &s);
        check_scene(&s, r);
        scene_destroy(&s);
      } else {
        trees t;
        trees_create(MPI_COMM_WORLD, number - NUM_SCENES, THREADS, &rule_sets[r], &t);
        check_scene(&t.s, r);
        trees_destroy(&t);
      }
    }
  CHECK(touches.races == 0, "%ld times something that one lane changes is touched by another",
        touches.races);
  launch_touches_free(&touches);
  CHECK(wrong_pairs == 0, "%ld pairs are none", wrong_pairs);
  CHECK(copies > 1000 && adds > 1000 && sums > 1000 && pairs > 1000 && zeros > 1000 &&
            written_back > 1000 && rests > 100 && shared > 10 && most_sources >= 56 &&
            wide_lines > 10 && narrow_lines > 10 && between > 10,
        "too little was run: %ld copies, %ld adds, %ld sums, %ld pairs, %ld zeros, %ld written "
        "back, %ld rests, %ld shared, %ld sources at most, lines asked for %ld times and %ld not, "
        "%ld layouts of blocks between each other",
        copies, adds, sums, pairs, zeros, written_back, rests, shared, most_sources, wide_lines,
        narrow_lines, between);
  return check_end();
}
