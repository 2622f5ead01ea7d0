/* adjoint_entries.h - every product weight * ghost that an adjoint adds, cell by cell. */
#pragma once
#include <schedule_data.h>

/* One product, as the forward schedule's rows have it or as the adjoint's have it. */
typedef struct adjoint_entry {
  int32_t phase;     /* of the forward schedule */
  int32_t block;     /* whose cell */
  int32_t component; /* of the row, -1: all */
  int32_t cell[3];
  int32_t order; /* of appearance */
  double weight;
  int32_t ghost_block;
  int32_t ghost[3];
} adjoint_entry;

typedef struct adjoint_entries {
  adjoint_entry *entry;
  int count, room;
} adjoint_entries;

/* Read off the forward schedule through the public views: phases in reverse, fills descending,
 * terms ascending; then sorted by cell. */
void adjoint_entries_forward(const rind_schedule *forward, adjoint_entries *entries);
/* Read off an adjoint, in the order of its rows. */
void adjoint_entries_adjoint(const rind_schedule *adjoint, adjoint_entries *entries);
/* True if both hold the same products cell by cell in the same order. */
int adjoint_entries_equal(const adjoint_entries *a, const adjoint_entries *b, int *where);
void adjoint_entries_free(adjoint_entries *entries);
