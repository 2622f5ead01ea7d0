/* pair.h - two doubles at once: the compiler's vectors where it has them, else two of everything.
 * Each half is rounded on its own, so the bits are those of the scalar operations. */
#pragma once
#include <string.h>

#if defined(__GNUC__)
typedef double pair __attribute__((vector_size(16)));

static inline pair pair_of(double low, double high) {
  return (pair){low, high};
}

static inline pair pair_load(const double *from) {
  pair p;
  memcpy(&p, from, sizeof p);
  return p;
}

static inline void pair_store(double *to, pair p) {
  memcpy(to, &p, sizeof p);
}

static inline pair pair_times(pair a, pair b) {
  return a * b;
}

static inline pair pair_plus(pair a, pair b) {
  return a + b;
}

static inline double pair_low(pair a) {
  return a[0];
}

static inline double pair_high(pair a) {
  return a[1];
}
#else
typedef struct pair {
  double low, high;
} pair;

static inline pair pair_load(const double *from) {
  return (pair){from[0], from[1]};
}

static inline void pair_store(double *to, pair p) {
  to[0] = p.low;
  to[1] = p.high;
}

static inline pair pair_of(double low, double high) {
  return (pair){low, high};
}

static inline pair pair_times(pair a, pair b) {
  return (pair){a.low * b.low, a.high * b.high};
}

static inline pair pair_plus(pair a, pair b) {
  return (pair){a.low + b.low, a.high + b.high};
}

static inline double pair_low(pair a) {
  return a.low;
}

static inline double pair_high(pair a) {
  return a.high;
}
#endif

/* The low half of one and the high half of the other; GCC would rather load them once more. */
#if defined(__GNUC__) && !defined(__clang__)
static inline pair pair_mix(pair low, pair high) {
  typedef long long halves __attribute__((vector_size(16)));
  return __builtin_shuffle(low, high, (halves){0, 3});
}
#else
static inline pair pair_mix(pair low, pair high) {
  return pair_of(pair_low(low), pair_high(high));
}
#endif
