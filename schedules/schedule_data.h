/* schedule_data.h - what a schedule is inside: distinct rows kept once, fills that point at them.
 *
 * Fills of one class differ only in their blocks. A pattern holds everything else: the boxes, the
 * weights and the number in the region. So a fill takes 12 bytes, whatever its width. */
#pragma once
#include <rind/schedule.h>

#include <stdbool.h>

/* Where the terms of a pattern read: slot 0 is the destination block itself, slot 1 the fill's
 * source. A term of slot 2 is the weight times the value of the fill's wall (no cell, no box). */
enum { RIND_SLOT_OWN = 0, RIND_SLOT_SOURCE = 1, RIND_NUM_SLOTS = 2, RIND_SLOT_VALUE = 2 };

/* Phases run one after the other; what a phase reads is final by then.
 *     blocks   rows between blocks; one round of messages
 *     flux     flux-matched restriction, which reads fine ghosts; one round of messages
 *     corners  irregular corners, means of the block's own ghosts; local
 *     walls    ghosts behind the walls of one axis; local
 *     clear    of an adjoint: the ghosts of the phase before it become 0; local */
typedef enum rind_phase_kind {
  RIND_PHASE_BLOCKS,
  RIND_PHASE_FLUX,
  RIND_PHASE_CORNERS,
  RIND_PHASE_WALLS,
  RIND_PHASE_CLEAR
} rind_phase_kind;

typedef struct rind_phase {
  int32_t kind; /* rind_phase_kind */
  int32_t axis; /* walls: 0, 1, 2; else -1 */
} rind_phase;

/* An adjoint has a phase of zeros after each of the others. */
enum { RIND_MAX_PHASES = 12 };

/* Cell of loop index i: origin[axis[a]] + step[a] * i[a] on axis axis[a]; the origin is the term's.
 */
typedef struct rind_slot {
  int32_t axis[3];
  int32_t step[3];
} rind_slot;

typedef struct rind_pattern_term {
  double weight;
  int32_t slot;
  int32_t origin[3]; /* in the block's own axes; cells; ghosts are < 0 or >= cells */
} rind_pattern_term;

/* One distinct row over one box. Terms are in the order of docs/rows.md; the terms of slot 0 are
 * the first num_own_first, or the last num_own_last, the others are of slot 1. */
typedef struct rind_pattern {
  int32_t family; /* rind_family */
  int32_t phase;
  int32_t region;    /* of the destination */
  int32_t number;    /* sub-box number in the region */
  int32_t component; /* that alone is filled; -1: all */
  int32_t wall;      /* of a wall phase's fills: 2 * axis + upper; else -1 */
  int32_t group;     /* patterns of one link (region, neighbour position, orientation) share it */
  int32_t extent[3];
  int32_t origin[3]; /* destination box */
  int32_t step[3];
  int32_t first_term; /* in rind_schedule.term */
  int32_t num_terms;
  int32_t num_own_first;
  int32_t num_own_last;
  int32_t takes; /* of an adjoint: the ghosts that it reads are 0 afterwards */
  rind_slot slot[RIND_NUM_SLOTS];
} rind_pattern;

typedef struct rind_schedule_fill_data {
  int32_t pattern;
  int32_t block;  /* destination */
  int32_t source; /* block of slot 1: local blocks first, then remote ones; -1: no term reads it */
} rind_schedule_fill_data;

/* The rows of an adjoint that belong to one (destination, region, source) of the forward schedule:
 * patterns first .. first + count - 1, which run in this order. */
typedef struct rind_row_set {
  int32_t first, count;
  int32_t region;    /* of the ghosts */
  int32_t origin[3]; /* of the box around the ghosts that the rows read */
  int32_t extent[3];
} rind_row_set;

/* What one link contributes to the cells of one block in a phase of an adjoint.
 *     rows between blocks and the others   x[cell of block] = x + weight * ghost of source + ..
 *     the caller's function                one pattern of no terms: the box of ghosts (source is
 *                                          block)
 *     clear                                patterns of no terms: boxes of ghosts of block that
 *                                          become 0 (source is -1)
 * A phase's runs ascend by block; those of one block are in the order of contributions: their
 * fills' canonical numbers descend. They run one after the other, those of different blocks in any
 * order. */
typedef struct rind_run_data {
  int32_t set;        /* index into rind_schedule.set */
  int32_t block;      /* local blocks first, then remote ones: then the ghosts travel */
  int32_t source;     /* local block whose ghosts are read */
  int32_t first_fill; /* patterns of the runs before it */
} rind_run_data;

struct rind_schedule {
  const rind_forest *forest; /* borrowed */
  rind_context *context;     /* borrowed, the forest's */
  int64_t revision;          /* of the forest, when built */
  int dim;
  int cells;
  int ghosts;
  int num_local;    /* blocks */
  rind_rules rules; /* component_wall and taps are the schedule's own copies */
  int num_phases;
  rind_phase phase[RIND_MAX_PHASES];
  int num_patterns;
  rind_pattern *pattern; /* [num_patterns] */
  int num_terms;
  rind_pattern_term *term; /* [num_terms], of all patterns */
  int num_fills;
  rind_schedule_fill_data *fill;       /* [num_fills], canonical order inside a phase */
  int first_fill[RIND_MAX_PHASES + 1]; /* [num_phases + 1] */
  /* An adjoint has runs of row sets in place of fill[], which is NULL; num_fills and first_fill
   * count their patterns. Its phases are the forward ones in reverse, each followed by a phase of
   * zeros. */
  bool is_adjoint;
  int num_sets;
  rind_row_set *set; /* [num_sets] */
  int num_runs;
  rind_run_data *run;                 /* [num_runs] */
  int first_run[RIND_MAX_PHASES + 1]; /* [num_phases + 1] */
};
