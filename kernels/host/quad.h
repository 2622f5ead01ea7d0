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

/* Floats, rounded when they are stored. */
static inline quad quad_load_f32(const float *from) {
  return _mm256_cvtps_pd(_mm_loadu_ps(from));
}

static inline void quad_store_f32(float *to, quad q) {
  _mm_storeu_ps(to, _mm256_cvtpd_ps(q));
}

/* Lane l of q[m] and lane m of q[l] change places. */
static inline void quad_turn(quad q[QUAD_WIDTH]) {
  const quad a = _mm256_unpacklo_pd(q[0], q[1]), b = _mm256_unpackhi_pd(q[0], q[1]);
  const quad c = _mm256_unpacklo_pd(q[2], q[3]), d = _mm256_unpackhi_pd(q[2], q[3]);
  q[0] = _mm256_permute2f128_pd(a, c, 0x20);
  q[1] = _mm256_permute2f128_pd(b, d, 0x20);
  q[2] = _mm256_permute2f128_pd(a, c, 0x31);
  q[3] = _mm256_permute2f128_pd(b, d, 0x31);
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

static inline quad quad_load_f32(const float *from) {
  return pair_of((double)from[0], (double)from[1]);
}

static inline void quad_store_f32(float *to, quad q) {
  to[0] = (float)pair_low(q);
  to[1] = (float)pair_high(q);
}

static inline void quad_turn(quad q[QUAD_WIDTH]) {
  const quad first = q[0];
  q[0] = pair_of(pair_low(first), pair_low(q[1]));
  q[1] = pair_of(pair_high(first), pair_high(q[1]));
}
#endif

/* Of cells of either type. */
#define QUAD_LOAD_CELLS(from)                                                                      \
  _Generic((from), const double * : quad_load, const float * : quad_load_f32)(from)
#define QUAD_STORE_CELLS(to, value)                                                                \
  _Generic((to), double * : quad_store, float * : quad_store_f32)(to, value)
