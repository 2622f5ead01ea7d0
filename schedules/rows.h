/* rows.h - the rows of docs/rows.md: which cells, which weights, in which order. */
#pragma once
#include <template.h>

/* Adds the patterns of a link to the set, numbered from 0 in the region. Errors as
 * rind_template_find; RIND_ERROR_INTERNAL if a row has not its family's width. */
rind_error rind_rows_make(rind_template_set *set, const rind_template_key *key, int group);

/* Terms of a row: a function of family and dimension alone; -1 outside the list. 0 for the user's,
 * whose width the rules know. */
int rind_family_width(rind_family family, int dim);
int rind_row_width(const rind_rules *rules, rind_family family, int dim);

/* Three-point quadratic in a coarse cell J at -1/4 (parity 0) or +1/4 (parity 1) of it: weights of
 * the cells J - 1 + shift, J + shift, J + 1 + shift; shift is 1 in the block's first cell, -1 in
 * its last, else 0. */
const double *rind_weights_quadratic(int parity, int shift);

/* Weights of (own, U1, U2) in facing layer 1 or 2. */
const double *rind_weights_facing(int layer);
