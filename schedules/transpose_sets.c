/* transpose_sets.c - finds the row set of a list of forward patterns, or makes it. */
#include <transpose_sets.h>

#include <core.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <transpose_rows.h>

/* A set that has been made, by the list of forward patterns behind it. */
typedef struct rind_set_key {
  int32_t kind; /* rind_set_kind */
  int32_t takes;
  int32_t first, count; /* in transposer.list */
  int32_t next;         /* another set whose list begins alike, or -1 */
} set_key;

rind_error rind_transpose_grow(void **array, int64_t wanted, int *room, size_t bytes) {
  if (wanted <= *room) return RIND_OK;
  if (wanted > INT_MAX) return RIND_ERROR_OVERFLOW;
  const int64_t twice = 2 * (int64_t)*room, more = wanted > twice ? wanted : twice;
  const int64_t larger = more < 64 ? 64 : more > INT_MAX ? INT_MAX : more;
  void *moved = realloc(*array, (size_t)larger * bytes);
  if (!moved) return RIND_ERROR_MEMORY;
  *array = moved;
  *room = (int)larger;
  return RIND_OK;
}

static rind_error add_set(rind_row_sets *t, rind_row_set **made) {
  void *sets = t->set, *keys = t->key;
  int room = t->max_sets;
  rind_error error = rind_transpose_grow(&sets, t->num_sets + 1, &room, sizeof *t->set);
  t->set = sets;
  room = t->max_sets;
  if (error == RIND_OK) error = rind_transpose_grow(&keys, t->num_sets + 1, &room, sizeof *t->key);
  t->key = keys;
  if (error != RIND_OK) return error;
  t->max_sets = room;
  *made = &t->set[t->num_sets];
  **made = (rind_row_set){.first = t->rows.num_patterns};
  return RIND_OK;
}

/* The box around the ghosts of forward patterns. */
static void bound_ghosts(const rind_schedule *forward, const int32_t *pattern, int count,
                         rind_row_set *set) {
  for (int a = 0; a < 3; ++a) {
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (int p = 0; p < count; ++p) {
      const rind_pattern *of = &forward->pattern[pattern[p]];
      const int32_t last = of->origin[a] + of->step[a] * (of->extent[a] - 1);
      if (of->origin[a] < low) low = of->origin[a];
      if (last > high) high = last;
    }
    set->origin[a] = low;
    set->extent[a] = high - low + 1;
  }
}

/* A copy of the ghosts' own box, for the caller's function. */
static rind_error add_function(rind_row_sets *t, const rind_pattern *from) {
  rind_pattern *pattern;
  RIND_TRY(rind_template_add_pattern(&t->rows, &pattern));
  const int32_t first_term = pattern->first_term;
  *pattern = *from;
  pattern->first_term = first_term;
  pattern->num_terms = pattern->num_own_first = pattern->num_own_last = 0;
  return RIND_OK;
}

static rind_error make_rows(rind_row_sets *t, rind_set_kind kind, bool takes,
                            const int32_t *pattern, int count) {
  const int first = t->rows.num_patterns;
  rind_link_fills fills = {.schedule = t->forward, .pattern = pattern, .num_patterns = count};
  switch (kind) {
  case RIND_SET_FUNCTION:
    RIND_TRY(add_function(t, &t->forward->pattern[pattern[0]]));
    break;
  case RIND_SET_CLEAR:
    RIND_TRY(rind_transpose_clear(&fills, &t->rows));
    break;
  default:
    fills.slots = kind == RIND_SET_OWN      ? 1u << RIND_SLOT_OWN
                  : kind == RIND_SET_SOURCE ? 1u << RIND_SLOT_SOURCE
                                            : 1u << RIND_SLOT_OWN | 1u << RIND_SLOT_SOURCE;
    RIND_TRY(rind_transpose_rows(&fills, t->form, &t->rows));
  }
  for (int p = first; p < t->rows.num_patterns; ++p) {
    rind_pattern *made = &t->rows.pattern[p];
    made->phase = t->phase;
    made->takes = takes;
    made->number = p - first;
    made->group = t->num_sets;
  }
  return RIND_OK;
}

rind_error rind_row_sets_find(rind_row_sets *t, rind_set_kind kind, bool takes,
                              const int32_t *pattern, int count, int32_t *found) {
  for (int32_t s = t->head[pattern[0]]; s >= 0; s = t->key[s].next) {
    const set_key *key = &t->key[s];
    if (key->kind == (int32_t)kind && key->takes == takes && key->count == count &&
        memcmp(t->list + key->first, pattern, (size_t)count * sizeof *pattern) == 0) {
      *found = s;
      return RIND_OK;
    }
  }
  void *list = t->list;
  RIND_TRY(
      rind_transpose_grow(&list, (int64_t)t->num_listed + count, &t->max_listed, sizeof *t->list));
  t->list = list;
  rind_row_set *set;
  RIND_TRY(add_set(t, &set));
  set->region = t->forward->pattern[pattern[0]].region;
  bound_ghosts(t->forward, pattern, count, set);
  RIND_TRY(make_rows(t, kind, takes, pattern, count));
  set->count = t->rows.num_patterns - set->first;
  memcpy(t->list + t->num_listed, pattern, (size_t)count * sizeof *pattern);
  t->key[t->num_sets] = (set_key){.kind = (int32_t)kind,
                                  .takes = takes,
                                  .first = t->num_listed,
                                  .count = count,
                                  .next = t->head[pattern[0]]};
  t->num_listed += count;
  *found = t->head[pattern[0]] = t->num_sets++;
  return RIND_OK;
}

rind_error rind_row_sets_begin(const rind_schedule *forward, rind_transpose_form form,
                               rind_row_sets *sets) {
  *sets = (rind_row_sets){.forward = forward, .form = form};
  sets->head = rind_allocate((size_t)forward->num_patterns, sizeof *sets->head);
  for (int p = 0; p < forward->num_patterns && sets->head; ++p)
    sets->head[p] = -1;
  return sets->head ? RIND_OK : RIND_ERROR_MEMORY;
}

void rind_row_sets_free(rind_row_sets *sets) {
  rind_template_set_free(&sets->rows);
  free(sets->set);
  free(sets->key);
  free(sets->head);
  free(sets->list);
}
