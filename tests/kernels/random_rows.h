/* random_rows.h - random rows over random boxes, memory for them, and their naive evaluation. */
#pragma once
#include <gather.h>

enum { ROW_SIDE = 18, ROW_COMPONENTS = 5, ROW_TERMS = 64, ROW_BLOCKS = 4 };
/* Elements of one block's memory, for any order of its axes and components. */
enum { ROW_ELEMENTS = ROW_SIDE * ROW_SIDE * ROW_SIDE * ROW_COMPONENTS };

typedef struct random_row {
  rind_gather_row raw;      /* loops in any order, some backward */
  rind_gather_row finished; /* by rind_gather_row_finish */
  double weight[ROW_TERMS * RIND_GATHER_LANES];
  ptrdiff_t raw_offset[ROW_TERMS];
  ptrdiff_t offset[ROW_TERMS];
} random_row;

/* Reproducible numbers: in [0, bound), resp. in [-1, 1). */
int random_int(int bound);
double random_value(void);
/* With zeros one of those, of either sign. */
double random_entry(bool zeros);

/* Any row that a block of ROW_SIDE^3 cells can hold; its pointers lead into *row. */
void make_random_row(random_row *row, bool types_equal);

/* A row that adds to what is there: terms - 1 of its terms are of the source; terms 0: it clears. A
 * point has one cell, one of few, so that two are often the same. plain: of weight 1 along the axes
 * as they lie in memory. */
typedef enum row_shape { SHAPE_POINT, SHAPE_BOX, SHAPE_PLAIN } row_shape;
void make_row_in_place(random_row *row, int lanes, int terms, row_shape shape, bool takes);

/* Gives a finished point as many values, at most ROW_VALUES: next to each other or apart, in the
 * source likewise. */
enum {
  ROW_VALUES = 6,
  ROW_VALUE_STEP = 1000,
  ROW_SPAN = ROW_ELEMENTS + ROW_VALUES * ROW_VALUE_STEP
};
void give_values(random_row *row, int values, bool apart, bool source_apart);

/* Element of an array of type. */
double element(const void *data, rind_type type, ptrdiff_t at);

/* The value of position i of a lane: terms in order, in double, not rounded yet. */
double naive_value(const rind_gather *gather, const rind_gather_row *raw, int lane,
                   const int i[RIND_GATHER_DIMS], const void *own, const void *source,
                   double *magnitude);
