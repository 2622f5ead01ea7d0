/* sph_sum.h - sums of numbers >= 0 that no order of additions changes, for host and device.
 *
 * Each number is split into slices of common quanta; sums of slices are exact in double, so they
 * may be made by any thread, rank or atomic in any order (J. Demmel and H. D. Nguyen, Fast
 * reproducible floating-point summation, 2013). The largest number must be known first. */
#pragma once
#include <sph_grid.h>

enum { RIND_SPH_SLICES = 4 };

/* 1.5 times a power of two each: what to add and subtract to round to a slice. */
typedef struct rind_sph_slicer {
  double round[RIND_SPH_SLICES];
} rind_sph_slicer;

/* For at most count numbers of at most largest, which is finite. Slices have 52 - log2(count) bits:
 * for 2^31 numbers four hold the leading 80 bits of the largest. */
RIND_SPH_INLINE rind_sph_slicer rind_sph_slicer_of(double largest, double count) {
  rind_sph_slicer slicer;
  int top = 0, bits = 0;
  frexp(largest, &top);
  frexp(count, &bits);
  for (int s = 0; s < RIND_SPH_SLICES; ++s) {
    /* Numbers are below 2^top, their sum below 2^(top + bits). */
    const int at = top + bits < -900 ? -900 : top + bits > 1000 ? 1000 : top + bits;
    slicer.round[s] = ldexp(1.5, at);
    top = at - 52;
  }
  return slicer;
}

/* Adds a number's slices to the sums. */
RIND_SPH_INLINE void rind_sph_slice(const rind_sph_slicer *slicer, double number,
                                    double sum[RIND_SPH_SLICES]) {
  for (int s = 0; s < RIND_SPH_SLICES; ++s) {
    const double slice = (number + slicer->round[s]) - slicer->round[s];
    sum[s] += slice;
    number -= slice;
  }
}

RIND_SPH_INLINE double rind_sph_total(const double sum[RIND_SPH_SLICES]) {
  double total = sum[RIND_SPH_SLICES - 1];
  for (int s = RIND_SPH_SLICES - 2; s >= 0; --s)
    total += sum[s];
  return total;
}
