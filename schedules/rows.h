/* rows.h - the rows of docs/rows.md: which cells, which weights, in which
 * order. */
#pragma once
#include <template.h>

/* Adds the patterns of a link to the set, numbered from 0. False without
 * memory. */
bool rind_rows_make(rind_template_set *set, const rind_template_key *key, int group);

/* A new pattern at the end of the set, and a term at the end of the last
 * pattern. */
rind_pattern *rind_template_add_pattern(rind_template_set *set);
bool rind_template_add_term(rind_template_set *set, const rind_pattern_term *term);

/* Terms of a row: a function of family and dimension alone; -1 outside the
 * list. */
int rind_family_width(rind_family family, int dim);

/* Three-point quadratic at -1/4 (parity 0) or +1/4 (parity 1) of a coarse cell.
 * shift is that of the three taps: -1, 0 or 1; the taps are J - 1 + shift, J +
 * shift, J + 1 + shift. */
const double *rind_rows_quadratic(int parity, int shift);

/* Weights of (own, U1, U2) in facing layer 1 or 2. */
const double *rind_rows_facing(int layer);
