/* random.c - xoshiro256++ with its seeding, scalar draws and bulk fills; ziggurat.c has the table
 * of the normal numbers. */
#include "random.h"

#include <math.h>
#include <string.h>

#include "sha256.h"
#include "ziggurat.h"

enum { LANES = 8, LEAST_NORMAL_BULK = 7 };

static uint64_t turn(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

/* The digest of the seed's 32-bit words, as few as hold it. */
void app_random_seed(app_random *random, uint64_t seed) {
  uint8_t bytes[8], digest[32];
  for (int i = 0; i < 8; ++i)
    bytes[i] = (uint8_t)(seed >> 8 * i);
  app_sha256(bytes, seed >> 32 ? 8 : 4, digest);
  for (int w = 0; w < 4; ++w) {
    random->state[w] = 0;
    for (int i = 0; i < 8; ++i)
      random->state[w] |= (uint64_t)digest[8 * w + i] << 8 * i;
  }
}

uint64_t app_random_bits(app_random *random) {
  uint64_t *s = random->state;
  const uint64_t result = turn(s[0] + s[3], 23) + s[0], shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = turn(s[3], 45);
  return result;
}

static double to_double(uint64_t bits) {
  return (double)(bits >> 11) * 0x1p-53;
}

double app_random_double(app_random *random) {
  return to_double(app_random_bits(random));
}

typedef struct lanes {
  uint64_t state[4][LANES];
} lanes;

static void fork_lanes(app_random *random, lanes *forked) {
  static const uint64_t factor[4] = {0x02011ce34bce797f, 0x5a94851fb48a6e05, 0x3688cf5d48899fa7,
                                     0x867b4bb4c42e5661};
  for (int w = 0; w < 4; ++w)
    for (int l = 0; l < LANES; ++l)
      forked->state[w][l] = factor[w] * app_random_bits(random);
}

static void draw_round(lanes *from, uint64_t bits[LANES]) {
  for (int l = 0; l < LANES; ++l) {
    app_random one = {{from->state[0][l], from->state[1][l], from->state[2][l], from->state[3][l]}};
    bits[l] = app_random_bits(&one);
    for (int w = 0; w < 4; ++w)
      from->state[w][l] = one.state[w];
  }
}

/* The bits become what to_value makes of them, in the place of the doubles. */
static void fill(app_random *random, double *to, size_t count, double (*to_value)(uint64_t)) {
  size_t done = 0;
  if (count >= LANES) {
    lanes forked;
    uint64_t bits[LANES];
    fork_lanes(random, &forked);
    for (; done + LANES <= count; done += LANES) {
      draw_round(&forked, bits);
      for (int l = 0; l < LANES; ++l)
        to[done + (size_t)l] = to_value(bits[l]);
    }
  }
  for (; done < count; ++done)
    to[done] = to_value(app_random_bits(random));
}

void app_random_fill(app_random *random, double *to, size_t count) {
  fill(random, to, count, to_double);
}

/* Beyond the last step (Marsaglia 1964): 2 of 10 000 come here. */
static double draw_tail(app_random *random) {
  for (;;) {
    const double x = -(1.0 / ZIGGURAT_END) * log1p(-app_random_double(random));
    const double y = -log1p(-app_random_double(random));
    if (y + y > x * x) return ZIGGURAT_END + x;
  }
}

/* A normal number from bits; what they do not decide is drawn from random. */
static double to_normal(app_random *random, uint64_t bits) {
  for (;; bits = app_random_bits(random)) {
    const uint64_t magnitude = bits >> 13;
    const unsigned step = magnitude & 255;
    const double x = (double)magnitude * app_ziggurat[step].width;
    const double signed_x = bits >> 12 & 1 ? -x : x;
    if (magnitude < app_ziggurat[step].inside) return signed_x;
    if (step == 0) {
      const double tail = draw_tail(random);
      return magnitude >> 8 & 1 ? -tail : tail;
    }
    const double low = app_ziggurat[step].height, high = app_ziggurat[step - 1].height;
    if ((high - low) * app_random_double(random) + low < exp(-0.5 * x * x)) return signed_x;
  }
}

double app_random_normal(app_random *random) {
  return to_normal(random, app_random_bits(random));
}

/* Bits as a double that holds them. */
static double keep_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void app_random_fill_normal(app_random *random, double *to, size_t count) {
  if (count < LEAST_NORMAL_BULK) {
    for (size_t i = 0; i < count; ++i)
      to[i] = app_random_normal(random);
    return;
  }
  fill(random, to, count, keep_bits);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, to + i, sizeof bits);
    to[i] = to_normal(random, bits);
  }
}
