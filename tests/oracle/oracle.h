/* oracle.h - an independent judge: the row of every ghost cell, cell by cell, from docs/rows.md.
 *
 * All leaves of a brick are gathered on every rank and placed in one global grid of integers; a
 * ghost cell is then looked up by where it lies. Nothing is shared with the schedules' builder. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <rind/exchange.h>
#include <rind/field.h>
#include <rind/forest_p4est.h>
#include <rind/schedule.h>

enum { ORACLE_MAX_TERMS = 27 };

typedef struct oracle_leaf {
  int32_t level;
  int32_t at[3]; /* lower corner in the brick, in block sides of this level */
} oracle_leaf;

typedef struct oracle {
  int dim;
  int cells;
  int trees[3]; /* 1 in the unused axis */
  int periodic[3];
  int finest; /* level */
  int num_leaves;
  oracle_leaf *leaf; /* [num_leaves], by global number */
  int size[3];       /* trees << finest; 1 in the unused axis */
  int32_t *map;      /* [size[2]][size[1]][size[0]], the leaf at a place of the finest level */
} oracle;

typedef struct oracle_term {
  int leaf;
  int cell[3];
  double weight;
} oracle_term;

typedef struct oracle_row {
  rind_family family;
  int num_terms;
  oracle_term term[ORACLE_MAX_TERMS];
} oracle_row;

/* The value of an interior cell. */
typedef double (*oracle_value)(const void *user, int leaf, const int cell[3], int component);

/* Collective over comm. NULL, with a line in text, if the blocks do not tile the brick or disagree
 * with their coordinates; the same on every rank. */
oracle *oracle_create(MPI_Comm comm, const rind_forest *forest, const rind_brick *brick, int cells,
                      char text[256]);
void oracle_destroy(oracle *judge);

/* The region of a cell: o in {-1, 0, 1}^3, and how many ghost layers away it is at most. Returns
 * how many of o are not 0. */
int oracle_region(const oracle *judge, const int cell[3], int o[3], int *layer);
/* The leaf of a level that holds a cell of that level's global grid, and the cell in it; false if
 * it lies behind a wall or in a leaf of another level. Wraps periodic axes. */
bool oracle_find(const oracle *judge, int level, const int64_t global[3], int *leaf, int cell[3]);
/* The row of a ghost cell; false if the rules leave the cell alone, *row is undefined then. */
bool oracle_find_row(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                     oracle_row *row);

/* The row's value by the bit contract: accumulated in double, rounded once. */
double oracle_sum(const oracle_row *row, rind_type type, oracle_value value, const void *user,
                  int component);
/* The sum of |w s|. */
double oracle_sum_abs(const oracle_row *row, rind_type type, oracle_value value, const void *user,
                      int component);
