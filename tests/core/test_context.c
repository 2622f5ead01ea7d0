/* test_context.c - communicators, threads, the last error, and agreement on errors. */
#include <check.h>
#include <core.h>
#include <device_memory.h>
#include <rind/rind.h>

#include <string.h>

static int world_rank, world_size;

/* True if every rank of comm has the same text. */
static bool same_everywhere(MPI_Comm comm, const char *text) {
  char lowest[1024] = "";
  snprintf(lowest, sizeof lowest, "%s", text);
  MPI_Bcast(lowest, sizeof lowest, MPI_CHAR, 0, comm);
  int same = strcmp(lowest, text) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm);
  return same;
}

static void check_communicator(MPI_Comm comm) {
  int rank, size, relation;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Errhandler before, after;
  MPI_Comm_get_errhandler(comm, &before);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(comm, NULL, &context), context);
  MPI_Comm_get_errhandler(comm, &after);
  CHECK(before == after, "the caller's error handler has changed");
  CHECK(rind_context_rank(context) == rank, "rank %d", rind_context_rank(context));
  CHECK(rind_context_size(context) == size, "size %d", rind_context_size(context));
  CHECK(rind_context_threads(context) >= 1, "%d threads", rind_context_threads(context));
  CHECK(strcmp(rind_last_error(context), "") == 0, "an error: %s", rind_last_error(context));
  MPI_Comm_compare(comm, rind_context_comm(context), &relation);
  CHECK(relation == MPI_CONGRUENT, "relation %d of the duplicate", relation);
  rind_context_destroy(&context);
  CHECK(!context, "destroy leaves the pointer");
  rind_context_destroy(&context);
  if (before != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&before);
  if (after != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&after);
}

static void check_part_of_world(void) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &part);
  check_communicator(part);
  MPI_Comm_free(&part);
}

/* Counts the copies of an attribute that are alive, and so the duplicates of a communicator. */
static int copy_attribute(MPI_Comm comm, int key, void *count, void *from, void *to, int *copied) {
  (void)comm, (void)key;
  ++*(int *)count;
  *(void **)to = from;
  *copied = 1;
  return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *count) {
  (void)comm, (void)key, (void)value;
  --*(int *)count;
  return MPI_SUCCESS;
}

static void check_given_back(void) {
  MPI_Comm comm;
  int key, count = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, &count);
  MPI_Comm_set_attr(comm, key, NULL);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(comm, NULL, &context), context);
  CHECK(count == 2, "%d communicators with a context", count);
  rind_context_destroy(&context);
  CHECK(count == 1, "%d communicators after it", count);
  CHECK_ERROR(rind_context_create(comm, &(rind_context_options){.threads = -1}, &context),
              RIND_ERROR_INVALID, NULL);
  CHECK(count == 1, "%d communicators after an error", count);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

static void check_threads(void) {
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, &(rind_context_options){.threads = 3}, &context),
           context);
  CHECK(rind_context_threads(context) == 3, "%d threads", rind_context_threads(context));
  rind_context_destroy(&context);
}

/* Without a device there is none to choose; by local rank that is no error. */
static void check_devices(void) {
  rind_context *context = NULL;
  const int count = rind_device_count();
  rind_context_options options = {.device_choice = RIND_DEVICE_LOCAL_RANK};
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, &options, &context), context);
  CHECK(rind_context_device(context) == (count > 0 ? world_rank % count : -1), "device %d of %d",
        rind_context_device(context), count);
  CHECK_OK(rind_context_wait(context), context);
  rind_context_destroy(&context);
  options = (rind_context_options){.device_choice = RIND_DEVICE_NUMBER, .device = count};
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, &options, &context), RIND_ERROR_DEVICE, NULL);
  options = (rind_context_options){.device_choice = (rind_device_choice)3};
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, &options, &context), RIND_ERROR_INVALID, NULL);
  options = (rind_context_options){.mpi_device = (rind_mpi_device)3};
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, &options, &context), RIND_ERROR_INVALID, NULL);
  CHECK(!context, "a context from a call that failed");
}

/* MPI's own word, unless the caller knows better. */
static void check_mpi_device(void) {
  const int expected[3] = {rind_mpi_takes_device(), 0, 1};
  for (int choice = 0; choice < 3; ++choice) {
    rind_context *context = NULL;
    const rind_context_options options = {.mpi_device = (rind_mpi_device)choice};
    CHECK_OK(rind_context_create(MPI_COMM_WORLD, &options, &context), context);
    CHECK(rind_context_mpi_takes_device(context) == expected[choice], "choice %d: %d", choice,
          rind_context_mpi_takes_device(context));
    rind_context_destroy(&context);
  }
}

static void check_refusals(void) {
  rind_context *context = NULL;
  CHECK_ERROR(rind_context_create(MPI_COMM_NULL, NULL, &context), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, NULL, NULL), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, &(rind_context_options){.threads = -1}, &context),
              RIND_ERROR_INVALID, NULL);
  /* A mistake of one rank is everybody's error. */
  rind_context **place = world_rank == world_size - 1 ? NULL : &context;
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, NULL, place), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(
      rind_context_create(MPI_COMM_WORLD, &(rind_context_options){.threads = 4097}, &context),
      RIND_ERROR_INVALID, context);
  CHECK(strstr(rind_last_error(NULL), "0 to 4096 threads"), "other words: %s",
        rind_last_error(NULL));
  const rind_context_options options = {.threads = world_rank == world_size - 1 ? -2 : 1};
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, &options, &context), RIND_ERROR_INVALID, NULL);
  CHECK(!context, "a context from a call that failed");
  CHECK(strlen(rind_last_error(NULL)) > 0, "no text about a failed rind_context_create");
}

static void check_null(void) {
  rind_context_destroy(NULL);
  CHECK(rind_context_rank(NULL) == -1, "rank %d", rind_context_rank(NULL));
  CHECK(rind_context_size(NULL) == 0, "size %d", rind_context_size(NULL));
  CHECK(rind_context_comm(NULL) == MPI_COMM_NULL, "a communicator");
  CHECK(rind_context_threads(NULL) == 1, "%d threads", rind_context_threads(NULL));
  CHECK(rind_context_device(NULL) == -1, "device %d", rind_context_device(NULL));
  CHECK(rind_context_mpi_takes_device(NULL) == 0, "MPI takes device addresses of no context");
  CHECK_ERROR(rind_context_fail(NULL, RIND_ERROR_IO, "x"), RIND_ERROR_IO, NULL);
  CHECK_ERROR(rind_context_agree(NULL, RIND_OK), RIND_ERROR_INVALID, NULL);
  CHECK_ERROR(rind_context_agree(NULL, RIND_ERROR_IO), RIND_ERROR_IO, NULL);
}

static void check_last_error(rind_context *context) {
  CHECK_ERROR(rind_context_fail(context, RIND_ERROR_IO, "%s has %d bytes, not %d", "x.hdf", 3, 4),
              RIND_ERROR_IO, context);
  CHECK(strcmp(rind_last_error(context), "x.hdf has 3 bytes, not 4") == 0, "the text is \"%s\"",
        rind_last_error(context));
  char tall[4000];
  memset(tall, 'y', sizeof tall);
  tall[sizeof tall - 1] = '\0';
  CHECK_ERROR(rind_context_fail(context, RIND_ERROR_IO, "%s", tall), RIND_ERROR_IO, context);
  const size_t kept = strlen(rind_last_error(context));
  CHECK(kept > 500 && kept < sizeof tall - 1, "%zu characters of a tall text", kept);
}

/* Ranks first, first + 1, ... fail, each in its own way; all report the first one's error. */
static void check_agreement(rind_context *context) {
  const rind_error ways[] = {RIND_ERROR_STALE, RIND_ERROR_INVALID, RIND_ERROR_INTERNAL};
  CHECK_OK(rind_context_agree(context, RIND_OK), context);
  for (int first = 0; first < world_size; ++first) {
    rind_context_fail(context, RIND_ERROR_IO, "an old text of rank %d", world_rank);
    rind_error error = RIND_OK;
    if (world_rank >= first)
      error = rind_context_fail(context, ways[world_rank % 3], "rank %d fails", world_rank);
    CHECK_ERROR(rind_context_agree(context, error), ways[first % 3], context);
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d fails", first);
    CHECK(strcmp(rind_last_error(context), expected) == 0, "the text is \"%s\"",
          rind_last_error(context));
    CHECK(same_everywhere(MPI_COMM_WORLD, rind_last_error(context)), "texts differ");
  }
}

static void check_tags(rind_context *context) {
  const int first = rind_context_next_tag(context);
  CHECK(rind_context_next_tag(context) == first + 1, "tag %d again", first);
  context->next_tag = context->max_tag;
  CHECK(rind_context_next_tag(context) == context->max_tag, "the last tag is left out");
  CHECK(rind_context_next_tag(context) == 0, "no tag 0 after the last one");
}

int main(int argc, char **argv) {
  rind_context *context = NULL;
  const rind_error early = rind_context_create(MPI_COMM_WORLD, NULL, &context);
  check_begin(&argc, &argv);
  CHECK(early == RIND_ERROR_INVALID && !context, "a context before MPI_Init");
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);

  check_communicator(MPI_COMM_WORLD);
  check_communicator(MPI_COMM_SELF);
  check_part_of_world();
  check_given_back();
  check_threads();
  check_devices();
  check_mpi_device();
  check_refusals();
  check_null();
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), context);
  check_last_error(context);
  check_agreement(context);
  check_tags(context);
  rind_context_destroy(&context);

  const int status = check_end();
  const rind_error late = rind_context_create(MPI_COMM_WORLD, NULL, &context);
  if (late != RIND_ERROR_INVALID) fputs("a context after MPI_Finalize\n", stderr);
  return late == RIND_ERROR_INVALID ? status : 1;
}
