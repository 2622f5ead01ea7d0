/* deposit_host.c - loss and gradient on the host: threads take batches, bins are counted in quanta.
 */
#include <deposit_batch.h>

#include <stdlib.h>

struct deposit_host {
  deposit_work work;
  const deposit_batches *batches;
  int threads;
  deposit_share *shares; /* [threads] */
  double bins[DEPOSIT_BINS];
};

deposit_host *deposit_host_create(const deposit_input *input, int threads) {
  deposit_host *host = calloc(1, sizeof *host);
  if (!host) return NULL;
  host->work.input = *input;
  host->work.step = malloc((size_t)input->count + 1);
  host->batches = deposit_batches_best();
  host->threads = threads;
  host->shares = malloc((size_t)threads * sizeof *host->shares);
  for (int t = 0; t <= DEPOSIT_STEPS; ++t)
    host->work.centre[t] = deposit_centre(t);
  if (!host->work.step || !host->shares) deposit_host_destroy(&host);
  return host;
}

void deposit_host_destroy(deposit_host **host) {
  if (!*host) return;
  free((*host)->work.step);
  free((*host)->shares);
  free(*host);
  *host = NULL;
}

const double *deposit_host_bins(const deposit_host *host) {
  return host->bins;
}

size_t deposit_host_bytes(const deposit_host *host) {
  return sizeof *host + (size_t)host->work.input.count + 1 +
         (size_t)host->threads * sizeof *host->shares;
}

void deposit_host_use_plain(deposit_host *host) {
  host->batches = &deposit_batches_plain;
}

/* The thread's part of the batches. */
static void range_of(const deposit_host *host, int thread, int64_t *begin, int64_t *end) {
  const int64_t count = host->work.input.count;
  const int64_t batches = (count + DEPOSIT_BATCH - 1) / DEPOSIT_BATCH;
  *begin = batches * thread / host->threads * DEPOSIT_BATCH;
  *end = batches * (thread + 1) / host->threads * DEPOSIT_BATCH;
  if (*end > count) *end = count;
}

static int size_of(int64_t at, int64_t end) {
  return (int)(end - at < DEPOSIT_BATCH ? end - at : DEPOSIT_BATCH);
}

static void deposit_range(deposit_host *host, int thread) {
  deposit_share *mine = &host->shares[thread];
  int64_t begin, end;
  range_of(host, thread, &begin, &end);
  memset(mine, 0, sizeof *mine);
  mine->first_bad = host->work.input.count;
  for (int64_t at = begin; at < end; at += DEPOSIT_BATCH)
    host->batches->deposit(&host->work, mine, at, size_of(at, end));
}

static void add_shares(const deposit_host *host, deposit_summary *summary) {
  int64_t deposits[DEPOSIT_STEPS + 1] = {0};
  *summary = (deposit_summary){.first_bad = host->work.input.count};
  for (int s = 0; s < host->threads; ++s) {
    const deposit_share *one = &host->shares[s];
    summary->selected += one->selected;
    if (one->first_bad < summary->first_bad) summary->first_bad = one->first_bad;
    for (int t = 1; t <= DEPOSIT_STEPS; ++t)
      deposits[t] += one->deposits[t];
  }
  for (int t = 1; t <= DEPOSIT_STEPS; ++t) {
    summary->deposits += deposits[t];
    if (deposits[t] > summary->largest) summary->largest = deposits[t];
  }
}

static double value_of_bin(const deposit_host *host, int b) {
  deposit_bin sum = {0, 0};
  for (int s = 0; s < host->threads; ++s) {
    const deposit_bin one = host->shares[s].bins[b];
    sum.low += one.low;
    sum.high += one.high + (sum.low < one.low);
  }
  return deposit_value(sum.high << 32 | sum.low >> 32, sum.low & UINT32_MAX);
}

void deposit_host_loss(deposit_host *host, deposit_summary *summary) {
  double square[DEPOSIT_BINS];
#pragma omp parallel for num_threads(host->threads) schedule(static, 1)
  for (int thread = 0; thread < host->threads; ++thread)
    deposit_range(host, thread);
  add_shares(host, summary);
  for (int b = 0; b < DEPOSIT_BINS; ++b) {
    host->bins[b] = value_of_bin(host, b);
    const double difference = host->bins[b] - host->work.input.target[b];
    host->work.slope[b] = 2.0 * difference;
    square[b] = difference * difference;
  }
  for (int half = DEPOSIT_BINS / 2; half > 0; half /= 2)
    for (int b = 0; b < half; ++b)
      square[b] += square[b + half];
  summary->loss = square[0];
}

void deposit_host_gradient(const deposit_host *host, double *gradient) {
#pragma omp parallel for num_threads(host->threads) schedule(static, 1)
  for (int thread = 0; thread < host->threads; ++thread) {
    int64_t begin, end;
    range_of(host, thread, &begin, &end);
    for (int64_t at = begin; at < end; at += DEPOSIT_BATCH)
      host->batches->gradient(&host->work, at, size_of(at, end), gradient + at);
  }
}
