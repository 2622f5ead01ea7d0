/* transpose_rows.c - transposed rows of one link, merged into boxes or one a term. */
#include <transpose_rows.h>

#include <cell_lists.h>
#include <core.h>
#include <stdlib.h>
#include <string.h>

/* A term over its fill's box, seen from the block that it reads: along that block's axis a cells go
 * up by step[a], and ghosts by ghost_step[a] along ghost_axis[a]. */
typedef struct term_box {
  double weight;
  int32_t extent[3];
  int32_t origin[3], step[3];
  int32_t ghost[3], ghost_axis[3], ghost_step[3];
} term_box;

static term_box turn(const rind_pattern *pattern, const rind_pattern_term *term) {
  const rind_slot *slot = &pattern->slot[term->slot];
  term_box box = {.weight = term->weight};
  for (int loop = 0; loop < 3; ++loop) {
    const int a = slot->axis[loop], backwards = slot->step[loop] < 0;
    const int32_t last = pattern->extent[loop] - 1;
    box.extent[a] = pattern->extent[loop];
    box.step[a] = backwards ? -slot->step[loop] : slot->step[loop];
    box.origin[a] = term->origin[a] + (backwards ? last * slot->step[loop] : 0);
    box.ghost_axis[a] = loop;
    box.ghost_step[a] = backwards ? -pattern->step[loop] : pattern->step[loop];
    box.ghost[loop] = pattern->origin[loop] + (backwards ? last * pattern->step[loop] : 0);
  }
  return box;
}

static bool is_wanted(const rind_link_fills *fills, const rind_pattern_term *term) {
  return term->slot < RIND_NUM_SLOTS && (fills->slots >> term->slot & 1u);
}

/* Visits the terms in the order of contributions: fills descending, terms ascending. */
typedef rind_error (*term_visitor)(void *user, const rind_pattern *pattern, const term_box *box);

static rind_error visit(const rind_link_fills *fills, int component, term_visitor call,
                        void *user) {
  const rind_schedule *schedule = fills->schedule;
  for (int p = fills->num_patterns - 1; p >= 0; --p) {
    const rind_pattern *pattern = &schedule->pattern[fills->pattern[p]];
    if (pattern->component != component) continue;
    for (int t = 0; t < pattern->num_terms; ++t) {
      const rind_pattern_term *term = &schedule->term[pattern->first_term + t];
      if (!is_wanted(fills, term)) continue;
      const term_box box = turn(pattern, term);
      RIND_TRY(call(user, pattern, &box));
    }
  }
  return RIND_OK;
}

/* Begins a pattern at a box of cells; its first term is the cell itself. */
static rind_error begin_pattern(rind_template_set *set, const rind_pattern *like,
                                const int32_t origin[3], const int32_t extent[3],
                                const int32_t step[3], rind_pattern **made) {
  RIND_TRY(rind_template_add_pattern(set, made));
  rind_pattern *pattern = *made;
  pattern->family = like->family;
  pattern->region = like->region;
  pattern->component = like->component;
  pattern->wall = like->wall;
  memcpy(pattern->origin, origin, sizeof pattern->origin);
  memcpy(pattern->extent, extent, sizeof pattern->extent);
  memcpy(pattern->step, step, sizeof pattern->step);
  for (int slot = 0; slot < RIND_NUM_SLOTS; ++slot)
    for (int a = 0; a < 3; ++a) {
      pattern->slot[slot].axis[a] = a;
      pattern->slot[slot].step[a] = step[a];
    }
  return RIND_OK;
}

static rind_error add_itself(rind_template_set *set) {
  rind_pattern *pattern = &set->pattern[set->num_patterns - 1];
  rind_pattern_term term = {.weight = 1.0, .slot = RIND_SLOT_OWN};
  memcpy(term.origin, pattern->origin, sizeof term.origin);
  pattern->num_own_first = 1;
  return rind_template_add_term(set, &term);
}

static rind_error add_ghost(rind_template_set *set, double weight, const int32_t ghost[3]) {
  rind_pattern_term term = {.weight = weight, .slot = RIND_SLOT_SOURCE};
  memcpy(term.origin, ghost, sizeof term.origin);
  return rind_template_add_term(set, &term);
}

/* One row a term. */
static rind_error add_term_row(void *user, const rind_pattern *like, const term_box *box) {
  rind_template_set *set = user;
  rind_pattern *pattern;
  RIND_TRY(begin_pattern(set, like, box->origin, box->extent, box->step, &pattern));
  memcpy(pattern->slot[RIND_SLOT_SOURCE].axis, box->ghost_axis, sizeof box->ghost_axis);
  memcpy(pattern->slot[RIND_SLOT_SOURCE].step, box->ghost_step, sizeof box->ghost_step);
  RIND_TRY(add_itself(set));
  return add_ghost(set, box->weight, box->ghost);
}

/* A grid around all cells that are visited, and how many contributions each of them has. */
typedef struct census {
  int32_t low[3], high[3];
  int32_t size[3];
  int32_t *count; /* [grid]; -1: not visited */
  rind_cell_lists *lists;
} census;

static rind_error widen(void *user, const rind_pattern *pattern, const term_box *box) {
  census *c = user;
  (void)pattern;
  for (int a = 0; a < 3; ++a) {
    const int32_t last = box->origin[a] + box->step[a] * (box->extent[a] - 1);
    if (box->origin[a] < c->low[a]) c->low[a] = box->origin[a];
    if (last > c->high[a]) c->high[a] = last;
  }
  return RIND_OK;
}

static rind_error count_cells(void *user, const rind_pattern *pattern, const term_box *box) {
  census *c = user;
  (void)pattern;
  int32_t cell[3];
  for (int32_t k = 0; k < box->extent[2]; ++k)
    for (int32_t j = 0; j < box->extent[1]; ++j)
      for (int32_t i = 0; i < box->extent[0]; ++i) {
        cell[0] = box->origin[0] + i * box->step[0];
        cell[1] = box->origin[1] + j * box->step[1];
        cell[2] = box->origin[2] + k * box->step[2];
        int32_t *count = &c->count[rind_cell_index(c->low, c->size, cell)];
        *count = *count < 0 ? 1 : *count + 1;
      }
  return RIND_OK;
}

static rind_error list_ghosts(void *user, const rind_pattern *pattern, const term_box *box) {
  rind_cell_lists *lists = ((census *)user)->lists;
  (void)pattern;
  int32_t index[3], cell[3];
  for (index[2] = 0; index[2] < box->extent[2]; ++index[2])
    for (index[1] = 0; index[1] < box->extent[1]; ++index[1])
      for (index[0] = 0; index[0] < box->extent[0]; ++index[0]) {
        rind_contribution made = {.weight = box->weight};
        for (int a = 0; a < 3; ++a) {
          const int axis = box->ghost_axis[a];
          cell[a] = box->origin[a] + index[a] * box->step[a];
          made.ghost[axis] = box->ghost[axis] + index[a] * box->ghost_step[a];
        }
        rind_cell_lists_add(lists, cell, &made);
      }
  for (int a = 0; a < 3; ++a) {
    lists->ghost_axis[a] = box->ghost_axis[a];
    lists->direction[a] = box->ghost_step[a] < 0 ? -1 : 1;
  }
  return RIND_OK;
}

/* The grid of a census, no cell of it visited. */
static rind_error open_grid(census *c) {
  size_t cells = 1;
  for (int a = 0; a < 3; ++a) {
    c->size[a] = c->high[a] - c->low[a] + 1;
    if (!rind_size_multiply(cells, (size_t)c->size[a], &cells)) return RIND_ERROR_OVERFLOW;
  }
  c->count = rind_allocate(cells, sizeof *c->count);
  if (!c->count) return RIND_ERROR_MEMORY;
  memset(c->count, 0xff, cells * sizeof *c->count);
  return RIND_OK;
}

static const census nothing = {.low = {INT32_MAX, INT32_MAX, INT32_MAX},
                               .high = {INT32_MIN, INT32_MIN, INT32_MIN}};

/* A pattern for each box of the lists. */
static rind_error add_boxes(const rind_cell_lists *lists, const rind_pattern *like, bool clear,
                            rind_template_set *set) {
  for (int b = 0; b < lists->num_boxes; ++b) {
    const rind_cell_box *box = &lists->box[b];
    rind_pattern *pattern;
    RIND_TRY(begin_pattern(set, like, box->origin, box->extent, box->step, &pattern));
    if (clear) continue;
    rind_slot *slot = &pattern->slot[RIND_SLOT_SOURCE];
    for (int a = 0; a < 3; ++a) {
      slot->axis[a] = lists->ghost_axis[a];
      slot->step[a] = box->extent[a] > 1 ? box->shift[a] : lists->direction[a];
    }
    RIND_TRY(add_itself(set));
    for (int32_t i = 0; i < box->count; ++i) {
      const rind_contribution *contribution = &lists->list[box->first + i];
      RIND_TRY(add_ghost(set, contribution->weight, contribution->ghost));
    }
  }
  return RIND_OK;
}

/* The rows of the fills of one component, which pattern like is of. */
static rind_error merge_component(const rind_link_fills *fills, const rind_pattern *like,
                                  rind_template_set *set) {
  census c = nothing;
  RIND_TRY(visit(fills, like->component, widen, &c));
  if (c.low[0] > c.high[0]) return RIND_OK;
  rind_cell_lists lists = {0};
  rind_error error = open_grid(&c);
  if (error == RIND_OK) error = visit(fills, like->component, count_cells, &c);
  if (error == RIND_OK) error = rind_cell_lists_create(c.low, c.size, c.count, &lists);
  if (error == RIND_OK) {
    c.lists = &lists;
    error = visit(fills, like->component, list_ghosts, &c);
  }
  if (error == RIND_OK) {
    rind_cell_lists_merge(&lists);
    error = add_boxes(&lists, like, false, set);
  }
  rind_cell_lists_destroy(&lists);
  free(c.count);
  return error;
}

/* True for the first pattern of its component. */
static bool is_first_of_component(const rind_link_fills *fills, int p) {
  const rind_pattern *pattern = fills->schedule->pattern;
  for (int q = 0; q < p; ++q)
    if (pattern[fills->pattern[q]].component == pattern[fills->pattern[p]].component) return false;
  return true;
}

rind_error rind_transpose_rows(const rind_link_fills *fills, rind_transpose_form form,
                               rind_template_set *set) {
  for (int p = 0; p < fills->num_patterns; ++p) {
    const rind_pattern *like = &fills->schedule->pattern[fills->pattern[p]];
    if (!is_first_of_component(fills, p)) continue;
    if (form == RIND_TRANSPOSE_PER_TERM)
      RIND_TRY(visit(fills, like->component, add_term_row, set));
    else
      RIND_TRY(merge_component(fills, like, set));
  }
  return RIND_OK;
}

/* A fill's own box of ghosts. */
static term_box ghost_box(const rind_pattern *pattern) {
  term_box box = {.ghost_axis = {0, 1, 2}};
  memcpy(box.extent, pattern->extent, sizeof box.extent);
  memcpy(box.origin, pattern->origin, sizeof box.origin);
  memcpy(box.step, pattern->step, sizeof box.step);
  return box;
}

static rind_error clear_component(const rind_link_fills *fills, const rind_pattern *like,
                                  rind_template_set *set) {
  const rind_pattern *pattern = fills->schedule->pattern;
  census c = nothing;
  rind_cell_lists lists = {0};
  rind_error error = RIND_OK;
  for (int pass = 0; pass < 2 && error == RIND_OK; ++pass) {
    if (pass == 1) error = open_grid(&c);
    for (int p = 0; p < fills->num_patterns && error == RIND_OK; ++p) {
      const term_box box = ghost_box(&pattern[fills->pattern[p]]);
      if (pattern[fills->pattern[p]].component != like->component) continue;
      error = pass == 0 ? widen(&c, like, &box) : count_cells(&c, like, &box);
    }
  }
  if (error == RIND_OK) error = rind_cell_lists_create(c.low, c.size, c.count, &lists);
  if (error == RIND_OK) {
    rind_cell_lists_merge(&lists);
    error = add_boxes(&lists, like, true, set);
  }
  rind_cell_lists_destroy(&lists);
  free(c.count);
  return error;
}

rind_error rind_transpose_clear(const rind_link_fills *fills, rind_template_set *set) {
  for (int p = 0; p < fills->num_patterns; ++p)
    if (is_first_of_component(fills, p))
      RIND_TRY(clear_component(fills, &fills->schedule->pattern[fills->pattern[p]], set));
  return RIND_OK;
}
