/* segment_plain.h - segments of many shapes, rows of values for them, and what sums over them are,
 * written down again. */
#pragma once
#include <rind/segment.h>
#include <stdbool.h>

/* The same numbers again. */
void restart_random(void);
uint64_t next_random(void);

/* A shape of segments: their lengths. */
typedef enum shape { ALIKE, EMPTY, MIXED, MEDIUM, LONG, ONE, HALF, ALL_EMPTY, NUM_SHAPES } shape;

extern const int64_t shape_counts[NUM_SHAPES]; /* segments */
/* Offsets of a shape. */
int64_t *make_begin(shape kind);

/* Rows of values or sums, as doubles and in the type. */
typedef struct rows {
  rind_segment_rows what;
  int64_t values, sums; /* elements with all strides */
  double *value, *sum;  /* what the arrays hold before */
} rows;

rows make_rows(const int64_t *begin, int64_t segments, rind_type type, int64_t num_rows,
               bool accumulate, bool wide);
void destroy_rows(rows *r);
/* What a call leaves in its array, by the definition. */
void plain_call(const int64_t *begin, int64_t segments, const rows *r, bool gather, double *to);
