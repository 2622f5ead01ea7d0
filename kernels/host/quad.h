/* quad.h - the four lanes of a cell, as many at once as a vector holds. Each is rounded on its own,
 * so the bits are those of the scalar operations. */
#pragma once
#include <pair.h>

#if defined(__GNUC__) && defined(__AVX__)
#include <immintrin.h>

typedef double quad __attribute__((vector_size(32)));
enum { QUAD_WIDTH = 4 };

static inline quad quad_load(const double *from) {
  quad q;
  memcpy(&q, from, sizeof q);
  return q;
}

static inline void quad_store(double *to, quad q) {
  memcpy(to, &q, sizeof q);
}

static inline quad quad_all(double value) {
  return (quad){value, value, value, value};
}

/* Those of the lanes that a quad from lane first on holds. */
static inline quad quad_of(double a, double b, double c, double d, int first) {
  (void)first;
  return (quad){a, b, c, d};
}

static inline quad quad_both(pair p) {
  return (quad){p[0], p[1], p[0], p[1]};
}

/* A pair for each of the first one or two of two values, as many as a quad has. */
static inline quad quad_twice_f64(double a, double b) {
  return (quad){a, a, b, b};
}

static inline quad quad_twice_f32(float a, float b) {
  return _mm256_cvtps_pd(_mm_setr_ps(a, a, b, b));
}

static inline quad quad_times(quad a, quad b) {
  return a * b;
}

static inline quad quad_plus(quad a, quad b) {
  return a + b;
}

static inline double quad_lane(quad q, int lane) {
  return q[lane];
}
#else
typedef pair quad;
enum { QUAD_WIDTH = 2 };

static inline quad quad_load(const double *from) {
  return pair_load(from);
}

static inline void quad_store(double *to, quad q) {
  pair_store(to, q);
}

static inline quad quad_all(double value) {
  return pair_of(value, value);
}

static inline quad quad_of(double a, double b, double c, double d, int first) {
  return first == 0 ? pair_of(a, b) : pair_of(c, d);
}

static inline quad quad_both(pair p) {
  return p;
}

static inline quad quad_twice_f64(double a, double b) {
  (void)b;
  return pair_of(a, a);
}

static inline quad quad_twice_f32(float a, float b) {
  return quad_twice_f64((double)a, (double)b);
}

static inline quad quad_times(quad a, quad b) {
  return pair_times(a, b);
}

static inline quad quad_plus(quad a, quad b) {
  return pair_plus(a, b);
}

static inline double quad_lane(quad q, int lane) {
  return lane == 0 ? pair_low(q) : pair_high(q);
}
#endif
