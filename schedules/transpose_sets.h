/* transpose_sets.h - the row sets of an adjoint, one for each distinct list of forward patterns. */
#pragma once
#include <template.h>
#include <transpose.h>

/* What the rows of a set do. */
typedef enum rind_set_kind {
  RIND_SET_OWN,    /* add to the destination's own cells */
  RIND_SET_SOURCE, /* add to the source's */
  RIND_SET_SELF,   /* the destination is its own source: both */
  RIND_SET_FUNCTION,
  RIND_SET_CLEAR
} rind_set_kind;

typedef struct rind_row_sets {
  const rind_schedule *forward;
  rind_transpose_form form;
  int phase; /* of the adjoint, that is being made */
  rind_template_set rows;
  int num_sets, max_sets;
  rind_row_set *set;
  struct rind_set_key *key; /* [num_sets] */
  int32_t *head; /* [forward patterns], newest set whose list begins with the pattern, or -1 */
  int num_listed, max_listed;
  int32_t *list; /* patterns of all keys */
} rind_row_sets;

/* No sets yet. */
rind_error rind_row_sets_begin(const rind_schedule *forward, rind_transpose_form form,
                               rind_row_sets *sets);
/* The set of a list of forward patterns: found, or made. takes: its rows set ghosts to 0. */
rind_error rind_row_sets_find(rind_row_sets *sets, rind_set_kind kind, bool takes,
                              const int32_t *pattern, int count, int32_t *found);
void rind_row_sets_free(rind_row_sets *sets);

/* Room for wanted elements, at least twice as many as before. */
rind_error rind_transpose_grow(void **array, int64_t wanted, int *room, size_t bytes);
