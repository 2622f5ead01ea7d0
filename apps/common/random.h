/* random.h - random numbers as Julia's Xoshiro(seed) draws them: the same seed and the same calls
 * give the same numbers on every machine.
 *
 *     app_random random;
 *     app_random_seed(&random, 42);
 *     app_random_fill(&random, x, n);          rand(n): uniform in [0, 1)
 *     app_random_fill_normal(&random, v, n);   randn(n): mean 0, variance 1
 *
 * Arrays of 8 and more are drawn in bulk: other numbers than from n calls, as in Julia. Bits and
 * uniform numbers are Julia's; normal ones may differ from its own by parts in 10^14, because its
 * table was made with a slightly different area a step. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* xoshiro256++ (Blackman and Vigna 2019). */
typedef struct app_random {
  uint64_t state[4];
} app_random;

void app_random_seed(app_random *random, uint64_t seed);
/* 64 random bits. */
uint64_t app_random_bits(app_random *random);
/* Uniform in [0, 1), a multiple of 2^-53. */
double app_random_double(app_random *random);
/* Normal, mean 0 and variance 1. */
double app_random_normal(app_random *random);
/* to[count] in bulk. */
void app_random_fill(app_random *random, double *to, size_t count);
void app_random_fill_normal(app_random *random, double *to, size_t count);
