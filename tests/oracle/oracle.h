/* oracle.h - an independent judge: the row of every ghost cell, cell by cell, from docs/rows.md.
 *
 * All leaves are gathered on every rank and placed in grids of integers: one of a whole brick, or
 * one a tree. A ghost cell is then looked up by where it lies, in the brick or after a walk from
 * tree to tree (oracle_trees.h). Nothing is shared with the schedules' builder. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <rind/exchange.h>
#include <rind/field.h>
#include <rind/forest_p4est.h>
#include <rind/schedule.h>

#include "oracle_trees.h"

enum { ORACLE_MAX_TERMS = RIND_MAX_TAPS * RIND_MAX_TAPS * RIND_MAX_TAPS };

typedef struct oracle_leaf {
  int32_t level;
  int32_t tree;   /* 0 in a brick */
  int32_t at[3];  /* lower corner in the brick or tree, in block sides of this level */
  double side[3]; /* in space, as the forest says */
} oracle_leaf;

typedef struct oracle {
  int dim;
  int cells;
  const oracle_trees *glued; /* NULL: a brick */
  int trees[3];              /* of the brick; 1 in the unused axis, and of glued trees */
  int periodic[3];
  int finest; /* level */
  int num_leaves;
  oracle_leaf *leaf; /* [num_leaves], by global number */
  int size[3];       /* trees << finest; 1 in the unused axis */
  int32_t *map;      /* [glued trees][size[2]][size[1]][size[0]], the leaf at a place of the finest
                        level */
  bool faces_only;   /* balanced no further: what lies across edges and corners is not known */
  uint8_t (*kind)[RIND_NUM_REGIONS]; /* [num_leaves], oracle_region_kind found before; 0: not yet */
} oracle;

/* What lies in a region of a leaf. */
typedef enum oracle_region_kind {
  ORACLE_UNKNOWN = 0,
  ORACLE_NEIGHBOUR, /* blocks of one level, at most one apart */
  ORACLE_IRREGULAR, /* none, or which one depends on the way; the region touches no wall */
  ORACLE_WALL       /* the same, but it touches one */
} oracle_region_kind;

typedef struct oracle_term {
  int leaf;    /* ORACLE_WALL_VALUE: the value of the wall cell[0] */
  int cell[3]; /* of the leaf, in its own axes; may be a ghost */
  double weight;
  oracle_frame frame; /* from the axes of the row's block to the leaf's */
} oracle_term;

enum { ORACLE_WALL_VALUE = -1 };

typedef struct oracle_row {
  rind_family family;
  int num_terms;
  oracle_term term[ORACLE_MAX_TERMS];
} oracle_row;

/* The value of an interior cell. */
typedef double (*oracle_value)(const void *user, int leaf, const int cell[3], int component);

/* What a fill is judged by. */
typedef struct oracle_fill {
  const oracle *judge;
  const rind_rules *rules;
  rind_type type;
  oracle_value value; /* of interiors */
  const void *user;
  int components;
  const double *wall_values; /* [6][components]; NULL: 0 */
  int num_vectors;
  const int *vector; /* [num_vectors] */
  /* What the caller's function writes into a ghost behind a wall; user as above. */
  double (*at_wall)(const struct oracle_fill *fill, int leaf, const int cell[3], int component,
                    int wall);
  /* The one cell of the block that this depends on, and the derivative by it. */
  double (*wall_front)(const struct oracle_fill *fill, const int cell[3], int wall, int front[3]);
} oracle_fill;

/* Collective over comm. NULL, with a line in text, if the blocks do not tile the brick or disagree
 * with their coordinates; the same on every rank. */
oracle *oracle_create(MPI_Comm comm, const rind_forest *forest, const rind_brick *brick, int cells,
                      char text[256]);
/* The same for glued trees, which are borrowed. */
oracle *oracle_create_glued(MPI_Comm comm, const rind_forest *forest, const oracle_trees *trees,
                            int cells, char text[256]);
void oracle_destroy(oracle *judge);

/* The region of a cell: o in {-1, 0, 1}^3, and how many ghost layers away it is at most. Returns
 * how many of o are not 0. */
int oracle_region(const oracle *judge, const int cell[3], int o[3], int *layer);
/* Where a ghost cell of a leaf lies, in the grid of the leaf's level; false if no one place is
 * there. Outside a brick it is a place that no leaf has. */
bool oracle_locate(const oracle *judge, int leaf, const int cell[3], oracle_place *place);
/* The leaf of a level that holds a cell of that level's grid, and the cell in it; false if it lies
 * outside a brick or in a leaf of another level. Wraps periodic axes. */
bool oracle_find(const oracle *judge, int level, int tree, const int64_t at[3], int *leaf,
                 int cell[3]);
bool oracle_is_interior(const oracle *judge, const int cell[3]);
/* The row of a ghost cell; false if the rules leave the cell alone, *row is undefined then. */
bool oracle_find_row(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                     oracle_row *row);
/* The same where walls depend on the component; a row of RIND_FAMILY_FUNCTION has one term without
 * a weight, the wall. */
bool oracle_find_component_row(const oracle *judge, const rind_rules *rules, int component,
                               int leaf, const int cell[3], oracle_row *row);

/* The value of a cell after the fill, by the bit contract: accumulated in double, rounded once. The
 * ghosts that a row reads are worked out in turn; NaN if nobody fills one. */
double oracle_value_after(const oracle_fill *fill, int leaf, const int cell[3], int component);
double oracle_row_value(const oracle_fill *fill, const oracle_row *row, int leaf, const int cell[3],
                        int component);

/* The component of a term's leaf that a component of the row's block is, and its sign. */
int oracle_turn_component(const oracle_fill *fill, const oracle_frame *frame, int component,
                          double *sign);

/* The row's value where it reads interiors only and no vectors. */
double oracle_sum(const oracle_row *row, rind_type type, oracle_value value, const void *user,
                  int component);
/* The sum of |w s|. */
double oracle_sum_abs(const oracle_row *row, rind_type type, oracle_value value, const void *user,
                      int component);
