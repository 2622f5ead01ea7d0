/* deposit_batch.h - what runs over a batch of particles on the host: the same loops for any
 * processor and for wider registers, with the same bits. */
#pragma once
#include <deposit.h>
#include <deposit_rule.h>

/* A batch's arrays stay in the first cache. */
enum { DEPOSIT_BATCH = 256, DEPOSIT_SEARCH = 255 };

/* Quanta of a bin: high 2^64 + low. */
typedef struct deposit_bin {
  uint64_t low, high;
} deposit_bin;

/* What a thread counts. */
typedef struct deposit_share {
  deposit_bin bins[DEPOSIT_BINS];
  int64_t deposits[DEPOSIT_STEPS + 1]; /* a step's */
  int64_t selected;
  int64_t first_bad;
} deposit_share;

typedef struct deposit_work {
  deposit_input input;
  uint8_t *step; /* [count], when a particle is selected; 0: never, DEPOSIT_SEARCH: search */
  double centre[DEPOSIT_STEPS + 1];
  double slope[DEPOSIT_BINS]; /* dL/dH */
} deposit_work;

/* Particles [first, first + count), count <= DEPOSIT_BATCH. */
typedef struct deposit_batches {
  void (*deposit)(const deposit_work *work, deposit_share *mine, int64_t first, int count);
  void (*gradient)(const deposit_work *work, int64_t first, int count, double *gradient);
} deposit_batches;

extern const deposit_batches deposit_batches_plain;
/* The fastest that this processor can run. */
const deposit_batches *deposit_batches_best(void);
