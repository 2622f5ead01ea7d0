/* rind/schedule.h - how every ghost cell of a forest is made: short weighted sums, kept as boxes.
 *
 * A schedule is a list of fills. A fill writes a box of ghost cells of one block; each cell of it
 * is the sum of num_terms terms, a weight times a cell of a box of the same extent in a source
 * block. docs/rows.md defines the rows. A schedule knows nothing of layout, type or space. */
#pragma once
#include <stdint.h>
#include <stdio.h>

#include <rind/error.h>
#include <rind/export.h>
#include <rind/forest.h>

typedef struct rind_schedule rind_schedule;

/* What fills a fine ghost from a coarse block. */
typedef enum rind_interpolation {
  RIND_INTERPOLATION_QUADRATIC =
      0, /* Martin-Cartwright in the two facing layers, else coarse-only */
  RIND_INTERPOLATION_COARSE_ONLY = 1, /* tensor product of 3-point quadratics of the coarse block */
  RIND_INTERPOLATION_INJECTION = 2,   /* the coarse cell */
  RIND_INTERPOLATION_CONSERVATIVE =
      3,                      /* one slope an axis; the mean of the 2^dim children is kept */
  RIND_INTERPOLATION_USER = 4 /* the taps of rind_rules.taps */
} rind_interpolation;

/* What fills a coarse ghost from fine blocks. */
typedef enum rind_restriction {
  RIND_RESTRICTION_AVERAGE = 0,
  RIND_RESTRICTION_FLUX_MATCHED = 1 /* layer 1 of faces: the fluxes of both sides agree */
} rind_restriction;

typedef enum rind_regions { RIND_REGIONS_ALL = 0, RIND_REGIONS_FACES = 1 } rind_regions;

/* What fills the ghosts behind a wall. Layer k = 1, 2, .. mirrors the k-th interior layer. */
typedef enum rind_wall {
  RIND_WALL_NONE = 0,      /* nothing: they are left as they are */
  RIND_WALL_EVEN = 1,      /* the mirrored cell: normal derivative 0 */
  RIND_WALL_ODD = 2,       /* minus the mirrored cell: value 0 at the wall */
  RIND_WALL_CONSTANT = 3,  /* the first interior cell */
  RIND_WALL_LINEAR = 4,    /* the line through the first two interior cells */
  RIND_WALL_DIRICHLET = 5, /* 2 value - the mirrored cell: the value at the wall */
  RIND_WALL_NEUMANN = 6,   /* the mirrored cell + (2k - 1) cell size * value: the outward normal
                              derivative */
  RIND_WALL_FUNCTION = 7,  /* the caller's function: rind_exchange_options.wall_function */
  RIND_NUM_WALLS
} rind_wall;

/* One-dimensional taps of a user's interpolation; rows are their tensor product, axis 0 fastest,
 * all in one coarse block. The taps for a ghost in the lower (parity 0) or upper (1) half of coarse
 * cell J are J + first, .., J + first + num_taps - 1, with weights that sum to 1. Where they would
 * leave the coarse block at its lower end, the entry for shift 0 is used, at its upper end that for
 * shift 2, elsewhere shift 1. */
enum { RIND_MAX_TAPS = 5 };
typedef struct rind_taps {
  int num_taps;                       /* an axis, 1 to RIND_MAX_TAPS */
  int first[2][3];                    /* [parity][shift] */
  double weight[2][3][RIND_MAX_TAPS]; /* [parity][shift][tap] */
} rind_taps;

/* All zero is recommended, and what NULL means. Pointers are read by rind_schedule_create only. */
typedef struct rind_rules {
  rind_interpolation interpolation;
  rind_restriction restriction;
  rind_regions regions;
  int layers;        /* ghost layers to fill, from the block outwards; 0: all */
  rind_wall wall[6]; /* wall 2a is the lower one of axis a, 2a + 1 the upper one */
  /* Walls that differ between components: [num_components][6], in place of wall. NULL: alike. */
  int num_components;
  const rind_wall (*component_wall)[6];
  const rind_taps *taps; /* of RIND_INTERPOLATION_USER */
} rind_rules;

/* Row families of docs/rows.md: name, terms in 2D, terms in 3D (0: the user's, or none). */
#define RIND_FAMILY_LIST(X)                                                                        \
  X(COPY, copy, 1, 1)                                                                              \
  X(QUADRATIC, quadratic, 7, 19)                                                                   \
  X(COARSE_ONLY, coarse_only, 9, 27)                                                               \
  X(INJECTION, injection, 1, 1)                                                                    \
  X(AVERAGE, average, 4, 8)                                                                        \
  X(CONSERVATIVE_FACING, conservative_facing, 8, 14)                                               \
  X(CONSERVATIVE, conservative, 5, 7)                                                              \
  X(USER, user, 0, 0)                                                                              \
  X(FLUX_MATCHED, flux_matched, 5, 9)                                                              \
  X(EDGE_MEAN, edge_mean, 2, 2)                                                                    \
  X(CORNER_MEAN, corner_mean, 0, 3)                                                                \
  X(MIRROR, mirror, 1, 1)                                                                          \
  X(MIRROR_VALUE, mirror_value, 2, 2)                                                              \
  X(CONSTANT, constant, 1, 1)                                                                      \
  X(LINEAR, linear, 2, 2)                                                                          \
  X(FUNCTION, function, 0, 0)

typedef enum rind_family {
#define RIND_FAMILY_ENUM(upper, lower, k2, k3) RIND_FAMILY_##upper,
  RIND_FAMILY_LIST(RIND_FAMILY_ENUM)
#undef RIND_FAMILY_ENUM
      RIND_NUM_FAMILIES
} rind_family;

/* Cell (i0, i1, i2), 0 <= i < extent of the fill, is the block's cell with coordinate
 * origin[axis[a]] + i_a * step[a] on axis axis[a]. axis is 0, 1, 2 in a destination box. */
typedef struct rind_box {
  int32_t origin[3];
  int32_t axis[3];
  int32_t step[3];
} rind_box;

typedef struct rind_fill_view {
  rind_family family;
  int32_t phase;
  int32_t block;     /* destination, a local block; of an adjoint: any */
  int32_t region;    /* of the destination that the box lies in; of an adjoint: of the ghosts */
  int32_t number;    /* of the box inside the region */
  int32_t component; /* that alone is filled; -1: all */
  int32_t extent[3];
  rind_box box;
  int32_t num_terms;
} rind_fill_view;

typedef struct rind_term_view {
  int32_t block; /* source: local blocks first, then remote ones; -1: the value of the wall */
  double weight;
  rind_box box; /* of the fill's extent */
} rind_term_view;

/* Of this rank. */
typedef struct rind_schedule_stats {
  int64_t fills;
  int64_t terms;          /* the sum of num_terms over fills */
  int64_t ghost_cells;    /* written, of the first component; of an adjoint: cells of all rows */
  int64_t adds;           /* terms times cells, of the first component */
  int64_t remote_fills;   /* with a source on another rank; of an adjoint: for its cells */
  int64_t receive_cells;  /* values received a component; of an adjoint: sent */
  int64_t metadata_bytes; /* that the schedule holds */
  int32_t patterns;       /* distinct rows */
  int32_t peers;          /* ranks that messages come from; of an adjoint: go to */
  int64_t family_fills[RIND_NUM_FAMILIES];
  int64_t family_cells[RIND_NUM_FAMILIES]; /* of the first component */
} rind_schedule_stats;

RIND_BEGIN_DECLS

/* "copy", "quadratic", ...; "unknown" outside the list. */
RIND_API const char *rind_family_name(rind_family family);

/* Collective. A schedule for blocks of cells^dim cells with ghosts layers. Borrows forest, which
 * must outlive *schedule. rules may be NULL. RIND_ERROR_INVALID unless cells is even, cells >= 2
 * ghosts >= 2, and cells >= 4 where the forest has a coarse-fine interface that asks for it, and
 * unless the rules are in range and the user's taps fit into a block; the text says what would
 * do. RIND_ERROR_OVERFLOW for more than 32 layers (2D: 128) where levels meet or a corner is
 * irregular. RIND_ERROR_UNBALANCED if all regions are asked of a forest balanced across faces only.
 */
RIND_API rind_error rind_schedule_create(const rind_forest *forest, int cells, int ghosts,
                                         const rind_rules *rules, rind_schedule **schedule);
/* Collective. The adjoint of a schedule as a schedule: its fills write cells that rows of the
 * schedule read. Term 0 of a row is the cell itself with weight 1, the others are the ghosts that
 * it contributes to, of one block each row, in the order in which docs/rows.md adds them; rows of
 * the same cell run in the order of their fills. Phases are reversed, and each is followed by one
 * of rows without terms, which set the ghosts that were read to 0. Rows for cells of another rank's
 * block are listed with that block: their ghosts travel to it. For looking at, and for
 * rind_schedule_verify, _print, _stats; exchanges make their own (rind_exchange_options.adjoint).
 * Borrows the schedule's forest, not the schedule. RIND_ERROR_INVALID for the adjoint of an
 * adjoint, RIND_ERROR_STALE if the forest has changed. */
RIND_API rind_error rind_schedule_adjoint(const rind_schedule *schedule, rind_schedule **adjoint);
/* 1 for an adjoint, else 0. */
RIND_API int rind_schedule_is_adjoint(const rind_schedule *schedule);
/* Accepts NULL. */
RIND_API void rind_schedule_destroy(rind_schedule **schedule);

RIND_API const rind_forest *rind_schedule_forest(const rind_schedule *schedule);
RIND_API int rind_schedule_cells(const rind_schedule *schedule);
RIND_API int rind_schedule_ghosts(const rind_schedule *schedule);
RIND_API const rind_rules *rind_schedule_rules(const rind_schedule *schedule);

/* Fills of this rank, in the canonical order of docs/rows.md. */
RIND_API int rind_schedule_num_fills(const rind_schedule *schedule);
/* RIND_ERROR_INVALID if there is no such fill or term. */
RIND_API rind_error rind_schedule_fill(const rind_schedule *schedule, int fill,
                                       rind_fill_view *view);
RIND_API rind_error rind_schedule_term(const rind_schedule *schedule, int fill, int term,
                                       rind_term_view *view);

/* Collective. Checks the invariants of docs/rows.md; RIND_ERROR_INTERNAL names the first fill that
 * breaks one, block by block, and which. */
RIND_API rind_error rind_schedule_verify(const rind_schedule *schedule);
/* This rank's fills as text, phase by phase, one a line with its terms below. */
RIND_API rind_error rind_schedule_print(const rind_schedule *schedule, FILE *file);
RIND_API rind_error rind_schedule_get_stats(const rind_schedule *schedule,
                                            rind_schedule_stats *stats);

RIND_END_DECLS
