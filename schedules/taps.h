/* taps.h - a user's one-dimensional taps: which entry serves a coarse cell, and whether all fit. */
#pragma once
#include <rind/schedule.h>

/* 1 where the entry for the lower end of a block of cells coarse cells is used, -1 for the upper
 * end, else 0: the entry is 1 - shift. */
int rind_taps_shift(const rind_taps *taps, int parity, int coarse, int cells);

/* RIND_ERROR_INVALID, with the entry in the text, unless the numbers are finite, weights sum to 1
 * and no tap leaves a block of cells coarse cells. */
rind_error rind_taps_check(rind_context *context, const rind_taps *taps, int cells);
