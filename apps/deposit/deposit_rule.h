/* deposit_rule.h - the benchmark's arithmetic, a particle and a step at a time, for host and device
 * alike: products and sums are rounded one by one. docs/deposit.md derives it. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define DEPOSIT_INLINE static inline __host__ __device__
#else
#define DEPOSIT_INLINE static inline
#endif

enum { DEPOSIT_STEPS = 50, DEPOSIT_BINS = 1024 };
#define DEPOSIT_HALF_WIDTH 0.005
/* How far from the window's centre a particle may seem to be that the exact test selects: the
 * search's rounding errors are below 1e-12. */
#define DEPOSIT_REACH (DEPOSIT_HALF_WIDTH + 1e-9)

/* The nearest whole number, half to even. */
DEPOSIT_INLINE double deposit_nearest(double x) {
  const double large = copysign(0x1p52, x);
  return fabs(x) < 0x1p52 ? (x + large) - large : x;
}

DEPOSIT_INLINE double deposit_floor(double x) {
  const double nearest = deposit_nearest(x);
  return nearest - (nearest > x ? 1.0 : 0.0);
}

/* Where the window is at step t: centre[t], t from 0 to DEPOSIT_STEPS. */
DEPOSIT_INLINE double deposit_centre(int t) {
  return (double)t / DEPOSIT_STEPS;
}

/* From the window's centre to the particle, on the circle. */
DEPOSIT_INLINE double deposit_distance(double position, double centre) {
  const double d = position - centre;
  return d - deposit_nearest(d);
}

DEPOSIT_INLINE double deposit_position(double x, double v, int t) {
  return x + v * t;
}

DEPOSIT_INLINE bool deposit_is_selected(double x, double v, int t, const double *centre) {
  return fabs(deposit_distance(deposit_position(x, v, t), centre[t])) < DEPOSIT_HALF_WIDTH;
}

/* What a selected particle deposits: taper (1 - fraction) into bin, taper fraction into next. */
typedef struct deposit_hit {
  double rest;     /* 1 - |distance| / half width */
  double side;     /* sign of the distance */
  double fraction; /* of the way from the middle of bin to that of next */
  int bin, next;
  bool is_selected;
} deposit_hit;

DEPOSIT_INLINE deposit_hit deposit_hit_of(double position, double centre) {
  const double d = deposit_distance(position, centre);
  const double g = (position - deposit_floor(position)) * DEPOSIT_BINS - 0.5;
  const double below = deposit_floor(g);
  deposit_hit hit;
  hit.rest = 1.0 - fabs(d) / DEPOSIT_HALF_WIDTH;
  hit.side = (d > 0.0 ? 1.0 : 0.0) - (d < 0.0 ? 1.0 : 0.0);
  hit.fraction = g - below;
  hit.bin = (int)below & (DEPOSIT_BINS - 1);
  hit.next = ((int)below + 1) & (DEPOSIT_BINS - 1);
  hit.is_selected = fabs(d) < DEPOSIT_HALF_WIDTH;
  return hit;
}

/* A hit's part of dL/dx, where low and high are dL/dH of bin and next. */
DEPOSIT_INLINE double deposit_gradient_of(deposit_hit hit, double low, double high) {
  const double taper = hit.rest * hit.rest;
  const double taper_slope = -2.0 * hit.rest / DEPOSIT_HALF_WIDTH * hit.side;
  return taper_slope * ((1.0 - hit.fraction) * low + hit.fraction * high) +
         taper * DEPOSIT_BINS * (high - low);
}

/* A deposit from 0 to 1 in quanta of 2^-51: the bits below 2 of 2 + value. Counting whole quanta
 * makes the order of deposits irrelevant. */
DEPOSIT_INLINE uint64_t deposit_quanta(double value) {
  const double shifted = 2.0 + value, two = 2.0;
  uint64_t bits, bits_of_two;
  memcpy(&bits, &shifted, sizeof bits);
  memcpy(&bits_of_two, &two, sizeof bits_of_two);
  return bits - bits_of_two;
}

/* high 2^32 + low quanta, rounded once; low < 2^32, high < 2^53. */
DEPOSIT_INLINE double deposit_value(uint64_t high, uint64_t low) {
  return ((double)high * 0x1p32 + (double)low) * 0x1p-51;
}

/* The only step at which the particle may be selected, 0: there is none, or -1: search them. Nearly
 * all particles begin in [0, 1) and fall behind the window by 0.0101 to 0.039 a step. Then they and
 * its centre meet at the times x / lag and (x + 1) / lag, more than 25 steps apart, and are close
 * for less than a step. No branches: loops of it run several particles at once. */
DEPOSIT_INLINE int deposit_only_step(double x, double v) {
  const double lag = 1.0 / DEPOSIT_STEPS - v, inverse = 1.0 / lag;
  const double first = deposit_nearest(x * inverse);
  const double second = deposit_nearest((x + 1.0) * inverse);
  const bool is_quick = (lag > 0.0101) & (lag < 0.039) & (x >= 0.0) & (x < 1.0);
  const bool is_first =
      (first >= 1.0) & (first <= DEPOSIT_STEPS) & (fabs(x - lag * first) < DEPOSIT_REACH);
  const bool is_second =
      (second <= DEPOSIT_STEPS) & (fabs((x + 1.0) - lag * second) < DEPOSIT_REACH);
  const double step = (is_first ? first : 0.0) + (is_second ? second : 0.0);
  return (int)(is_quick & !(is_first & is_second) ? step : -1.0);
}

/* The first step from t on at which the particle may be in the window. */
DEPOSIT_INLINE int deposit_skip(double x, double v, int t) {
  const double speed = v - 1.0 / DEPOSIT_STEPS;
  /* Where it is no use, or rounding errors were too large: try every step. NaN as well. */
  if (!(fabs(speed) < 0.1 && fabs(x) < 100.0)) return t;
  const double u = x + speed * t, d = u - deposit_nearest(u);
  if (fabs(d) < DEPOSIT_REACH) return t;
  const double ahead = speed > 0.0 ? d : -d;
  const double way = ahead > 0.0 ? 1.0 - ahead : -ahead;
  const double steps = (way - DEPOSIT_REACH) / fabs(speed);
  return steps < DEPOSIT_STEPS ? t + (int)ceil(steps) : DEPOSIT_STEPS + 1;
}

/* The first step from t on at which the particle is selected, or 0. */
DEPOSIT_INLINE int deposit_next_step(double x, double v, int t, const double *centre) {
  for (; t <= DEPOSIT_STEPS; ++t) {
    t = deposit_skip(x, v, t);
    if (t <= DEPOSIT_STEPS && deposit_is_selected(x, v, t, centre)) return t;
  }
  return 0;
}
