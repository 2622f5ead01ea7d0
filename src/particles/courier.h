/* courier.h - records to ranks that do not know that any will come. */
#pragma once
#include <core.h>

/* Records sorted by the rank that they go to. */
typedef struct rind_outgoing {
  size_t record_bytes; /* alike on all ranks, at least 1 */
  int num_peers;
  const int32_t *peer_rank; /* [num_peers] */
  const int64_t *first;     /* [num_peers + 1], records of each peer */
  const void *records;
  size_t max_message_bytes; /* longer messages are split; 0: 1 GiB */
} rind_outgoing;

/* Collective: returns once all records of all ranks have arrived. *records is the caller's to free,
 * and in no order between peers; both are set on success only. Memory and messages do not grow with
 * the number of ranks. */
rind_error rind_courier_deliver(rind_context *context, const rind_outgoing *outgoing,
                                void **records, int64_t *num_records);
