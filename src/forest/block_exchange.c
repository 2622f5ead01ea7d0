/* block_exchange.c - messages between ranks that do not know who will write to them. */
#include <block_exchange.h>

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include <core.h>

/* Of a block: tree, level, coordinate, index. */
enum { ITEM_INTS = 6 };

typedef struct outbox {
  int32_t *item;        /* [num_targets][ITEM_INTS], sorted by rank */
  MPI_Request *request; /* [num_peers] */
  int num_peers;
} outbox;

typedef struct inbox {
  rind_block *block;
  int num_blocks;
  int capacity;
} inbox;

static int compare_targets(const void *one, const void *other) {
  const rind_block_target *a = one, *b = other;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->block > b->block) - (a->block < b->block);
}

/* The highest tag; an exchange would come to it after as many creations. */
static int exchange_tag(MPI_Comm comm) {
  int *limit = NULL, found = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &found);
  return found ? *limit : 32767;
}

static rind_error pack(rind_context *context, const rind_block *block,
                       const rind_block_target *target, int num_targets, outbox *out) {
  RIND_REQUIRE(context, num_targets <= INT_MAX / ITEM_INTS, RIND_ERROR_OVERFLOW,
               "%d blocks go to other ranks: at most %d may", num_targets, INT_MAX / ITEM_INTS);
  for (int t = 0; t < num_targets; ++t)
    if (t == 0 || target[t].rank != target[t - 1].rank) ++out->num_peers;
  out->item = calloc((size_t)num_targets + 1, ITEM_INTS * sizeof *out->item);
  out->request = calloc((size_t)out->num_peers + 1, sizeof(MPI_Request));
  RIND_REQUIRE(context, out->item && out->request, RIND_ERROR_MEMORY,
               "no memory for messages about %d blocks", num_targets);
  for (int t = 0; t < num_targets; ++t) {
    const rind_block *from = &block[target[t].block];
    int32_t *item = out->item + (size_t)t * ITEM_INTS;
    item[0] = from->tree;
    item[1] = from->level;
    for (int a = 0; a < 3; ++a)
      item[2 + a] = from->coordinate[a];
    item[5] = target[t].block;
  }
  return RIND_OK;
}

/* Synchronous sends: complete once the receiver has them. */
static bool post(MPI_Comm comm, const rind_block_target *target, int num_targets, outbox *out) {
  bool fine = true;
  for (int first = 0, peer = 0, end; first < num_targets; first = end, ++peer) {
    for (end = first; end < num_targets && target[end].rank == target[first].rank;)
      ++end;
    fine = MPI_Issend(out->item + (size_t)first * ITEM_INTS, ITEM_INTS * (end - first), MPI_INT32_T,
                      target[first].rank, exchange_tag(comm), comm,
                      &out->request[peer]) == MPI_SUCCESS &&
           fine;
  }
  return fine;
}

static bool reserve(inbox *in, int more) {
  if (more > INT_MAX - in->num_blocks) return false;
  if (in->num_blocks + more <= in->capacity) return true;
  const int capacity =
      in->capacity > INT_MAX / 2 - more ? in->num_blocks + more : 2 * in->capacity + more;
  rind_block *block = realloc(in->block, (size_t)capacity * sizeof *block);
  if (!block) return false;
  in->block = block;
  in->capacity = capacity;
  return true;
}

/* Takes the message in, also without memory for it: the sender waits. */
static rind_error take(rind_context *context, const MPI_Status *status, inbox *in) {
  const MPI_Comm comm = rind_context_comm(context);
  int num_ints = 0;
  MPI_Get_count(status, MPI_INT32_T, &num_ints);
  const int num_blocks = num_ints / ITEM_INTS;
  int32_t *item = malloc((size_t)num_ints * sizeof *item + 1);
  const bool room = item && reserve(in, num_blocks);
  const int code = MPI_Recv(item, item ? num_ints : 0, MPI_INT32_T, status->MPI_SOURCE,
                            status->MPI_TAG, comm, MPI_STATUS_IGNORE);
  for (int b = 0; room && b < num_blocks; ++b) {
    const int32_t *from = item + (size_t)b * ITEM_INTS;
    in->block[in->num_blocks++] = (rind_block){.tree = from[0],
                                               .level = from[1],
                                               .coordinate = {from[2], from[3], from[4]},
                                               .owner = status->MPI_SOURCE,
                                               .index = from[5]};
  }
  free(item);
  RIND_REQUIRE(context, room, RIND_ERROR_MEMORY, "no memory for %d blocks of rank %d", num_blocks,
               status->MPI_SOURCE);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "MPI_Recv from rank %d failed",
               status->MPI_SOURCE);
  return RIND_OK;
}

/* Receives until all messages of all ranks have arrived: once a rank's own have, it enters a
 * barrier, and goes on receiving until that is complete. */
static rind_error converse(rind_context *context, outbox *out, inbox *in) {
  const MPI_Comm comm = rind_context_comm(context);
  const int tag = exchange_tag(comm);
  rind_error error = RIND_OK;
  bool sent = false;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (int done = 0; !done || !sent;) {
    MPI_Status status;
    int waiting = 0;
    bool fine = MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &waiting, &status) == MPI_SUCCESS;
    if (fine && waiting) {
      const rind_error taken = take(context, &status, in);
      if (error == RIND_OK) error = taken;
    } else if (fine && !sent) {
      int all = 0;
      fine = MPI_Testall(out->num_peers, out->request, &all, MPI_STATUSES_IGNORE) == MPI_SUCCESS;
      if (fine && all) {
        fine = MPI_Ibarrier(comm, &barrier) == MPI_SUCCESS;
        sent = true;
      }
    } else if (fine) {
      fine = MPI_Test(&barrier, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    }
    RIND_REQUIRE(context, fine, RIND_ERROR_MPI, "MPI failed while ranks told of their blocks");
  }
  return error;
}

rind_error rind_block_exchange(rind_context *context, rind_error error, const rind_block *block,
                               rind_block_target *target, int num_targets, rind_block **received,
                               int *num_received) {
  outbox out = {.item = NULL};
  inbox in = {.block = NULL};
  if (error == RIND_OK) {
    if (num_targets > 0) qsort(target, (size_t)num_targets, sizeof *target, compare_targets);
    error = pack(context, block, target, num_targets, &out);
  }
  error = rind_context_agree(context, error);
  if (error == RIND_OK && !post(rind_context_comm(context), target, num_targets, &out))
    error = rind_context_fail(context, RIND_ERROR_MPI, "MPI_Issend of blocks failed");
  if (error == RIND_OK) error = converse(context, &out, &in);
  free(out.item);
  free(out.request);
  if (error != RIND_OK) {
    free(in.block);
    return error;
  }
  *received = in.block;
  *num_received = in.num_blocks;
  return RIND_OK;
}
