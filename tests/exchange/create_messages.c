/* create_messages.c - what making a schedule and an exchange says to other ranks: collectives of a
 * few bytes, as many on many ranks and blocks as on few, nothing gathered from all ranks, and
 * letters to neighbours only. */
#include <check.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>
#include <stdbool.h>

/* Since the last reset, of this rank. */
typedef struct talk {
  long collectives; /* reductions, broadcasts and barriers */
  long bytes;       /* that the rank puts into them */
  long gathers;     /* whose result grows with the number of ranks */
  long letters;     /* point to point, sent */
} talk;
static talk heard;

static void hear(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++heard.collectives;
  heard.bytes += (long)count * size;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  hear(count, type);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  hear(count, type);
  return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Exscan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  hear(count, type);
  return PMPI_Exscan(from, to, count, type, op, comm);
}

int MPI_Scan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  hear(count, type);
  return PMPI_Scan(from, to, count, type, op, comm);
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  hear(count, type);
  return PMPI_Reduce(from, to, count, type, op, root, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  hear(0, MPI_BYTE);
  return PMPI_Barrier(comm);
}

int MPI_Allgather(const void *from, int num_from, MPI_Datatype from_type, void *to, int num_to,
                  MPI_Datatype to_type, MPI_Comm comm) {
  ++heard.gathers;
  return PMPI_Allgather(from, num_from, from_type, to, num_to, to_type, comm);
}

int MPI_Allgatherv(const void *from, int num_from, MPI_Datatype from_type, void *to,
                   const int *num_to, const int *place, MPI_Datatype to_type, MPI_Comm comm) {
  ++heard.gathers;
  return PMPI_Allgatherv(from, num_from, from_type, to, num_to, place, to_type, comm);
}

int MPI_Gather(const void *from, int num_from, MPI_Datatype from_type, void *to, int num_to,
               MPI_Datatype to_type, int root, MPI_Comm comm) {
  ++heard.gathers;
  return PMPI_Gather(from, num_from, from_type, to, num_to, to_type, root, comm);
}

int MPI_Gatherv(const void *from, int num_from, MPI_Datatype from_type, void *to, const int *num_to,
                const int *place, MPI_Datatype to_type, int root, MPI_Comm comm) {
  ++heard.gathers;
  return PMPI_Gatherv(from, num_from, from_type, to, num_to, place, to_type, root, comm);
}

int MPI_Alltoall(const void *from, int num_from, MPI_Datatype from_type, void *to, int num_to,
                 MPI_Datatype to_type, MPI_Comm comm) {
  ++heard.gathers;
  return PMPI_Alltoall(from, num_from, from_type, to, num_to, to_type, comm);
}

int MPI_Alltoallv(const void *from, const int *num_from, const int *from_place,
                  MPI_Datatype from_type, void *to, const int *num_to, const int *to_place,
                  MPI_Datatype to_type, MPI_Comm comm) {
  ++heard.gathers;
  return PMPI_Alltoallv(from, num_from, from_place, from_type, to, num_to, to_place, to_type, comm);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  ++heard.letters;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request) {
  ++heard.letters;
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++heard.letters;
  return PMPI_Send(data, count, type, to, tag, comm);
}

static int lower_half(const rind_block *block, void *user) {
  const int base = *(const int *)user;
  return block->level == base && block->coordinate[0] < 1 << (base - 1);
}

/* Makes a forest of a tree a rank, and on it a schedule and an exchange: what these two say. */
static void listen(MPI_Comm comm, int level, talk *schedule_talk, talk *exchange_talk) {
  const rind_rules rules = {.regions = RIND_REGIONS_ALL};
  const rind_exchange_options options = {.adjoint = true};
  rind_layout layout = {.cells = 4, .ghosts = 1, .components = 1};
  rind_context *context = NULL;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_exchange_stats stats;
  int size = 0;
  MPI_Comm_size(comm, &size);
  const rind_brick brick = {.dim = 3, .trees = {size, 1, 1}, .periodic = {1, 1, 1}, .level = level};
  CHECK_OK(rind_context_create(comm, NULL, &context), NULL);
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  CHECK_OK(rind_forest_refine(forest, level + 1, lower_half, &level), context);
  heard = (talk){0};
  CHECK_OK(rind_schedule_create(forest, layout.cells, layout.ghosts, &rules, &schedule), context);
  *schedule_talk = heard;
  heard = (talk){0};
  CHECK_OK(rind_exchange_create(schedule, &layout, &options, &exchange), context);
  *exchange_talk = heard;
  CHECK_OK(rind_exchange_get_stats(exchange, &stats), context);
  /* A size and a letter to each peer, for the fill and for its adjoint. */
  CHECK(exchange_talk->letters <= 4 * stats.peers, "%ld letters to %d peers",
        exchange_talk->letters, stats.peers);
  CHECK(schedule_talk->letters == 0, "%ld letters of a schedule", schedule_talk->letters);
  rind_exchange_destroy(&exchange);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  rind_context_destroy(&context);
}

static void check_alike(const talk *a, const talk *b, const char *what) {
  CHECK(a->gathers == 0 && b->gathers == 0, "%s gathers", what);
  CHECK(a->collectives == b->collectives && a->bytes == b->bytes,
        "%s: %ld collectives of %ld bytes, elsewhere %ld of %ld", what, a->collectives, a->bytes,
        b->collectives, b->bytes);
  CHECK(a->bytes <= 1024, "%s: %ld bytes", what, a->bytes);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  talk schedule[3], exchange[3];
  int rank = 0;
  MPI_Comm two = MPI_COMM_NULL;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &two);
  /* Pairs of ranks; all ranks; all ranks and eight times the blocks. */
  listen(two, 1, &schedule[0], &exchange[0]);
  listen(MPI_COMM_WORLD, 1, &schedule[1], &exchange[1]);
  listen(MPI_COMM_WORLD, 2, &schedule[2], &exchange[2]);
  for (int other = 1; other < 3; ++other) {
    check_alike(&schedule[0], &schedule[other], "a schedule");
    check_alike(&exchange[0], &exchange[other], "an exchange");
  }
  if (rank == 0 && argc > 1)
    printf("schedule: %ld collectives of %ld bytes; exchange with adjoint: %ld of %ld\n",
           schedule[0].collectives, schedule[0].bytes, exchange[0].collectives, exchange[0].bytes);
  MPI_Comm_free(&two);
  return check_end();
}
