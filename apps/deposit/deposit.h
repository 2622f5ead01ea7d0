/* deposit.h - the deposit benchmark: particles that a moving window selects go into bins; the loss
 * is the squared distance of the bins from a target, its gradient that by the particles' positions.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deposit_input {
  int64_t count;        /* particles */
  const double *x;      /* [count], where they are at step 0; the circle has length 1 */
  const double *v;      /* [count], how far they go in a step */
  const double *target; /* [DEPOSIT_BINS] */
} deposit_input;

typedef struct deposit_summary {
  double loss;
  int64_t selected;  /* particles that were in the window at least once */
  int64_t deposits;  /* how often in all */
  int64_t largest;   /* most of one step */
  int64_t first_bad; /* first particle whose x or v is not finite; count: none */
} deposit_summary;

/* On the host. Borrows the input, which must outlive it. NULL without memory. */
typedef struct deposit_host deposit_host;
deposit_host *deposit_host_create(const deposit_input *input, int threads);
void deposit_host_destroy(deposit_host **host);
/* The same bits for any number of threads. */
void deposit_host_loss(deposit_host *host, deposit_summary *summary);
/* After the loss: gradient[count]. */
void deposit_host_gradient(const deposit_host *host, double *gradient);
/* For tests: the loops that any processor can run. */
void deposit_host_use_plain(deposit_host *host);
/* [DEPOSIT_BINS], after the loss. */
const double *deposit_host_bins(const deposit_host *host);
/* Bytes beyond input and gradient. */
size_t deposit_host_bytes(const deposit_host *host);

#ifdef __cplusplus
}
#endif
