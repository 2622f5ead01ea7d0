/* courier.c - records to ranks that do not know that any will come. */
#include <courier.h>

#include <limits.h>
#include <stdlib.h>

typedef struct inbox {
  size_t record_bytes;
  char *records;
  size_t bytes;
  size_t capacity;
} inbox;

/* Records in one message. */
static int64_t part_records(const rind_outgoing *outgoing) {
  const size_t limit = (size_t)1 << 30;
  size_t most = outgoing->max_message_bytes;
  if (most == 0 || most > limit) most = limit;
  const size_t records = most / outgoing->record_bytes;
  return records > 0 ? (int64_t)records : 1;
}

static int64_t count_parts(const rind_outgoing *outgoing) {
  const int64_t part = part_records(outgoing);
  int64_t parts = 0;
  for (int p = 0; p < outgoing->num_peers; ++p)
    parts += (outgoing->first[p + 1] - outgoing->first[p] + part - 1) / part;
  return parts;
}

/* Synchronous sends: complete once the receiver has them. */
static int post(const rind_context *context, const rind_outgoing *outgoing, int tag,
                MPI_Request *request) {
  const int64_t part = part_records(outgoing);
  const char *records = outgoing->records;
  int code = MPI_SUCCESS, r = 0;
  for (int p = 0; p < outgoing->num_peers; ++p)
    for (int64_t first = outgoing->first[p]; first < outgoing->first[p + 1]; first += part) {
      const int64_t left = outgoing->first[p + 1] - first;
      const int bytes = (int)((size_t)(left < part ? left : part) * outgoing->record_bytes);
      const int posted =
          MPI_Issend(records + (size_t)first * outgoing->record_bytes, bytes, MPI_BYTE,
                     outgoing->peer_rank[p], tag, context->comm, &request[r++]);
      if (code == MPI_SUCCESS) code = posted;
    }
  return code;
}

static bool reserve(inbox *in, size_t more) {
  if (more <= in->capacity - in->bytes) return true;
  const size_t wanted = in->bytes + more;
  const size_t capacity = wanted > SIZE_MAX / 2 ? wanted : wanted + wanted / 2;
  char *records = realloc(in->records, capacity);
  if (!records) return false;
  in->records = records;
  in->capacity = capacity;
  return true;
}

/* Takes the message in, also without memory for it: the sender waits. */
static rind_error take(rind_context *context, const MPI_Status *status, inbox *in) {
  int bytes = 0;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  const bool room = reserve(in, (size_t)bytes);
  char *spare = room ? NULL : malloc((size_t)bytes);
  char *to = room ? in->records + in->bytes : spare;
  const int code = MPI_Recv(to, to ? bytes : 0, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG,
                            context->comm, MPI_STATUS_IGNORE);
  free(spare);
  RIND_REQUIRE(context, room, RIND_ERROR_MEMORY, "no memory for %d bytes of rank %d", bytes,
               status->MPI_SOURCE);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "MPI_Recv from rank %d failed",
               status->MPI_SOURCE);
  in->bytes += (size_t)bytes;
  RIND_REQUIRE(context, (size_t)bytes % in->record_bytes == 0, RIND_ERROR_INTERNAL,
               "rank %d sent %d bytes, records have %zu", status->MPI_SOURCE, bytes,
               in->record_bytes);
  return RIND_OK;
}

/* Receives until all messages of all ranks have arrived: once a rank's own have, it enters a
 * barrier, and goes on receiving until that is complete. */
static rind_error converse(rind_context *context, int tag, int num_parts, MPI_Request *request,
                           inbox *in) {
  rind_error error = RIND_OK;
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool sent = false;
  for (int done = 0; !done || !sent;) {
    MPI_Status status;
    int waiting = 0;
    bool fine = MPI_Iprobe(MPI_ANY_SOURCE, tag, context->comm, &waiting, &status) == MPI_SUCCESS;
    if (fine && waiting) {
      const rind_error taken = take(context, &status, in);
      if (error == RIND_OK) error = taken;
    } else if (fine && !sent) {
      int all = 0;
      fine = MPI_Testall(num_parts, request, &all, MPI_STATUSES_IGNORE) == MPI_SUCCESS;
      if (fine && all) {
        fine = MPI_Ibarrier(context->comm, &barrier) == MPI_SUCCESS;
        sent = true;
      }
    } else if (fine) {
      fine = MPI_Test(&barrier, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    }
    RIND_REQUIRE(context, fine, RIND_ERROR_MPI, "MPI failed while records were sent");
  }
  return error;
}

static rind_error prepare(rind_context *context, const rind_outgoing *outgoing,
                          MPI_Request **request) {
  const int64_t parts = count_parts(outgoing);
  RIND_REQUIRE(context, parts <= INT_MAX && outgoing->record_bytes <= (size_t)1 << 30,
               RIND_ERROR_OVERFLOW, "%lld messages with records of %zu bytes: too many",
               (long long)parts, outgoing->record_bytes);
  *request = malloc(((size_t)parts + 1) * sizeof **request);
  RIND_REQUIRE(context, *request, RIND_ERROR_MEMORY, "no memory for %lld messages",
               (long long)parts);
  return RIND_OK;
}

rind_error rind_courier_deliver(rind_context *context, const rind_outgoing *outgoing,
                                void **records, int64_t *num_records) {
  const int tag = rind_context_next_tag(context);
  MPI_Request *request = NULL;
  inbox in = {.record_bytes = outgoing->record_bytes};
  rind_error error = rind_context_agree(context, prepare(context, outgoing, &request));
  if (error == RIND_OK) {
    if (post(context, outgoing, tag, request) != MPI_SUCCESS)
      error = rind_context_fail(context, RIND_ERROR_MPI, "MPI_Issend of records failed");
    if (error == RIND_OK) error = converse(context, tag, (int)count_parts(outgoing), request, &in);
    error = rind_context_agree(context, error);
  }
  free(request);
  if (error != RIND_OK) {
    free(in.records);
    return error;
  }
  *records = in.records;
  *num_records = (int64_t)(in.bytes / in.record_bytes);
  return RIND_OK;
}
