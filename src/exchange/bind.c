/* bind.c - strides and offsets of rows, runs of patterns, and lanes. */
#include <bind.h>

#include <core.h>
#include <stdlib.h>
#include <string.h>

/* A run that has been bound. */
typedef struct rind_run {
  int32_t *pattern; /* [num_patterns] */
  int num_patterns;
  rind_view view;
  int first_row;
  int num_rows;
  int next; /* older run that begins with the same pattern, or -1 */
} rind_run;

rind_view rind_view_field(const rind_layout *layout) {
  rind_view view = {.component_stride = layout->component_stride};
  for (int a = 0; a < layout->dim; ++a)
    view.stride[a] = layout->cell_stride[a];
  return view;
}

rind_view rind_view_box(const int32_t origin[3], const int32_t extent[3]) {
  rind_view view = {.stride = {1, extent[0], (ptrdiff_t)extent[0] * extent[1]}};
  view.component_stride = view.stride[2] * extent[2];
  for (int a = 0; a < 3; ++a)
    view.origin[a] = origin[a];
  return view;
}

rind_view rind_view_value(void) {
  return (rind_view){.component_stride = 1};
}

static ptrdiff_t view_offset(const rind_view *view, const int32_t cell[3]) {
  ptrdiff_t offset = 0;
  for (int a = 0; a < 3; ++a)
    offset += (cell[a] - view->origin[a]) * view->stride[a];
  return offset;
}

/* Loops of a slot. */
static void set_strides(const rind_view *view, const int32_t axis[3], const int32_t step[3],
                        ptrdiff_t stride[RIND_GATHER_DIMS]) {
  for (int a = 0; a < 3; ++a)
    stride[a] = step[a] * view->stride[axis[a]];
  stride[3] = view->component_stride;
}

static void set_extents(rind_gather_row *row, const int32_t extent[3], int components) {
  for (int a = 0; a < 3; ++a)
    row->extent[a] = extent[a];
  row->extent[3] = components;
}

static const int32_t straight[3] = {0, 1, 2}, one_step[3] = {1, 1, 1}, no_cell[3] = {0, 0, 0};

bool rind_binder_open(rind_binder *binder, const rind_schedule *schedule, const rind_layout *layout,
                      const rind_components *components, bool lanes, rind_bound *bound) {
  *binder = (rind_binder){.schedule = schedule,
                          .field = rind_view_field(layout),
                          .components = components,
                          .lanes = lanes,
                          .points = lanes && layout->space == RIND_HOST,
                          .bound = bound};
  binder->head = rind_allocate((size_t)schedule->num_patterns, sizeof *binder->head);
  if (!binder->head) return false;
  for (int pattern = 0; pattern < schedule->num_patterns; ++pattern)
    binder->head[pattern] = -1;
  return true;
}

void rind_binder_close(rind_binder *binder) {
  for (int run = 0; run < binder->num_runs; ++run)
    free(binder->run[run].pattern);
  free(binder->run);
  free(binder->head);
  *binder = (rind_binder){0};
}

/* True if b's row reads the source cells that a's reads, in the same order, and its own cells are
 * a's, shifted: then both can be lanes of one row. */
static bool same_window(const rind_schedule *schedule, const rind_pattern *a,
                        const rind_pattern *b) {
  if (a->component != b->component || a->num_terms != b->num_terms || a->takes || b->takes ||
      a->num_own_first != b->num_own_first || a->num_own_last != b->num_own_last ||
      memcmp(a->extent, b->extent, sizeof a->extent) != 0 ||
      memcmp(a->step, b->step, sizeof a->step) != 0 ||
      memcmp(a->slot, b->slot, sizeof a->slot) != 0)
    return false;
  const rind_pattern_term *first_own = NULL, *first_own_b = NULL;
  for (int t = 0; t < a->num_terms; ++t) {
    const rind_pattern_term *ta = &schedule->term[a->first_term + t];
    const rind_pattern_term *tb = &schedule->term[b->first_term + t];
    if (ta->slot != tb->slot) return false;
    if (ta->slot == RIND_SLOT_OWN && !first_own) {
      first_own = ta;
      first_own_b = tb;
    }
    for (int axis = 0; axis < 3; ++axis) {
      const int shift =
          ta->slot == RIND_SLOT_OWN ? first_own_b->origin[axis] - first_own->origin[axis] : 0;
      if (tb->origin[axis] - ta->origin[axis] != shift) return false;
    }
  }
  return true;
}

static bool types_equal(const rind_bound *bound) {
  return bound->to_type == bound->source_type;
}

/* One row whose lanes are the given patterns, for a run of components. */
static bool bind_components(rind_binder *binder, const rind_pattern *const *lane, int num_lanes,
                            const rind_view *source, const rind_component_run *run) {
  const rind_pattern *pattern = lane[0];
  double *weight = NULL;
  ptrdiff_t *offset = NULL;
  rind_gather_row *row =
      rind_bound_add_row(binder->bound, pattern->num_terms, num_lanes, &weight, &offset);
  if (!row) return false;
  const rind_slot *own_slot = &pattern->slot[RIND_SLOT_OWN];
  const rind_slot *source_slot = &pattern->slot[RIND_SLOT_SOURCE];
  const ptrdiff_t own_first = run->first * binder->field.component_stride;
  const ptrdiff_t source_first = run->source_first * source->component_stride;
  row->num_own_first = pattern->num_own_first;
  row->num_own_last = pattern->num_own_last;
  set_extents(row, pattern->extent, run->count);
  set_strides(&binder->field, straight, pattern->step, row->to_stride);
  set_strides(&binder->field, own_slot->axis, own_slot->step, row->own_stride);
  set_strides(source, source_slot->axis, source_slot->step, row->source_stride);
  for (int l = 0; l < num_lanes; ++l) {
    row->to_offset[l] = view_offset(&binder->field, lane[l]->origin) + own_first;
    for (int t = 0; t < pattern->num_terms; ++t) {
      const rind_pattern_term *term = &binder->schedule->term[lane[l]->first_term + t];
      const bool own = term->slot == RIND_SLOT_OWN;
      const ptrdiff_t here = own ? view_offset(&binder->field, term->origin) + own_first
                                 : view_offset(source, term->origin) + source_first;
      weight[t * num_lanes + l] = own ? term->weight : run->sign * term->weight;
      if (l == 0) offset[t] = here;
      if (own) row->own_offset[l] = here - offset[t];
    }
  }
  rind_gather_row_finish(row, offset, types_equal(binder->bound));
  row->takes = pattern->takes && row->body == RIND_GATHER_ADD;
  return true;
}

/* The rows whose lanes are the given patterns. */
static bool bind_lanes(rind_binder *binder, const rind_pattern *const *lane, int num_lanes,
                       const rind_view *source) {
  const rind_slot *slot = &lane[0]->slot[RIND_SLOT_SOURCE];
  rind_component_run run = {0};
  while (rind_components_next(binder->components, lane[0]->component, slot, &run))
    if (!bind_components(binder, lane, num_lanes, source, &run)) return false;
  return true;
}

/* Rows of a run: patterns with the same window become lanes, four or two at a time. */
static bool bind_patterns(rind_binder *binder, const int32_t *patterns, int num_patterns,
                          const rind_view *source, bool *done) {
  const rind_schedule *schedule = binder->schedule;
  for (int p = 0; p < num_patterns; ++p) {
    if (done[p]) continue;
    int member[RIND_GATHER_LANES] = {p}, found = 1;
    for (int q = p + 1; binder->lanes && q < num_patterns && found < RIND_GATHER_LANES; ++q)
      if (!done[q] &&
          same_window(schedule, &schedule->pattern[patterns[p]], &schedule->pattern[patterns[q]]))
        member[found++] = q;
    if (found == 3) found = 2;
    const rind_pattern *lane[RIND_GATHER_LANES];
    for (int l = 0; l < found; ++l) {
      lane[l] = &schedule->pattern[patterns[member[l]]];
      done[member[l]] = true;
    }
    if (!bind_lanes(binder, lane, found, source)) return false;
  }
  return true;
}

static bool same_view(const rind_view *a, const rind_view *b) {
  return memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
         memcmp(a->origin, b->origin, sizeof a->origin) == 0 &&
         a->component_stride == b->component_stride;
}

static rind_run *find_run(rind_binder *binder, const rind_schedule_fill_data *fill, int num_fills,
                          const rind_view *view) {
  for (int r = binder->head[fill[0].pattern]; r >= 0; r = binder->run[r].next) {
    rind_run *run = &binder->run[r];
    bool same = run->num_patterns == num_fills && same_view(&run->view, view);
    for (int f = 0; same && f < num_fills; ++f)
      same = run->pattern[f] == fill[f].pattern;
    if (same) return run;
  }
  return NULL;
}

/* Room for a run that begins with the fills' patterns; its rows are the caller's to add. */
static rind_run *add_run(rind_binder *binder, const rind_schedule_fill_data *fill, int num_fills,
                         const rind_view *view) {
  if (binder->num_runs == binder->run_room) {
    const int room = binder->run_room > 0 ? 2 * binder->run_room : 16;
    rind_run *moved = realloc(binder->run, (size_t)room * sizeof *moved);
    if (!moved) return NULL;
    binder->run = moved;
    binder->run_room = room;
  }
  int32_t *pattern = rind_allocate((size_t)num_fills, sizeof *pattern);
  if (!pattern) return NULL;
  for (int f = 0; f < num_fills; ++f)
    pattern[f] = fill[f].pattern;
  rind_run *run = &binder->run[binder->num_runs];
  *run = (rind_run){.pattern = pattern,
                    .num_patterns = num_fills,
                    .view = *view,
                    .first_row = binder->bound->num_rows,
                    .next = binder->head[fill[0].pattern]};
  binder->head[fill[0].pattern] = binder->num_runs++;
  return run;
}

bool rind_bind_run(rind_binder *binder, const rind_schedule_fill_data *fill, int num_fills,
                   const rind_view *view, int to, int source) {
  rind_run *run = find_run(binder, fill, num_fills, view);
  if (!run) {
    run = add_run(binder, fill, num_fills, view);
    bool *done = rind_allocate((size_t)num_fills, sizeof *done);
    const bool bound = run && done && bind_patterns(binder, run->pattern, num_fills, view, done);
    free(done);
    if (!bound) return false;
    if (binder->points &&
        !rind_bound_pack_points(binder->bound, run->first_row, binder->components->count,
                                binder->field.component_stride))
      return false;
    run->num_rows = binder->bound->num_rows - run->first_row;
  }
  for (int row = 0; row < run->num_rows; ++row)
    if (!rind_bound_add_fill(binder->bound, run->first_row + row, to, source)) return false;
  return true;
}

/* The sums of a message's box, then the own terms, which a pattern with sums has last. */
static bool bind_sums_row(rind_binder *binder, const rind_pattern *pattern, const rind_view *box) {
  double *weight = NULL;
  ptrdiff_t *offset = NULL;
  const int num_own = pattern->num_own_last, num_source = pattern->num_terms - num_own;
  rind_gather_row *row = rind_bound_add_row(binder->bound, 1 + num_own, 1, &weight, &offset);
  if (!row) return false;
  const rind_slot *own_slot = &pattern->slot[RIND_SLOT_OWN];
  weight[0] = 1;
  for (int t = 0; t < num_own; ++t) {
    const rind_pattern_term *term = &binder->schedule->term[pattern->first_term + num_source + t];
    weight[1 + t] = term->weight;
    offset[1 + t] = view_offset(&binder->field, term->origin);
  }
  row->num_own_last = num_own;
  set_extents(row, pattern->extent, binder->components->count);
  set_strides(&binder->field, straight, pattern->step, row->to_stride);
  set_strides(&binder->field, own_slot->axis, own_slot->step, row->own_stride);
  set_strides(box, straight, one_step, row->source_stride);
  row->to_offset[0] = view_offset(&binder->field, pattern->origin);
  rind_gather_row_finish(row, offset, types_equal(binder->bound));
  return true;
}

bool rind_bind_sums(rind_binder *binder, const rind_schedule_fill_data *fill, int source) {
  const rind_pattern *pattern = &binder->schedule->pattern[fill->pattern];
  const rind_view box = rind_view_box(no_cell, pattern->extent);
  rind_run *run = find_run(binder, fill, 1, &box);
  if (!run) {
    run = add_run(binder, fill, 1, &box);
    if (!run || !bind_sums_row(binder, pattern, &box)) return false;
    run->num_rows = 1;
  }
  return rind_bound_add_fill(binder->bound, run->first_row, fill->block, source);
}

bool rind_bind_pack_raw(rind_bound *bound, const rind_layout *layout, const int32_t origin[3],
                        const int32_t extent[3]) {
  const rind_view field = rind_view_field(layout), box = rind_view_box(origin, extent);
  double *weight = NULL;
  ptrdiff_t *offset = NULL;
  rind_gather_row *row = rind_bound_add_row(bound, 1, 1, &weight, &offset);
  if (!row) return false;
  weight[0] = 1;
  offset[0] = view_offset(&field, origin);
  set_extents(row, extent, layout->components);
  set_strides(&box, straight, one_step, row->to_stride);
  set_strides(&field, straight, one_step, row->source_stride);
  rind_gather_row_finish(row, offset, types_equal(bound));
  return true;
}

bool rind_bind_pack_sums(rind_bound *bound, const rind_layout *layout,
                         const rind_components *components, const rind_pattern *pattern,
                         const rind_pattern_term *term) {
  const rind_view field = rind_view_field(layout);
  const rind_view box = rind_view_box(no_cell, pattern->extent);
  const rind_slot *slot = &pattern->slot[RIND_SLOT_SOURCE];
  rind_component_run run = {0};
  while (rind_components_next(components, -1, slot, &run)) {
    double *weight = NULL;
    ptrdiff_t *offset = NULL;
    rind_gather_row *row = rind_bound_add_row(bound, pattern->num_terms, 1, &weight, &offset);
    if (!row) return false;
    for (int t = 0; t < pattern->num_terms; ++t) {
      weight[t] = run.sign * term[t].weight;
      offset[t] = view_offset(&field, term[t].origin) + run.source_first * field.component_stride;
    }
    set_extents(row, pattern->extent, run.count);
    set_strides(&box, straight, one_step, row->to_stride);
    set_strides(&field, slot->axis, slot->step, row->source_stride);
    row->to_offset[0] = run.first * box.component_stride;
    rind_gather_row_finish(row, offset, types_equal(bound));
  }
  return true;
}
