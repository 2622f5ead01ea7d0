/* oracle_adjoint.h - the adjoint of the oracle's fill, by brute force from docs/rows.md.
 *
 * Every rank lists what each ghost of the whole forest contributes to which cell, sorts that by
 * phase, cell and canonical order, and adds. Nothing is shared with the schedules' transposition.
 */
#pragma once
#include "oracle.h"

/* Fills run phase after phase, the adjoint from the last phase to the first. */
enum {
  ORACLE_PHASE_BLOCKS,
  ORACLE_PHASE_FLUX,
  ORACLE_PHASE_CORNERS,
  ORACLE_PHASE_WALLS, /* + axis */
  ORACLE_NUM_PHASES = ORACLE_PHASE_WALLS + 3
};

/* The fill that writes a ghost. Fills of a phase are ordered by leaf, region, number[2], number[1],
 * number[0]; numbers count from 0, not without gaps: the lowest cell of the ghost's class along
 * each axis, or 0 where one box has all. */
typedef struct oracle_number {
  int phase;
  int leaf;
  int region;
  int number[3];
} oracle_number;

/* row is the ghost's; ghosts are the layers that fields have. */
oracle_number oracle_number_of(const oracle *judge, const rind_rules *rules, int ghosts, int leaf,
                               const int cell[3], const oracle_row *row);

/* weight times the ghost goes to a cell. */
typedef struct oracle_contribution {
  int64_t cell; /* indices of oracle_adjoint_index */
  int64_t ghost;
  uint64_t fill; /* grows as its canonical number does */
  int term;
  bool by_function; /* of the caller behind a wall, which stores in the field's type */
  double weight;
} oracle_contribution;

typedef struct oracle_contributions {
  long num, max;
  oracle_contribution *item; /* [num] */
} oracle_contributions;

typedef struct oracle_adjoint {
  const oracle_fill *by;
  int ghosts;         /* layers of the field */
  int64_t num_values; /* of all leaves, padded */
  uint8_t *written;   /* [num_values] 1 + phase of a covered ghost; else 0 */
  uint8_t *read;      /* [num_values] not 0: a row reads the cell */
  bool sorted;        /* by cell, in canonical order */
  oracle_contributions of[ORACLE_NUM_PHASES]; /* by phase */
} oracle_adjoint;

/* How contributions to a cell are ordered and rounded; canonical is what docs/rows.md asks. */
typedef enum oracle_order {
  ORACLE_CANONICAL,
  ORACLE_ASCENDING,   /* fills from first to last */
  ORACLE_BY_GHOST,    /* ghost after ghost, all terms of each */
  ORACLE_ROUND_OFTEN, /* canonical, rounded to the field's type after each add */
  ORACLE_ABSOLUTE     /* sums of |weight ghost|, of absolute values */
} oracle_order;

/* Borrows *by. fill.wall_front must be set if walls have functions. */
oracle_adjoint *oracle_adjoint_create(const oracle_fill *by, int ghosts);
void oracle_adjoint_destroy(oracle_adjoint *adjoint);
/* Of a cell of the padded leaf. */
int64_t oracle_adjoint_index(const oracle_adjoint *adjoint, int leaf, const int cell[3],
                             int component);
/* value [num_values] becomes what the adjoint leaves; all are values of the field's type. */
void oracle_adjoint_apply(oracle_adjoint *adjoint, oracle_order order, double *value);
