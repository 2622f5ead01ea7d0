/* verify_adjoint.c - the invariants of an adjoint: rows that add to cells, and ghosts that become
 * 0.
 *
 * What docs/rows.md asks of any schedule (1, 2, 7), runs in the order of contributions, no cell
 * twice in a run, and after each phase 0 in every ghost that was read, once. */
#include <core.h>
#include <inspection.h>
#include <transpose.h>
#include <verify_adjoint.h>

#include <stdlib.h>
#include <string.h>

/* What a phase and its zeros do to a cell of a local block. */
enum { ADDED = 1, READ = 2, TAKEN = 4, CLEARED = 8 };

typedef struct adjoint_check {
  rind_inspection at;
  int component;
  int64_t side;
  int64_t block_cells; /* padded */
  unsigned char *mark; /* [num_local * block_cells] */
  int32_t *writer;     /* [block_cells], 1 + the run that wrote the cell last */
  const rind_run_data *run;
} adjoint_check;

static int64_t cell_index(const adjoint_check *c, const int32_t cell[3]) {
  const int32_t ghosts = c->at.schedule->ghosts;
  const int64_t z = c->at.schedule->dim == 3 ? cell[2] + ghosts : 0;
  return (z * c->side + cell[1] + ghosts) * c->side + cell[0] + ghosts;
}

static rind_error check_padded(const adjoint_check *c, const rind_box *box, const char *what) {
  const rind_schedule *schedule = c->at.schedule;
  for (int a = 0; a < 3; ++a) {
    const int axis = box->axis[a], used = axis < schedule->dim;
    const int64_t low = used ? -schedule->ghosts : 0;
    const int64_t high = used ? schedule->cells + (int64_t)schedule->ghosts : 1;
    int64_t first, last;
    rind_inspection_span(box, c->at.view.extent, a, &first, &last);
    if (first < low || last >= high)
      return rind_inspection_fault(&c->at, 2,
                                   "%s has cells %lld to %lld along axis %d, %lld to "
                                   "%lld there are",
                                   what, (long long)first, (long long)last, axis, (long long)low,
                                   (long long)high - 1);
  }
  return RIND_OK;
}

/* Marks a box of a local block with new; a cell must not have a mark of banned. */
static rind_error mark_box(adjoint_check *c, int block, const rind_box *box, int new, int banned,
                           const char *what) {
  const int32_t *extent = c->at.view.extent;
  unsigned char *mark = c->mark + block * c->block_cells;
  int32_t i[3], cell[3];
  for (i[2] = 0; i[2] < extent[2]; ++i[2])
    for (i[1] = 0; i[1] < extent[1]; ++i[1])
      for (i[0] = 0; i[0] < extent[0]; ++i[0]) {
        for (int a = 0; a < 3; ++a)
          cell[box->axis[a]] = box->origin[box->axis[a]] + i[a] * box->step[a];
        unsigned char *at = &mark[cell_index(c, cell)];
        if (*at & banned)
          return rind_inspection_fault(&c->at, 2, "cell (%d, %d, %d) of block %lld %s", cell[0],
                                       cell[1], cell[2],
                                       (long long)c->at.arrays->block[block].global, what);
        *at |= (unsigned char)new;
      }
  return RIND_OK;
}

/* No cell twice in a run. */
static rind_error note_writer(adjoint_check *c) {
  const rind_box *box = &c->at.view.box;
  const int32_t *extent = c->at.view.extent, number = (int32_t)(c->run - c->at.schedule->run) + 1;
  int32_t i[3], cell[3];
  for (i[2] = 0; i[2] < extent[2]; ++i[2])
    for (i[1] = 0; i[1] < extent[1]; ++i[1])
      for (i[0] = 0; i[0] < extent[0]; ++i[0]) {
        for (int a = 0; a < 3; ++a)
          cell[a] = box->origin[a] + i[a] * box->step[a];
        int32_t *writer = &c->writer[cell_index(c, cell)];
        if (*writer == number)
          return rind_inspection_fault(&c->at, 4, "cell (%d, %d, %d) is in two rows of a run",
                                       cell[0], cell[1], cell[2]);
        *writer = number;
      }
  return RIND_OK;
}

/* The first term is the cell itself, the others are ghosts of the run's source. */
static rind_error check_terms(adjoint_check *c, const rind_pattern *pattern) {
  const rind_inspection *at = &c->at;
  const rind_fill_view *view = &at->view;
  for (int t = 0; t < view->num_terms; ++t) {
    rind_term_view term;
    RIND_TRY(rind_schedule_term(at->schedule, at->fill, t, &term));
    RIND_TRY(rind_inspection_shape(at, &term.box, "a term"));
    RIND_TRY(check_padded(c, &term.box, "a term"));
    if (t > 0) {
      const bool takes = pattern->takes;
      RIND_TRY(mark_box(c, term.block, &term.box, takes ? TAKEN : READ,
                        ADDED | TAKEN | (takes ? READ : 0),
                        "is read, and added to or taken by a row before it"));
      continue;
    }
    const bool itself = term.weight == 1.0 && term.block == view->block &&
                        memcmp(term.box.origin, view->box.origin, sizeof term.box.origin) == 0 &&
                        memcmp(term.box.step, view->box.step, sizeof term.box.step) == 0;
    if (!itself) return rind_inspection_fault(at, 6, "its first term is not the cell itself");
  }
  return RIND_OK;
}

static rind_error check_fill(adjoint_check *c) {
  const rind_schedule *schedule = c->at.schedule;
  rind_fill_view *view = &c->at.view;
  RIND_TRY(rind_schedule_fill(schedule, c->at.fill, view));
  if (view->component >= 0 && view->component != c->component) return RIND_OK;
  const rind_pattern *pattern =
      &schedule->pattern[schedule->set[c->run->set].first + c->at.fill - c->run->first_fill];
  RIND_TRY(rind_inspection_shape(&c->at, &view->box, "the destination"));
  RIND_TRY(check_padded(c, &view->box, "the destination"));
  if (rind_inspection_kind(&c->at) == RIND_PHASE_CLEAR) {
    if (view->num_terms > 0) return rind_inspection_fault(&c->at, 6, "it reads, among zeros");
    return mark_box(c, view->block, &view->box, CLEARED, ADDED | TAKEN | CLEARED,
                    "becomes 0, and is added to, taken or 0 already");
  }
  if (view->num_terms == 0)
    return view->family == RIND_FAMILY_FUNCTION
               ? mark_box(c, view->block, &view->box, READ, ADDED | READ | TAKEN,
                          "is the caller's, and a row's")
               : rind_inspection_fault(&c->at, 3, "it has no terms");
  RIND_TRY(check_terms(c, pattern));
  RIND_TRY(note_writer(c));
  if (view->block >= schedule->num_local) return RIND_OK;
  return mark_box(c, view->block, &view->box, ADDED, READ | TAKEN, "is added to, and read");
}

/* Runs exist, ascend by block, and those of a block descend by their ghosts' place. */
static rind_error check_run(const rind_schedule *schedule, int phase, int r) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  const rind_run_data *run = &schedule->run[r];
  const bool clear = schedule->phase[phase].kind == RIND_PHASE_CLEAR;
  const int num_blocks = arrays->num_local + (clear ? 0 : arrays->num_remote);
  RIND_REQUIRE(schedule->context,
               run->set >= 0 && run->set < schedule->num_sets && run->block >= 0 &&
                   run->block < num_blocks && run->source < arrays->num_local &&
                   (run->source >= 0) == !clear,
               RIND_ERROR_INTERNAL, "run %d has set %d of %d, block %d of %d, source %d of %d", r,
               run->set, schedule->num_sets, run->block, num_blocks, run->source,
               arrays->num_local);
  const rind_row_set *set = &schedule->set[run->set];
  RIND_REQUIRE(schedule->context,
               set->first >= 0 && set->count >= 1 &&
                   set->count <= schedule->num_patterns - set->first,
               RIND_ERROR_INTERNAL, "set %d has patterns %d to %lld of %d", run->set, set->first,
               set->first + (long long)set->count - 1, schedule->num_patterns);
  if (r == schedule->first_run[phase]) return RIND_OK;
  const rind_run_data *before = &schedule->run[r - 1];
  const int region = schedule->set[before->set].region;
  const bool ordered =
      before->block < run->block ||
      (before->block == run->block &&
       (before->source > run->source || (before->source == run->source && region >= set->region)));
  RIND_REQUIRE(schedule->context, ordered, RIND_ERROR_INTERNAL,
               "run %d breaks the canonical order: block %d, ghosts of block %d, region %d, come "
               "after block %d, ghosts of block %d, region %d",
               r, run->block, run->source, set->region, before->block, before->source, region);
  return RIND_OK;
}

static rind_error check_phase(adjoint_check *c) {
  const rind_schedule *schedule = c->at.schedule;
  int fill = schedule->first_fill[c->at.phase];
  for (int r = schedule->first_run[c->at.phase]; r < schedule->first_run[c->at.phase + 1]; ++r) {
    RIND_TRY(check_run(schedule, c->at.phase, r));
    c->run = &schedule->run[r];
    RIND_REQUIRE(schedule->context, c->run->first_fill == fill, RIND_ERROR_INTERNAL,
                 "run %d begins with fill %d: %d it must be", r, c->run->first_fill, fill);
    const int end = fill + schedule->set[c->run->set].count;
    for (; fill < end; ++fill) {
      c->at.fill = fill;
      RIND_TRY(check_fill(c));
    }
  }
  RIND_REQUIRE(schedule->context, fill == schedule->first_fill[c->at.phase + 1],
               RIND_ERROR_INTERNAL, "phase %d ends with fill %d: %d it must be", c->at.phase, fill,
               schedule->first_fill[c->at.phase + 1]);
  return RIND_OK;
}

/* After zeros: what was read is 0, and nothing else. */
static rind_error finish_phase(adjoint_check *c) {
  const rind_schedule *schedule = c->at.schedule;
  for (int block = 0; block < schedule->num_local; ++block)
    for (int64_t i = 0; i < c->block_cells; ++i) {
      const int mark = c->mark[block * c->block_cells + i];
      RIND_REQUIRE(schedule->context, !(mark & READ) == !(mark & CLEARED), RIND_ERROR_INTERNAL,
                   "phase %d leaves cell %lld of padded block %lld %s", c->at.phase, (long long)i,
                   (long long)c->at.arrays->block[block].global,
                   mark & READ ? "as it was, though a row reads it" : "0, though no row reads it");
    }
  memset(c->mark, 0, (size_t)(schedule->num_local * c->block_cells));
  return RIND_OK;
}

static rind_error check_component(adjoint_check *c) {
  const rind_schedule *schedule = c->at.schedule;
  for (c->at.phase = 0; c->at.phase < schedule->num_phases; ++c->at.phase) {
    const bool clear = schedule->phase[c->at.phase].kind == RIND_PHASE_CLEAR;
    RIND_REQUIRE(schedule->context, clear == (c->at.phase % 2 == 1), RIND_ERROR_INTERNAL,
                 "phase %d is of kind %d: zeros come after each other phase", c->at.phase,
                 schedule->phase[c->at.phase].kind);
    RIND_TRY(check_phase(c));
    if (clear) RIND_TRY(finish_phase(c));
  }
  return RIND_OK;
}

rind_error rind_verify_adjoint(const rind_schedule *schedule) {
  const int64_t side = schedule->cells + 2 * (int64_t)schedule->ghosts;
  adjoint_check c = {
      .at = {.schedule = schedule, .arrays = rind_forest_get_arrays(schedule->forest)},
      .side = side,
      .block_cells = schedule->dim == 3 ? side * side * side : side * side};
  size_t cells = 0;
  rind_error error = RIND_OK;
  if (rind_size_multiply((size_t)schedule->num_local, (size_t)c.block_cells, &cells)) {
    c.mark = rind_allocate(cells, sizeof *c.mark);
    c.writer = rind_allocate((size_t)c.block_cells, sizeof *c.writer);
  }
  if (!c.mark || !c.writer)
    error = rind_context_fail(schedule->context, RIND_ERROR_MEMORY,
                              "no memory to note what happens to %lld cells of %d blocks",
                              (long long)c.block_cells, schedule->num_local);
  const int components = schedule->rules.component_wall ? schedule->rules.num_components : 1;
  for (; c.component < components && error == RIND_OK; ++c.component) {
    memset(c.writer, 0, (size_t)c.block_cells * sizeof *c.writer);
    error = check_component(&c);
  }
  free(c.mark);
  free(c.writer);
  return error;
}
