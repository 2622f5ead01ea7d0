/* floats.h - four floats next to each other, added in double and rounded once. Each is rounded on
 * its own, so the bits are those of the scalar operations. */
#pragma once
#include <stdint.h>

#if defined(__AVX__)
#include <immintrin.h>

typedef __m128 floats;

static inline floats floats_load(const float *from) {
  return _mm_loadu_ps(from);
}

static inline void floats_store(float *to, floats l) {
  _mm_storeu_ps(to, l);
}

/* All bits of one are set or none. */
static inline floats floats_mask(const uint32_t *from) {
  return _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)from));
}

static inline floats floats_pick(floats mask, floats set, floats unset) {
  return _mm_blendv_ps(unset, set, mask);
}

/* What changes no sum, but for the floats that have a value. */
static inline floats floats_none(void) {
  return _mm_set1_ps(-0.0F);
}

static inline floats floats_with_first(floats l, const float *value) {
  return _mm_insert_ps(l, _mm_load_ss(value), 0x00);
}

static inline floats floats_with_last(floats l, const float *value) {
  return _mm_insert_ps(l, _mm_load_ss(value), 0x30);
}

static inline __m256d floats_widened_sum(floats a, floats b, floats c) {
  const __m256d sum = _mm256_add_pd(_mm256_cvtps_pd(a), _mm256_cvtps_pd(b));
  return _mm256_add_pd(sum, _mm256_cvtps_pd(c));
}

/* (a + b) + c */
static inline floats floats_sum_three(floats a, floats b, floats c) {
  return _mm256_cvtpd_ps(floats_widened_sum(a, b, c));
}

/* ((a + b) + c) + d */
static inline floats floats_sum_four(floats a, floats b, floats c, floats d) {
  return _mm256_cvtpd_ps(_mm256_add_pd(floats_widened_sum(a, b, c), _mm256_cvtps_pd(d)));
}
#else
#include <string.h>

typedef struct floats {
  float value[4];
} floats;

static inline floats floats_load(const float *from) {
  floats l;
  memcpy(&l, from, sizeof l);
  return l;
}

static inline void floats_store(float *to, floats l) {
  memcpy(to, &l, sizeof l);
}

static inline floats floats_mask(const uint32_t *from) {
  floats l;
  memcpy(&l, from, sizeof l);
  return l;
}

static inline floats floats_pick(floats mask, floats set, floats unset) {
  uint32_t m[4], s[4], u[4];
  memcpy(m, &mask, sizeof m);
  memcpy(s, &set, sizeof s);
  memcpy(u, &unset, sizeof u);
  for (int i = 0; i < 4; ++i)
    u[i] = (s[i] & m[i]) | (u[i] & ~m[i]);
  memcpy(&unset, u, sizeof u);
  return unset;
}

static inline floats floats_none(void) {
  return (floats){{-0.0F, -0.0F, -0.0F, -0.0F}};
}

static inline floats floats_with_first(floats l, const float *value) {
  l.value[0] = *value;
  return l;
}

static inline floats floats_with_last(floats l, const float *value) {
  l.value[3] = *value;
  return l;
}

static inline floats floats_sum_three(floats a, floats b, floats c) {
  for (int i = 0; i < 4; ++i)
    a.value[i] = (float)((double)a.value[i] + (double)b.value[i] + (double)c.value[i]);
  return a;
}

static inline floats floats_sum_four(floats a, floats b, floats c, floats d) {
  for (int i = 0; i < 4; ++i)
    a.value[i] =
        (float)((double)a.value[i] + (double)b.value[i] + (double)c.value[i] + (double)d.value[i]);
  return a;
}
#endif
