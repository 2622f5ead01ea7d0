/* exchange_messages.c - messages in parts, from a peer that takes its time; sizes out of range. */
#include <check.h>
#include <messages.h>

#include <stdint.h>
#include <string.h>
#include <time.h>

enum { BYTES = 100, LIMIT = 30, PARTS = 4, FILLS = 3, TAG = 5 };

static void make_data(char *data, int fill) {
  for (int i = 0; i < BYTES; ++i)
    data[i] = (char)(i * 7 + fill);
}

/* The other side by hand: part after part, slowly. */
static void send_slowly(const rind_context *context, int fill) {
  const struct timespec pause = {0, 20 * 1000 * 1000};
  char data[BYTES];
  make_data(data, fill);
  for (int at = 0; at < BYTES; at += LIMIT) {
    const int bytes = BYTES - at < LIMIT ? BYTES - at : LIMIT;
    MPI_Send(data + at, bytes, MPI_BYTE, 0, TAG, context->comm);
    nanosleep(&pause, NULL);
  }
}

static void receive_parts(rind_context *context) {
  const int32_t peers[2] = {0, 1}; /* itself has nothing to say */
  const size_t nothing[2] = {0, 0}, bytes[2] = {0, BYTES};
  rind_messages messages;
  char data[BYTES];
  CHECK_OK(
      rind_messages_create(context, RIND_HOST, 2, peers, nothing, bytes, LIMIT, TAG, &messages),
      context);
  CHECK(messages.num_sends == 0 && messages.num_receives == PARTS && messages.bytes_sent == 0 &&
            messages.bytes_received == BYTES,
        "%d sends, %d receives of %lld bytes", messages.num_sends, messages.num_receives,
        (long long)messages.bytes_received);
  for (int fill = 0; fill < FILLS; ++fill) {
    int peer = 7;
    CHECK_OK(rind_messages_start_receives(context, &messages), context);
    CHECK_OK(rind_messages_wait_any(context, &messages, &peer), context);
    make_data(data, fill);
    CHECK(peer == 1 &&
              memcmp(messages.receive_buffer + messages.receive_offset[1], data, BYTES) == 0,
          "peer %d's message is said to be there before its last part", peer);
    CHECK_OK(rind_messages_wait_any(context, &messages, &peer), context);
    CHECK(peer == -1, "a message of peer %d that nobody sent", peer);
  }
  rind_messages_destroy(&messages);
}

/* Parts that no int can count. */
static void check_overflow(rind_context *context) {
  const int32_t peers[2] = {0, 0};
  const size_t nothing[2] = {0, 0}, huge[2] = {(size_t)1 << 40, 8};
  const size_t half[2] = {SIZE_MAX / 2 - 1000, SIZE_MAX / 2 - 1000};
  rind_messages messages = {.num_peers = -5};
  CHECK_ERROR(rind_messages_create(context, RIND_HOST, 2, peers, huge, nothing, 1, TAG, &messages),
              RIND_ERROR_OVERFLOW, context);
  CHECK_ERROR(rind_messages_create(context, RIND_HOST, 2, peers, nothing, huge, 16, TAG, &messages),
              RIND_ERROR_OVERFLOW, context);
  CHECK_ERROR(rind_messages_create(context, RIND_HOST, 2, peers, half, nothing, SIZE_MAX / 8, TAG,
                                   &messages),
              RIND_ERROR_OVERFLOW, context);
  CHECK(messages.num_peers == -5, "messages were written in spite of the error");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  check_overflow(context);
  if (rind_context_rank(context) == 0)
    receive_parts(context);
  else
    for (int fill = 0; fill < FILLS; ++fill)
      send_slowly(context, fill);
  rind_context_destroy(&context);
  return check_end();
}
