/* messages.c - one persistent message a peer and direction, split where it is too long. */
#include <messages.h>

#include <device_memory.h>
#include <ranges.h>

#include <limits.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

/* Where each peer's part begins, and in how many pieces it travels. */
static rind_error place_parts(rind_context *context, int num_peers, const size_t *bytes,
                              size_t limit, size_t *offset, int *first) {
  int64_t parts = 0;
  for (int p = 0; p < num_peers; ++p) {
    const size_t pieces = bytes[p] / limit + (bytes[p] % limit > 0);
    RIND_REQUIRE(context, pieces <= INT_MAX && bytes[p] <= SIZE_MAX / 2 - ALIGNMENT - offset[p],
                 RIND_ERROR_OVERFLOW, "a message of %zu bytes in parts of %zu: too many", bytes[p],
                 limit);
    parts += (int64_t)pieces;
    RIND_REQUIRE(context, parts <= INT_MAX, RIND_ERROR_OVERFLOW,
                 "%lld parts of at most %zu bytes: at most %d", (long long)parts, limit, INT_MAX);
    first[p + 1] = (int)parts;
    offset[p + 1] = (offset[p] + bytes[p] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  return RIND_OK;
}

static bool allocate(rind_messages *m) {
  const size_t peers = (size_t)m->num_peers;
  m->first_send = rind_allocate(peers + 1, sizeof *m->first_send);
  m->first_receive = rind_allocate(peers + 1, sizeof *m->first_receive);
  m->send_offset = rind_allocate(peers + 1, sizeof *m->send_offset);
  m->receive_offset = rind_allocate(peers + 1, sizeof *m->receive_offset);
  m->pending = rind_allocate(peers, sizeof *m->pending);
  return m->first_send && m->first_receive && m->send_offset && m->receive_offset && m->pending;
}

static bool allocate_requests(rind_messages *m, int num_sends, int num_receives) {
  m->send = rind_allocate((size_t)num_sends, sizeof *m->send);
  m->receive = rind_allocate((size_t)num_receives, sizeof *m->receive);
  m->receive_peer = rind_allocate((size_t)num_receives, sizeof *m->receive_peer);
  return m->send && m->receive && m->receive_peer;
}

static rind_error allocate_pinned(rind_context *context, size_t bytes, char **data) {
  void *memory = NULL;
  const int code = rind_device_allocate_pinned(bytes, &memory);
  RIND_REQUIRE(context, code == 0, RIND_ERROR_MEMORY,
               "no %zu bytes of pinned host memory for messages: %s", bytes,
               rind_device_error_text(code));
  *data = memory;
  return RIND_OK;
}

/* One direction's buffer, and its stage. */
static rind_error allocate_buffer(rind_context *context, const rind_messages *m, size_t bytes,
                                  char **buffer, char **stage) {
  if (m->pinned) {
    RIND_TRY(allocate_pinned(context, bytes, buffer));
  } else {
    void *memory = NULL;
    RIND_TRY(rind_space_allocate(context, m->space, bytes, &memory));
    *buffer = memory;
  }
  if (m->staged) return allocate_pinned(context, bytes, stage);
  *stage = *buffer;
  return RIND_OK;
}

static rind_error allocate_buffers(rind_context *context, rind_messages *m) {
  m->staged = m->space == RIND_DEVICE && !context->mpi_takes_device;
  m->pinned = m->space == RIND_DEVICE && context->device_messages_pinned;
  RIND_TRY(
      allocate_buffer(context, m, m->send_offset[m->num_peers], &m->send_buffer, &m->send_stage));
  return allocate_buffer(context, m, m->receive_offset[m->num_peers], &m->receive_buffer,
                         &m->receive_stage);
}

static void free_buffer(const rind_messages *m, char *buffer, char *stage) {
  if (m->pinned && buffer)
    rind_device_free_pinned(buffer);
  else
    rind_space_free(m->space, buffer);
  if (m->staged && stage) rind_device_free_pinned(stage);
}

/* The parts of one peer's message, either way. */
static rind_error make_parts(rind_context *context, bool sends, int rank, int tag, char *data,
                             size_t bytes, size_t limit, MPI_Request *request, int *num_made) {
  while (bytes > 0) {
    const size_t piece = bytes < limit ? bytes : limit;
    MPI_Request *made = &request[*num_made];
    const int code =
        sends ? MPI_Send_init(data, (int)piece, MPI_BYTE, rank, tag, context->comm, made)
              : MPI_Recv_init(data, (int)piece, MPI_BYTE, rank, tag, context->comm, made);
    RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI,
                 "no persistent message of %zu bytes with rank %d", piece, rank);
    ++*num_made;
    data += piece;
    bytes -= piece;
  }
  return RIND_OK;
}

static rind_error make_requests(rind_context *context, const int32_t *peer_rank,
                                const size_t *send_bytes, const size_t *receive_bytes, size_t limit,
                                int tag, rind_messages *m) {
  for (int p = 0; p < m->num_peers; ++p) {
    RIND_TRY(make_parts(context, true, peer_rank[p], tag, m->send_stage + m->send_offset[p],
                        send_bytes[p], limit, m->send, &m->num_sends));
    RIND_TRY(make_parts(context, false, peer_rank[p], tag, m->receive_stage + m->receive_offset[p],
                        receive_bytes[p], limit, m->receive, &m->num_receives));
    for (int part = m->first_receive[p]; part < m->first_receive[p + 1]; ++part)
      m->receive_peer[part] = p;
    m->bytes_sent += (int64_t)send_bytes[p];
    m->bytes_received += (int64_t)receive_bytes[p];
  }
  return RIND_OK;
}

rind_error rind_messages_create(rind_context *context, rind_space space, int num_peers,
                                const int32_t *peer_rank, const size_t *send_bytes,
                                const size_t *receive_bytes, size_t max_message_bytes, int tag,
                                rind_messages *messages) {
  rind_messages m = {.num_peers = num_peers, .space = space};
  rind_error error = RIND_OK;
  if (!allocate(&m))
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for %d peers", num_peers);
  if (error == RIND_OK)
    error =
        place_parts(context, num_peers, send_bytes, max_message_bytes, m.send_offset, m.first_send);
  if (error == RIND_OK)
    error = place_parts(context, num_peers, receive_bytes, max_message_bytes, m.receive_offset,
                        m.first_receive);
  if (error == RIND_OK &&
      !allocate_requests(&m, m.first_send[num_peers], m.first_receive[num_peers]))
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for messages of %zu bytes",
                              m.send_offset[num_peers] + m.receive_offset[num_peers]);
  if (error == RIND_OK) error = allocate_buffers(context, &m);
  if (error == RIND_OK)
    error =
        make_requests(context, peer_rank, send_bytes, receive_bytes, max_message_bytes, tag, &m);
  if (error != RIND_OK) {
    rind_messages_destroy(&m);
    return error;
  }
  *messages = m;
  return RIND_OK;
}

void rind_messages_destroy(rind_messages *messages) {
  for (int part = 0; part < messages->num_sends; ++part)
    MPI_Request_free(&messages->send[part]);
  for (int part = 0; part < messages->num_receives; ++part)
    MPI_Request_free(&messages->receive[part]);
  free(messages->send);
  free(messages->receive);
  free(messages->first_send);
  free(messages->first_receive);
  free(messages->receive_peer);
  free(messages->pending);
  free(messages->send_offset);
  free(messages->receive_offset);
  free_buffer(messages, messages->send_buffer, messages->send_stage);
  free_buffer(messages, messages->receive_buffer, messages->receive_stage);
  *messages = (rind_messages){0};
}

/* One by one: MPI_Startall may take any order, and the parts of a message match in theirs. */
static rind_error start(rind_context *context, MPI_Request *request, int count, const char *what) {
  for (int r = 0; r < count; ++r)
    RIND_REQUIRE(context, MPI_Start(&request[r]) == MPI_SUCCESS, RIND_ERROR_MPI,
                 "%s %d of %d could not be started", what, r + 1, count);
  return RIND_OK;
}

static rind_error copy(rind_context *context, void *to, const void *from, size_t bytes) {
  const int code = bytes > 0 ? rind_device_copy_async(to, from, bytes, context->stream) : 0;
  RIND_REQUIRE(context, code == 0, RIND_ERROR_DEVICE, "a message of %zu bytes was not copied: %s",
               bytes, rind_device_error_text(code));
  return RIND_OK;
}

rind_error rind_messages_stage_sends(rind_context *context, rind_messages *messages) {
  if (messages->space == RIND_HOST || messages->num_peers == 0) return RIND_OK;
  if (messages->staged)
    RIND_TRY(copy(context, messages->send_stage, messages->send_buffer,
                  messages->send_offset[messages->num_peers]));
  return rind_context_wait(context);
}

rind_error rind_messages_unstage(rind_context *context, rind_messages *messages, int peer) {
  if (!messages->staged) return RIND_OK;
  const size_t first = messages->receive_offset[peer];
  return copy(context, messages->receive_buffer + first, messages->receive_stage + first,
              messages->receive_offset[peer + 1] - first);
}

rind_error rind_messages_start_receives(rind_context *context, rind_messages *messages) {
  if (messages->num_receives == 0) return RIND_OK;
  for (int p = 0; p < messages->num_peers; ++p)
    messages->pending[p] = messages->first_receive[p + 1] - messages->first_receive[p];
  return start(context, messages->receive, messages->num_receives, "receives");
}

rind_error rind_messages_start_send(rind_context *context, rind_messages *messages, int peer) {
  const int first = messages->first_send[peer], parts = messages->first_send[peer + 1] - first;
  if (parts == 0) return RIND_OK;
  rind_range_begin("rind send");
  const rind_error error = start(context, messages->send + first, parts, "sends");
  rind_range_end();
  return error;
}

rind_error rind_messages_wait_any(rind_context *context, rind_messages *messages, int *peer) {
  *peer = -1;
  while (messages->num_receives > 0) {
    int part = MPI_UNDEFINED;
    RIND_REQUIRE(context,
                 MPI_Waitany(messages->num_receives, messages->receive, &part, MPI_STATUS_IGNORE) ==
                     MPI_SUCCESS,
                 RIND_ERROR_MPI, "a receive failed");
    if (part == MPI_UNDEFINED) break;
    const int from = messages->receive_peer[part];
    if (--messages->pending[from] > 0) continue;
    *peer = from;
    break;
  }
  return RIND_OK;
}

rind_error rind_messages_wait_sends(rind_context *context, rind_messages *messages) {
  if (messages->num_sends == 0) return RIND_OK;
  RIND_REQUIRE(context,
               MPI_Waitall(messages->num_sends, messages->send, MPI_STATUSES_IGNORE) == MPI_SUCCESS,
               RIND_ERROR_MPI, "a send failed");
  return RIND_OK;
}

void rind_messages_end(rind_context *context, rind_messages *messages) {
  int peer = 0;
  while (peer >= 0)
    if (rind_messages_wait_any(context, messages, &peer) != RIND_OK) break;
  rind_messages_wait_sends(context, messages);
  rind_messages_destroy(messages);
}

int64_t rind_messages_metadata_bytes(const rind_messages *messages) {
  const size_t peer_bytes = 2 * sizeof *messages->first_send + 2 * sizeof *messages->send_offset;
  return (int64_t)((size_t)messages->num_sends * sizeof *messages->send +
                   (size_t)messages->num_receives *
                       (sizeof *messages->receive + sizeof *messages->receive_peer) +
                   ((size_t)messages->num_peers + 1) * peer_bytes +
                   (size_t)messages->num_peers * sizeof *messages->pending);
}
