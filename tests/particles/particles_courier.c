/* particles_courier.c - records arrive once each, whatever their size, in messages of any length.
 */
#include <courier.h>
#include <rind/rind.h>
#include <string.h>

#include <check.h>

#include "cloud_scene.h"

enum { MOST = 400 };

/* Words of a record that rank from sends to rank to as its number-th. */
static uint64_t word(int from, int to, int64_t number, size_t k) {
  return (uint64_t)(1e15 * cloud_random((uint64_t)(from * 100 + to), number * 16 + (int64_t)k));
}

/* Some pairs of ranks say nothing, one sends to itself. */
static int64_t count_of(int from, int to, int round) {
  const double share = cloud_random((uint64_t)round, from * 100 + to);
  return share < 0.3 ? 0 : (int64_t)(share * MOST);
}

static void deliver(rind_context *context, size_t words, size_t most, int round) {
  const int rank = rind_context_rank(context), size = rind_context_size(context);
  int32_t *peer = calloc((size_t)size, sizeof *peer);
  int64_t *first = calloc((size_t)size + 1, sizeof *first), n = 0, expected = 0;
  uint64_t *records = calloc((size_t)(size * MOST), words * sizeof *records);
  int num_peers = 0;
  for (int to = 0; to < size; ++to) {
    expected += count_of(to, rank, round);
    if (count_of(rank, to, round) == 0) continue;
    peer[num_peers] = to;
    first[num_peers++] = n;
    for (int64_t i = 0; i < count_of(rank, to, round); ++i, ++n)
      for (size_t k = 0; k < words; ++k)
        records[(size_t)n * words + k] = k == 0   ? (uint64_t)rank
                                         : k == 1 ? (uint64_t)i
                                                  : word(rank, to, i, k);
  }
  first[num_peers] = n;
  const rind_outgoing outgoing = {.record_bytes = words * sizeof *records,
                                  .num_peers = num_peers,
                                  .peer_rank = peer,
                                  .first = first,
                                  .records = records,
                                  .max_message_bytes = most};
  void *received = NULL;
  int64_t num = 0;
  CHECK_OK(rind_courier_deliver(context, &outgoing, &received, &num), context);
  CHECK(num == expected, "%lld records, %lld were sent", (long long)num, (long long)expected);
  char *seen = calloc((size_t)(size * MOST), 1);
  for (int64_t r = 0; r < num; ++r) {
    const uint64_t *record = (const uint64_t *)received + (size_t)r * words;
    const int from = (int)record[0];
    const int64_t i = (int64_t)record[1];
    const int known = from >= 0 && from < size && i >= 0 && i < count_of(from, rank, round);
    CHECK(known && !seen[from * MOST + i], "record %lld of rank %d", (long long)i, from);
    if (!known) continue;
    seen[from * MOST + i] = 1;
    for (size_t k = 2; k < words; ++k)
      CHECK(record[k] == word(from, rank, i, k), "word %zu of record %lld of rank %d", k,
            (long long)i, from);
  }
  free(seen);
  free(received);
  free(records);
  free(first);
  free(peer);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  for (int round = 0; round < 12; ++round) {
    static const size_t most[4] = {0, 1, 100, 1000};
    deliver(context, 2 + (size_t)round % 5, most[round % 4], round);
  }
  rind_context_destroy(&context);
  return check_end();
}
