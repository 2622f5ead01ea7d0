/* exchange_naive.h - what a fill should give: the schedule's public view, term by term and phase by
 * phase, on the gathered values of all ranks. */
#pragma once
#include <exchange_scene.h>

enum { NAIVE_FIELDS = 4 };

/* The fields of an exchange. */
typedef struct naive {
  const scene *s;
  int num_fields;
  memory *field; /* [num_fields], not filled yet; for the comparisons others may take their place */
  int num_vectors;
  const int *vector;                      /* as in the options */
  const double *wall_value[NAIVE_FIELDS]; /* [6][components] each, NULL: zeros */
  double *all[NAIVE_FIELDS];              /* [global block][component][padded cells] */
} naive;

/* Collective. Evaluates; the memories stay as they are. To be freed. */
void naive_fill(naive *n);
void naive_free(naive *n);

/* Number of values of this rank's blocks that differ from field f of n; where they are no numbers
 * they must be none on both sides. tolerance 0: by a bit. */
long naive_differences(const naive *n, int f, double tolerance);
/* Number of values of this rank's blocks that are no numbers. */
long naive_undefined(const naive *n, int f);

/* The ghosts that the function of walls writes; component is numbered through all fields. */
double naive_wall_value(int64_t global, int component, const int cell[3]);
/* The highest axis along which a region is behind a wall of the block decides which: 2 * axis +
 * upper. -1: behind none. */
int naive_wall(const scene *s, int block, int region);

/* Parts of it. Collective: all starts as the fields' values; after changes to this rank's blocks,
 * all ranks get them. */
void naive_start(naive *n);
void naive_gather(naive *n);
/* The value of a cell of any block. */
double *naive_value(const naive *n, int f, int64_t global, int component, const int cell[3]);
void naive_cell(const rind_box *box, const int i[3], int cell[3]);
/* Moves *c, component first + *c of all, to where a box of a turned block has it: its sign. */
int naive_turn(const naive *n, const rind_box *box, int first, int *c);
