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
 * rounding errors of the search in double are below 1e-12, in float below 1e-6. */
#define DEPOSIT_REACH (DEPOSIT_HALF_WIDTH + 1e-9)
#define DEPOSIT_QUICK_REACH ((float)DEPOSIT_HALF_WIDTH + 1e-5f)

/* The nearest whole number, half to even. near: |x| is known to be below 2^51. */
DEPOSIT_INLINE double deposit_nearest(double x, bool near) {
  const double sum = x + 0x1.8p52, nearest = sum - 0x1.8p52;
  return near || fabs(x) < 0x1p51 ? nearest : rint(x);
}

DEPOSIT_INLINE double deposit_floor(double x, bool near) {
  const double nearest = deposit_nearest(x, near);
  return nearest - (nearest > x ? 1.0 : 0.0);
}

/* Where the window is at step t: centre[t], t from 0 to DEPOSIT_STEPS. */
DEPOSIT_INLINE double deposit_centre(int t) {
  return (double)t / DEPOSIT_STEPS;
}

/* From the window's centre to the particle, on the circle. */
DEPOSIT_INLINE double deposit_distance(double position, double centre, bool near) {
  const double d = position - centre;
  return d - deposit_nearest(d, near);
}

DEPOSIT_INLINE double deposit_position(double x, double v, int t) {
  return x + v * t;
}

DEPOSIT_INLINE bool deposit_is_selected(double x, double v, int t, const double *centre) {
  return fabs(deposit_distance(deposit_position(x, v, t), centre[t], false)) < DEPOSIT_HALF_WIDTH;
}

/* What a selected particle deposits: taper (1 - fraction) into bin, taper fraction into next. */
typedef struct deposit_hit {
  double rest;     /* 1 - |distance| / half width */
  double side;     /* sign of the distance */
  double fraction; /* of the way from the middle of bin to that of next */
  int bin, next;
  bool is_selected;
} deposit_hit;

DEPOSIT_INLINE deposit_hit deposit_hit_of(double position, double centre, bool near) {
  const double d = deposit_distance(position, centre, near);
  const double g = (position - deposit_floor(position, near)) * DEPOSIT_BINS - 0.5;
  const double below = deposit_floor(g, true);
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

/* first + 64 second: the only two steps at which the particle may be selected, 0 for none; or -1:
 * search them. Nearly all particles begin in [0, 1) and fall behind the window by 0.0101 to 0.039 a
 * step. Then they and its centre meet at the times x / lag and (x + 1) / lag, more than 25 steps
 * apart, and are close for less than a step. No branches: loops of it run several particles at
 * once. */
DEPOSIT_INLINE int deposit_quick_steps(double position, double speed) {
  const float x = (float)position, lag = 1.0f / DEPOSIT_STEPS - (float)speed, inverse = 1.0f / lag;
  const float first = (x * inverse + 0x1.8p23f) - 0x1.8p23f;
  const float second = ((x + 1.0f) * inverse + 0x1.8p23f) - 0x1.8p23f;
  const bool is_quick = (lag > 0.0101f) & (lag < 0.039f) & (x >= 0.0f) & (x < 1.0f);
  const bool is_first = (first >= 1.0f) & (first <= (float)DEPOSIT_STEPS) &
                        (fabsf(x - lag * first) < DEPOSIT_QUICK_REACH);
  const bool is_second =
      (second <= (float)DEPOSIT_STEPS) & (fabsf((x + 1.0f) - lag * second) < DEPOSIT_QUICK_REACH);
  const float steps = (is_first ? first : 0.0f) + (is_second ? 64.0f * second : 0.0f);
  return (int)(is_quick ? steps : -1.0f);
}

/* The first step from t on at which the particle may be in the window. */
DEPOSIT_INLINE int deposit_skip(double x, double v, int t) {
  const double speed = v - 1.0 / DEPOSIT_STEPS;
  /* Where it is no use, or rounding errors were too large: try every step. NaN as well. */
  if (!(fabs(speed) < 0.1 && fabs(x) < 100.0)) return t;
  const double u = x + speed * t, d = u - deposit_nearest(u, true);
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
