/* sha256.c - SHA-256, as FIPS 180-4 defines it. Its constants are the first bits of the fractional
 * parts of the roots of the first primes. */
#include "sha256.h"

#include <string.h>

enum { CHUNK = 64, ROUNDS = 64 };

static const uint32_t round_constant[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int bits) {
  return x >> bits | x << (32 - bits);
}

static void spread(const uint8_t chunk[CHUNK], uint32_t w[ROUNDS]) {
  for (int t = 0; t < 16; ++t)
    w[t] = (uint32_t)chunk[4 * t] << 24 | (uint32_t)chunk[4 * t + 1] << 16 |
           (uint32_t)chunk[4 * t + 2] << 8 | chunk[4 * t + 3];
  for (int t = 16; t < ROUNDS; ++t) {
    const uint32_t s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
}

static void digest_chunk(const uint8_t chunk[CHUNK], uint32_t state[8]) {
  uint32_t w[ROUNDS], v[8]; /* v: a to h */
  spread(chunk, w);
  memcpy(v, state, sizeof v);
  for (int t = 0; t < ROUNDS; ++t) {
    const uint32_t s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
    const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t first = v[7] + s1 + choice + round_constant[t] + w[t];
    const uint32_t s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + s0 + majority;
  }
  for (int i = 0; i < 8; ++i)
    state[i] += v[i];
}

void app_sha256(const void *data, size_t bytes, uint8_t digest[32]) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint8_t *next = data;
  uint8_t last[2 * CHUNK] = {0};
  size_t left = bytes;
  for (; left >= CHUNK; left -= CHUNK, next += CHUNK)
    digest_chunk(next, state);
  if (left > 0) memcpy(last, next, left);
  last[left] = 0x80;
  const size_t padded = left + 9 <= CHUNK ? CHUNK : 2 * CHUNK;
  for (int i = 0; i < 8; ++i)
    last[padded - 1 - (size_t)i] = (uint8_t)((uint64_t)bytes * 8 >> 8 * i);
  for (size_t at = 0; at < padded; at += CHUNK)
    digest_chunk(last + at, state);
  for (int i = 0; i < 32; ++i)
    digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
